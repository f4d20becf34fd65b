#include "kernels/align/engine/trial.h"

#include "io/base/logmsg.h"
#include "kernels/align/engine/trial_sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The trial's number is part of what its answers are known by: raise it with any change.
 */
enum { TRIAL_NUMBER = 2, ROWS_MAX = 8, START_PAIRS = 64, GROWTH = 4, KEY_BYTES = 384 };

static const double PAIR_CELLS_MAX = 1 << 25; /* what one GPU warp does in some 0.1 s */
static const double START_S = 0.1;            /* a row's first START_PAIRS, at most */
static const double STEADY_S = 5e-3;          /* a rate that does not grow any more */
static const double HOPELESS = 16; /* times slower, by what is known of a row */

/* How long rows are tried.  A GPU's row needs a hundred thousand pairs to show what it
 * can do, and with few may look ten times slower than one that needs a thousand: it
 * starts with what should take so long. */
typedef struct {
    double start_s;  /* 0: with START_PAIRS */
    double enough_s; /* a rate, even if it would grow */
    double max_s;    /* for a batch, should the rate grow no more */
    double total_s;  /* then no further row is begun */
} effort_t;

static const effort_t efforts[] = {
    [DEVICE_CPU] = {0, 15e-3, 1, 0.2}, [DEVICE_CUDA] = {0.04, 0.08, 0.16, 0.3}};

/* A class in trial: its sample, the rows that take it, and how fast they were. */
typedef struct {
    const trial_t *trial;
    int length_class;
    trial_sample_t sample;
    const aligner_backend_t *rows[ROWS_MAX];
    double rate[ROWS_MAX]; /* cells/s; 0: not tried */
    int n_rows;
    double *spent_s; /* by all classes */
} class_trial_t;

static const char *const class_names[] = {"up to 512 letters", "513 to 2048 letters",
                                          "more than 2048 letters"};

void trial_cells(const seqset_t *set, double *cells)
{
    static const int64_t most[] = {TRIAL_SHORT_MAX, TRIAL_16S_MAX, INT64_MAX};
    double below = 0;

    for (int c = 0; c < TRIAL_CLASSES; c++) {
        double sum = 0, squares = 0, all;

        for (int64_t i = 0; i < set->n; i++)
            if (seqset_len(set, i) <= most[c]) {
                sum += (double)seqset_len(set, i);
                squares += (double)seqset_len(set, i) * (double)seqset_len(set, i);
            }
        all = (sum * sum - squares) / 2;
        cells[c] = all - below;
        below = all;
    }
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const effort_t *effort(const class_trial_t *c)
{
    return &efforts[c->trial->context.device->kind];
}

static int n_units(const trial_t *t)
{
    return t->context.device->kind == DEVICE_CPU ? pool_n_threads(t->context.pool) : 1;
}

/* What unit costs are: a mismatch costs as much as a gap, once the score is turned into
 * costs (match - mismatch and match/2 - gap). */
static const char *costs_name(const align_scoring_t *s)
{
    if (!s->two_valued)
        return "matrix";
    return 2 * (int64_t)s->mismatch - s->match == 2 * (int64_t)s->gap ? "unit"
                                                                      : "general";
}

/* What an answer depends on, in words. */
static void make_key(const class_trial_t *c, char *out)
{
    const trial_t *t = c->trial;
    bool cpu = t->context.device->kind == DEVICE_CPU;
    int n =
        snprintf(out, KEY_BYTES,
                 "trial %d, %s, %s %d, %s, ends %s, %s, band %s, %s:", TRIAL_NUMBER,
                 t->context.device->name,
                 cpu ? device_simd_name(t->context.device->simd) : "gpu",
                 cpu ? pool_n_threads(t->context.pool) : t->context.device->capability,
                 align_emit_name[t->context.spec->emit],
                 align_ends_name[t->context.spec->ends],
                 costs_name(&t->context.spec->scoring),
                 t->context.run.band ? "auto" : "off", class_names[c->length_class]);

    for (int r = 0; r < c->n_rows && n < KEY_BYTES; r++)
        n += snprintf(out + n, (size_t)(KEY_BYTES - n), " %s", c->rows[r]->name);
}

/* Align the first n pairs. @param seconds  that it took */
static status_t run_pairs(class_trial_t *c, const aligner_backend_t *row, void *state,
                          int64_t n, double *seconds)
{
    pair_batch_t batch = {c->sample.pairs, n};
    pair_results_t results;
    double start = now_s();
    status_t st = row->submit(state, &batch);

    if (st == ST_OK)
        st = row->wait(state, &results);
    *seconds = now_s() - start;
    *c->spent_s += *seconds;
    if (st != ST_OK || align_cancelled(c->trial->context.run.cancel))
        return st;
    return trial_sample_compare(&c->sample, row, n, &results);
}

/* How many pairs a row starts with; 0: so slow a row has shown its rate when it was
 * checked, or needs not be tried at all. */
static int64_t start_pairs(const class_trial_t *c, int r)
{
    double known = c->rows[r]->cells_per_s * n_units(c->trial), most = 0;
    double wanted = effort(c)->start_s * known / c->sample.pair_cells;
    int64_t n = START_PAIRS * n_units(c->trial);

    for (int k = 0; k < r; k++)
        most = c->rate[k] > most ? c->rate[k] : most;
    if (known * HOPELESS < most || (double)n * c->sample.pair_cells > START_S * known)
        return 0;
    if (wanted > TRIAL_PAIRS_START_MAX)
        return TRIAL_PAIRS_START_MAX;
    return wanted > (double)n ? (int64_t)wanted : n;
}

/* @return how many pairs follow on n, which took so long */
static int64_t more_pairs(const class_trial_t *c, int64_t n, double seconds)
{
    double most = (double)n * effort(c)->max_s / seconds;
    int64_t more = n < TRIAL_PAIRS_MAX / GROWTH ? n * GROWTH : TRIAL_PAIRS_MAX;

    return (double)more < most ? more : (int64_t)most;
}

/* Take more and more pairs, until the row's rate is that of large batches. */
static status_t grow(class_trial_t *c, int r, void *state)
{
    int64_t n = start_pairs(c, r), last = 0;
    double seconds = 0;
    bool grows = true;

    while (n > last && seconds < effort(c)->enough_s && (grows || seconds < STEADY_S)) {
        status_t st = run_pairs(c, c->rows[r], state, n, &seconds);
        double rate;

        if (st != ST_OK || align_cancelled(c->trial->context.run.cancel))
            return st;
        rate = trial_sample_cells(&c->sample, n) / seconds;
        grows = rate > 1.25 * c->rate[r];
        c->rate[r] = rate > c->rate[r] ? rate : c->rate[r];
        last = n;
        n = more_pairs(c, n, seconds);
    }
    return ST_OK;
}

static status_t try_row(class_trial_t *c, int r)
{
    const trial_t *t = c->trial;
    const aligner_backend_t *row = c->rows[r];
    int64_t n = c->sample.n_checked;
    void *state = NULL;
    double seconds;
    align_context_t context = t->context;
    status_t st;

    context.set = c->sample.set;
    st = row->create(&context, &state);
    if (st != ST_OK)
        return st;
    if (n > 0 && (st = run_pairs(c, row, state, n, &seconds)) == ST_OK)
        c->rate[r] = trial_sample_cells(&c->sample, n) / seconds;
    if (st == ST_OK && !align_cancelled(t->context.run.cancel))
        st = grow(c, r, state);
    row->destroy(state);
    return st;
}

/* The rows that take a pair of the average size, in their order. */
static void find_rows(class_trial_t *c)
{
    const trial_t *t = c->trial;
    int64_t len = (int64_t)sqrt(c->sample.pair_cells);

    for (int i = 0; t->rows[i] != NULL && c->n_rows < ROWS_MAX; i++)
        if (aligner_backend_takes(t->rows[i], &t->context, len, len))
            c->rows[c->n_rows++] = t->rows[i];
}

/* Whether some row can be tried in a moment, by what it is known to do. */
static bool is_quick(const class_trial_t *c)
{
    double most = 0;

    for (int r = 0; r < c->n_rows; r++)
        most = c->rows[r]->cells_per_s > most ? c->rows[r]->cells_per_s : most;
    return c->sample.n_pairs > 0 && c->sample.pair_cells <= PAIR_CELLS_MAX &&
           START_PAIRS * c->sample.pair_cells <= START_S * most;
}

static bool recall(const class_trial_t *c, const char *key, trial_outcome_t *out)
{
    trial_entry_t entry;

    if (c->trial->cache == NULL || !trial_cache_get(c->trial->cache, key, &entry))
        return false;
    for (int r = 0; r < c->n_rows; r++)
        if (strcmp(c->rows[r]->name, entry.kernel) == 0) {
            out->best[c->length_class] = c->rows[r];
            out->cells_per_s[c->length_class] = entry.cells_per_s;
            log_verbose("kernel %s: %.3g GCUPS; pairs of %s, from the cache",
                        entry.kernel, 1e-9 * entry.cells_per_s,
                        class_names[c->length_class]);
            return true;
        }
    return false;
}

static void conclude(const class_trial_t *c, const char *key, trial_outcome_t *out)
{
    trial_entry_t entry;
    char others[256] = "";
    int best = 0, n = 0;

    for (int r = 1; r < c->n_rows; r++)
        best = c->rate[r] > c->rate[best] ? r : best;
    if (c->rate[best] <= 0)
        return;
    for (int r = 0; r < c->n_rows && n < (int)sizeof(others); r++)
        if (r != best && c->rate[r] > 0)
            n += snprintf(others + n, sizeof(others) - (size_t)n, ", %s %.3g",
                          c->rows[r]->name, 1e-9 * c->rate[r]);
    out->best[c->length_class] = c->rows[best];
    out->cells_per_s[c->length_class] = c->rate[best];
    log_verbose("kernel %s: %.3g GCUPS%s; pairs of %s, timed; %.2f s so far",
                c->rows[best]->name, 1e-9 * c->rate[best], others,
                class_names[c->length_class], *c->spent_s);
    if (c->trial->cache == NULL)
        return;
    entry.cells_per_s = c->rate[best];
    snprintf(entry.kernel, sizeof(entry.kernel), "%s", c->rows[best]->name);
    trial_cache_put(c->trial->cache, key, &entry);
}

static status_t try_class(class_trial_t *c, trial_outcome_t *out)
{
    char key[KEY_BYTES];
    double start;
    status_t st = trial_sample_draw(c->trial, c->length_class, &c->sample);

    if (st != ST_OK)
        return st;
    find_rows(c);
    make_key(c, key);
    if (recall(c, key, out))
        return ST_OK;
    trial_sample_keep(&c->sample, c->rows, c->n_rows);
    if (*c->spent_s >= effort(c)->total_s || !is_quick(c)) {
        log_verbose("kernels: no trial with pairs of %s, as it would take long",
                    class_names[c->length_class]);
        return ST_OK;
    }
    start = now_s();
    st = trial_sample_check(&c->sample);
    *c->spent_s += now_s() - start;
    for (int r = 0; st == ST_OK && r < c->n_rows && *c->spent_s < effort(c)->total_s &&
                    !align_cancelled(c->trial->context.run.cancel);
         r++)
        st = try_row(c, r);
    if (st == ST_OK && !align_cancelled(c->trial->context.run.cancel))
        conclude(c, key, out);
    return st;
}

status_t trial_run(const trial_t *t, trial_outcome_t *out)
{
    trial_outcome_t outcome = {{NULL}, {0}};
    double cells[TRIAL_CLASSES], all = 0, spent_s = 0;
    status_t st = ST_OK;

    trial_cells(t->context.set, cells);
    for (int k = 0; k < TRIAL_CLASSES; k++)
        all += cells[k];
    while (st == ST_OK) { /* the class with the most work first */
        class_trial_t c = {.trial = t, .spent_s = &spent_s};

        for (int k = 1; k < TRIAL_CLASSES; k++)
            if (cells[k] > cells[c.length_class])
                c.length_class = k;
        if (cells[c.length_class] <= TRIAL_PART_MIN * all)
            break;
        cells[c.length_class] = 0;
        st = try_class(&c, &outcome);
        trial_sample_free(&c.sample);
    }
    if (st == ST_OK)
        *out = outcome;
    return st;
}
