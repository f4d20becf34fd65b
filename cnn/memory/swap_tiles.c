/*
 * swap_tiles.c - gradients of fully connected weights, applied tile by tile.
 *
 * Such a gradient is as large as its weights, but what it is computed from is small: some
 * images, and their gradients.  In the program that is made here a tile of it, some
 * outputs, is computed and applied at once, so that it never is in memory as a whole.  Of
 * the largest, what the solver keeps (momentum) stays in the swap area, from which a tile
 * comes and to which it returns.  Tiles are spread over the backward steps behind, as
 * fast as copies run beside these; three are in memory at once, so that steps wait for no
 * copy.  No sum is divided.
 */
#include "cnn/memory/swap_gaps.h"

#include "cnn/plan/plan_remake.h"
#include "io/base/logmsg.h"

#include <stdio.h>
#include <stdlib.h>

/* A tile has a multiple of the outputs that a CPU computes at once; their gradients, in
 * bf16, too, begin aligned. */
enum {
    UNIT = 2 * CNN_LINEAR_UNIT,
    MIN_TILES = 2,
    MAX_STATES = CNN_MAX_WRITES - 1,
    N_STREAM_BITS = 3
};

/* A gradient of weights, with its update */
typedef struct {
    int weights, update; /* steps */
    int behind;          /* the last step that reads the weights */
    int64_t rows;        /* of a tile */
    bool streams;        /* what the solver keeps comes and returns */
} job_t;

/* What a tile writes. */
typedef struct {
    int gradient, parameter;
    int state[MAX_STATES], home[MAX_STATES];
} tile_t;

typedef struct {
    plan_remake_t to;
    job_t *jobs; /* [n_jobs] in the order of `behind` */
    int n_jobs;
    int now;     /* the job whose tiles are next */
    int64_t row; /* the first of the next tile */
    tile_t next; /* is on its way, if row > 0 */
    tile_t last; /* has yet to be evicted, of step last_update; -1: none */
    int last_update;
    double pace; /* less than 1: tiles wait for copies, so that weights may leave early */
    double idle_s; /* of copies, beside the steps since the last tile */
} tiles_t;

/* @return the only step but one that uses a tensor; -1: there is none, or several */
static int other_user(const cnn_program_t *p, int tensor, int but)
{
    int found = -1;

    for (int s = 0; s < p->n_steps; s++)
        if (s != but && cnn_step_uses(&p->steps[s], tensor)) {
            if (found >= 0)
                return -1;
            found = s;
        }
    return found;
}

/* @return whether a gradient may be computed later: what it reads stays as it is */
static bool may_wait(const cnn_program_t *p, int step)
{
    for (int k = step + 1; k < p->n_forward + p->n_backward; k++)
        for (int i = 0; i < p->steps[k].n_writes; i++)
            if (cnn_step_uses(&p->steps[step], p->steps[k].writes[i]))
                return false;
    return true;
}

static int64_t rows_of_tile(const cnn_tensor_t *w, size_t slice_bytes)
{
    const int64_t row_bytes = (int64_t)cnn_tensor_bytes(w) / w->size[0];
    const int64_t rows = (int64_t)slice_bytes / row_bytes / UNIT * UNIT;

    return rows > 0 ? rows : UNIT;
}

/* @return whether a step is a gradient of weights that is only read by its update, and
 * the update is the only step that uses what the solver keeps */
static bool find_job(const cnn_program_t *p, int step, size_t slice_bytes, job_t *out)
{
    const cnn_step_t *s = &p->steps[step], *u;

    if (s->op != CNN_LINEAR_BACKWARD_WEIGHTS || s->on_host || !may_wait(p, step))
        return false;
    *out = (job_t){.weights = step, .update = other_user(p, s->writes[0], step)};
    if (out->update < p->n_forward + p->n_backward)
        return false;
    u = &p->steps[out->update];
    if (!swap_slices_changes(u) || u->n_writes < 2)
        return false;
    for (int i = 1; i < u->n_writes; i++)
        if (other_user(p, u->writes[i], out->update) >= 0 ||
            p->tensors[u->writes[i]].role != CNN_STATE)
            return false;
    out->rows = rows_of_tile(&p->tensors[u->writes[0]], slice_bytes);
    for (int k = 0; k < p->n_forward + p->n_backward; k++)
        if (k == step || cnn_step_uses(&p->steps[k], u->writes[0]))
            out->behind = k;
    return p->tensors[u->writes[0]].size[0] >= MIN_TILES * out->rows;
}

/* @return the job of which a step is a part, or NULL */
static const job_t *job_of(const tiles_t *t, int step)
{
    for (int i = 0; i < t->n_jobs; i++)
        if (t->jobs[i].weights == step || t->jobs[i].update == step)
            return &t->jobs[i];
    return NULL;
}

static const cnn_step_t *step_of(const tiles_t *t, int step)
{
    return &t->to.from->steps[step];
}

/* ---- tiles ---- */

static int64_t n_rows(const tiles_t *t, const job_t *j)
{
    return t->to.from->tensors[step_of(t, j->update)->writes[0]].size[0];
}

/* Add the next rows of a tensor. @param is_part  lie in the whole one */
static int add_rows(tiles_t *t, int of, bool is_part)
{
    const job_t *j = &t->jobs[t->now];
    const int64_t left = n_rows(t, j) - t->row;
    cnn_tensor_t rows = t->to.from->tensors[of];

    snprintf(rows.name, sizeof(rows.name), "%.36s.tile%d", t->to.from->tensors[of].name,
             t->to.n_tensors);
    rows.on_host = is_part && j->streams && rows.role == CNN_STATE;
    if (cnn_tensor_lasts(&rows))
        rows.role = CNN_ACTIVATION;
    rows.size[0] = left < j->rows ? left : j->rows;
    rows.part_of = is_part ? of + 1 : 0;
    rows.part_first = is_part ? t->row * (cnn_tensor_n(&rows) / rows.size[0]) : 0;
    return plan_remake_tensor(&t->to, &rows);
}

/* Begin the next tile: fetch what the solver keeps of it. */
static void begin_tile(tiles_t *t)
{
    const job_t *j = &t->jobs[t->now];
    const cnn_step_t *u = step_of(t, j->update);

    t->next.gradient = add_rows(t, u->reads[0], false);
    t->next.parameter = add_rows(t, u->writes[0], true);
    for (int i = 1; i < u->n_writes; i++) {
        const int whole = add_rows(t, u->writes[i], true);

        t->next.home[i - 1] = t->next.state[i - 1] = whole;
        if (!j->streams)
            continue;
        t->next.state[i - 1] = add_rows(t, u->writes[i], false);
        plan_remake_copy(&t->to, CNN_FETCH, u->layer, whole, t->next.state[i - 1]);
    }
}

/* Compute the gradient, and that of the bias with the first tile, and apply it. */
static void add_tile(tiles_t *t, int64_t row, const tile_t *tile)
{
    const job_t *j = &t->jobs[t->now];
    cnn_step_t weights = *step_of(t, j->weights), update = *step_of(t, j->update);

    weights.params.linear.first = row;
    weights.writes[0] = update.reads[0] = tile->gradient;
    weights.n_writes = row == 0 ? weights.n_writes : 1;
    plan_remake_step(&t->to, &weights);
    update.writes[0] = tile->parameter;
    for (int i = 1; i < update.n_writes; i++)
        update.writes[i] = tile->state[i - 1];
    plan_remake_step(&t->to, &update);
}

/* Its memory is another one's from here on. */
static void evict_last(tiles_t *t)
{
    const cnn_step_t *u;

    if (t->last_update < 0)
        return;
    u = step_of(t, t->last_update);
    for (int i = 1; i < u->n_writes; i++)
        if (t->last.state[i - 1] != t->last.home[i - 1])
            plan_remake_copy(&t->to, CNN_EVICT, u->layer, t->last.state[i - 1],
                             t->last.home[i - 1]);
}

/* The tile behind is fetched while one is computed. */
static void pass_tile(tiles_t *t)
{
    const job_t *j = &t->jobs[t->now];
    const int64_t row = t->row;
    tile_t tile;

    if (row == 0)
        begin_tile(t);
    tile = t->next;
    t->row += j->rows;
    if (t->row < n_rows(t, j))
        begin_tile(t);
    add_tile(t, row, &tile);
    evict_last(t);
    t->last = tile;
    t->last_update = j->update;
    if (t->row >= n_rows(t, j)) {
        t->now++;
        t->row = 0;
    }
}

static double tile_s(const tiles_t *t)
{
    const job_t *j = &t->jobs[t->now];
    const cnn_step_t *u = step_of(t, j->update);
    const size_t bytes = cnn_tensor_bytes(&t->to.from->tensors[u->writes[1]]);

    return t->pace * swap_ahead_copy_s((double)bytes / (double)n_rows(t, j) *
                                       (double)j->rows * (u->n_writes - 1));
}

/* Add tiles whose copies take as long as the steps since the last ones. */
static void spread_tiles(tiles_t *t, int step)
{
    if (t->now == t->n_jobs || t->jobs[t->now].behind > step) {
        t->idle_s = 0;
        return;
    }
    t->idle_s += swap_ahead_step_s(t->to.from, step_of(t, step));
    while (t->now < t->n_jobs && t->jobs[t->now].behind <= step &&
           t->idle_s >= tile_s(t)) {
        t->idle_s -= tile_s(t);
        pass_tile(t);
    }
}

/* ---- the program ---- */

static void add_all(tiles_t *t)
{
    const cnn_program_t *p = t->to.from;
    const int first_update = p->n_forward + p->n_backward;

    for (int i = 0; i < p->n_tensors; i++) {
        cnn_tensor_t tensor = p->tensors[i];

        for (int k = 0; k < t->n_jobs; k++)
            tensor.on_host =
                tensor.on_host || (t->jobs[k].streams && tensor.role == CNN_STATE &&
                                   cnn_step_uses(step_of(t, t->jobs[k].update), i));
        plan_remake_tensor(&t->to, &tensor);
    }
    for (int s = 0; s < first_update; s++) {
        if (job_of(t, s) == NULL)
            plan_remake_step(&t->to, step_of(t, s));
        if (s >= p->n_forward)
            spread_tiles(t, s);
    }
    while (t->now < t->n_jobs)
        pass_tile(t);
    evict_last(t);
    t->to.n_forward = p->n_forward;
    t->to.n_backward = t->to.n_steps - p->n_forward;
    for (int s = first_update; s < p->n_steps; s++)
        if (job_of(t, s) == NULL)
            plan_remake_step(&t->to, step_of(t, s));
}

/* @return how many jobs have larger weights, or as large ones and come before */
static int rank_of(const tiles_t *t, const job_t *job)
{
    const cnn_tensor_t *tensors = t->to.from->tensors;
    const size_t bytes = cnn_tensor_bytes(&tensors[step_of(t, job->weights)->writes[0]]);
    int rank = 0;

    for (const job_t *j = t->jobs; j < t->jobs + t->n_jobs; j++) {
        const size_t other =
            cnn_tensor_bytes(&tensors[step_of(t, j->weights)->writes[0]]);

        rank += other > bytes || (other == bytes && j < job);
    }
    return rank;
}

/* Bits of `how`, from the lowest: the largest gradient streams, the second one, all
 * others; above them the pace. @return whether it differs from others */
static bool choose_streams(tiles_t *t, int how)
{
    static const double paces[SWAP_N_TILINGS / 2 >> N_STREAM_BITS] = {1, 0.5};
    const int max_bit = t->n_jobs < N_STREAM_BITS ? t->n_jobs - 1 : N_STREAM_BITS - 1;

    t->pace = paces[how >> N_STREAM_BITS];
    how &= (1 << N_STREAM_BITS) - 1;
    for (int i = 0; i < t->n_jobs; i++) {
        const int rank = rank_of(t, &t->jobs[i]);

        t->jobs[i].streams = how >> (rank < max_bit ? rank : max_bit) & 1;
    }
    return how >> (max_bit + 1) == 0 && (how > 0 || t->pace == 1);
}

status_t swap_tiles_make(const cnn_program_t *p, const swap_opts_t *opts, int how,
                         cnn_program_t **out)
{
    size_t slice = opts->slice_bytes > 0 ? opts->slice_bytes : SWAP_SLICE_BYTES;
    tiles_t t = {.to = {.from = p},
                 .last_update = -1,
                 .jobs = malloc(((size_t)p->n_steps + 1) * sizeof(*t.jobs))};
    status_t st = ST_OK;

    if (how >= SWAP_N_TILINGS / 2) {
        slice /= 2;
        how -= SWAP_N_TILINGS / 2;
    }
    *out = NULL;
    if (t.jobs == NULL)
        return log_nomem("the plan of a network");
    for (int s = 0; s < p->n_steps; s++)
        t.n_jobs += find_job(p, s, slice, &t.jobs[t.n_jobs]);
    if (t.n_jobs > 0 && choose_streams(&t, how)) {
        add_all(&t);
        st = plan_remake_end(&t.to, out);
    }
    free(t.jobs);
    return st;
}
