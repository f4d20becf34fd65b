/*
 * serial_elementwise.c - operations on each element for itself: those of layers, copies
 * of channels, and the steps of solvers.
 */
#include "kernels/cnn/common/cnn_draw.h"
#include "kernels/cnn/serial/serial_step.h"

#include <math.h>
#include <string.h>

void serial_relu(const serial_step_t *s)
{
    for (int64_t i = 0; i < s->out[0].n; i++) {
        double x = s->in[0].value[i];

        s->out[0].value[i] = x > 0 ? x : 0;
    }
}

void serial_relu_backward(const serial_step_t *s)
{
    for (int64_t i = 0; i < s->out[0].n; i++)
        s->out[0].value[i] = s->in[0].value[i] > 0 ? s->in[1].value[i] : 0;
}

void serial_dropout(const serial_step_t *s)
{
    const cnn_dropout_t *p = &s->params->dropout;
    const cnn_iteration_t *it = s->iteration;
    const serial_tensor_t *y = &s->out[0];
    int64_t first = it->first_image * (y->n / y->size[0]);
    uint32_t limit = cnn_draw_limit(p->p);

    for (int64_t i = 0; i < y->n; i++) {
        uint32_t bits =
            cnn_draw(it->seed, (uint32_t)p->layer, it->iteration, (uint64_t)(first + i));

        y->value[i] = bits < limit ? 0 : s->in[0].value[i] / (1 - p->p);
    }
}

void serial_add(const serial_step_t *s)
{
    for (int64_t i = 0; i < s->out[0].n; i++)
        s->out[0].value[i] = s->in[0].value[i] + s->in[1].value[i];
}

void serial_cast(const serial_step_t *s)
{
    for (int64_t i = 0; i < s->out[0].n; i++)
        s->out[0].value[i] = s->in[0].value[i];
}

/* ---- channels of several tensors one after the other ---- */

/* Copy the channels of `part` to or from those of `whole` that begin with `first`. */
static void copy_channels(const serial_tensor_t *whole, int64_t first,
                          const serial_tensor_t *part, bool to_whole)
{
    size_t bytes =
        (size_t)(part->size[1] * part->size[2] * part->size[3]) * sizeof(double);

    for (int64_t n = 0; n < part->size[0]; n++) {
        double *a = serial_at(whole, n, first, 0, 0), *b = serial_at(part, n, 0, 0, 0);

        memcpy(to_whole ? a : b, to_whole ? b : a, bytes);
    }
}

void serial_concat(const serial_step_t *s)
{
    int64_t first = 0;

    for (int i = 0; i < s->n_in; i++) {
        copy_channels(&s->out[0], first, &s->in[i], true);
        first += s->in[i].size[1];
    }
}

void serial_concat_backward(const serial_step_t *s)
{
    copy_channels(&s->in[0], s->params->concat.from_channel, &s->out[0], false);
}

/* ---- the steps of solvers ---- */

void serial_sgd(const serial_step_t *s)
{
    const cnn_update_t *p = &s->params->update;
    double rate = s->iteration->rate * p->rate_factor;

    for (int64_t i = 0; i < s->in[0].n; i++) {
        double *w = &s->out[0].value[i], *v = &s->out[1].value[i];

        *v = p->momentum * *v + s->in[0].value[i] + p->decay * *w;
        *w -= rate * *v;
    }
}

void serial_adam(const serial_step_t *s)
{
    const cnn_update_t *p = &s->params->update;
    double rate = s->iteration->rate * p->rate_factor;
    double t = (double)(s->iteration->iteration + 1);
    double correction1 = 1 - pow(p->beta1, t), correction2 = 1 - pow(p->beta2, t);

    for (int64_t i = 0; i < s->in[0].n; i++) {
        double *w = &s->out[0].value[i], *m = &s->out[1].value[i],
               *v = &s->out[2].value[i];
        double g = s->in[0].value[i] + p->decay * *w;

        *m = p->beta1 * *m + (1 - p->beta1) * g;
        *v = p->beta2 * *v + (1 - p->beta2) * g * g;
        *w -= rate * (*m / correction1) / (sqrt(*v / correction2) + p->epsilon);
    }
}
