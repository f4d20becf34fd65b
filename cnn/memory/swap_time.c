/*
 * swap_time.c - steps in the queue of the device, copies in one queue for each direction.
 */
#include "cnn/memory/swap_time.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>

enum { COMPUTE, COPY_IN, COPY_OUT, N_QUEUES };

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
    double *used;    /* [n_tensors] by the last step that reads or writes it */
    double *made;    /* [n_tensors] by the last step that writes it */
    bool *has_parts; /* [n_tensors] */
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

/* @return one of the times above, of a tensor and of all parts of the same one that share
 * elements with it */
static double latest(const clock_state_t *c, const double *times, int tensor)
{
    const cnn_program_t *p = c->program;
    const int whole = cnn_program_whole(p, tensor);
    double at = times[tensor];

    for (int t = 0; c->has_parts[whole] && t < p->n_tensors; t++)
        if (times[t] > at && cnn_program_whole(p, t) == whole &&
            overlap(&p->tensors[t], &p->tensors[tensor]))
            at = times[t];
    return at;
}

static void run_step(clock_state_t *c, int step, int queue, double seconds)
{
    const cnn_step_t *s = &c->program->steps[step];
    double at = c->queue[queue];

    for (int i = 0; i < s->n_reads; i++)
        at = fmax(at, latest(c, c->made, s->reads[i]));
    for (int i = 0; i < s->n_writes; i++) {
        const int t = s->writes[i];

        at = fmax(at, c->program->tensors[t].first_step == step ? free_at(c, t)
                                                                : latest(c, c->used, t));
    }
    at += seconds;
    c->queue[queue] = at;
    for (int i = 0; i < s->n_reads; i++)
        c->used[s->reads[i]] = fmax(c->used[s->reads[i]], at);
    for (int i = 0; i < s->n_writes; i++)
        c->used[s->writes[i]] = c->made[s->writes[i]] = at;
}

/* Run the program. @return when its last step ends */
static double run_all(clock_state_t *c, const double *seconds, bool is_serial)
{
    const cnn_program_t *p = c->program;
    double end = 0;

    for (int s = 0; s < p->n_steps; s++)
        run_step(c, s, queue_of(p, &p->steps[s], is_serial), seconds[s]);
    for (int q = 0; q < N_QUEUES; q++)
        end = fmax(end, c->queue[q]);
    return end;
}

status_t swap_time_run(const cnn_program_t *program, const double *seconds,
                       bool is_serial, double *out)
{
    const size_t n = (size_t)program->n_tensors + 1;
    clock_state_t c = {.program = program,
                       .used = calloc(n, sizeof(*c.used)),
                       .made = calloc(n, sizeof(*c.made)),
                       .has_parts = calloc(n, sizeof(*c.has_parts))};
    const bool is_ready = c.used != NULL && c.made != NULL && c.has_parts != NULL;

    for (int t = 0; is_ready && t < program->n_tensors; t++)
        if (program->tensors[t].part_of > 0)
            c.has_parts[program->tensors[t].part_of - 1] = true;
    if (is_ready)
        *out = run_all(&c, seconds, is_serial);
    free(c.used);
    free(c.made);
    free(c.has_parts);
    return is_ready ? ST_OK : log_nomem("times of steps");
}
