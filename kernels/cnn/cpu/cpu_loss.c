/*
 * cpu_loss.c - softmax, its loss and the gradient, image by image.
 */
#include "kernels/cnn/cpu/cpu_step.h"

#include <math.h>

static int64_t first_maximum(const float *x, int64_t n)
{
    int64_t best = 0;

    for (int64_t c = 1; c < n; c++)
        best = x[c] > x[best] ? c : best;
    return best;
}

static void softmax(void *ctx, int64_t image, int thread)
{
    const cpu_step_t *s = ctx;
    int64_t n = s->in[0].size[1];
    const float *x = s->in[0].value + image * n;
    float *y = s->out[0].value + image * n, max = x[first_maximum(x, n)];
    double sum = 0;

    (void)thread;
    for (int64_t c = 0; c < n; c++)
        sum += (double)(y[c] = expf(x[c] - max));
    for (int64_t c = 0; c < n; c++)
        y[c] = (float)((double)y[c] / sum);
}

void cpu_softmax(const cpu_step_t *s)
{
    cpu_step_run(s, s->in[0].size[0], softmax);
}

/* The logarithm is taken of the sum, not of the probability, which may round to 0.  The
 * sum is 1 / the largest probability. */
void cpu_softmax_loss(const cpu_step_t *s)
{
    int64_t n = s->in[0].size[1], n_right = 0;
    double loss = 0;

    cpu_softmax(s);
    for (int64_t image = 0; image < s->in[0].size[0]; image++) {
        const float *x = s->in[0].value + image * n, *y = s->out[0].value + image * n;
        int64_t label = s->in[1].label[image], best = first_maximum(x, n);

        if (label < 0)
            continue;
        loss += (double)x[best] - (double)x[label] - log((double)y[best]);
        n_right += best == label;
    }
    s->out[1].value[0] = (float)(loss / (double)s->iteration->n_images);
    s->out[2].value[0] = (float)n_right;
}

void cpu_softmax_loss_backward(const cpu_step_t *s)
{
    int64_t n = s->in[0].size[1];
    float factor = (float)(1 / (double)s->iteration->n_images);

    for (int64_t image = 0; image < s->in[0].size[0]; image++) {
        const float *y = s->in[0].value + image * n;
        float *dx = s->out[0].value + image * n;
        int64_t label = s->in[1].label[image];

        for (int64_t c = 0; c < n; c++)
            dx[c] = label < 0 ? 0 : (y[c] - (c == label ? 1 : 0)) * factor;
    }
}
