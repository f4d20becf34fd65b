/*
 * cnn_runner.c - finds the tensors of images and probabilities.
 */
#include "cnn/solve/cnn_runner.h"

#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

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

/* The side's memory is what a GPU copies from without a detour. */
static status_t allocate_images(cnn_runner_t *r)
{
    const size_t n = (size_t)cnn_tensor_n(&r->program->tensors[r->input]);
    void *memory = NULL;
    status_t st;

    if (r->backend->side == NULL)
        return (r->image_values = calloc(n, sizeof(*r->image_values))) != NULL
                   ? ST_OK
                   : log_nomem("a batch of images");
    st = r->backend->side->host_alloc(r->state, n * sizeof(*r->image_values), &memory);
    r->image_values = memory;
    return st;
}

status_t cnn_runner_create(const cnn_context_t *context, const char *kernel,
                           device_t *fallback, cnn_runner_t *out)
{
    const backend_request_t request = {.name = kernel,
                                       .device = context->device,
                                       .fallback = fallback,
                                       .what = "programs of this size"};
    cnn_runner_t r = {.program = context->program, .pool = context->pool};
    const backend_t *row;
    status_t st = backend_open(&cnn_table, &request, context, &row, &r.state);

    if (st != ST_OK)
        return st;
    r.backend = (const cnn_backend_t *)row;
    find_tensors(&r);
    st = allocate_images(&r);
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
        free(r->image_values);
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
    const int64_t k = b->which[i];

    (void)thread;
    image_set_get(b->set, k, b->runner->image_values + i * image_set_values(b->set));
    b->runner->image_labels[i] = b->set->labels != NULL ? b->set->labels[k] : 0;
}

void cnn_runner_set_images(cnn_runner_t *r, const image_set_t *set, const int64_t *which,
                           int64_t n)
{
    batch_t b = {r, set, which};

    pool_run(n * image_set_values(set) >= POOL_MIN_VALUES ? r->pool : NULL, n, set_image,
             &b);
}

status_t cnn_runner_send_images(cnn_runner_t *r)
{
    status_t st = r->backend->write(r->state, r->input, r->image_values);

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
    cnn_runner_set_images(r, set, r->which, n);
    if ((st = cnn_runner_send_images(r)) != ST_OK ||
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
