/*
 * cpu_update.c - the steps of solvers, block by block.
 */
#include "kernels/cnn/cpu/cpu_step.h"

#include <math.h>

static double rate_of(const cpu_step_t *s)
{
    return s->iteration->rate * s->params->update.rate_factor;
}

static void sgd(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cnn_update_t *p = &s->params->update;
    float momentum = (float)p->momentum, decay = (float)p->decay,
          rate = (float)rate_of(s);
    const float *g = s->in[0].value;
    float *w = s->out[0].value, *v = s->out[1].value;
    int64_t end = cpu_block_end(index, s->in[0].n);

    (void)thread;
    for (int64_t i = index * CPU_BLOCK; i < end; i++) {
        v[i] = momentum * v[i] + g[i] + decay * w[i];
        w[i] -= rate * v[i];
    }
}

void cpu_sgd(const cpu_step_t *s)
{
    cpu_step_run(s, cpu_n_blocks(s->in[0].n), sgd);
}

static void adam(void *ctx, int64_t index, int thread)
{
    const cpu_step_t *s = ctx;
    const cnn_update_t *p = &s->params->update;
    double t = (double)(s->iteration->iteration + 1);
    float rate = (float)(rate_of(s) / (1 - pow(p->beta1, t)));
    float correction = (float)(1 / (1 - pow(p->beta2, t)));
    float beta1 = (float)p->beta1, beta2 = (float)p->beta2;
    float rest1 = (float)(1 - p->beta1), rest2 = (float)(1 - p->beta2);
    float decay = (float)p->decay, epsilon = (float)p->epsilon;
    const float *from = s->in[0].value;
    float *w = s->out[0].value, *m = s->out[1].value, *v = s->out[2].value;
    int64_t end = cpu_block_end(index, s->in[0].n);

    (void)thread;
    for (int64_t i = index * CPU_BLOCK; i < end; i++) {
        float g = from[i] + decay * w[i];

        m[i] = beta1 * m[i] + rest1 * g;
        v[i] = beta2 * v[i] + rest2 * g * g;
        w[i] -= rate * m[i] / (sqrtf(v[i] * correction) + epsilon);
    }
}

void cpu_adam(const cpu_step_t *s)
{
    cpu_step_run(s, cpu_n_blocks(s->in[0].n), adam);
}
