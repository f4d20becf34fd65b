/*
 * cpu_lrn.c - local response normalisation, for up to COLUMNS elements of all
 * channels of an image at a time.
 */
#include "kernels/cnn/cpu/cpu_step.h"

#include <math.h>

enum { COLUMNS = 256 };

/* Some elements of all channels of an image: element j of channel c is at c * plane + j
 * in tensors and at c * COLUMNS + j in this thread's memory. */
typedef struct {
    const cnn_lrn_t *p;
    int64_t n_channels, plane, n; /* n: elements of a channel */
    int64_t at;                   /* the first one */
    float *own;                   /* of this thread: 2 * n_channels * COLUMNS */
} columns_t;

static int64_t n_pieces(const cpu_step_t *s)
{
    return (s->in[0].size[2] * s->in[0].size[3] + COLUMNS - 1) / COLUMNS;
}

static columns_t columns_of(const cpu_step_t *s, int64_t index, int thread)
{
    const cpu_tensor_t *x = &s->in[0];
    int64_t image = index / n_pieces(s), first = index % n_pieces(s) * COLUMNS;
    columns_t c = {&s->params->lrn, x->size[1], x->size[2] * x->size[3],
                   COLUMNS,         0,          s->own + thread * s->own_n};

    if (c.plane - first < COLUMNS)
        c.n = c.plane - first;
    c.at = image * c.n_channels * c.plane + first;
    return c;
}

cpu_scratch_t cpu_lrn_scratch(const cpu_step_t *s)
{
    return (cpu_scratch_t){2 * s->in[0].size[1] * COLUMNS, 0};
}

/* s = k + alpha / size * sum of x^2, of one channel. @param x  of the image */
static void scales_of(const columns_t *q, const float *x, int64_t channel, float *s)
{
    int64_t first = channel - (q->p->size - 1) / 2, end = channel + q->p->size / 2 + 1;
    float factor = (float)(q->p->alpha / q->p->size), k = (float)q->p->k;
    int64_t n = q->n;

    for (int64_t j = 0; j < n; j++)
        s[j] = 0;
    for (int64_t c = first < 0 ? 0 : first; c < end && c < q->n_channels; c++) {
        const float *from = x + c * q->plane;

        for (int64_t j = 0; j < n; j++)
            s[j] += from[j] * from[j];
    }
    for (int64_t j = 0; j < n; j++)
        s[j] = k + factor * s[j];
}

/* s^-beta, in place; 0.75 is that of all published networks */
static void powers_of(const columns_t *q, float *s)
{
    float beta = (float)q->p->beta;
    int64_t n = q->n;

    if (q->p->beta == 0.75)
        for (int64_t j = 0; j < n; j++)
            s[j] = 1 / (sqrtf(s[j]) * sqrtf(sqrtf(s[j])));
    else
        for (int64_t j = 0; j < n; j++)
            s[j] = powf(s[j], -beta);
}

static void forward(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    columns_t q = columns_of(s, index, thread);
    const float *x = s->in[0].value + q.at;
    const float *power = q.own;
    float *y = s->out[0].value + q.at;
    int64_t n = q.n, plane = q.plane;

    for (int64_t c = 0; c < q.n_channels; c++) {
        scales_of(&q, x, c, q.own);
        powers_of(&q, q.own);
        for (int64_t j = 0; j < n; j++)
            y[c * plane + j] = x[c * plane + j] * power[j];
    }
}

void cpu_lrn(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[0] * n_pieces(s), forward);
}

/* dx = dy s^-beta - 2 alpha beta / size x * sum of dy y / s over the channels whose
 * windows contain this one (serial_lrn.c) */
static void backward(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    columns_t q = columns_of(s, index, thread);
    const float *x = s->in[0].value + q.at, *y = s->in[1].value + q.at;
    const float *dy = s->in[2].value + q.at;
    float *dx = s->out[0].value + q.at;
    float *ratio = q.own, *power = q.own + q.n_channels * COLUMNS;
    int64_t n = q.n, plane = q.plane;
    float factor = (float)(2 * q.p->alpha * q.p->beta / q.p->size);

    for (int64_t c = 0; c < q.n_channels; c++) {
        float *r = ratio + c * COLUMNS, *p = power + c * COLUMNS;

        scales_of(&q, x, c, p);
        for (int64_t j = 0; j < n; j++)
            r[j] = dy[c * plane + j] * y[c * plane + j] / p[j];
        powers_of(&q, p);
    }
    for (int64_t c = 0; c < q.n_channels; c++) {
        int64_t first = c - q.p->size / 2, end = c + (q.p->size - 1) / 2 + 1;
        float sum[COLUMNS] = {0};

        for (int64_t d = first < 0 ? 0 : first; d < end && d < q.n_channels; d++)
            for (int64_t j = 0; j < n; j++)
                sum[j] += ratio[d * COLUMNS + j];
        for (int64_t j = 0; j < n; j++)
            dx[c * plane + j] = dy[c * plane + j] * power[c * COLUMNS + j] -
                                factor * x[c * plane + j] * sum[j];
    }
}

void cpu_lrn_backward(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[0] * n_pieces(s), backward);
}
