/*
 * cpu_pool.c - maximum and mean pooling, one plane (channel of an image) after the other.
 */
#include "kernels/cnn/cpu/cpu_step.h"

#include <string.h>

typedef struct {
    const cnn_pool_t *p;
    int64_t in[2], out[2]; /* height and width of x and y */
} planes_t;

/* The part of a window along one axis that lies inside the input. */
typedef struct {
    int64_t first, end;
} range_t;

static range_t range_of(const planes_t *q, int axis, int64_t at)
{
    range_t r = {at * q->p->stride[axis] - q->p->pad[axis], 0};

    r.end = r.first + q->p->kernel[axis];
    if (r.first < 0)
        r.first = 0;
    if (r.end > q->in[axis])
        r.end = q->in[axis];
    return r;
}

/* Written out for the sizes of windows that most networks have. */
#define INLINE static inline __attribute__((always_inline))

INLINE float maximum_of(const float *x, int64_t stride, int64_t h, int64_t w)
{
    float max = x[0];

    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < w; j++)
            max = x[i * stride + j] > max ? x[i * stride + j] : max;
    return max;
}

/* @return x if the mask has all bits, 0 if it has none */
INLINE float masked(float x, uint32_t mask)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    bits &= mask;
    memcpy(&x, &bits, sizeof(bits));
    return x;
}

/* Add dy to the first element that equals the maximum.  Branches could not be predicted,
 * and compilers make some of any condition. */
INLINE void add_to_maximum_of(const float *x, int64_t stride, int64_t h, int64_t w,
                              float max, float dy, float *dx)
{
    uint32_t is_left = UINT32_MAX; /* not added yet */

    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < w; j++) {
            uint32_t is_equal = -(uint32_t)(x[i * stride + j] == max);

            dx[i * stride + j] += masked(dy, is_equal & is_left);
            is_left &= ~is_equal;
        }
}

static float maximum(const float *x, int64_t stride, int64_t h, int64_t w)
{
    if (h == 2 && w == 2)
        return maximum_of(x, stride, 2, 2);
    if (h == 3 && w == 3)
        return maximum_of(x, stride, 3, 3);
    return maximum_of(x, stride, h, w);
}

static void add_to_maximum(const float *x, int64_t stride, int64_t h, int64_t w,
                           float max, float dy, float *dx)
{
    if (h == 2 && w == 2)
        add_to_maximum_of(x, stride, 2, 2, max, dy, dx);
    else if (h == 3 && w == 3)
        add_to_maximum_of(x, stride, 3, 3, max, dy, dx);
    else
        add_to_maximum_of(x, stride, h, w, max, dy, dx);
}

/* @return what the sum of a window is multiplied by */
static float share_of(const planes_t *q, range_t h, range_t w)
{
    int64_t n = q->p->count_padding ? (int64_t)q->p->kernel[0] * q->p->kernel[1]
                                    : (h.end - h.first) * (w.end - w.first);

    return 1 / (float)n;
}

static float mean(const planes_t *q, const float *x, range_t h, range_t w)
{
    float sum = 0;

    for (int64_t i = h.first; i < h.end; i++)
        for (int64_t j = w.first; j < w.end; j++)
            sum += x[i * q->in[1] + j];
    return sum * share_of(q, h, w);
}

static void add_to_all(const planes_t *q, range_t h, range_t w, float dy, float *dx)
{
    float d = dy * share_of(q, h, w);

    for (int64_t i = h.first; i < h.end; i++)
        for (int64_t j = w.first; j < w.end; j++)
            dx[i * q->in[1] + j] += d;
}

static planes_t planes_of(const cpu_step_t *s)
{
    const int64_t *in = s->in[0].size;
    const int64_t *out = s->op == CNN_POOL ? s->out[0].size : s->in[1].size;

    return (planes_t){&s->params->pool, {in[2], in[3]}, {out[2], out[3]}};
}

static void forward(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    planes_t q = planes_of(s);
    const float *x = s->in[0].value + index * q.in[0] * q.in[1];
    float *y = s->out[0].value + index * q.out[0] * q.out[1];

    (void)thread;
    for (int64_t i = 0; i < q.out[0]; i++) {
        range_t h = range_of(&q, 0, i);

        for (int64_t j = 0; j < q.out[1]; j++, y++) {
            range_t w = range_of(&q, 1, j);
            int64_t at = h.first * q.in[1] + w.first;

            *y = q.p->is_mean
                     ? mean(&q, x, h, w)
                     : maximum(x + at, q.in[1], h.end - h.first, w.end - w.first);
        }
    }
}

void cpu_pool(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[0] * s->in[0].size[1], forward);
}

static void backward(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    planes_t q = planes_of(s);
    int64_t in_n = q.in[0] * q.in[1], out_n = q.out[0] * q.out[1];
    const float *x = s->in[0].value + index * in_n, *y = s->in[1].value + index * out_n;
    const float *dy = s->in[2].value + index * out_n;
    float *dx = s->out[0].value + index * in_n;

    (void)thread;
    memset(dx, 0, (size_t)in_n * sizeof(*dx));
    for (int64_t i = 0; i < q.out[0]; i++) {
        range_t h = range_of(&q, 0, i);

        for (int64_t j = 0; j < q.out[1]; j++, y++, dy++) {
            range_t w = range_of(&q, 1, j);
            int64_t at = h.first * q.in[1] + w.first;

            if (q.p->is_mean)
                add_to_all(&q, h, w, *dy, dx);
            else
                add_to_maximum(x + at, q.in[1], h.end - h.first, w.end - w.first, *y, *dy,
                               dx + at);
        }
    }
}

void cpu_pool_backward(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[0] * s->in[0].size[1], backward);
}
