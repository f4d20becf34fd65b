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

static void copy_row(const span_t *s, int64_t n, int64_t stride, const float *x,
                     float *to)
{
    for (int64_t j = 0; j < s->first; j++)
        to[j] = 0;
    if (stride == 1)
        memcpy(to + s->first, x + s->first + s->shift,
               (size_t)(s->end - s->first) * sizeof(*to));
    else
        for (int64_t j = s->first; j < s->end; j++)
            to[j] = x[j * stride + s->shift];
    for (int64_t j = s->end; j < n; j++)
        to[j] = 0;
}

void cpu_im2col(const cpu_windows_t *w, const float *x, int64_t first_row, int64_t n_rows,
                float *col)
{
    const cnn_convolution_t *p = w->p;
    int64_t n = w->out[1];

    for (int64_t c = 0; c < w->n_channels; c++)
        for (int64_t k = 0; k < (int64_t)p->kernel[0] * p->kernel[1]; k++) {
            span_t span = span_of(w, k % p->kernel[1]);

            for (int64_t i = first_row; i < first_row + n_rows; i++, col += n) {
                int64_t h = i * p->stride[0] - p->pad[0] + k / p->kernel[1];

                if (h >= 0 && h < w->in[0])
                    copy_row(&span, n, p->stride[1], x + (c * w->in[0] + h) * w->in[1],
                             col);
                else
                    memset(col, 0, (size_t)n * sizeof(*col));
            }
        }
}

void cpu_col2im(const cpu_windows_t *w, const float *col, int64_t first_row,
                int64_t n_rows, float *x)
{
    const cnn_convolution_t *p = w->p;
    int64_t n = w->out[1], stride = p->stride[1];

    for (int64_t c = 0; c < w->n_channels; c++)
        for (int64_t k = 0; k < (int64_t)p->kernel[0] * p->kernel[1]; k++) {
            span_t span = span_of(w, k % p->kernel[1]);

            for (int64_t i = first_row; i < first_row + n_rows; i++, col += n) {
                int64_t h = i * p->stride[0] - p->pad[0] + k / p->kernel[1];
                float *row = x + (c * w->in[0] + h) * w->in[1] + span.shift;

                if (h < 0 || h >= w->in[0])
                    continue;
                if (stride == 1)
                    for (int64_t j = span.first; j < span.end; j++)
                        row[j] += col[j];
                else
                    for (int64_t j = span.first; j < span.end; j++)
                        row[j * stride] += col[j];
            }
        }
}
