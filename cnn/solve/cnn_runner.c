/*
 * cnn_runner.c - finds the tensors of images and probabilities.
 */
#include "cnn/solve/cnn_runner.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/store/choice_cache.h"
#include "kernels/registry/backends.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer values than these are copied before a pool's threads are awake. */
enum { POOL_MIN_VALUES = 1 << 19 };

static void find_tensors(cnn_runner_t *r)
{
    const cnn_program_t *p = r->program;

    r->labels = r->output = -1;
    for (int i = 0; i < p->n_tensors; i++) {
        if (p->tensors[i].role == CNN_INPUT)
            r->input = i;
        if (p->tensors[i].role == CNN_LABELS)
            r->labels = i;
    }
    for (int s = 0; s < p->n_steps; s++)
        if (p->steps[s].op == CNN_SOFTMAX || p->steps[s].op == CNN_SOFTMAX_LOSS)
            r->output = p->steps[s].writes[0];
    r->batch = p->tensors[r->input].size[0];
    r->n_classes = cnn_tensor_n(&p->tensors[r->output]) / r->batch;
}

/* Add the sizes and types of a step's tensors. */
static uint64_t add_tensors(uint64_t digest, const cnn_program_t *p, const int *tensors,
                            int n)
{
    for (int i = 0; i < n; i++) {
        const cnn_tensor_t *t = &p->tensors[tensors[i]];

        digest = digest_add(digest, t->size, sizeof(t->size));
        digest = digest_add(digest, &t->type, sizeof(t->type));
    }
    return digest;
}

/* Write the key of the choices of algorithms, NUL-terminated: the steps that may have
 * some, the memory and the device. */
static status_t make_key(const cnn_context_t *c, size_t memory_bytes, buf_t *out)
{
    const cnn_program_t *p = c->program;
    uint64_t digest = digest_add(DIGEST_START, &p->math, sizeof(p->math));

    digest = digest_add(digest, &memory_bytes, sizeof(memory_bytes));
    for (int k = 0; k < p->n_steps; k++) {
        const cnn_step_t *s = &p->steps[k];

        if (cnn_op_kind(s->op) == CNN_KIND_COPY ||
            cnn_op_kind(s->op) == CNN_KIND_UPDATE || cnn_program_repeats(p, k))
            continue;
        digest = digest_add(digest, &s->op, sizeof(s->op));
        digest = add_tensors(digest, p, s->reads, s->n_reads);
        digest = add_tensors(digest, p, s->writes, s->n_writes);
    }
    out->len = 0;
    return buf_printf(out, "%016" PRIx64 " %s%c", digest, c->device->name, '\0');
}

/* Within a limit, those of a run without one count where there are no others. */
status_t cnn_runner_find_choices(const cnn_context_t *context, buf_t *out)
{
    const size_t limits[] = {context->memory_bytes, 0};
    buf_t key = {0};
    status_t st = ST_OK;

    for (int i = 0; device_is_gpu(context->device) && st == ST_OK && out->len == 0; i++) {
        if ((st = make_key(context, limits[i], &key)) == ST_OK)
            st = choice_cache_get("algorithms", (const char *)key.data, out);
        if (limits[i] == 0)
            break;
    }
    buf_free(&key);
    return st;
}

static status_t get_choices(const cnn_backend_t *backend, void *state, buf_t *out)
{
    const status_t st = backend->choices(state, out);

    return st == ST_OK ? buf_append(out, "", 1) : st;
}

/* Create a backend's state with the choices of an earlier run, unless the context has
 * some, and keep those that it has made. */
static status_t open_backend(const cnn_context_t *context, const char *kernel,
                             device_t *fallback, cnn_runner_t *r)
{
    const backend_request_t request = {.name = kernel,
                                       .device = context->device,
                                       .fallback = fallback,
                                       .what = "programs of this size"};
    const bool is_free = context->choices == NULL && context->hints == NULL &&
                         device_is_gpu(context->device);
    cnn_context_t c = *context;
    buf_t key = {0}, before = {0}, now = {0};
    const backend_t *row;
    status_t st = ST_OK;

    if (is_free && (st = make_key(context, c.memory_bytes, &key)) == ST_OK)
        st = cnn_runner_find_choices(context, &before);
    if (before.len > 0)
        c.hints = (const char *)before.data;
    if (st == ST_OK &&
        (st = backend_open(&cnn_table, &request, &c, &row, &r->state)) == ST_OK) {
        r->backend = (const cnn_backend_t *)row;
        if (is_free && (st = get_choices(r->backend, r->state, &now)) == ST_OK &&
            now.len > 1 &&
            (now.len != before.len || memcmp(now.data, before.data, now.len) != 0))
            choice_cache_put("algorithms", (const char *)key.data,
                             (const char *)now.data);
    }
    buf_free(&key);
    buf_free(&before);
    buf_free(&now);
    return st;
}

status_t cnn_runner_create(const cnn_context_t *context, const char *kernel,
                           device_t *fallback, cnn_runner_t *out)
{
    cnn_runner_t r = {.program = context->program, .pool = context->pool};
    status_t st = open_backend(context, kernel, fallback, &r);

    if (r.backend == NULL)
        return st;
    find_tensors(&r);
    r.image_labels = calloc((size_t)r.batch, sizeof(*r.image_labels));
    r.probabilities = malloc((size_t)(r.batch * r.n_classes) * sizeof(*r.probabilities));
    r.which = malloc((size_t)r.batch * sizeof(*r.which));
    if (st == ST_OK &&
        (r.image_labels == NULL || r.probabilities == NULL || r.which == NULL))
        st = log_nomem("a batch of images");
    if (st != ST_OK) {
        cnn_runner_destroy(&r);
        return st;
    }
    *out = r;
    return ST_OK;
}

void cnn_runner_destroy(cnn_runner_t *r)
{
    if (r->backend != NULL && r->backend->side == NULL)
        free(r->images);
    if (r->backend != NULL)
        r->backend->destroy(r->state);
    free(r->which);
    free(r->image_labels);
    free(r->probabilities);
    *r = (cnn_runner_t){.program = NULL};
}

typedef struct {
    cnn_runner_t *runner;
    const image_set_t *set;
    const int64_t *which;
} batch_t;

static void set_image(void *ctx, int64_t i, int thread)
{
    const batch_t *b = ctx;
    const int64_t k = b->which[i], n = image_set_values(b->set);

    (void)thread;
    if (b->runner->are_bytes)
        memcpy((uint8_t *)b->runner->images + i * n, b->set->bytes + k * n, (size_t)n);
    else
        image_set_get(b->set, k, (float *)b->runner->images + i * n);
    b->runner->image_labels[i] = b->set->labels != NULL ? b->set->labels[k] : 0;
}

/* The side's memory is what a GPU copies from without a detour. */
static status_t reserve_images(cnn_runner_t *r, size_t bytes)
{
    const cnn_side_t *side = r->backend->side;
    status_t st = ST_OK;

    if (bytes <= r->images_bytes)
        return ST_OK;
    if (side != NULL)
        st = side->host_alloc(r->state, bytes, &r->images);
    else if ((r->images = calloc(bytes, 1)) == NULL) /* the first: all are floats */
        st = log_nomem("a batch of images");
    if (st == ST_OK)
        r->images_bytes = bytes;
    return st;
}

status_t cnn_runner_send_images(cnn_runner_t *r, const image_set_t *set,
                                const int64_t *which, int64_t n)
{
    const size_t values = (size_t)cnn_tensor_n(&r->program->tensors[r->input]);
    batch_t b = {r, set, which};
    status_t st;

    r->are_bytes = r->backend->side != NULL && set->bytes != NULL &&
                   !r->program->tensors[r->input].on_host;
    if ((st = reserve_images(r, values * (r->are_bytes ? 1 : sizeof(float)))) != ST_OK)
        return st;
    pool_run(n * image_set_values(set) >= POOL_MIN_VALUES ? r->pool : NULL, n, set_image,
             &b);
    st = r->are_bytes ? r->backend->side->write_bytes(r->state, r->input, r->images)
                      : r->backend->write(r->state, r->input, r->images);
    return st == ST_OK && r->labels >= 0
               ? r->backend->write(r->state, r->labels, r->image_labels)
               : st;
}

status_t cnn_runner_classify(cnn_runner_t *r, const image_set_t *set, int64_t first,
                             int64_t n)
{
    const cnn_iteration_t now = {.n_images = r->batch};
    status_t st;

    for (int64_t i = 0; i < n; i++)
        r->which[i] = first + i;
    if ((st = cnn_runner_send_images(r, set, r->which, n)) != ST_OK ||
        (st = r->backend->run(r->state, 0, r->program->n_forward, &now)) != ST_OK)
        return st;
    return r->backend->read(r->state, r->output, r->probabilities);
}

int32_t cnn_runner_best(const cnn_runner_t *r, int64_t i)
{
    const float *p = r->probabilities + i * r->n_classes;
    int32_t best = 0;

    for (int32_t c = 1; c < r->n_classes; c++)
        if (p[c] > p[best])
            best = c;
    return best;
}

double cnn_runner_loss(const cnn_runner_t *r, int64_t i, int32_t label)
{
    return -log(fmax(r->probabilities[i * r->n_classes + label], FLT_MIN));
}
