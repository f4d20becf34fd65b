/*
 * serial_batch_norm.c - batch normalisation of channels.
 */
#include "kernels/cnn/serial/serial_step.h"

#include <math.h>

/* @return element k of channel c, k below channel_n */
static double *element(const serial_tensor_t *t, int64_t c, int64_t k)
{
    int64_t plane = t->size[2] * t->size[3];

    return serial_at(t, k / plane, c, 0, 0) + k % plane;
}

static int64_t channel_n(const serial_tensor_t *t)
{
    return t->size[0] * t->size[2] * t->size[3];
}

static void normalise_channel(const serial_step_t *s, int64_t c, double mean,
                              double inverse)
{
    const serial_tensor_t *x = &s->in[0], *y = &s->out[0];
    double scale = s->in[1].value[c], shift = s->in[2].value[c];

    for (int64_t k = 0; k < channel_n(x); k++)
        *element(y, c, k) = (*element(x, c, k) - mean) * inverse * scale + shift;
}

void serial_batch_norm(const serial_step_t *s)
{
    const cnn_batch_norm_t *p = &s->params->batch_norm;
    const serial_tensor_t *x = &s->in[0];
    double n = (double)channel_n(x), m = p->momentum;

    for (int64_t c = 0; c < x->size[1]; c++) {
        double mean = 0, squares = 0;
        double *running_mean = &s->out[3].value[c], *running = &s->out[4].value[c];

        for (int64_t k = 0; k < channel_n(x); k++)
            mean += *element(x, c, k) / n;
        for (int64_t k = 0; k < channel_n(x); k++)
            squares += (*element(x, c, k) - mean) * (*element(x, c, k) - mean);
        s->out[1].value[c] = mean;
        s->out[2].value[c] = 1 / sqrt(squares / n + p->epsilon);
        *running_mean = (1 - m) * *running_mean + m * mean;
        *running = (1 - m) * *running + m * squares / (n > 1 ? n - 1 : 1);
        normalise_channel(s, c, mean, s->out[2].value[c]);
    }
}

void serial_batch_norm_inference(const serial_step_t *s)
{
    for (int64_t c = 0; c < s->in[0].size[1]; c++)
        normalise_channel(s, c, s->in[3].value[c],
                          1 / sqrt(s->in[4].value[c] + s->params->batch_norm.epsilon));
}

/* With z = (x - mean) inverse and n elements:
 * dx = scale inverse (dy - sum(dy) / n - z sum(dy z) / n). */
void serial_batch_norm_backward(const serial_step_t *s)
{
    const serial_tensor_t *x = &s->in[0], *dy = &s->in[1];
    double n = (double)channel_n(x);

    for (int64_t c = 0; c < x->size[1]; c++) {
        double mean = s->in[3].value[c], inverse = s->in[4].value[c];
        double sum = 0, product = 0;

        for (int64_t k = 0; k < channel_n(x); k++) {
            sum += *element(dy, c, k);
            product += *element(dy, c, k) * (*element(x, c, k) - mean) * inverse;
        }
        for (int64_t k = 0; k < channel_n(x); k++) {
            double z = (*element(x, c, k) - mean) * inverse;

            *element(&s->out[0], c, k) = s->in[2].value[c] * inverse *
                                         (*element(dy, c, k) - sum / n - z * product / n);
        }
        s->out[1].value[c] = product;
        s->out[2].value[c] = sum;
    }
}
