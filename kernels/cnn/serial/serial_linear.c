/*
 * serial_linear.c - fully connected layers: y = x w^T + b.
 */
#include "kernels/cnn/serial/serial_step.h"

void serial_linear(const serial_step_t *s)
{
    const serial_tensor_t *w = &s->in[1], *y = &s->out[0];
    int64_t n_in = w->size[1], n_out = w->size[0];

    for (int64_t n = 0; n < y->size[0]; n++)
        for (int64_t o = 0; o < n_out; o++) {
            double sum = s->n_in > 2 ? s->in[2].value[o] : 0;

            for (int64_t i = 0; i < n_in; i++)
                sum += s->in[0].value[n * n_in + i] * w->value[o * n_in + i];
            y->value[n * n_out + o] = sum;
        }
}

void serial_linear_backward_data(const serial_step_t *s)
{
    const serial_tensor_t *dy = &s->in[0], *w = &s->in[1];
    int64_t n_in = w->size[1], n_out = w->size[0];

    for (int64_t n = 0; n < dy->size[0]; n++)
        for (int64_t i = 0; i < n_in; i++) {
            double sum = 0;

            for (int64_t o = 0; o < n_out; o++)
                sum += dy->value[n * n_out + o] * w->value[o * n_in + i];
            s->out[0].value[n * n_in + i] = sum;
        }
}

void serial_linear_backward_weights(const serial_step_t *s)
{
    const serial_tensor_t *x = &s->in[0], *dy = &s->in[1], *dw = &s->out[0];
    int64_t n_in = dw->size[1], n_out = dy->size[1];
    const double *from = dy->value + s->params->linear.first;

    for (int64_t o = 0; o < dw->size[0]; o++)
        for (int64_t i = 0; i < n_in; i++) {
            double sum = 0;

            for (int64_t n = 0; n < dy->size[0]; n++)
                sum += from[n * n_out + o] * x->value[n * n_in + i];
            dw->value[o * n_in + i] = sum;
        }
    for (int64_t o = 0; s->n_out > 1 && o < n_out; o++) {
        s->out[1].value[o] = 0;
        for (int64_t n = 0; n < dy->size[0]; n++)
            s->out[1].value[o] += dy->value[n * n_out + o];
    }
}
