/*
 * serial_convolution.c - convolution and its gradients.
 *
 * An output is a sum of products x w.  Each product adds x w to y, dy w to dx and dy x to
 * dw; so one loop over the products serves all three.
 */
#include "kernels/cnn/serial/serial_step.h"

typedef enum { TO_Y, TO_X, TO_W } target_t;

static inline void add_product(target_t target, double *x, double *w, double *y)
{
    if (target == TO_Y)
        *y += *x * *w;
    else if (target == TO_X)
        *x += *y * *w;
    else
        *w += *y * *x;
}

/* Add the products of one output, at (i, j) of channel o of image n. */
static void add_output(target_t target, const cnn_convolution_t *p,
                       const serial_tensor_t *x, const serial_tensor_t *w,
                       const serial_tensor_t *y, const int64_t at[4])
{
    int64_t n = at[0], o = at[1];
    int64_t first_channel = o / (w->size[0] / p->groups) * w->size[1];
    double *to = serial_at(y, n, o, at[2], at[3]);

    for (int64_t c = 0; c < w->size[1]; c++)
        for (int64_t kh = 0; kh < p->kernel[0]; kh++)
            for (int64_t kw = 0; kw < p->kernel[1]; kw++) {
                int64_t h = at[2] * p->stride[0] - p->pad[0] + kh;
                int64_t l = at[3] * p->stride[1] - p->pad[1] + kw;

                if (h >= 0 && h < x->size[2] && l >= 0 && l < x->size[3])
                    add_product(target, serial_at(x, n, first_channel + c, h, l),
                                serial_at(w, o, c, kh, kw), to);
            }
}

static void add_outputs(target_t target, const cnn_convolution_t *p,
                        const serial_tensor_t *x, const serial_tensor_t *w,
                        const serial_tensor_t *y)
{
    for (int64_t n = 0; n < y->size[0]; n++)
        for (int64_t o = 0; o < y->size[1]; o++)
            for (int64_t i = 0; i < y->size[2]; i++)
                for (int64_t j = 0; j < y->size[3]; j++)
                    add_output(target, p, x, w, y, (int64_t[4]){n, o, i, j});
}

void serial_convolution(const serial_step_t *s)
{
    const serial_tensor_t *y = &s->out[0];
    int64_t plane = y->size[2] * y->size[3];

    for (int64_t i = 0; i < y->n; i++)
        y->value[i] = s->n_in > 2 ? s->in[2].value[i / plane % y->size[1]] : 0;
    add_outputs(TO_Y, &s->params->convolution, &s->in[0], &s->in[1], y);
}

void serial_convolution_backward_data(const serial_step_t *s)
{
    serial_clear(&s->out[0]);
    add_outputs(TO_X, &s->params->convolution, &s->out[0], &s->in[1], &s->in[0]);
}

void serial_convolution_backward_filter(const serial_step_t *s)
{
    const serial_tensor_t *dy = &s->in[1];
    int64_t plane = dy->size[2] * dy->size[3];

    serial_clear(&s->out[0]);
    add_outputs(TO_W, &s->params->convolution, &s->in[0], &s->out[0], dy);
    if (s->n_out > 1) {
        serial_clear(&s->out[1]);
        for (int64_t i = 0; i < dy->n; i++)
            s->out[1].value[i / plane % dy->size[1]] += dy->value[i];
    }
}
