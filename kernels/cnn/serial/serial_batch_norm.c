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

/* Two values of a channel: its mean and the squares of deviations from it, or the sums
 * that its gradient needs. */
typedef struct {
    double first, second;
} pair_t;

static pair_t moments(const serial_tensor_t *x, int64_t c)
{
    const double n = (double)channel_n(x);
    pair_t m = {0, 0};

    for (int64_t k = 0; k < channel_n(x); k++)
        m.first += *element(x, c, k) / n;
    for (int64_t k = 0; k < channel_n(x); k++)
        m.second += (*element(x, c, k) - m.first) * (*element(x, c, k) - m.first);
    return m;
}

/* Save and use the moments of n elements. */
static void normalise_batch(const serial_step_t *s, int64_t c, pair_t of, double n)
{
    const cnn_batch_norm_t *p = &s->params->batch_norm;
    const double m = p->momentum;
    double *running_mean = &s->out[3].value[c], *running = &s->out[4].value[c];

    s->out[1].value[c] = of.first;
    s->out[2].value[c] = 1 / sqrt(of.second / n + p->epsilon);
    *running_mean = (1 - m) * *running_mean + m * of.first;
    *running = (1 - m) * *running + m * of.second / (n > 1 ? n - 1 : 1);
    normalise_channel(s, c, of.first, s->out[2].value[c]);
}

void serial_batch_norm(const serial_step_t *s)
{
    const serial_tensor_t *x = &s->in[0];

    for (int64_t c = 0; c < x->size[1]; c++)
        normalise_batch(s, c, moments(x, c), (double)channel_n(x));
}

/* A channel's values in a tensor of parts */
static pair_t part_at(const serial_tensor_t *parts, int64_t part, int64_t c)
{
    return (pair_t){*serial_at(parts, 2 * part, c, 0, 0),
                    *serial_at(parts, 2 * part + 1, c, 0, 0)};
}

static void put_part(const serial_tensor_t *part, int64_t c, pair_t of)
{
    *serial_at(part, 0, c, 0, 0) = of.first;
    *serial_at(part, 1, c, 0, 0) = of.second;
}

void serial_batch_norm_part(const serial_step_t *s)
{
    for (int64_t c = 0; c < s->in[0].size[1]; c++)
        put_part(&s->out[0], c, moments(&s->in[0], c));
}

/* Elements of a channel in the whole batch, of which x is a part */
static double whole_n(const serial_step_t *s, int64_t n_parts)
{
    const serial_tensor_t *x = &s->in[0];
    const int64_t n_images = s->params->batch_norm.n_images;

    return (double)(n_images > 0 ? n_images * x->size[2] * x->size[3]
                                 : channel_n(x) * n_parts);
}

void serial_batch_norm_whole(const serial_step_t *s)
{
    const serial_tensor_t *x = &s->in[0], *parts = &s->in[3];
    const int64_t n_parts = parts->size[0] / 2;
    const double n = (double)channel_n(x);

    for (int64_t c = 0; c < x->size[1]; c++) {
        pair_t whole = {0, 0};

        for (int64_t r = 0; r < n_parts; r++)
            whole.first += part_at(parts, r, c).first / (double)n_parts;
        for (int64_t r = 0; r < n_parts; r++) {
            const pair_t part = part_at(parts, r, c);
            const double d = part.first - whole.first;

            whole.second += part.second + n * d * d;
        }
        normalise_batch(s, c, whole, whole_n(s, n_parts));
    }
}

void serial_batch_norm_inference(const serial_step_t *s)
{
    for (int64_t c = 0; c < s->in[0].size[1]; c++)
        normalise_channel(s, c, s->in[3].value[c],
                          1 / sqrt(s->in[4].value[c] + s->params->batch_norm.epsilon));
}

/* The sums of dy and of dy z, z = (x - mean) inverse */
static pair_t gradient_sums(const serial_tensor_t *x, const serial_tensor_t *dy,
                            int64_t c, double mean, double inverse)
{
    pair_t sums = {0, 0};

    for (int64_t k = 0; k < channel_n(x); k++) {
        sums.first += *element(dy, c, k);
        sums.second += *element(dy, c, k) * (*element(x, c, k) - mean) * inverse;
    }
    return sums;
}

/* From the sums of n elements:
 * dx = scale inverse (dy - sum(dy) / n - z sum(dy z) / n). */
static void gradient_of_input(const serial_step_t *s, int64_t c, pair_t sums, double n)
{
    const serial_tensor_t *x = &s->in[0], *dy = &s->in[1];
    const double mean = s->in[3].value[c], inverse = s->in[4].value[c];

    for (int64_t k = 0; k < channel_n(x); k++) {
        double z = (*element(x, c, k) - mean) * inverse;

        *element(&s->out[0], c, k) =
            s->in[2].value[c] * inverse *
            (*element(dy, c, k) - sums.first / n - z * sums.second / n);
    }
}

void serial_batch_norm_backward(const serial_step_t *s)
{
    const serial_tensor_t *x = &s->in[0];

    for (int64_t c = 0; c < x->size[1]; c++) {
        pair_t sums =
            gradient_sums(x, &s->in[1], c, s->in[3].value[c], s->in[4].value[c]);

        gradient_of_input(s, c, sums, (double)channel_n(x));
        s->out[1].value[c] = sums.second;
        s->out[2].value[c] = sums.first;
    }
}

void serial_batch_norm_backward_part(const serial_step_t *s)
{
    const serial_tensor_t *x = &s->in[0];

    for (int64_t c = 0; c < x->size[1]; c++) {
        pair_t sums =
            gradient_sums(x, &s->in[1], c, s->in[2].value[c], s->in[3].value[c]);

        put_part(&s->out[0], c, sums);
        s->out[1].value[c] = sums.second;
        s->out[2].value[c] = sums.first;
    }
}

void serial_batch_norm_backward_whole(const serial_step_t *s)
{
    const serial_tensor_t *x = &s->in[0], *parts = &s->in[5];
    const int64_t n_parts = parts->size[0] / 2;

    for (int64_t c = 0; c < x->size[1]; c++) {
        pair_t sums = {0, 0};

        for (int64_t r = 0; r < n_parts; r++) {
            sums.first += part_at(parts, r, c).first;
            sums.second += part_at(parts, r, c).second;
        }
        gradient_of_input(s, c, sums, whole_n(s, n_parts));
    }
}
