/*
 * serial_update.c - the steps of solvers.
 */
#include "kernels/cnn/serial/serial_step.h"

#include <math.h>

void serial_sgd(const serial_step_t *s)
{
    const cnn_update_t *p = &s->params->update;
    double rate = s->iteration->rate * p->rate_factor;

    for (int64_t i = 0; i < s->in[0].n; i++) {
        double *w = &s->out[0].value[i], *v = &s->out[1].value[i];

        *v = p->momentum * *v + s->in[0].value[i] + p->decay * *w;
        *w -= rate * *v;
    }
}

void serial_adam(const serial_step_t *s)
{
    const cnn_update_t *p = &s->params->update;
    double rate = s->iteration->rate * p->rate_factor;
    double t = (double)(s->iteration->iteration + 1);
    double correction1 = 1 - pow(p->beta1, t), correction2 = 1 - pow(p->beta2, t);

    for (int64_t i = 0; i < s->in[0].n; i++) {
        double *w = &s->out[0].value[i], *m = &s->out[1].value[i],
               *v = &s->out[2].value[i];
        double g = s->in[0].value[i] + p->decay * *w;

        *m = p->beta1 * *m + (1 - p->beta1) * g;
        *v = p->beta2 * *v + (1 - p->beta2) * g * g;
        *w -= rate * (*m / correction1) / (sqrt(*v / correction2) + p->epsilon);
    }
}
