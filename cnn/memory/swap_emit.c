/*
 * swap_emit.c - the steps and tensors of a program whose tensors leave and return.
 *
 * Each stay of a tensor in the arena is a tensor of the new program.  One of them has the
 * old number: of tensors that last the stay between two runs of the program, or the copy
 * in the swap area where there is none; of others the first stay.
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
    int *now;  /* [n_tensors] number of a tensor's stay in the arena, at this step */
    int *home; /* [n_tensors] number of its copy in the swap area; -1: none yet */
    bool *is_current; /* [n_tensors] whether that has its newest value */
} emit_t;

static int add_tensor(emit_t *e, int of, bool on_host)
{
    cnn_tensor_t t = e->from->tensors[of];

    snprintf(t.name, sizeof(t.name), "%.36s.%s%d", e->from->tensors[of].name,
             on_host ? "swap" : "stay", e->to.n_tensors);
    t.on_host = on_host;
    if (cnn_tensor_lasts(&t))
        t.role = CNN_ACTIVATION;
    return plan_remake_tensor(&e->to, &t);
}

static void add_copy(emit_t *e, cnn_op_t op, int place, int read, int write)
{
    plan_remake_copy(&e->to, op, e->from->steps[e->g->order[place]].layer, read, write);
}

/* @return the gap of a tensor that lasts which reaches over the end, if it is taken; of
 * others that last, the last one that is taken; or NULL */
static const swap_gap_t *last_gap(const swap_gaps_t *g, int tensor)
{
    const swap_gap_t *last = NULL;

    for (int i = 0; i < g->n_gaps; i++)
        if (g->gaps[i].tensor == tensor && g->gaps[i].is_taken)
            last = &g->gaps[i];
    return last;
}

static bool is_over_end(const swap_gap_t *gap)
{
    return gap->from >= gap->to;
}

static void leave(emit_t *e, const swap_gap_t *gap)
{
    const int t = gap->tensor;

    if (!e->is_current[t]) {
        if (e->home[t] < 0)
            e->home[t] = add_tensor(e, t, true);
        add_copy(e, CNN_EVICT, gap->from, e->now[t], e->home[t]);
        e->is_current[t] = true;
    }
    e->now[t] = -1;
}

/* The last stay of a tensor that lasts goes on when the program runs again. */
static void enter(emit_t *e, const swap_gap_t *gap)
{
    const int t = gap->tensor;
    const swap_gap_t *last = last_gap(e->g, t);
    const bool goes_on =
        cnn_tensor_lasts(&e->from->tensors[t]) && gap == last && !is_over_end(last);

    e->now[t] = goes_on ? t : add_tensor(e, t, false);
    add_copy(e, CNN_FETCH, gap->to, e->home[t], e->now[t]);
}

/* ---- steps in slices ---- */

/* Add the slice of a tensor from a row on. @param whole  the tensor of which it is a
 * part; -1: none @return its number */
static int add_slice(emit_t *e, const cnn_step_t *step, int of, int64_t row, int whole)
{
    cnn_tensor_t t = swap_slices_like(e->g, step, of, row);

    snprintf(t.name, sizeof(t.name), "%.36s.part%d", e->from->tensors[of].name,
             e->to.n_tensors);
    if (cnn_tensor_lasts(&t))
        t.role = CNN_ACTIVATION;
    t.part_of = whole + 1;
    t.part_first = whole >= 0 ? swap_slices_element(e->g, step, of, row) : 0;
    t.on_host = whole >= 0 && whole == e->home[of];
    return plan_remake_tensor(&e->to, &t);
}

/* The tensors of the steps of a place, and their slices: on their way, or of what is in
 * the arena. */
enum { MAX_TENSORS = 2 * (CNN_MAX_READS + CNN_MAX_WRITES) };

typedef struct {
    int of[MAX_TENSORS];
    int here[MAX_TENSORS];
    int home[MAX_TENSORS]; /* -1: it stays */
    bool is_written[MAX_TENSORS];
    int n;
} slices_t;

static int find_slice(const slices_t *s, int tensor)
{
    int i = 0;

    while (i < s->n && s->of[i] != tensor)
        i++;
    return i;
}

/* Find the slice of a step's i-th tensor, and fetch it if the step reads it.  What every
 * part of a batch norm writes is that of the first part; others have tensors for it. */
static void add_used(emit_t *e, const cnn_step_t *step, int i, int place, int64_t row,
                     slices_t *out)
{
    const bool is_write = i >= step->n_reads;
    const int t = cnn_step_tensor(step, i);
    const int at = find_slice(out, t);

    if (at == out->n) {
        out->of[out->n++] = t;
        out->home[at] = -1;
        out->is_written[at] = false;
        if (!swap_slices_has_rows(step, i)) {
            out->here[at] = is_write && row > 0 ? add_tensor(e, t, false) : e->now[t];
        } else if (!swap_slices_pass(e->g, step, t)) {
            out->here[at] = add_slice(e, step, t, row, e->now[t]);
        } else {
            out->home[at] = add_slice(e, step, t, row, e->home[t]);
            out->here[at] = add_slice(e, step, t, row, -1);
            if (!is_write || swap_slices_changes(step))
                add_copy(e, CNN_FETCH, place, out->home[at], out->here[at]);
        }
    }
    if (is_write) {
        out->is_written[at] = true;
        e->is_current[t] = out->home[at] >= 0;
    }
}

static void fetch_slices(emit_t *e, int place, int64_t row, slices_t *out)
{
    out->n = 0;
    for (int k = e->g->order[place]; k < swap_gaps_end(e->g, place); k++) {
        const cnn_step_t *step = &e->from->steps[k];

        for (int i = 0; i < step->n_reads + step->n_writes; i++)
            add_used(e, step, i, place, row, out);
    }
}

/* Add up the gradients of the scale and the shift, over the parts of a batch norm. */
static void add_gradients(emit_t *e, const cnn_step_t *of, const slices_t *now)
{
    for (int i = 1; i < of->n_writes; i++) {
        const int sum = e->now[of->writes[i]];
        const cnn_step_t step = {.op = CNN_ADD,
                                 .layer = of->layer,
                                 .n_reads = 2,
                                 .n_writes = 1,
                                 .reads = {sum,
                                           now->here[find_slice(now, of->writes[i])]},
                                 .writes = {sum}};

        if (step.reads[1] != sum)
            plan_remake_step(&e->to, &step);
    }
}

static void add_slice_steps(emit_t *e, int place, const slices_t *now)
{
    for (int k = e->g->order[place]; k < swap_gaps_end(e->g, place); k++) {
        cnn_step_t step = e->from->steps[k];

        for (int i = 0; i < step.n_reads; i++)
            step.reads[i] = now->here[find_slice(now, step.reads[i])];
        for (int i = 0; i < step.n_writes; i++)
            step.writes[i] = now->here[find_slice(now, step.writes[i])];
        plan_remake_step(&e->to, &step);
        if (step.op == CNN_BATCH_NORM_BACKWARD_PART)
            add_gradients(e, &e->from->steps[k], now);
    }
    for (int i = 0; i < now->n; i++)
        if (now->is_written[i] && now->home[i] >= 0)
            add_copy(e, CNN_EVICT, place, now->here[i], now->home[i]);
}

/* Each slice is fetched while the one before is computed. */
static void add_divided(emit_t *e, int place)
{
    const cnn_step_t *step = &e->from->steps[e->g->order[place]];
    const int64_t rows = swap_slices_rows(e->g, step), n = swap_slices_n_rows(e->g, step);
    slices_t now, next;

    fetch_slices(e, place, 0, &next);
    for (int64_t row = 0; row < n; row += rows) {
        now = next;
        if (row + rows < n)
            fetch_slices(e, place, row + rows, &next);
        add_slice_steps(e, place, &now);
    }
}

static void begin(emit_t *e)
{
    for (int t = 0; t < e->from->n_tensors; t++) {
        const swap_gap_t *last = last_gap(e->g, t);
        cnn_tensor_t tensor = e->from->tensors[t];

        e->now[t] = t;
        e->home[t] = -1;
        e->is_current[t] = false;
        if (last != NULL ? is_over_end(last)
                         : cnn_tensor_lasts(&tensor) && swap_slices_any(e->g, t)) {
            tensor.on_host = e->is_current[t] = true;
            e->home[t] = t;
        } else if (swap_slices_first(e->g, t)) {
            tensor.on_host = true;
            e->home[t] = t;
            e->now[t] = -1;
        }
        plan_remake_tensor(&e->to, &tensor);
    }
}

/* @return the number of a tensor at this step; a part, which few steps use, lies in the
 * stay of the whole one */
static int stay_of(emit_t *e, int tensor)
{
    const int whole = cnn_program_whole(e->from, tensor);
    cnn_tensor_t part = e->from->tensors[tensor];

    if (whole == tensor || e->now[whole] == whole)
        return e->now[tensor];
    part.part_of = e->now[whole] + 1;
    return plan_remake_tensor(&e->to, &part);
}

/* Add a step of the program, on the stays of its tensors. */
static void add_user(emit_t *e, cnn_step_t step)
{
    for (int i = 0; i < step.n_reads; i++)
        step.reads[i] = stay_of(e, step.reads[i]);
    for (int i = 0; i < step.n_writes; i++) {
        e->is_current[cnn_program_whole(e->from, step.writes[i])] = false;
        step.writes[i] = stay_of(e, step.writes[i]);
    }
    plan_remake_step(&e->to, &step);
}

static void add_place(emit_t *e, int place)
{
    const swap_gaps_t *g = e->g;

    for (int i = 0; i < g->n_gaps; i++)
        if (g->gaps[i].is_taken && g->gaps[i].fetch == place && g->gaps[i].bytes > 0)
            enter(e, &g->gaps[i]);
    if (swap_slices_rows(g, &e->from->steps[g->order[place]]) > 0)
        add_divided(e, place);
    else
        for (int k = g->order[place]; k < swap_gaps_end(g, place); k++)
            add_user(e, e->from->steps[k]);
    for (int i = 0; i < g->n_gaps; i++)
        if (g->gaps[i].is_taken && g->gaps[i].from == place &&
            e->now[g->gaps[i].tensor] >= 0)
            leave(e, &g->gaps[i]);
}

static void add_all(emit_t *e)
{
    const cnn_program_t *p = e->from;
    const int first_update = p->n_forward + p->n_backward;
    int n_forward = -1, n_gradients = -1;

    begin(e);
    for (int place = 0; place < e->g->n_places; place++) {
        const int step = e->g->order[place];

        if (n_forward < 0 && step >= p->n_forward)
            n_forward = e->to.n_steps;
        if (step < first_update)
            n_gradients = -1;
        else if (n_gradients < 0)
            n_gradients = e->to.n_steps;
        add_place(e, place);
    }
    e->to.n_forward = n_forward < 0 ? e->to.n_steps : n_forward;
    e->to.n_backward = (n_gradients < 0 || e->g->follows ? e->to.n_steps : n_gradients) -
                       e->to.n_forward;
}

status_t swap_emit(const swap_gaps_t *g, bool copies_wait, cnn_program_t **out)
{
    const size_t n = (size_t)g->program->n_tensors + 1;
    emit_t e = {.g = g,
                .from = g->program,
                .to = {.from = g->program, .copies_wait = copies_wait},
                .now = malloc(n * sizeof(*e.now)),
                .home = malloc(n * sizeof(*e.home)),
                .is_current = malloc(n * sizeof(*e.is_current))};
    status_t st = ST_ENOMEM;

    if (e.now == NULL || e.home == NULL || e.is_current == NULL) {
        log_nomem("the plan of a network");
    } else {
        add_all(&e);
        st = plan_remake_end(&e.to, out);
    }
    free(e.now);
    free(e.home);
    free(e.is_current);
    return st;
}
