/*
 * cpu_im2col.c - the windows of an image as columns.
 */
#include "kernels/cnn/cpu/cpu_im2col.h"

#include <string.h>

/* The columns of one output row that read inside the input. */
typedef struct {
    int64_t first, end; /* of the output */
    int64_t shift;      /* output column j reads input column j * stride + shift */
} span_t;

static span_t span_of(const cpu_windows_t *w, int64_t kw)
{
    int64_t stride = w->p->stride[1];
    span_t s = {.shift = kw - w->p->pad[1]};

    s.first = s.shift < 0 ? (-s.shift + stride - 1) / stride : 0;
    s.end = s.shift < w->in[1] ? (w->in[1] - 1 - s.shift) / stride + 1 : 0;
    if (s.first > w->out[1])
        s.first = w->out[1];
    if (s.end > w->out[1])
        s.end = w->out[1];
    if (s.end < s.first)
        s.end = s.first;
    return s;
}

/* Most rows are too short for a call of memcpy. */
static inline void copy(const float *from, int64_t n, float *to)
{
    enum { AT_ONCE = 8 };

    for (; n >= AT_ONCE; n -= AT_ONCE, from += AT_ONCE, to += AT_ONCE)
        memcpy(to, from, AT_ONCE * sizeof(*to));
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i];
}

static inline void copy_row(const span_t *s, int64_t n, int64_t stride, const float *x,
                            float *to)
{
    for (int64_t j = 0; j < s->first; j++)
        to[j] = 0;
    if (stride == 1)
        copy(x + s->first + s->shift, s->end - s->first, to + s->first);
    else
        for (int64_t j = s->first; j < s->end; j++)
            to[j] = x[j * stride + s->shift];
    for (int64_t j = s->end; j < n; j++)
        to[j] = 0;
}

static inline void add_row(const span_t *s, int64_t stride, const float *from, float *x)
{
    if (stride == 1)
        for (int64_t j = s->first; j < s->end; j++)
            x[j + s->shift] += from[j];
    else
        for (int64_t j = s->first; j < s->end; j++)
            x[j * stride + s->shift] += from[j];
}

void cpu_im2col(const cpu_windows_t *w, const float *x, int64_t first_row, int64_t n_rows,
                float *col, int64_t stride)
{
    const cnn_convolution_t *p = w->p;
    int64_t n = w->out[1];

    for (int64_t c = 0; c < w->n_channels; c++, x += w->in[0] * w->in[1])
        for (int64_t k = 0; k < (int64_t)p->kernel[0] * p->kernel[1];
             k++, col += stride) {
            span_t span = span_of(w, k % p->kernel[1]);

            for (int64_t i = 0; i < n_rows; i++) {
                int64_t h = (first_row + i) * p->stride[0] - p->pad[0] + k / p->kernel[1];

                if (h >= 0 && h < w->in[0])
                    copy_row(&span, n, p->stride[1], x + h * w->in[1], col + i * n);
                else
                    memset(col + i * n, 0, (size_t)n * sizeof(*col));
            }
        }
}

void cpu_col2im(const cpu_windows_t *w, const float *col, int64_t stride,
                int64_t first_row, int64_t n_rows, float *x)
{
    const cnn_convolution_t *p = w->p;

    for (int64_t c = 0; c < w->n_channels; c++, x += w->in[0] * w->in[1])
        for (int64_t k = 0; k < (int64_t)p->kernel[0] * p->kernel[1];
             k++, col += stride) {
            span_t span = span_of(w, k % p->kernel[1]);

            for (int64_t i = 0; i < n_rows; i++) {
                int64_t h = (first_row + i) * p->stride[0] - p->pad[0] + k / p->kernel[1];

                if (h >= 0 && h < w->in[0])
                    add_row(&span, p->stride[1], col + i * w->out[1], x + h * w->in[1]);
            }
        }
}
