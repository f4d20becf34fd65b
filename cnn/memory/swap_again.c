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
 * What is large may be computed again in slices of some images: each is made, used by the
 * steps behind on these images, and gone, so that the whole is not in memory again.  This
 * takes steps whose sums are not over images.
 *
 * A batch norm that is repeated writes its running averages, which changed the first
 * time, to tensors that nothing reads.
 */
#include "cnn/memory/swap_gaps.h"

#include "cnn/plan/plan_remake.h"
#include "io/base/logmsg.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Of slices: how many a tensor has, places that use it, and tensors that these use. */
enum { N_SLICES = 8, MAX_PLACES = 3, MAX_PARTS = 32 };

typedef struct {
    const swap_gaps_t *g;
    const cnn_program_t *from;
    plan_remake_t to;
    size_t sliced_bytes; /* what has as many is made in slices */
    int until;           /* places in front of it have their steps already */
    int *now;            /* [n_tensors] its number, at this step */
    int *maker;          /* [n_tensors] the place that wrote it last; -1: none so far */
    bool *is_out;        /* [n_tensors] dropped */
} again_t;

static const cnn_step_t *step_of(const again_t *a, int k)
{
    return &a->from->steps[k];
}

/* ---- what can be computed again ---- */

/* @return whether steps [first, last) write a tensor, or a part of it */
static bool is_written(const cnn_program_t *p, int tensor, int first, int last)
{
    for (int k = first; k < last; k++)
        for (int i = 0; i < p->steps[k].n_writes; i++)
            if (cnn_program_whole(p, p->steps[k].writes[i]) == tensor)
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

/* @return the number of a new tensor like one of the program, of n images */
static int add_tensor(again_t *a, int of, int64_t n)
{
    cnn_tensor_t t = a->from->tensors[of];

    snprintf(t.name, sizeof(t.name), "%.34s.again%d", a->from->tensors[of].name,
             a->to.n_tensors);
    t.role = CNN_ACTIVATION;
    t.size[0] = n;
    return plan_remake_tensor(&a->to, &t);
}

/* ---- in slices ---- */

/* The tensors of a slice: parts of those that are there, and the slice of what is not. */
typedef struct {
    int of[MAX_PARTS], here[MAX_PARTS];
    int n;
} parts_t;

/* @return a part of a tensor that is there, some images from one on */
static int part_of(again_t *a, parts_t *parts, int tensor, int64_t first, int64_t n)
{
    cnn_tensor_t t = a->from->tensors[tensor];
    int i = 0;

    while (i < parts->n && parts->of[i] != tensor)
        i++;
    if (i < parts->n)
        return parts->here[i];
    snprintf(t.name, sizeof(t.name), "%.34s.part%d", a->from->tensors[tensor].name,
             a->to.n_tensors);
    if (cnn_tensor_lasts(&t))
        t.role = CNN_ACTIVATION;
    t.part_of = a->now[tensor] + 1;
    t.part_first = first * (cnn_tensor_n(&t) / t.size[0]);
    t.size[0] = n;
    parts->of[i] = tensor;
    parts->here[i] = plan_remake_tensor(&a->to, &t);
    parts->n++;
    return parts->here[i];
}

static void add_slice_steps(again_t *a, parts_t *parts, int place, int64_t first,
                            int64_t n)
{
    for (int k = a->g->order[place]; k < swap_gaps_end(a->g, place); k++) {
        cnn_step_t step = *step_of(a, k);

        for (int i = 0; i < step.n_reads + step.n_writes; i++) {
            int *t = i < step.n_reads ? &step.reads[i] : &step.writes[i - step.n_reads];

            *t = swap_slices_has_rows(step_of(a, k), i) ? part_of(a, parts, *t, first, n)
                                                        : a->now[*t];
        }
        plan_remake_step(&a->to, &step);
    }
}

/* @param n       images @param unit  in and out: the least number of a slice
 * @param n_uses  in and out: how often tensors are used of which a slice has a part
 * @return whether the steps of a place can be divided */
static bool divides(const again_t *a, int place, int64_t n, int64_t *unit, int *n_uses)
{
    for (int k = a->g->order[place]; k < swap_gaps_end(a->g, place); k++) {
        const cnn_step_t *s = step_of(a, k);
        const int64_t own = swap_slices_unit(a->g, s, false);

        if (own == 0 || cnn_op_kind(s->op) == CNN_KIND_BATCH_NORM)
            return false;
        for (int i = 0; i < s->n_reads + s->n_writes; i++) {
            const cnn_tensor_t *t = &a->from->tensors[cnn_step_tensor(s, i)];
            const bool has_rows = swap_slices_has_rows(s, i);

            if (t->part_of > 0 || (has_rows && t->size[0] != n))
                return false;
            *n_uses += has_rows;
        }
        *unit = own > *unit ? own : *unit;
    }
    return true;
}

/* @return whether all that the steps of a place use is there, but for a tensor */
static bool is_there(const again_t *a, int place, int but)
{
    for (int k = a->g->order[place]; k < swap_gaps_end(a->g, place); k++)
        for (int i = 0; i < step_of(a, k)->n_reads + step_of(a, k)->n_writes; i++) {
            const int t = cnn_step_tensor(step_of(a, k), i);

            if (t != but && a->is_out[t])
                return false;
        }
    return true;
}

/* @return images of a slice in which a tensor can be computed again for the steps of
 * places [first, end); 0: it cannot */
static int64_t find_slice(const again_t *a, int tensor, int first, int end)
{
    const cnn_tensor_t *t = &a->from->tensors[tensor];
    const int64_t n = t->size[0];
    const int maker = a->maker[tensor];
    int64_t unit = 1, rows;
    int n_uses = 1;

    if (cnn_tensor_bytes(t) < a->sliced_bytes || end - first > MAX_PLACES ||
        !divides(a, maker, n, &unit, &n_uses) || !is_there(a, maker, tensor))
        return 0;
    for (int place = first; place < end; place++)
        if (!divides(a, place, n, &unit, &n_uses) || !is_there(a, place, tensor))
            return 0;
    rows = ((n + N_SLICES - 1) / N_SLICES + unit - 1) / unit * unit;
    return n_uses <= MAX_PARTS && n % unit == 0 && rows < n ? rows : 0;
}

/* Compute a tensor again in slices for the steps of places [first, end).
 * @param rows  images of a slice */
static void repeat_in_slices(again_t *a, int tensor, int64_t rows, int first, int end)
{
    const int64_t n = a->from->tensors[tensor].size[0];
    const int maker = a->maker[tensor];

    for (int64_t row = 0; row < n; row += rows) {
        const int64_t n_rows = n - row < rows ? n - row : rows;
        parts_t parts = {.n = 1, .of = {tensor}, .here = {add_tensor(a, tensor, n_rows)}};

        for (int place = maker; place < end; place = place == maker ? first : place + 1)
            add_slice_steps(a, &parts, place, row, n_rows);
    }
}

/* ---- as a whole ---- */

static void repeat(again_t *a, int tensor);

static void need(again_t *a, int tensor)
{
    if (a->is_out[tensor])
        repeat(a, tensor);
}

/* @return whether the first step of a place has read what is out in slices, into one
 * tensor */
static bool repeat_over_slices(again_t *a, int tensor, int place)
{
    const cnn_step_t *s = step_of(a, a->g->order[place]);

    for (int i = 0; a->sliced_bytes < SIZE_MAX && i < s->n_reads; i++) {
        const int read = s->reads[i];
        const int64_t rows =
            a->is_out[read] && read != tensor ? find_slice(a, read, place, place + 1) : 0;

        if (rows > 0) {
            a->now[tensor] = add_tensor(a, tensor, a->from->tensors[tensor].size[0]);
            repeat_in_slices(a, read, rows, place, place + 1);
            return true;
        }
    }
    return false;
}

/* Repeat the steps of the place that wrote a tensor.  Each but the last writes over what
 * the next one reads, so that they have one output. */
static void repeat(again_t *a, int tensor)
{
    const int place = a->maker[tensor], first = a->g->order[place];
    const int end = swap_gaps_end(a->g, place);

    a->is_out[tensor] = false;
    if (repeat_over_slices(a, tensor, place))
        return;
    for (int i = 0; i < step_of(a, first)->n_reads; i++)
        need(a, step_of(a, first)->reads[i]);
    for (int k = first; k < end; k++) {
        cnn_step_t step = *step_of(a, k);

        for (int i = 0; i < step.n_reads; i++)
            step.reads[i] = a->now[step.reads[i]];
        for (int i = k > first; i < step.n_writes; i++)
            step.writes[i] =
                add_tensor(a, step.writes[i], a->from->tensors[step.writes[i]].size[0]);
        if (k == first)
            a->now[tensor] = step.writes[0];
        else
            step.writes[0] = a->now[tensor];
        plan_remake_step(&a->to, &step);
    }
}

static void add_user(again_t *a, cnn_step_t step)
{
    for (int i = 0; i < step.n_reads; i++)
        step.reads[i] = a->now[step.reads[i]];
    for (int i = 0; i < step.n_writes; i++)
        step.writes[i] = a->now[step.writes[i]];
    plan_remake_step(&a->to, &step);
}

static bool is_repeated(const swap_gap_t *gap)
{
    return gap->is_taken && gap->repeat_s > 0;
}

/* @return the place behind the last one that uses a tensor */
static int last_use(const again_t *a, int tensor)
{
    for (int place = a->g->n_places; place > 0; place--)
        for (int k = a->g->order[place - 1]; k < swap_gaps_end(a->g, place - 1); k++)
            if (cnn_step_uses(step_of(a, k), tensor))
                return place;
    return 0;
}

/* Note who wrote what at a place, and what is dropped behind it. */
static void end_place(again_t *a, int place)
{
    const swap_gaps_t *g = a->g;

    for (int k = g->order[place]; k < swap_gaps_end(g, place); k++)
        for (int i = 0; i < step_of(a, k)->n_writes; i++)
            a->maker[step_of(a, k)->writes[i]] = place;
    for (int i = 0; i < g->n_gaps; i++)
        if (is_repeated(&g->gaps[i]) && g->gaps[i].from == place)
            a->is_out[g->gaps[i].tensor] = true;
}

/* @return whether what a step reads first, and is out, was made in slices for it, and for
 * all behind it that read that, too */
static bool add_slices(again_t *a, int place)
{
    const int tensor = step_of(a, a->g->order[place])->reads[0];
    int64_t rows;
    int end;

    if (!a->is_out[tensor])
        return false;
    end = last_use(a, tensor);
    if ((rows = find_slice(a, tensor, place, end)) == 0)
        return false;
    repeat_in_slices(a, tensor, rows, place, end);
    for (a->until = place; a->until < end; a->until++)
        end_place(a, a->until);
    return true;
}

static void add_place(again_t *a, int place)
{
    const int first = a->g->order[place], end = swap_gaps_end(a->g, place);

    if (place < a->until || add_slices(a, place))
        return;
    for (int k = first; k < end; k++)
        for (int i = 0; i < step_of(a, k)->n_reads + step_of(a, k)->n_writes; i++)
            need(a, cnn_step_tensor(step_of(a, k), i));
    for (int k = first; k < end; k++)
        add_user(a, *step_of(a, k));
    end_place(a, place);
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
    a->to.n_forward = p->n_forward;
    a->to.n_backward = a->to.n_steps - p->n_forward;
    for (int k = first_update; k < p->n_steps; k++)
        add_user(a, *step_of(a, k));
}

static bool is_any_repeated(const swap_gaps_t *g)
{
    for (int i = 0; i < g->n_gaps; i++)
        if (is_repeated(&g->gaps[i]))
            return true;
    return false;
}

status_t swap_again_make(const swap_gaps_t *g, size_t sliced_bytes, cnn_program_t **out)
{
    const size_t n = (size_t)g->program->n_tensors + 1;
    again_t a = {.g = g,
                 .from = g->program,
                 .to = {.from = g->program},
                 .sliced_bytes = sliced_bytes};
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
