/*
 * serial_loss.c - softmax, its loss and the gradient.
 */
#include "kernels/cnn/serial/serial_step.h"

#include <math.h>

void serial_softmax(const serial_step_t *s)
{
    int64_t n_classes = s->in[0].size[1];

    for (int64_t n = 0; n < s->in[0].size[0]; n++) {
        const double *x = s->in[0].value + n * n_classes;
        double *y = s->out[0].value + n * n_classes;
        double max = x[0], sum = 0;

        for (int64_t c = 1; c < n_classes; c++)
            max = x[c] > max ? x[c] : max;
        for (int64_t c = 0; c < n_classes; c++)
            sum += y[c] = exp(x[c] - max);
        for (int64_t c = 0; c < n_classes; c++)
            y[c] /= sum;
    }
}

/* The logarithm is taken of the sum, not of the probability, which may round to 0. */
static double loss_of(const double *x, int64_t n_classes, int64_t label, bool *is_right)
{
    int64_t best = 0;
    double sum = 0;

    for (int64_t c = 1; c < n_classes; c++)
        best = x[c] > x[best] ? c : best;
    for (int64_t c = 0; c < n_classes; c++)
        sum += exp(x[c] - x[best]);
    *is_right = best == label;
    return log(sum) + x[best] - x[label];
}

void serial_softmax_loss(const serial_step_t *s)
{
    int64_t n_classes = s->in[0].size[1];
    double loss = 0, n_right = 0;

    serial_softmax(s);
    for (int64_t n = 0; n < s->in[0].size[0]; n++) {
        int64_t label = (int64_t)s->in[1].value[n];
        bool is_right = false;

        if (label >= 0)
            loss += loss_of(s->in[0].value + n * n_classes, n_classes, label, &is_right);
        n_right += is_right;
    }
    s->out[1].value[0] = loss / (double)s->iteration->n_images;
    s->out[2].value[0] = n_right;
}

void serial_softmax_loss_backward(const serial_step_t *s)
{
    int64_t n_classes = s->in[0].size[1];

    for (int64_t i = 0; i < s->in[0].n; i++) {
        int64_t label = (int64_t)s->in[1].value[i / n_classes];
        double d = s->in[0].value[i] - (i % n_classes == label ? 1 : 0);

        s->out[0].value[i] = label < 0 ? 0 : d / (double)s->iteration->n_images;
    }
}
