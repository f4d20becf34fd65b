/*
 * cpu_batch_norm.c - batch normalisation, one channel after the other; its sums are in 64
 * bits.
 */
#include "kernels/cnn/cpu/cpu_step.h"
#include "kernels/cnn/cpu/cpu_sum.h"

#include <math.h>

static int64_t plane_n(const cpu_tensor_t *t)
{
    return t->size[2] * t->size[3];
}

/* @return a channel of an image */
static float *plane_at(const cpu_tensor_t *t, int64_t image, int64_t channel)
{
    return t->value + (image * t->size[1] + channel) * plane_n(t);
}

/* y = (x - mean) inverse scale + shift, for one channel */
static void normalise(const cpu_step_t *s, int64_t c, double mean, double inverse)
{
    float centre = (float)mean, factor = (float)(inverse * (double)s->in[1].value[c]);
    float shift = s->in[2].value[c];
    int64_t plane = plane_n(&s->in[0]);

    for (int64_t n = 0; n < s->in[0].size[0]; n++) {
        const float *x = plane_at(&s->in[0], n, c);
        float *y = plane_at(&s->out[0], n, c);

        for (int64_t i = 0; i < plane; i++)
            y[i] = (x[i] - centre) * factor + shift;
    }
}

static void forward(void *ctx, int64_t c, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *x = &s->in[0];
    int64_t plane = plane_n(x), n_images = x->size[0];
    double n = (double)(n_images * plane), m = s->params->batch_norm.momentum;
    double mean = 0, squares = 0, inverse;
    float *running_mean = &s->out[3].value[c], *running = &s->out[4].value[c];

    (void)thread;
    for (int64_t i = 0; i < n_images; i++)
        mean += cpu_sum(plane_at(x, i, c), plane);
    mean /= n;
    for (int64_t i = 0; i < n_images; i++) {
        const float *p = plane_at(x, i, c);

        squares += cpu_sum_products(p, (float)mean, p, (float)mean, plane);
    }
    inverse = 1 / sqrt(squares / n + s->params->batch_norm.epsilon);
    s->out[1].value[c] = (float)mean;
    s->out[2].value[c] = (float)inverse;
    *running_mean = (float)((1 - m) * (double)*running_mean + m * mean);
    *running = (float)((1 - m) * (double)*running + m * squares / (n > 1 ? n - 1 : 1));
    normalise(s, c, mean, inverse);
}

void cpu_batch_norm(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[1], forward);
}

static void inference(void *ctx, int64_t c, int thread)
{
    const cpu_step_t *s = ctx;
    double variance = (double)s->in[4].value[c];

    (void)thread;
    normalise(s, c, (double)s->in[3].value[c],
              1 / sqrt(variance + s->params->batch_norm.epsilon));
}

void cpu_batch_norm_inference(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[1], inference);
}

/* dx = scale inverse (dy - sum(dy) / n - z sum(dy z) / n), z = (x - mean) inverse */
static void backward(void *ctx, int64_t c, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *x = &s->in[0], *dy = &s->in[1];
    int64_t plane = plane_n(x), n_images = x->size[0];
    double n = (double)(n_images * plane), inverse = (double)s->in[4].value[c];
    double sum = 0, product = 0;
    float mean = s->in[3].value[c], factor, z_factor, term;

    (void)thread;
    for (int64_t i = 0; i < n_images; i++) {
        sum += cpu_sum(plane_at(dy, i, c), plane);
        product +=
            cpu_sum_products(plane_at(dy, i, c), 0, plane_at(x, i, c), mean, plane);
    }
    product *= inverse;
    factor = (float)((double)s->in[2].value[c] * inverse);
    z_factor = (float)(inverse * product / n);
    term = (float)(sum / n);
    for (int64_t i = 0; i < n_images; i++) {
        const float *d = plane_at(dy, i, c), *p = plane_at(x, i, c);
        float *dx = plane_at(&s->out[0], i, c);

        for (int64_t k = 0; k < plane; k++)
            dx[k] = factor * (d[k] - term - (p[k] - mean) * z_factor);
    }
    s->out[1].value[c] = (float)product;
    s->out[2].value[c] = (float)sum;
}

void cpu_batch_norm_backward(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[1], backward);
}
