/*
 * swap_again.c - tensors that are computed again in the backward pass, instead of being
 * copied out and in.
 *
 * What a policy has chosen to be out between two uses is dropped after the first one; in
 * front of the second one the steps that have written it are repeated, into a tensor of
 * its own.  What these read must have the value that it had, and is there, or is computed
 * again in turn.  The result is a program like any other, of which a policy may then copy
 * what it still has to.
 *
 * A batch norm that is repeated writes its running averages, which changed the first
 * time, to tensors that nothing reads.
 */
#include "cnn/memory/swap_gaps.h"

#include "cnn/plan/plan_remake.h"
#include "io/base/logmsg.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    const swap_gaps_t *g;
    const cnn_program_t *from;
    plan_remake_t to;
    int *now;     /* [n_tensors] its number, at this step */
    int *maker;   /* [n_tensors] the place that wrote it last; -1: none so far */
    bool *is_out; /* [n_tensors] dropped */
    int n_repeats;
} again_t;

static const cnn_step_t *step_of(const again_t *a, int k)
{
    return &a->from->steps[k];
}

/* ---- what can be computed again ---- */

/* @return whether steps [first, last) write a tensor */
static bool is_written(const cnn_program_t *p, int tensor, int first, int last)
{
    for (int k = first; k < last; k++)
        if (cnn_step_writes(&p->steps[k], tensor))
            return true;
    return false;
}

/* @return the last place up to one that writes a tensor, or -1 */
static int find_maker(const swap_gaps_t *g, int tensor, int place)
{
    while (place >= 0 &&
           !is_written(g->program, tensor, g->order[place], swap_gaps_end(g, place)))
        place--;
    return place;
}

/* @return whether the steps of a place give the same tensor when they run again just
 * before step `last`: what they read is not written from the first of them on, but by
 * themselves before */
static bool may_repeat(const swap_gaps_t *g, int tensor, int place, int last)
{
    const cnn_program_t *p = g->program;
    const int first = g->order[place], end = swap_gaps_end(g, place);

    if (p->steps[end - 1].writes[0] != tensor)
        return false;
    for (int k = first; k < end; k++) {
        const cnn_step_t *s = &p->steps[k];

        if (!cnn_op_may_repeat(s->op))
            return false;
        for (int i = 0; i < s->n_reads; i++)
            if (!is_written(p, s->reads[i], first, k) &&
                is_written(p, s->reads[i], first, last))
                return false;
    }
    return true;
}

static double seconds_of(const swap_gaps_t *g, int place)
{
    double seconds = 0;

    for (int k = g->order[place]; k < swap_gaps_end(g, place); k++)
        seconds += swap_ahead_step_s(g->program, &g->program->steps[k]);
    return seconds;
}

/* Gaps that end in the backward pass alone, of activations. */
static double repeat_s(const swap_gaps_t *g, const swap_gap_t *gap)
{
    const cnn_program_t *p = g->program;
    double seconds;
    int maker;

    if (p->tensors[gap->tensor].role != CNN_ACTIVATION ||
        g->order[gap->to] < p->n_forward)
        return 0;
    maker = find_maker(g, gap->tensor, gap->from);
    if (maker < 0 || !may_repeat(g, gap->tensor, maker, g->order[gap->to]))
        return 0;
    seconds = seconds_of(g, maker);
    return seconds < swap_ahead_copy_s((double)gap->bytes) ? seconds : 0;
}

bool swap_again_find(swap_gaps_t *g)
{
    bool any = false;

    for (int i = 0; i < g->n_gaps; i++) {
        g->gaps[i].repeat_s = repeat_s(g, &g->gaps[i]);
        any = any || g->gaps[i].repeat_s > 0;
    }
    return any;
}

/* ---- the new program ---- */

/* @return the number of a new tensor like one of the program */
static int add_tensor(again_t *a, int of)
{
    cnn_tensor_t t = a->from->tensors[of];

    snprintf(t.name, sizeof(t.name), "%.34s.again%d", a->from->tensors[of].name,
             a->to.n_tensors);
    t.role = CNN_ACTIVATION;
    return plan_remake_tensor(&a->to, &t);
}

static void repeat(again_t *a, int tensor);

static void need(again_t *a, int tensor)
{
    if (a->is_out[tensor])
        repeat(a, tensor);
}

/* Repeat the steps of the place that wrote a tensor.  Each but the last writes over what
 * the next one reads, so that they have one output. */
static void repeat(again_t *a, int tensor)
{
    const int place = a->maker[tensor], first = a->g->order[place];
    const int end = swap_gaps_end(a->g, place);

    a->is_out[tensor] = false;
    for (int i = 0; i < step_of(a, first)->n_reads; i++)
        need(a, step_of(a, first)->reads[i]);
    for (int k = first; k < end; k++) {
        cnn_step_t step = *step_of(a, k);

        for (int i = 0; i < step.n_reads; i++)
            step.reads[i] = a->now[step.reads[i]];
        for (int i = k > first; i < step.n_writes; i++)
            step.writes[i] = add_tensor(a, step.writes[i]);
        if (k == first)
            a->now[tensor] = step.writes[0];
        else
            step.writes[0] = a->now[tensor];
        plan_remake_step(&a->to, &step);
        a->n_repeats++;
    }
}

static void add_user(again_t *a, cnn_step_t step, int place)
{
    for (int i = 0; i < step.n_reads; i++)
        step.reads[i] = a->now[step.reads[i]];
    for (int i = 0; i < step.n_writes; i++) {
        if (place >= 0)
            a->maker[step.writes[i]] = place;
        step.writes[i] = a->now[step.writes[i]];
    }
    plan_remake_step(&a->to, &step);
}

static bool is_repeated(const swap_gap_t *gap)
{
    return gap->is_taken && gap->repeat_s > 0;
}

static void add_place(again_t *a, int place)
{
    const swap_gaps_t *g = a->g;
    const int first = g->order[place], end = swap_gaps_end(g, place);

    for (int k = first; k < end; k++) {
        const cnn_step_t *s = step_of(a, k);

        for (int i = 0; i < s->n_reads; i++)
            need(a, s->reads[i]);
        for (int i = 0; i < s->n_writes; i++)
            need(a, s->writes[i]);
    }
    for (int k = first; k < end; k++)
        add_user(a, *step_of(a, k), place);
    for (int i = 0; i < g->n_gaps; i++)
        if (is_repeated(&g->gaps[i]) && g->gaps[i].from == place)
            a->is_out[g->gaps[i].tensor] = true;
}

/* Updates are last, wherever the gaps assume them. */
static void add_all(again_t *a)
{
    const cnn_program_t *p = a->from;
    const int first_update = p->n_forward + p->n_backward;

    for (int t = 0; t < p->n_tensors; t++) {
        plan_remake_tensor(&a->to, &p->tensors[t]);
        a->now[t] = t;
        a->maker[t] = -1;
        a->is_out[t] = false;
    }
    for (int place = 0; place < a->g->n_places; place++)
        if (a->g->order[place] < first_update)
            add_place(a, place);
    for (int k = first_update; k < p->n_steps; k++)
        add_user(a, *step_of(a, k), -1);
    a->to.n_forward = p->n_forward;
    a->to.n_backward = p->n_backward + a->n_repeats;
}

static bool is_any_repeated(const swap_gaps_t *g)
{
    for (int i = 0; i < g->n_gaps; i++)
        if (is_repeated(&g->gaps[i]))
            return true;
    return false;
}

status_t swap_again_make(const swap_gaps_t *g, cnn_program_t **out)
{
    const size_t n = (size_t)g->program->n_tensors + 1;
    again_t a = {.g = g, .from = g->program, .to = {.from = g->program}};
    status_t st = ST_OK;

    *out = NULL;
    if (!is_any_repeated(g))
        return ST_OK;
    a.now = malloc(n * sizeof(*a.now));
    a.maker = malloc(n * sizeof(*a.maker));
    a.is_out = malloc(n * sizeof(*a.is_out));
    if (a.now == NULL || a.maker == NULL || a.is_out == NULL) {
        st = log_nomem("the plan of a network");
    } else {
        add_all(&a);
        st = plan_remake_end(&a.to, out);
    }
    free(a.now);
    free(a.maker);
    free(a.is_out);
    return st;
}
