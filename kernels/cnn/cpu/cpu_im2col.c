/*
 * cpu_im2col.c - the windows of an image as columns.
 */
#include "kernels/cnn/cpu/cpu_im2col.h"

#include <string.h>

/* The outputs of a row or column that read inside the input at one place of the window.
 */
typedef struct {
    int64_t first, end;
    int64_t shift; /* output i reads input i * stride + shift */
} span_t;

/* @param end  of the outputs that matter; they begin with `first` */
static span_t span_of(const cpu_windows_t *w, int axis, int64_t place, int64_t first,
                      int64_t end)
{
    int64_t stride = w->p->stride[axis], shift = place - w->p->pad[axis];
    int64_t inside = shift < 0 ? (-shift + stride - 1) / stride : 0;
    int64_t outside = shift < w->in[axis] ? (w->in[axis] - 1 - shift) / stride + 1 : 0;
    span_t s = {inside > first ? inside : first, outside < end ? outside : end, shift};

    if (s.first > end)
        s.first = end;
    if (s.end < s.first)
        s.end = s.first;
    return s;
}

static void clear(float *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = 0;
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
    clear(to, s->first);
    if (stride == 1)
        copy(x + s->first + s->shift, s->end - s->first, to + s->first);
    else
        for (int64_t j = s->first; j < s->end; j++)
            to[j] = x[j * stride + s->shift];
    clear(to + s->end, n - s->end);
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
    const int *kernel = w->p->kernel;
    int64_t n = w->out[1], end = first_row + n_rows;

    for (int64_t c = 0; c < w->n_channels; c++, x += w->in[0] * w->in[1])
        for (int64_t k = 0; k < (int64_t)kernel[0] * kernel[1]; k++, col += stride) {
            span_t rows = span_of(w, 0, k / kernel[1], first_row, end);
            span_t columns = span_of(w, 1, k % kernel[1], 0, n);

            clear(col, (rows.first - first_row) * n);
            for (int64_t i = rows.first; i < rows.end; i++)
                copy_row(&columns, n, w->p->stride[1],
                         x + (i * w->p->stride[0] + rows.shift) * w->in[1],
                         col + (i - first_row) * n);
            clear(col + (rows.end - first_row) * n, (end - rows.end) * n);
        }
}

void cpu_col2im(const cpu_windows_t *w, const float *col, int64_t stride,
                int64_t first_row, int64_t n_rows, float *x)
{
    const int *kernel = w->p->kernel;
    int64_t n = w->out[1];

    for (int64_t c = 0; c < w->n_channels; c++, x += w->in[0] * w->in[1])
        for (int64_t k = 0; k < (int64_t)kernel[0] * kernel[1]; k++, col += stride) {
            span_t rows = span_of(w, 0, k / kernel[1], first_row, first_row + n_rows);
            span_t columns = span_of(w, 1, k % kernel[1], 0, n);

            for (int64_t i = rows.first; i < rows.end; i++)
                add_row(&columns, w->p->stride[1], col + (i - first_row) * n,
                        x + (i * w->p->stride[0] + rows.shift) * w->in[1]);
        }
}
