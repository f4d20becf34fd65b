/*
 * serial_pool.c - maximum and mean pooling.
 */
#include "kernels/cnn/serial/serial_step.h"

/* The part of a window that lies inside the input. */
typedef struct {
    int64_t first[2], end[2];
    int64_t n_divide; /* the mean divides by this */
} window_t;

static window_t window_of(const cnn_pool_t *p, const int64_t *size, const int64_t at[2])
{
    window_t w;

    for (int axis = 0; axis < 2; axis++) {
        int64_t first = at[axis] * p->stride[axis] - p->pad[axis];
        int64_t end = first + p->kernel[axis];

        w.first[axis] = first < 0 ? 0 : first;
        w.end[axis] = end > size[2 + axis] ? size[2 + axis] : end;
    }
    w.n_divide = p->count_padding ? (int64_t)p->kernel[0] * p->kernel[1]
                                  : (w.end[0] - w.first[0]) * (w.end[1] - w.first[1]);
    return w;
}

/* @return the first maximum of a window of channel c of image n */
static double *maximum(const serial_tensor_t *x, int64_t n, int64_t c, const window_t *w)
{
    double *best = serial_at(x, n, c, w->first[0], w->first[1]);

    for (int64_t h = w->first[0]; h < w->end[0]; h++)
        for (int64_t l = w->first[1]; l < w->end[1]; l++)
            if (*serial_at(x, n, c, h, l) > *best)
                best = serial_at(x, n, c, h, l);
    return best;
}

static double mean(const serial_tensor_t *x, int64_t n, int64_t c, const window_t *w)
{
    double sum = 0;

    for (int64_t h = w->first[0]; h < w->end[0]; h++)
        for (int64_t l = w->first[1]; l < w->end[1]; l++)
            sum += *serial_at(x, n, c, h, l);
    return sum / (double)w->n_divide;
}

void serial_pool(const serial_step_t *s)
{
    const cnn_pool_t *p = &s->params->pool;
    const serial_tensor_t *x = &s->in[0], *y = &s->out[0];

    for (int64_t n = 0; n < y->size[0]; n++)
        for (int64_t c = 0; c < y->size[1]; c++)
            for (int64_t i = 0; i < y->size[2]; i++)
                for (int64_t j = 0; j < y->size[3]; j++) {
                    window_t w = window_of(p, x->size, (int64_t[2]){i, j});

                    *serial_at(y, n, c, i, j) =
                        p->is_mean ? mean(x, n, c, &w) : *maximum(x, n, c, &w);
                }
}

/* Add the gradient of one output to those of its window. */
static void add_gradient(const cnn_pool_t *p, const serial_tensor_t *x,
                         const serial_tensor_t *dx, const int64_t at[4], double dy)
{
    window_t w = window_of(p, x->size, at + 2);

    if (!p->is_mean) {
        dx->value[maximum(x, at[0], at[1], &w) - x->value] += dy;
        return;
    }
    for (int64_t h = w.first[0]; h < w.end[0]; h++)
        for (int64_t l = w.first[1]; l < w.end[1]; l++)
            *serial_at(dx, at[0], at[1], h, l) += dy / (double)w.n_divide;
}

void serial_pool_backward(const serial_step_t *s)
{
    const serial_tensor_t *x = &s->in[0], *dy = &s->in[2], *dx = &s->out[0];

    serial_clear(dx);
    for (int64_t n = 0; n < dy->size[0]; n++)
        for (int64_t c = 0; c < dy->size[1]; c++)
            for (int64_t i = 0; i < dy->size[2]; i++)
                for (int64_t j = 0; j < dy->size[3]; j++)
                    add_gradient(&s->params->pool, x, dx, (int64_t[4]){n, c, i, j},
                                 *serial_at(dy, n, c, i, j));
}
