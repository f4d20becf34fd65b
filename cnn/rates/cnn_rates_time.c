/*
 * cnn_rates_time.c - steps in the queue of the device, copies in one queue for each
 * direction.
 */
#include "cnn/rates/cnn_rates.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>

enum { COMPUTE, COPY_IN, COPY_OUT, N_QUEUES };

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

static int queue_of(const cnn_program_t *p, const cnn_step_t *s, bool is_serial)
{
    if (is_serial || p->copies_wait)
        return COMPUTE;
    return s->op == CNN_FETCH ? COPY_IN : s->op == CNN_EVICT ? COPY_OUT : COMPUTE;
}

/* Times at which something ends. */
typedef struct {
    const cnn_program_t *program;
    double queue[N_QUEUES];
    double *used; /* [n_tensors] by the last step that reads or writes it */
    double *made; /* [n_tensors] by the last step that writes it */
} clock_state_t;

static bool overlap(const cnn_tensor_t *a, const cnn_tensor_t *b)
{
    return a->on_host == b->on_host && a->offset < b->offset + cnn_tensor_room(b) &&
           b->offset < a->offset + cnn_tensor_room(a);
}

/* @return when the memory of a tensor that begins to live is no longer used by others */
static double free_at(const clock_state_t *c, int tensor)
{
    const cnn_program_t *p = c->program;
    double at = c->used[tensor];

    for (int t = 0; t < p->n_tensors; t++)
        if (c->used[t] > at && overlap(&p->tensors[t], &p->tensors[tensor]))
            at = c->used[t];
    return at;
}

static void run_step(clock_state_t *c, int step, int queue, double seconds)
{
    const cnn_step_t *s = &c->program->steps[step];
    double at = c->queue[queue];

    for (int i = 0; i < s->n_reads; i++)
        at = fmax(at, c->made[s->reads[i]]);
    for (int i = 0; i < s->n_writes; i++) {
        const int t = s->writes[i];

        at = fmax(at,
                  c->program->tensors[t].first_step == step ? free_at(c, t) : c->used[t]);
    }
    at += seconds;
    c->queue[queue] = at;
    for (int i = 0; i < s->n_reads; i++)
        c->used[s->reads[i]] = fmax(c->used[s->reads[i]], at);
    for (int i = 0; i < s->n_writes; i++)
        c->used[s->writes[i]] = c->made[s->writes[i]] = at;
}

/* Run the program. @return when its last step ends */
static double run_once(clock_state_t *c, const speed_t *speed, bool is_serial)
{
    const cnn_program_t *p = c->program;
    double end = 0;

    for (int s = 0; s < p->n_steps; s++)
        run_step(c, s, queue_of(p, &p->steps[s], is_serial),
                 seconds_of(speed, &p->steps[s]));
    for (int q = 0; q < N_QUEUES; q++)
        end = fmax(end, c->queue[q]);
    return end;
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

/* The second run begins with what the first one left under way. */
status_t cnn_rates_time(const cnn_rates_t *r, const cnn_rates_t *on_cpu,
                        const cnn_program_t *measured, const cnn_program_t *program,
                        double *out)
{
    enum { RUNS = 3 };
    const speed_t speed = speed_of(r, on_cpu, measured);
    const bool is_serial = !device_kind_is_gpu(r->device);
    const size_t n = (size_t)program->n_tensors + 1;
    clock_state_t c = {.program = program,
                       .used = calloc(n, sizeof(*c.used)),
                       .made = calloc(n, sizeof(*c.made))};
    status_t st = ST_OK;
    double last = 0, end = 0;

    if (c.used == NULL || c.made == NULL)
        st = log_nomem("times of steps");
    else if (!knows(&speed, is_serial || on_cpu != NULL, program))
        st = ST_EUSAGE;
    for (int i = 0; st == ST_OK && i < RUNS; i++) {
        last = end;
        end = run_once(&c, &speed, is_serial);
    }
    free(c.used);
    free(c.made);
    if (st == ST_OK)
        *out = end - last;
    return st;
}
