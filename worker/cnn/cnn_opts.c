/*
 * cnn_opts.c - defaults of the options of the job "cnn", and which of them go together.
 */
#include "worker/cnn/cnn_opts.h"

#include "cnn/net/cnn_net.h"
#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"
#include "worker/cnn/batch_split.h"
#include "worker/cnn/place_choice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cnn_number_name[3] = {"fp32", "tf32", "bf16"};
const char *const cnn_merge_name[CNN_N_MERGES] = {"sync", "async"};

cnn_opts_t cnn_opts_defaults(void)
{
    return (cnn_opts_t){.images = {.stream = -1},
                        .test = {.stream = -1},
                        .seed = 1,
                        .common = job_opts_defaults()};
}

status_t cnn_number_check(cnn_plan_types_t number, const device_t *device,
                          const char *kernel)
{
    const bool is_named = kernel != NULL && strcmp(kernel, "auto") != 0;

    if (number == CNN_PLAN_FP32 || device_is_gpu(device) || is_named)
        return ST_OK;
    log_error("--type %s: on a CPU only the kernel serial computes with it, a hundred "
              "times as slowly as with fp32; leave out --type, give --device cuda, or "
              "--kernel serial",
              cnn_number_name[number]);
    return ST_EUSAGE;
}

status_t cnn_number_check_job(cnn_plan_types_t number, const job_opts_t *opts)
{
    return job_opts_computes(opts)
               ? cnn_number_check(number, &opts->binding->device, opts->kernel)
               : ST_OK;
}

static status_t parse_rate(cnn_opts_t *o, char *why)
{
    char *end;

    if (o->rate_text == NULL)
        return ST_OK;
    o->rate = strtod(o->rate_text, &end);
    if (end == o->rate_text || *end != '\0' || !(o->rate > 0 && o->rate <= CNN_RATE_MAX))
        return job_opts_misuse(why, "--rate %s: give a number above 0, at most %d",
                               o->rate_text, CNN_RATE_MAX);
    return ST_OK;
}

status_t cnn_images_check(const image_read_t *what, char why[JOB_OPTS_WHY_BYTES])
{
    return what->allow_missing && what->taxonomy == NULL
               ? job_opts_misuse(why, "--allow-missing needs --taxonomy")
               : ST_OK;
}

status_t cnn_limit_check(const device_limit_t *limit, const cnn_limit_given_t *given,
                         char why[JOB_OPTS_WHY_BYTES])
{
    if (given->bytes && limit->bytes == 0)
        return job_opts_misuse(why, "--device-memory 0: give bytes, such as 512M");
    return given->rematerialize && limit->policy != SWAP_PLAN
               ? job_opts_misuse(why, "--rematerialize needs --swap plan")
               : ST_OK;
}

static device_place_t place_of(const device_limit_t *limit, const job_opts_t *opts)
{
    const binding_t *b = opts->binding;

    return (device_place_t){.device = &b->device,
                            .kernel = opts->kernel,
                            .n_threads = b->n_threads,
                            .free_bytes =
                                limit->bytes == 0 ? device_free_bytes(&b->device) : 0,
                            .host_bytes = b->memory_bytes};
}

status_t cnn_limit_apply(const device_limit_t *limit, const job_opts_t *opts,
                         bool is_whole, cnn_program_t **programs, int n,
                         size_t *memory_bytes)
{
    device_place_t place;

    *memory_bytes = 0;
    if (!job_opts_computes(opts))
        return ST_OK;
    place = place_of(limit, opts);
    place.is_whole = is_whole;
    return device_limit_apply(limit, &place, programs, n, memory_bytes);
}

status_t cnn_place_settle(const device_limit_t *limit, const job_opts_t *opts,
                          bool is_alone, const cnn_net_t *net,
                          const cnn_plan_options_t *how, cnn_place_t *out)
{
    device_place_t place;

    *out = how->place == CNN_PLACE_AUTO ? CNN_PLACE_DEVICE : how->place;
    if (how->place != CNN_PLACE_AUTO || !job_opts_computes(opts) || !is_alone)
        return ST_OK;
    place = place_of(limit, opts);
    return place_choice_make(
        &(place_choice_t){.net = net, .how = how, .limit = limit, .device = &place}, out);
}

status_t cnn_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES])
{
    cnn_opts_t *o = (cnn_opts_t *)opts;
    status_t st = job_opts_check_output(&o->common, "MODEL.h5", true, why);

    if (st == ST_OK && (st = cnn_images_check(&o->images.what, why)) == ST_OK &&
        (st = cnn_limit_check(&o->limit, &CNN_LIMIT_GIVEN(o), why)) == ST_OK)
        st = parse_rate(o, why);
    if (st == ST_OK)
        st = batch_split_check(o->split, why);
    if (st == ST_OK && o->limit.bytes > 0 && o->split != NULL &&
        strcmp(o->split, "auto") == 0)
        st = job_opts_misuse(why, "--split auto measures without --device-memory; give "
                                  "weights, such as --split 3:1");
    return st == ST_OK ? job_opts_settle_device(&o->common.device, o->common.kernel,
                                                &cnn_table, why)
                       : st;
}
