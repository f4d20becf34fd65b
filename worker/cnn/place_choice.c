/*
 * place_choice.c - the times of both placements, and the shorter one.
 */
#include "worker/cnn/place_choice.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <math.h>

/* What both placements are predicted from. */
typedef struct {
    const place_choice_t *choice;
    cnn_program_t *whole; /* without a limit, all on the device */
    cnn_rates_t rates, on_cpu;
    bool is_gpu;
} known_t;

status_t place_choice_cpu_rates(const cnn_net_t *net, const cnn_plan_options_t *how,
                                cnn_rates_t *out, bool *found)
{
    const cnn_plan_options_t fp32 = {how->n_images, CNN_PLAN_FP32, CNN_PLAN_TRAINING,
                                     CNN_PLACE_DEVICE, false};
    cnn_program_t *program;
    status_t st = cnn_plan_compile(net, &fp32, &program);

    if (st != ST_OK)
        return st;
    st = cnn_rates_find(program, DEVICE_CPU, out, found);
    cnn_program_destroy(program);
    return st;
}

static status_t refuse(const place_choice_t *c, const char *device, const char *option,
                       cnn_plan_types_t types)
{
    log_error("--place auto compares measured rates, and there are none of %s; measure "
              "them with `ribogrid cnn time %s --batch %" PRId64
              " --type %s --kinds%s`, or give --place device or hybnet",
              device, c->net->name, c->how->n_images,
              types == CNN_PLAN_TF32 ? "tf32" : "fp32", option);
    return ST_EUSAGE;
}

static status_t find_rates(known_t *k)
{
    const place_choice_t *c = k->choice;
    const device_t *device = c->device->device;
    bool found = c->rates != NULL;
    status_t st = ST_OK;

    if (found)
        k->rates = *c->rates;
    else
        st = cnn_rates_find(k->whole, device != NULL ? device->kind : DEVICE_CUDA,
                            &k->rates, &found);
    if (st == ST_OK && (!found || k->rates.in_per_s == 0))
        return refuse(c, k->is_gpu ? "the GPU" : "the CPU",
                      k->is_gpu ? "" : " --device cpu", c->how->types);
    if (st == ST_OK && k->is_gpu &&
        (st = place_choice_cpu_rates(c->net, c->how, &k->on_cpu, &found)) == ST_OK &&
        !found)
        return refuse(c, "the CPU beside it", " --device cpu", CNN_PLAN_FP32);
    return st;
}

/* Predict a batch within the limit. @param out  seconds; INFINITY: it does not fit */
static status_t time_of(const known_t *k, cnn_place_t place, double *out)
{
    const place_choice_t *c = k->choice;
    cnn_plan_options_t how = *c->how;
    cnn_program_t *program;
    size_t memory_bytes;
    bool fits;
    status_t st;

    *out = INFINITY;
    how.place = place;
    if ((st = cnn_plan_compile(c->net, &how, &program)) != ST_OK)
        return st;
    if ((st = device_limit_fits(c->limit, c->device, program, &fits)) == ST_OK && fits &&
        (st = device_limit_apply(c->limit, c->device, &program, 1, &memory_bytes)) ==
            ST_OK)
        st = cnn_rates_time(&k->rates, k->is_gpu ? &k->on_cpu : NULL, k->whole, program,
                            out);
    cnn_program_destroy(program);
    return st;
}

static status_t compare(const known_t *k, cnn_place_t *out)
{
    const double images = (double)k->choice->how->n_images;
    double device, hybnet;
    status_t st = time_of(k, CNN_PLACE_DEVICE, &device);

    if (st != ST_OK || (st = time_of(k, CNN_PLACE_HYBNET, &hybnet)) != ST_OK)
        return st;
    *out = hybnet < device ? CNN_PLACE_HYBNET : CNN_PLACE_DEVICE;
    if (isfinite(hybnet) || isfinite(device))
        log_info("--place auto: %s, by predictions of %.1f images/s with all on the "
                 "device, %.1f with HybNet",
                 *out == CNN_PLACE_HYBNET ? "hybnet" : "device", images / device,
                 images / hybnet);
    return ST_OK;
}

status_t place_choice_make(const place_choice_t *c, cnn_place_t *out)
{
    const device_t *device = c->device->device;
    cnn_plan_options_t how = *c->how;
    known_t k = {.choice = c, .is_gpu = device == NULL || device_is_gpu(device)};
    status_t st;

    *out = CNN_PLACE_DEVICE;
    if (!cnn_plan_has_hybnet(c->net) || how.types == CNN_PLAN_BF16)
        return ST_OK;
    how.place = CNN_PLACE_DEVICE;
    how.adds_up = false;
    if ((st = cnn_plan_compile(c->net, &how, &k.whole)) != ST_OK)
        return st;
    if ((st = find_rates(&k)) == ST_OK)
        st = compare(&k, out);
    cnn_program_destroy(k.whole);
    return st;
}
