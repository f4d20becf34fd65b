/*
 * swap_gaps.c - uses of tensors, in the order in which the steps will run.
 */
#include "cnn/memory/swap_gaps.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

/* ---- the order of the steps ---- */

/* @return whether a step writes a tensor, or a part of it */
static bool writes(const cnn_program_t *p, const cnn_step_t *s, int tensor)
{
    for (int i = 0; i < s->n_writes; i++)
        if (cnn_program_whole(p, s->writes[i]) == tensor)
            return true;
    return false;
}

/* @return whether a step reads or writes a tensor, or a part of it */
static bool touches(const cnn_program_t *p, const cnn_step_t *s, int tensor)
{
    for (int i = 0; i < s->n_reads; i++)
        if (cnn_program_whole(p, s->reads[i]) == tensor)
            return true;
    return writes(p, s, tensor);
}

/* @return the last step before the updates that uses a tensor of an update */
static int step_before(const cnn_program_t *p, const cnn_step_t *update)
{
    for (int s = p->n_forward + p->n_backward - 1; s >= 0; s--) {
        if (cnn_step_uses(&p->steps[s], update->reads[0]))
            return s;
        for (int i = 0; i < update->n_writes; i++)
            if (cnn_step_uses(&p->steps[s], update->writes[i]))
                return s;
    }
    return -1;
}

/* @param behind  [n_steps] scratch: the step that each update follows */
static void order_steps(swap_gaps_t *g, int *behind)
{
    const cnn_program_t *p = g->program;
    const int first_update = p->n_forward + p->n_backward;
    int end;

    for (int u = first_update; u < p->n_steps; u++)
        behind[u] = g->follows ? step_before(p, &p->steps[u]) : first_update - 1;
    for (int s = 0; s < first_update; s = end) {
        g->order[g->n_places] = s;
        end = swap_gaps_end(g, g->n_places++);
        for (int u = first_update; u < p->n_steps; u++)
            if (s <= behind[u] && behind[u] < end)
                g->order[g->n_places++] = u;
    }
}

/* ---- gaps ---- */

typedef struct {
    swap_gaps_t *g;
    int *use;       /* [n_places] places at which a tensor is used */
    bool *is_write; /* [n_places] whether it is written there */
    bool *is_part;  /* [n_places] whether only parts of it are used */
    int n;
    int first_pass, last_pass; /* places at which it passes in slices; -1: none */
} uses_t;

static void find_uses(uses_t *u, int tensor)
{
    const swap_gaps_t *g = u->g;

    u->n = 0;
    u->first_pass = u->last_pass = -1;
    for (int place = 0; place < g->n_places; place++) {
        bool is_used = false, is_written = false, is_part = false;

        for (int k = g->order[place]; k < swap_gaps_end(g, place); k++) {
            const cnn_step_t *s = &g->program->steps[k];

            if (!touches(g->program, s, tensor))
                continue;
            if (swap_slices_pass(g, s, tensor)) {
                u->last_pass = place;
                if (u->first_pass < 0)
                    u->first_pass = place;
                continue;
            }
            is_used = true;
            is_written = is_written || writes(g->program, s, tensor);
            is_part = is_part || !cnn_step_uses(s, tensor);
        }
        if (!is_used)
            continue;
        u->use[u->n] = place;
        u->is_part[u->n] = is_part;
        u->is_write[u->n++] = is_written;
    }
}

static swap_gap_t *add_gap(swap_gaps_t *g, int tensor, int from, int to, int version)
{
    g->gaps[g->n_gaps] = (swap_gap_t){
        .tensor = tensor,
        .from = from,
        .to = to,
        .bytes = cnn_tensor_room(&g->program->tensors[tensor]),
        .version = version,
        .fetch = to,
        .last_pass = from,
    };
    return &g->gaps[g->n_gaps++];
}

static bool is_out(const swap_gaps_t *g, int from, int to)
{
    return (to - from + g->n_places - 1) % g->n_places > 0;
}

/* What passes before it is used as a whole is in the swap area before that, and what
 * passes after it is there from its last use on. */
static bool begins_out(const uses_t *u)
{
    return u->n > 0 && u->first_pass >= 0 && u->first_pass < u->use[0];
}

static void add_passes(const uses_t *u, int tensor)
{
    swap_gaps_t *g = u->g;

    if (begins_out(u))
        add_gap(g, tensor, u->first_pass, u->use[0], -1)->is_forced = true;
    if (u->n > 0 && u->last_pass > u->use[u->n - 1]) {
        swap_gap_t *gap = add_gap(g, tensor, u->use[u->n - 1], u->last_pass, -1);

        gap->is_forced = true;
        gap->bytes = 0;
    }
}

/* @return whether a tensor is used part by part from its i-th use on: then it stays */
static bool is_half_used(const uses_t *u, int i)
{
    return i + 1 < u->n && u->is_part[i] && u->is_part[i + 1];
}

/* The last value of a run is the first one of the next; images are written between them,
 * and what is never written is in the swap area from the beginning. */
static void add_gaps(const uses_t *u, int tensor)
{
    swap_gaps_t *g = u->g;
    const cnn_role_t role = g->program->tensors[tensor].role;
    const bool returns = role == CNN_PARAMETER || role == CNN_STATE;
    int all = 0, written = 0;

    for (int i = 0; i < u->n; i++)
        all += u->is_write[i];
    for (int i = 0; i < u->n; i++) {
        const bool is_last = i + 1 == u->n;
        int version = -1;

        written += u->is_write[i];
        if (returns ? all > 0 : written > 0 || !begins_out(u))
            version = g->n_versions + (returns ? written % all : written);
        if ((!is_last || returns) && !is_half_used(u, i) &&
            is_out(g, u->use[i], u->use[is_last ? 0 : i + 1]))
            add_gap(g, tensor, u->use[i], u->use[is_last ? 0 : i + 1], version);
    }
    g->n_versions += all + 1;
    if (!cnn_tensor_lasts(&g->program->tensors[tensor]))
        add_passes(u, tensor);
}

/* What passes at a step is out at its place. */
static void force_gaps(swap_gaps_t *g)
{
    for (int place = 0; place < g->n_places; place++) {
        const cnn_step_t *s = &g->program->steps[g->order[place]];

        if (swap_slices_rows(g, s) == 0)
            continue;
        g->any_divided =
            g->any_divided || g->divide < SWAP_DIVIDE_POOLS || !swap_slices_changes(s);
        g->live[place] += swap_slices_room(g, s);
        for (int i = 0; i < g->n_gaps; i++)
            for (int at = swap_gap_first(g, &g->gaps[i]); at >= 0;
                 at = swap_gap_next(g, &g->gaps[i], at))
                if (at == place && swap_slices_pass(g, s, g->gaps[i].tensor)) {
                    g->gaps[i].is_forced = true;
                    g->gaps[i].last_pass = place;
                }
    }
    for (int i = 0; i < g->n_gaps; i++)
        swap_gaps_take(g, i, g->gaps[i].is_forced);
}

/* Without gaps */
static void add_live(const uses_t *u, int tensor)
{
    swap_gaps_t *g = u->g;
    const cnn_tensor_t *t = &g->program->tensors[tensor];
    const int first = cnn_tensor_lasts(t) ? 0
                      : begins_out(u)     ? u->first_pass + 1
                                          : u->use[0];
    const int last = cnn_tensor_lasts(t) ? g->n_places - 1 : u->use[u->n - 1];

    for (int at = first; !t->on_host && at <= last; at++)
        g->live[at] += cnn_tensor_room(t);
}

status_t swap_gaps_find(const cnn_program_t *p, const swap_opts_t *opts, bool follows,
                        swap_divide_t divide, swap_gaps_t *out)
{
    const size_t n = (size_t)p->n_steps + 1,
                 n_uses = n * (CNN_MAX_READS + CNN_MAX_WRITES);
    swap_gaps_t g = {.program = p,
                     .follows = follows,
                     .divide = divide,
                     .keep_bytes = opts->keep_bytes,
                     .order = malloc(n * sizeof(*g.order)),
                     .gaps = malloc(n_uses * sizeof(*g.gaps)),
                     .n_taken = NULL,
                     .live = calloc(n, sizeof(*g.live))};
    uses_t u = {.g = &g,
                .use = malloc(n * sizeof(*u.use)),
                .is_write = malloc(n * sizeof(*u.is_write)),
                .is_part = malloc(n * sizeof(*u.is_part))};
    status_t st = ST_OK;

    if (g.order == NULL || g.gaps == NULL || g.live == NULL || u.use == NULL ||
        u.is_write == NULL || u.is_part == NULL) {
        st = log_nomem("the plan of a network");
    } else {
        swap_slices_find(&g, opts);
        order_steps(&g, u.use);
        for (int t = 0; t < p->n_tensors; t++) {
            if (p->tensors[t].part_of > 0)
                continue;
            find_uses(&u, t);
            if (u.n == 0 && (!cnn_tensor_lasts(&p->tensors[t]) || swap_slices_any(&g, t)))
                continue;
            add_live(&u, t);
            if (swap_slices_may_leave(&g, t))
                add_gaps(&u, t);
        }
        g.n_taken = calloc((size_t)g.n_versions + 1, sizeof(*g.n_taken));
        if (g.n_taken == NULL)
            st = log_nomem("the plan of a network");
        else
            force_gaps(&g);
    }
    free(u.use);
    free(u.is_write);
    free(u.is_part);
    if (st == ST_OK)
        *out = g;
    else
        swap_gaps_free(&g);
    return st;
}

void swap_gaps_free(swap_gaps_t *g)
{
    free(g->order);
    free(g->gaps);
    free(g->n_taken);
    free(g->live);
    *g = (swap_gaps_t){.program = NULL};
}

void swap_gaps_take(swap_gaps_t *g, int gap, bool is_taken)
{
    swap_gap_t *x = &g->gaps[gap];

    if (x->is_taken == is_taken)
        return;
    x->is_taken = is_taken;
    if (x->version >= 0)
        g->n_taken[x->version] += is_taken ? 1 : -1;
    for (int at = swap_gap_first(g, x); at >= 0; at = swap_gap_next(g, x, at))
        g->live[at] += is_taken ? -x->bytes : x->bytes;
}

void swap_gaps_reset(swap_gaps_t *g)
{
    for (int i = 0; i < g->n_gaps; i++) {
        swap_gaps_take(g, i, g->gaps[i].is_forced);
        g->gaps[i].fetch = g->gaps[i].to;
    }
}
