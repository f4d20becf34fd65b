/*
 * serial_lrn.c - local response normalisation across channels.
 *
 * With s = k + alpha / size * sum of x^2, the gradient is
 *   dx[c] = dy[c] s[c]^-beta - 2 alpha beta / size x[c] * sum over d of dy[d] y[d] /
 * s[d], where d are the channels whose windows contain c.
 */
#include "kernels/cnn/serial/serial_step.h"

#include <math.h>

/* @return s of channel c at (h, w) of image n */
static double scale(const cnn_lrn_t *p, const serial_tensor_t *x, const int64_t at[4])
{
    int64_t first = at[1] - (p->size - 1) / 2, end = at[1] + p->size / 2 + 1;
    double sum = 0;

    for (int64_t c = first < 0 ? 0 : first; c < end && c < x->size[1]; c++) {
        double value = *serial_at(x, at[0], c, at[2], at[3]);

        sum += value * value;
    }
    return p->k + p->alpha / p->size * sum;
}

void serial_lrn(const serial_step_t *s)
{
    const cnn_lrn_t *p = &s->params->lrn;
    const serial_tensor_t *x = &s->in[0];

    for (int64_t n = 0; n < x->size[0]; n++)
        for (int64_t c = 0; c < x->size[1]; c++)
            for (int64_t h = 0; h < x->size[2]; h++)
                for (int64_t w = 0; w < x->size[3]; w++)
                    *serial_at(&s->out[0], n, c, h, w) =
                        *serial_at(x, n, c, h, w) *
                        pow(scale(p, x, (int64_t[4]){n, c, h, w}), -p->beta);
}

static double gradient(const serial_step_t *s, const int64_t at[4])
{
    const cnn_lrn_t *p = &s->params->lrn;
    const serial_tensor_t *x = &s->in[0], *y = &s->in[1], *dy = &s->in[2];
    int64_t n = at[0], c = at[1], h = at[2], w = at[3];
    int64_t first = c - p->size / 2, end = c + (p->size - 1) / 2 + 1;
    double sum = 0;

    for (int64_t d = first < 0 ? 0 : first; d < end && d < x->size[1]; d++)
        sum += *serial_at(dy, n, d, h, w) * *serial_at(y, n, d, h, w) /
               scale(p, x, (int64_t[4]){n, d, h, w});
    return *serial_at(dy, n, c, h, w) * pow(scale(p, x, at), -p->beta) -
           2 * p->alpha * p->beta / p->size * *serial_at(x, n, c, h, w) * sum;
}

void serial_lrn_backward(const serial_step_t *s)
{
    const serial_tensor_t *dx = &s->out[0];

    for (int64_t n = 0; n < dx->size[0]; n++)
        for (int64_t c = 0; c < dx->size[1]; c++)
            for (int64_t h = 0; h < dx->size[2]; h++)
                for (int64_t w = 0; w < dx->size[3]; w++)
                    *serial_at(dx, n, c, h, w) = gradient(s, (int64_t[4]){n, c, h, w});
}
