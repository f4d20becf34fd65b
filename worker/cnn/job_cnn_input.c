/*
 * job_cnn_input.c - reads, checks and compiles what is trained.
 */
#include "worker/cnn/job_cnn_state.h"

#include "cnn/plan/cnn_plan.h"
#include "cnn/solve/cnn_runner.h"
#include "io/base/logmsg.h"
#include "worker/cnn/place_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char synthetic[] = "synthetic";

/* ---- rank 0 ---- */

/* Synthetic images have the size and the classes of the network. */
static status_t read_synthetic(const job_cnn_t *j, const image_source_t *source,
                               image_set_t *out)
{
    image_read_t what = source->what;
    cnn_net_t *net;
    status_t st = cnn_net_parse(j->opts->net, (const char *)j->net_text.data, 0, &net);

    if (st != ST_OK)
        return st;
    for (int d = 0; d < 3; d++)
        what.size[d] = (int)net->layers[0].size[d];
    what.n_classes = net->n_classes;
    what.seed = (uint64_t)j->opts->seed;
    cnn_net_destroy(net);
    return image_read(&what, out);
}

static status_t read_images(const job_cnn_t *j, const image_source_t *source,
                            int question, image_set_t *out)
{
    const char *path = source->what.path;
    status_t st =
        strncmp(path, synthetic, strlen(synthetic)) == 0
            ? read_synthetic(j, source, out)
            : image_exchange_read(source, j->opts->common.reader, question, out);

    if (st != ST_OK)
        return st;
    if (out->n == 0 || out->labels == NULL) {
        log_error("%s has no %s; give images with labels", path,
                  out->n == 0 ? "images" : "labels");
        return ST_EINPUT;
    }
    return ST_OK;
}

/* Test images must be like those of training. */
static status_t check_test(const job_cnn_t *j)
{
    const image_set_t *a = &j->images, *b = &j->test;
    const char *path = j->opts->test.what.path;

    if (memcmp(a->size, b->size, sizeof(a->size)) != 0) {
        log_error("%s has images of %d x %d x %d, but those of training are %d x %d x "
                  "%d; give images of one size",
                  path, b->size[0], b->size[1], b->size[2], a->size[0], a->size[1],
                  a->size[2]);
        return ST_EINPUT;
    }
    for (int c = 0; a->classes != NULL && b->classes != NULL && c < b->n_classes; c++)
        if (c >= a->n_classes || strcmp(a->classes[c], b->classes[c]) != 0) {
            log_error("class %d of %s is '%s', which is another one in training; give "
                      "files with the same classes",
                      c, path, b->classes[c]);
            return ST_EINPUT;
        }
    if (b->n_classes > a->n_classes) {
        log_error("%s has labels up to %d, but those of training end at %d; give files "
                  "with the same classes",
                  path, b->n_classes - 1, a->n_classes - 1);
        return ST_EINPUT;
    }
    return ST_OK;
}

/* Parse the network for the number of classes that the images have. */
static status_t parse_net(job_cnn_t *j)
{
    const cnn_opts_t *o = j->opts;
    status_t st = cnn_net_parse(o->net, (const char *)j->net_text.data,
                                j->images.n_classes, &j->net);

    if (st == ST_OK && strlen(j->net->text) >= CNN_MODEL_TEXT_BYTES) {
        log_error("%s has more than %d bytes of text; shorten it", o->net,
                  CNN_MODEL_TEXT_BYTES);
        st = ST_EINPUT;
    }
    return st;
}

static status_t read_all(job_cnn_t *j)
{
    const cnn_opts_t *o = j->opts;
    status_t st = cnn_net_load(o->net, &j->net_text);

    if (st == ST_OK)
        st = read_images(j, &o->images, CNN_CHILD_IMAGES, &j->images);
    if (st == ST_OK && o->test.what.path != NULL)
        st = read_images(j, &o->test, CNN_CHILD_TEST_IMAGES, &j->test);
    if (st == ST_OK && o->test.what.path != NULL)
        st = check_test(j);
    return st == ST_OK ? parse_net(j) : st;
}

/* ---- every rank ---- */

/* What other ranks get; the text of the network is rank 0's until it is parsed. */
typedef struct {
    image_set_t images, test;
    int64_t text_len;
    char *text;
} shared_t;

ARRAY_COUNT(text_len, shared_t, o->text_len)

static const array_t shared_rows[] = {ARRAY_MEMBER(shared_t, images, &image_set_arrays),
                                      ARRAY_MEMBER(shared_t, test, &image_set_arrays),
                                      ARRAY_VALUE(shared_t, text_len, ARRAY_INT64),
                                      ARRAY_OF(shared_t, text, ARRAY_BYTES, text_len),
                                      ARRAYS_END};

static const arrays_t shared = {"images and a network", sizeof(shared_t), shared_rows,
                                NULL};

/* @return ST_EINPUT (logged) */
static status_t refuse_sent(void)
{
    log_error("the client sent images that cannot be trained on");
    return ST_EINPUT;
}

static status_t share(job_cnn_t *j, exchange_t *x)
{
    shared_t s = {.images = j->images, .test = j->test};
    status_t st;

    if (x->rank == 0) {
        s.text = j->net->text;
        s.text_len = (int64_t)strlen(s.text);
    }
    if ((st = exchange_object(x, &shared, &s)) != ST_OK)
        return st;
    j->images = s.images;
    j->test = s.test;
    if (x->rank == 0)
        return exchange_agree(x, ST_OK);
    st = j->images.n_classes <= CNN_NET_MAX_CLASSES
             ? cnn_net_parse(j->opts->net, s.text, j->images.n_classes, &j->net)
             : refuse_sent();
    free(s.text);
    return exchange_agree(x, st);
}

static void take_options(job_cnn_t *j)
{
    const cnn_opts_t *o = j->opts;
    cnn_solver_t *s = &j->net->solver;

    if (o->epochs > 0)
        s->epochs = (double)o->epochs;
    if (o->batch > 0)
        s->batch = (int)o->batch;
    if (o->rate_text != NULL)
        s->rate = o->rate;
    j->n_iterations = (int64_t)ceil(s->epochs * (double)j->images.n / s->batch);
}

static status_t check_merge(const job_cnn_t *j)
{
    bool has_norm = false;

    for (int i = 0; i < j->net->n_layers; i++)
        has_norm |= j->net->layers[i].kind == CNN_LAYER_BATCH_NORM;
    if (j->opts->merge != CNN_MERGE_ASYNC)
        return ST_OK;
    if (j->n_ranks > 1 && !has_norm && j->opts->limit.bytes == 0)
        return ST_OK;
    if (j->n_ranks > 1 && !has_norm) {
        log_error("--merge async keeps the gradients of all layers for an iteration, and "
                  "knows no limit; leave out --device-memory or --merge");
        return ST_EUSAGE;
    }
    log_error(has_norm
                  ? "--merge async: batch norm takes moments of the whole batch, for "
                    "which ranks wait for each other; leave out --merge"
                  : "--merge async: there is one rank; leave it out, or start several "
                    "with mpirun");
    return ST_EUSAGE;
}

static status_t check_net(const job_cnn_t *j)
{
    const int64_t *size = j->net->layers[0].size;
    const image_set_t *images = &j->images;

    if (size[0] != images->size[0] || size[1] != images->size[1] ||
        size[2] != images->size[2]) {
        log_error("%s takes images of %" PRId64 " x %" PRId64 " x %" PRId64
                  ", but %s has images of %d x %d x %d; give another network or other "
                  "images",
                  j->net->name, size[0], size[1], size[2], j->opts->images.what.path,
                  images->size[0], images->size[1], images->size[2]);
        return ST_EINPUT;
    }
    if (j->net->n_classes < images->n_classes) {
        log_error("%s has %d classes, but the images have %d; write `classes` in the "
                  "place of the number in its last layer",
                  j->net->name, j->net->n_classes, images->n_classes);
        return ST_EINPUT;
    }
    if (j->opts->split == NULL && j->net->solver.batch % j->n_ranks != 0) {
        log_error("batches of %d images cannot be divided among %d ranks; give --batch a "
                  "multiple of %d, or --split",
                  j->net->solver.batch, j->n_ranks, j->n_ranks);
        return ST_EINPUT;
    }
    return check_merge(j);
}

/* @return whether training can use these images */
static bool are_usable(const image_set_t *images, const cnn_net_t *net)
{
    bool are = images->n > 0 && images->labels != NULL &&
               (images->bytes != NULL) != (images->values != NULL);

    for (int64_t i = 0; are && i < images->n; i++)
        are = images->labels[i] >= 0 && images->labels[i] < net->n_classes;
    return are;
}

/* What read_all and check_net find of files, of what a client has sent. */
static status_t check_sent(const job_cnn_t *j)
{
    const image_set_t *test = &j->test;

    if (are_usable(&j->images, j->net) &&
        (test->n == 0 || (are_usable(test, j->net) &&
                          memcmp(test->size, j->images.size, sizeof(test->size)) == 0)))
        return check_net(j);
    return refuse_sent();
}

/* Predict the time of a batch within the limit, from rates that this machine has kept.
 * @param how    of its part of a batch
 * @param whole  the program without the limit, all on the device */
static status_t predict(job_cnn_t *j, const cnn_plan_options_t *how,
                        const cnn_program_t *whole)
{
    const binding_t *b = j->base.opts->binding;
    cnn_rates_t on_cpu;
    bool found, has_cpu = false;
    status_t st = cnn_rates_find(whole, b->device.kind, &j->rates, &found);

    if (st == ST_OK && cnn_program_uses_cpu(j->training))
        st = place_choice_cpu_rates(j->net, how, &on_cpu, &has_cpu);
    if (st == ST_OK && found &&
        (device_is_gpu(&b->device) || j->rates.n_threads == b->n_threads))
        st = cnn_rates_time(&j->rates, has_cpu ? &on_cpu : NULL, whole, j->training,
                            &j->predicted_s);
    return st == ST_EUSAGE ? ST_OK : st; /* rates of copies are not known */
}

static cnn_plan_options_t options_of(const job_cnn_t *j, cnn_place_t place, bool adds_up)
{
    return (cnn_plan_options_t){job_cnn_part(j, j->rank), j->opts->number,
                                CNN_PLAN_TRAINING, place, adds_up};
}

static status_t compile_part(const job_cnn_t *j, cnn_place_t place, bool adds_up,
                             cnn_program_t **out)
{
    const cnn_plan_options_t plan = options_of(j, place, adds_up);
    const int64_t whole = j->split.parts != NULL ? j->net->solver.batch : 0;

    return cnn_plan_compile_part(j->net, &plan, job_cnn_n_together(j), whole, out);
}

/* Sums over several GPUs take gradients from their memory alone. */
static status_t check_place(const job_cnn_t *j)
{
    const binding_t *b = j->base.opts->binding;

    if (b == NULL || b->is_idle || !device_is_gpu(&b->device) ||
        job_cnn_n_together(j) == 1 || !cnn_program_uses_cpu(j->training))
        return ST_OK;
    log_error("layers on the CPU: ranks that train together compute all layers on their "
              "GPUs; give --place device, or start one rank");
    return ST_EUSAGE;
}

/* Make the programs fit. */
static status_t limit(job_cnn_t *j)
{
    const cnn_plan_options_t how = options_of(j, CNN_PLACE_DEVICE, false);
    cnn_program_t *programs[2] = {j->training, j->inference}, *whole = NULL;
    status_t st = ST_OK;

    if (!job_cnn_trains(j))
        return ST_OK;
    st = cnn_limit_apply(&j->opts->limit, j->base.opts,
                         job_cnn_n_together(j) > 1 && j->opts->limit.bytes == 0, programs,
                         j->inference != NULL ? 2 : 1, &j->memory_bytes);

    j->training = programs[0];
    j->inference = programs[1];
    if (st != ST_OK || j->opts->limit.bytes == 0 || !job_opts_computes(j->base.opts))
        return st;
    if ((st = compile_part(j, CNN_PLACE_DEVICE, false, &whole)) == ST_OK)
        st = predict(j, &how, whole);
    cnn_program_destroy(whole);
    return st;
}

static status_t compile_all(job_cnn_t *j)
{
    const cnn_plan_options_t how = options_of(j, j->opts->place, false);
    const bool is_alone = job_cnn_n_together(j) == 1;
    const bool adds_up = !is_alone && j->opts->limit.bytes > 0;
    cnn_plan_options_t test = {j->net->solver.batch / job_cnn_n_together(j),
                               j->opts->number, CNN_PLAN_INFERENCE, CNN_PLACE_DEVICE,
                               false};
    status_t st =
        cnn_place_settle(&j->opts->limit, j->base.opts, is_alone && job_cnn_trains(j),
                         j->net, &how, &j->place);

    test.place = j->place;
    if (st == ST_OK)
        st = compile_part(j, j->place, adds_up, &j->training);
    if (st == ST_OK)
        st = check_place(j);
    return st == ST_OK && j->test.n > 0 ? cnn_plan_compile(j->net, &test, &j->inference)
                                        : st;
}

static status_t compile(job_cnn_t *j)
{
    status_t st = compile_all(j);

    if (st != ST_OK || (st = limit(j)) != ST_OK)
        return st;
    if ((j->kept = malloc((size_t)j->training->n_tensors * sizeof(*j->kept))) == NULL)
        return log_nomem("a network");
    for (int i = 0; i < j->training->n_tensors; i++)
        if (j->training->tensors[i].role == CNN_PARAMETER ||
            j->training->tensors[i].role == CNN_STATE)
            j->kept[j->n_kept++] = i;
    return ST_OK;
}

/* Ranks whose devices are rank 0's begin together, with what an earlier run has chosen.
 */
static status_t share_choices(job_cnn_t *j, exchange_t *x)
{
    const device_t *device = &j->base.opts->binding->device;
    const cnn_context_t context = {.device = device,
                                   .program = j->training,
                                   .memory_bytes = j->memory_bytes};
    status_t st = x->rank == 0 ? cnn_runner_find_choices(&context, &j->known) : ST_OK;

    st = exchange_agree(x, st);
    return st == ST_OK ? choice_exchange(x, device->name, &j->known) : st;
}

/* Divide batches; a rank that does not reach others takes all. */
static status_t split(job_cnn_t *j, exchange_t *x)
{
    exchange_t alone = exchange_alone();
    status_t st;

    if (j->opts->split == NULL)
        return ST_OK;
    if (!x->has_no_gangs)
        return batch_split_make(x, j->net, j->opts, &j->split);
    st = x->rank == 0 ? batch_split_make(&alone, j->net, j->opts, &j->split) : ST_OK;
    if ((st = exchange_agree(x, st)) == ST_OK &&
        x->rank > 0) /* rank 0 says what is wrong */
        st = batch_split_make(&alone, j->net, j->opts, &j->split);
    return exchange_agree(x, st);
}

status_t job_cnn_read(job_cnn_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? read_all(j) : ST_OK);

    j->rank = x->has_no_gangs ? 0 : x->rank;
    j->n_ranks = x->has_no_gangs ? 1 : x->n_ranks;
    if (st != ST_OK || (st = share(j, x)) != ST_OK)
        return st;
    take_options(j);
    if ((st = exchange_agree(x, x->rank == 0 ? check_net(j) : ST_OK)) != ST_OK)
        return st;
    if (x->has_no_gangs && /* who does not trust rank 0 looks, too */
        (st = exchange_agree(x, x->rank > 0 ? check_sent(j) : ST_OK)) != ST_OK)
        return st;
    if ((st = split(j, x)) != ST_OK)
        return st;
    st = exchange_agree(x, compile(j));
    if (st != ST_OK || j->base.opts->binding == NULL || job_cnn_n_together(j) == 1)
        return st;
    return share_choices(j, x);
}
