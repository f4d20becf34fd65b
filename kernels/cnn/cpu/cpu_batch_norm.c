/*
 * cpu_batch_norm.c - batch normalisation, one channel after the other; its sums are in 64
 * bits.
 */
#include "kernels/cnn/common/cnn_parts.h"
#include "kernels/cnn/cpu/cpu_step.h"

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

/* Mean and squares of deviations of a channel */
static cnn_pair_t moments(const cpu_tensor_t *x, int64_t c)
{
    const int64_t plane = plane_n(x), n_images = x->size[0];
    cnn_pair_t m = {0, 0};

    for (int64_t i = 0; i < n_images; i++)
        m.first += cpu_sum(plane_at(x, i, c), plane);
    m.first /= (double)(n_images * plane);
    for (int64_t i = 0; i < n_images; i++) {
        const float *p = plane_at(x, i, c), mean = (float)m.first;

        m.second += cpu_sum_products(p, mean, p, mean, plane);
    }
    return m;
}

/* Save and use the moments of n elements. */
static void normalise_batch(const cpu_step_t *s, int64_t c, cnn_pair_t of, double n)
{
    const double m = s->params->batch_norm.momentum;
    const double inverse = 1 / sqrt(of.second / n + s->params->batch_norm.epsilon);
    float *running_mean = &s->out[3].value[c], *running = &s->out[4].value[c];

    s->out[1].value[c] = (float)of.first;
    s->out[2].value[c] = (float)inverse;
    *running_mean = (float)((1 - m) * (double)*running_mean + m * of.first);
    *running = (float)((1 - m) * (double)*running + m * of.second / (n > 1 ? n - 1 : 1));
    normalise(s, c, of.first, inverse);
}

/* Elements of a channel */
static double channel_n(const cpu_tensor_t *x)
{
    return (double)(x->size[0] * plane_n(x));
}

/* The same of the whole batch, of which this is a part */
static double whole_n(const cpu_step_t *s, int64_t n_parts)
{
    const cpu_tensor_t *x = &s->in[0];
    const int64_t n_images = s->params->batch_norm.n_images;

    return n_images > 0 ? (double)(n_images * plane_n(x))
                        : channel_n(x) * (double)n_parts;
}

static void forward(void *ctx, int64_t c, int thread)
{
    const cpu_step_t *s = ctx;

    (void)thread;
    normalise_batch(s, c, moments(&s->in[0], c), channel_n(&s->in[0]));
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

static void put_part(const cpu_tensor_t *part, int64_t c, cnn_pair_t of)
{
    part->value[c] = (float)of.first;
    part->value[part->size[1] + c] = (float)of.second;
}

static void forward_part(void *ctx, int64_t c, int thread)
{
    const cpu_step_t *s = ctx;

    (void)thread;
    put_part(&s->out[0], c, moments(&s->in[0], c));
}

void cpu_batch_norm_part(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[1], forward_part);
}

static void forward_whole(void *ctx, int64_t c, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *parts = &s->in[3];
    const int64_t n_parts = parts->size[0] / 2;
    const double n = channel_n(&s->in[0]);

    (void)thread;
    normalise_batch(s, c, cnn_parts_moments(parts->value + c, n_parts, parts->size[1], n),
                    whole_n(s, n_parts));
}

void cpu_batch_norm_whole(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[1], forward_whole);
}

/* The sums of dy and of dy z, z = (x - mean) inverse */
static cnn_pair_t gradient_sums(const cpu_tensor_t *x, const cpu_tensor_t *dy, int64_t c,
                                float mean, float inverse)
{
    cnn_pair_t sums = {0, 0};

    for (int64_t i = 0; i < x->size[0]; i++) {
        sums.first += cpu_sum(plane_at(dy, i, c), plane_n(x));
        sums.second +=
            cpu_sum_products(plane_at(dy, i, c), 0, plane_at(x, i, c), mean, plane_n(x));
    }
    sums.second *= (double)inverse;
    return sums;
}

/* From the sums of n elements:
 * dx = scale inverse (dy - sum(dy) / n - z sum(dy z) / n). */
static void gradient_of_input(const cpu_step_t *s, int64_t c, cnn_pair_t sums, double n)
{
    const cpu_tensor_t *x = &s->in[0], *dy = &s->in[1];
    const double inverse = (double)s->in[4].value[c];
    const float mean = s->in[3].value[c];
    const float factor = (float)((double)s->in[2].value[c] * inverse);
    const float z_factor = (float)(inverse * sums.second / n);
    const float term = (float)(sums.first / n);

    for (int64_t i = 0; i < x->size[0]; i++) {
        const float *d = plane_at(dy, i, c), *p = plane_at(x, i, c);
        float *dx = plane_at(&s->out[0], i, c);

        for (int64_t k = 0; k < plane_n(x); k++)
            dx[k] = factor * (d[k] - term - (p[k] - mean) * z_factor);
    }
}

static void backward(void *ctx, int64_t c, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *x = &s->in[0];
    const cnn_pair_t sums =
        gradient_sums(x, &s->in[1], c, s->in[3].value[c], s->in[4].value[c]);

    (void)thread;
    gradient_of_input(s, c, sums, channel_n(x));
    s->out[1].value[c] = (float)sums.second;
    s->out[2].value[c] = (float)sums.first;
}

void cpu_batch_norm_backward(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[1], backward);
}

static void backward_part(void *ctx, int64_t c, int thread)
{
    const cpu_step_t *s = ctx;
    const cnn_pair_t sums =
        gradient_sums(&s->in[0], &s->in[1], c, s->in[2].value[c], s->in[3].value[c]);

    (void)thread;
    put_part(&s->out[0], c, sums);
    s->out[1].value[c] = (float)sums.second;
    s->out[2].value[c] = (float)sums.first;
}

void cpu_batch_norm_backward_part(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[1], backward_part);
}

static void backward_whole(void *ctx, int64_t c, int thread)
{
    const cpu_step_t *s = ctx;
    const cpu_tensor_t *parts = &s->in[5];
    const int64_t n_parts = parts->size[0] / 2;

    (void)thread;
    gradient_of_input(s, c, cnn_parts_sums(parts->value + c, n_parts, parts->size[1]),
                      whole_n(s, n_parts));
}

void cpu_batch_norm_backward_whole(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[1], backward_whole);
}
