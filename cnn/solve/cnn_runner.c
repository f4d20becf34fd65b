/*
 * cnn_runner.c - finds the tensors of images and probabilities.
 */
#include "cnn/solve/cnn_runner.h"

#include "io/base/logmsg.h"
#include "kernels/cnn/engine/cnn_engine.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

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

status_t cnn_runner_create(const cnn_context_t *context, const char *kernel,
                           cnn_runner_t *out)
{
    cnn_runner_t r = {.program = context->program};
    status_t st;

    find_tensors(&r);
    if ((st = cnn_engine_choose(context, kernel, &r.backend)) != ST_OK ||
        (st = r.backend->create(context, &r.state)) != ST_OK)
        return st;
    r.image_values = calloc((size_t)cnn_tensor_n(&r.program->tensors[r.input]),
                            sizeof(*r.image_values));
    r.image_labels = calloc((size_t)r.batch, sizeof(*r.image_labels));
    r.probabilities = malloc((size_t)(r.batch * r.n_classes) * sizeof(*r.probabilities));
    if (r.image_values == NULL || r.image_labels == NULL || r.probabilities == NULL) {
        cnn_runner_destroy(&r);
        return log_nomem("a batch of images");
    }
    *out = r;
    return ST_OK;
}

void cnn_runner_destroy(cnn_runner_t *r)
{
    if (r->backend != NULL)
        r->backend->destroy(r->state);
    free(r->image_values);
    free(r->image_labels);
    free(r->probabilities);
    *r = (cnn_runner_t){.program = NULL};
}

void cnn_runner_set_image(cnn_runner_t *r, int64_t i, const image_set_t *set, int64_t k)
{
    image_set_get(set, k, r->image_values + i * image_set_values(set));
    r->image_labels[i] = set->labels != NULL ? set->labels[k] : 0;
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
        cnn_runner_set_image(r, i, set, first + i);
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
