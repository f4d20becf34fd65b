/*
 * cnn_rates_time.c - seconds of each step from rates of its kind.
 */
#include "cnn/memory/swap_time.h"
#include "cnn/rates/cnn_rates.h"
#include "io/base/logmsg.h"

#include <stdlib.h>

/* @return what a step's time is in proportion to, among those of its kind */
static double weight_of(const cnn_step_t *s)
{
    const cnn_kind_t kind = cnn_op_kind(s->op);

    return kind == CNN_KIND_CONVOLUTION || kind == CNN_KIND_LINEAR ? s->flops : s->bytes;
}

typedef struct {
    double per_weight[CNN_N_KINDS]; /* seconds */
    double on_cpu[CNN_N_KINDS];     /* likewise, of steps that are placed there */
    double in, out;                 /* seconds of a byte */
} speed_t;

/* Find the seconds of each kind. @param out  [CNN_N_KINDS] */
static void divide(const cnn_rates_t *r, const cnn_program_t *measured, double *out)
{
    double weights[CNN_N_KINDS] = {0}, sum = 0;

    for (int s = 0; s < measured->n_steps; s++)
        weights[cnn_op_kind(measured->steps[s].op)] += weight_of(&measured->steps[s]);
    for (int k = 0; k < CNN_N_KINDS; k++)
        sum += weights[k] > 0 ? r->kind_s[k] : 0;
    for (int k = 0; k < CNN_N_KINDS; k++)
        if (weights[k] > 0)
            out[k] = r->kind_s[k] / weights[k] * r->iteration_s / sum;
}

static speed_t speed_of(const cnn_rates_t *r, const cnn_rates_t *on_cpu,
                        const cnn_program_t *measured)
{
    speed_t speed = {.in = 0};

    divide(r, measured, speed.per_weight);
    divide(on_cpu != NULL ? on_cpu : r, measured, speed.on_cpu);
    if (r->in_per_s > 0 && r->out_per_s > 0) {
        speed.in = 1 / r->in_per_s;
        speed.out = 1 / r->out_per_s;
    }
    return speed;
}

static double seconds_of(const speed_t *speed, const cnn_step_t *s)
{
    if (s->op == CNN_FETCH)
        return speed->in * s->bytes / 2;
    if (s->op == CNN_EVICT)
        return speed->out * s->bytes / 2;
    return (s->on_host ? speed->on_cpu : speed->per_weight)[cnn_op_kind(s->op)] *
           weight_of(s);
}

/* @return whether all rates that a program needs are known */
static bool knows(const speed_t *speed, bool knows_cpu, const cnn_program_t *p)
{
    for (int s = 0; s < p->n_steps; s++)
        if ((cnn_op_kind(p->steps[s].op) == CNN_KIND_COPY && speed->in == 0) ||
            (p->steps[s].on_host && !knows_cpu))
            return false;
    return true;
}

status_t cnn_rates_time(const cnn_rates_t *r, const cnn_rates_t *on_cpu,
                        const cnn_program_t *measured, const cnn_program_t *program,
                        double *out)
{
    const speed_t speed = speed_of(r, on_cpu, measured);
    const bool is_serial = !device_kind_is_gpu(r->device);
    double *seconds;
    status_t st;

    if (!knows(&speed, is_serial || on_cpu != NULL, program))
        return ST_EUSAGE;
    if ((seconds = malloc(((size_t)program->n_steps + 1) * sizeof(*seconds))) == NULL)
        return log_nomem("times of steps");
    for (int s = 0; s < program->n_steps; s++)
        seconds[s] = seconds_of(&speed, &program->steps[s]);
    st = swap_time_run(program, seconds, is_serial, out);
    free(seconds);
    return st;
}
