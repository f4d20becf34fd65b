/*
 * trial.c - times backends on samples of a set, and remembers the answers.
 */
#include "kernels/align/engine/trial.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* TRIAL_NUMBER is part of the key of cached answers: increase it with any change to how
 * backends are tried. */
enum { TRIAL_NUMBER = 2, START_PAIRS = 64, GROWTH = 4 };

static const double PAIR_CELLS_MAX = 1 << 25; /* a GPU's warp takes about 0.1 s for it */
static const double START_S = 0.1;            /* maximum for a first START_PAIRS pairs */
static const double STEADY_S = 5e-3; /* minimum run time for a rate that has stopped
                                      * growing */
static const double HOPELESS = 16;   /* a backend expected to be this many times slower
                                      * than another one is not tried */

static const double IMPLAUSIBLE = 1e5; /* a remembered rate that differs by this factor
                                        * from the expected one is not believed */

/* How long backends are tried.  A GPU's backend may need a hundred thousand pairs to show
 * its rate, and look ten times slower with few pairs than another one that needs a
 * thousand; so it starts with as many as should take start_s. */
typedef struct {
    double start_s;  /* 0: with START_PAIRS */
    double enough_s; /* stop after such a batch, even if the rate still grows */
    double max_s;    /* limit for the next batch, if the rate did not grow any more */
    double total_s;  /* no further backend is begun after this time */
} effort_t;

static const effort_t efforts[] = {
    [DEVICE_CPU] = {0, 15e-3, 1, 0.2}, [DEVICE_CUDA] = {0.04, 0.08, 0.16, 0.3}};

/* One length class: its sample, and the backends that take it. */
typedef struct {
    const trial_t *trial;
    int length_class;
    trial_sample_t sample;
    const aligner_backend_t **backends; /* [n_backends] */
    double *rate;                       /* [n_backends] cells/s; 0: not tried */
    int n_backends;
    double *spent_s; /* by all classes */
} class_trial_t;

static const char *const class_names[] = {"up to 512 bases", "513 to 2048 bases",
                                          "more than 2048 bases"};

void trial_cells(const seqset_t *set, double *cells)
{
    static const int64_t max_len[] = {TRIAL_SHORT_MAX, TRIAL_16S_MAX, INT64_MAX};
    double below = 0;

    for (int c = 0; c < TRIAL_CLASSES; c++) {
        double sum = 0, squares = 0, all;

        for (int64_t i = 0; i < set->n; i++)
            if (seqset_len(set, i) <= max_len[c]) {
                sum += (double)seqset_len(set, i);
                squares += (double)seqset_len(set, i) * (double)seqset_len(set, i);
            }
        all = (sum * sum - squares) / 2;
        cells[c] = all - below;
        below = all;
    }
}

static const effort_t *effort(const class_trial_t *c)
{
    return &efforts[c->trial->context.device->kind];
}

/* @return the rate expected of the fastest backend, of one core or GPU */
static double max_rate(const class_trial_t *c)
{
    double max = 0;

    for (int k = 0; k < c->n_backends; k++)
        max = c->backends[k]->base.rate > max ? c->backends[k]->base.rate : max;
    return max;
}

static double now_s(const class_trial_t *c)
{
    return c->trial->now_s();
}

static bool is_cancelled(const class_trial_t *c)
{
    return align_cancelled(c->trial->context.run.cancel);
}

/* Unit costs: a mismatch costs as much as a gap, once scores are turned into costs
 * (match - mismatch and match/2 - gap). */
static const char *costs_name(const align_scoring_t *s)
{
    if (!s->two_valued)
        return "matrix";
    return 2 * (int64_t)s->mismatch - s->match == 2 * (int64_t)s->gap ? "unit"
                                                                      : "general";
}

/* Write everything that an answer depends on, NUL-terminated. */
static status_t make_key(const class_trial_t *c, buf_t *out)
{
    const align_context_t *context = &c->trial->context;
    const device_t *device = context->device;
    bool is_gpu = device_is_gpu(device);
    status_t st =
        buf_printf(out,
                   "trial %d, %s, %s %d, %s, ends %s, %s, band %s, %s:", TRIAL_NUMBER,
                   device->name, is_gpu ? "gpu" : device_simd_name(device->simd),
                   is_gpu ? device->capability : pool_n_threads(context->pool),
                   align_emit_name[context->spec->emit],
                   align_ends_name[context->spec->ends],
                   costs_name(&context->spec->scoring),
                   context->run.band ? "auto" : "off", class_names[c->length_class]);

    for (int k = 0; st == ST_OK && k < c->n_backends; k++)
        st = buf_printf(out, " %s", c->backends[k]->base.name);
    return st == ST_OK ? buf_append(out, "", 1) : st;
}

/* Align the first n pairs of the sample. @param seconds  out: the time it took */
static status_t run_pairs(class_trial_t *c, const aligner_backend_t *backend, void *state,
                          int64_t n, double *seconds)
{
    pair_batch_t batch = {c->sample.pairs, n};
    pair_results_t results;
    double start = now_s(c);
    status_t st = backend->submit(state, &batch);

    if (st == ST_OK)
        st = backend->wait(state, &results);
    *seconds = now_s(c) - start;
    *c->spent_s += *seconds;
    if (st != ST_OK || is_cancelled(c))
        return st;
    return trial_sample_compare(&c->sample, backend, n, &results);
}

/* @return how many pairs backend k starts with; 0: it is so slow that checking its
 *         results has shown its rate, or that it need not be tried at all */
static int64_t start_pairs(const class_trial_t *c, int k)
{
    const align_context_t *context = &c->trial->context;
    double expected = backend_rate(&c->backends[k]->base, context->pool), best = 0;
    double to_fill = effort(c)->start_s * expected / c->sample.pair_cells;
    int64_t n = START_PAIRS * device_n_units(context->device->kind, context->pool);

    for (int i = 0; i < k; i++)
        best = c->rate[i] > best ? c->rate[i] : best;
    if (expected * HOPELESS < best ||
        (double)n * c->sample.pair_cells > START_S * expected)
        return 0;
    if (to_fill > TRIAL_PAIRS_START_MAX)
        return TRIAL_PAIRS_START_MAX;
    return to_fill > (double)n ? (int64_t)to_fill : n;
}

/* @return the pairs of the next batch, after n of them took some seconds */
static int64_t more_pairs(const class_trial_t *c, int64_t n, double seconds)
{
    double max_pairs = (double)n * effort(c)->max_s / seconds;
    int64_t more = n < TRIAL_PAIRS_MAX / GROWTH ? n * GROWTH : TRIAL_PAIRS_MAX;

    return (double)more < max_pairs ? more : (int64_t)max_pairs;
}

/* Take more and more pairs, until the rate is that of large batches. */
static status_t grow(class_trial_t *c, int k, void *state)
{
    int64_t n = start_pairs(c, k), last = 0;
    double seconds = 0;
    bool grows = true;

    while (n > last && seconds < effort(c)->enough_s && (grows || seconds < STEADY_S)) {
        status_t st = run_pairs(c, c->backends[k], state, n, &seconds);
        double rate;

        if (st != ST_OK || is_cancelled(c))
            return st;
        rate = trial_sample_cells(&c->sample, n) / seconds;
        grows = rate > 1.25 * c->rate[k];
        c->rate[k] = rate > c->rate[k] ? rate : c->rate[k];
        last = n;
        n = more_pairs(c, n, seconds);
    }
    return ST_OK;
}

static status_t try_backend(class_trial_t *c, int k)
{
    const aligner_backend_t *backend = c->backends[k];
    align_context_t context = c->trial->context;
    int64_t n = c->sample.n_checked;
    void *state = NULL;
    double seconds;
    status_t st;

    context.set = c->sample.set;
    if ((st = backend->create(&context, &state)) != ST_OK)
        return st;
    if (n > 0 && (st = run_pairs(c, backend, state, n, &seconds)) == ST_OK)
        c->rate[k] = trial_sample_cells(&c->sample, n) / seconds;
    if (st == ST_OK && !is_cancelled(c))
        st = grow(c, k, state);
    backend->destroy(state);
    return st;
}

/* List the backends that take a pair of the average size, in the table's order. */
static status_t find_backends(class_trial_t *c)
{
    const trial_t *t = c->trial;
    int64_t len = (int64_t)sqrt(c->sample.pair_cells);
    size_t n = 0;

    while (t->table->rows[n] != NULL)
        n++;
    c->backends = calloc(n + 1, sizeof(const aligner_backend_t *));
    c->rate = calloc(n + 1, sizeof(*c->rate));
    if (c->backends == NULL || c->rate == NULL)
        return log_nomem("a trial of kernels");
    for (size_t i = 0; i < n; i++) {
        const aligner_backend_t *backend = aligner_backend(t->table->rows[i]);

        if (aligner_backend_takes(backend, &t->context, len, len))
            c->backends[c->n_backends++] = backend;
    }
    return ST_OK;
}

/* @return whether some backend is expected to align START_PAIRS pairs soon */
static bool is_quick(const class_trial_t *c)
{
    return c->sample.n_pairs > 0 && c->sample.pair_cells <= PAIR_CELLS_MAX &&
           START_PAIRS * c->sample.pair_cells <= START_S * max_rate(c);
}

/* A line of the cache may be of another machine, or have been edited: a backend that is
 * expected to be much slower than another one, or a rate that cannot be its own, would
 * cost the whole run, a new trial only a moment. */
static bool is_plausible(const class_trial_t *c, int k, double cells_per_s)
{
    const backend_t *b = &c->backends[k]->base;
    double ratio = cells_per_s / backend_rate(b, c->trial->context.pool);

    return b->rate * HOPELESS >= max_rate(c) && ratio < IMPLAUSIBLE &&
           ratio > 1 / IMPLAUSIBLE;
}

static bool recall(const class_trial_t *c, const char *key, trial_outcome_t *out)
{
    trial_entry_t entry;

    if (c->trial->cache == NULL || !trial_cache_get(c->trial->cache, key, &entry))
        return false;
    for (int k = 0; k < c->n_backends; k++)
        if (strcmp(c->backends[k]->base.name, entry.kernel) == 0 &&
            is_plausible(c, k, entry.cells_per_s)) {
            out->best[c->length_class] = c->backends[k];
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
    char others[256] = ""; /* as many as fit */
    int best = 0, n = 0;

    for (int k = 1; k < c->n_backends; k++)
        best = c->rate[k] > c->rate[best] ? k : best;
    if (c->rate[best] <= 0)
        return;
    for (int k = 0; k < c->n_backends && n < (int)sizeof(others); k++)
        if (k != best && c->rate[k] > 0)
            n += snprintf(others + n, sizeof(others) - (size_t)n, ", %s %.3g",
                          c->backends[k]->base.name, 1e-9 * c->rate[k]);
    out->best[c->length_class] = c->backends[best];
    out->cells_per_s[c->length_class] = c->rate[best];
    log_verbose("kernel %s: %.3g GCUPS%s; pairs of %s, timed; %.2f s so far",
                c->backends[best]->base.name, 1e-9 * c->rate[best], others,
                class_names[c->length_class], *c->spent_s);
    if (c->trial->cache == NULL)
        return;
    entry.cells_per_s = c->rate[best];
    snprintf(entry.kernel, sizeof(entry.kernel), "%s", c->backends[best]->base.name);
    trial_cache_put(c->trial->cache, key, &entry);
}

/* Check and time the backends of a class. */
static status_t time_backends(class_trial_t *c, const char *key, trial_outcome_t *out)
{
    double start = now_s(c);
    status_t st = trial_sample_check(&c->sample);

    *c->spent_s += now_s(c) - start;
    for (int k = 0; st == ST_OK && k < c->n_backends &&
                    *c->spent_s < effort(c)->total_s && !is_cancelled(c);
         k++)
        st = try_backend(c, k);
    if (st == ST_OK && !is_cancelled(c))
        conclude(c, key, out);
    return st;
}

static status_t try_class(class_trial_t *c, trial_outcome_t *out)
{
    buf_t buf = {0};
    const char *key;
    status_t st = trial_sample_draw(c->trial, c->length_class, &c->sample);

    if (st != ST_OK || (st = find_backends(c)) != ST_OK ||
        (st = make_key(c, &buf)) != ST_OK)
        goto done;
    key = (const char *)buf.data;
    if (recall(c, key, out))
        goto done;
    trial_sample_keep(&c->sample, c->backends, c->n_backends);
    if (*c->spent_s < effort(c)->total_s && is_quick(c))
        st = time_backends(c, key, out);
    else
        log_verbose("kernels: no trial with pairs of %s: it would take too long",
                    class_names[c->length_class]);
done:
    buf_free(&buf);
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
        if (cells[c.length_class] <= TRIAL_FRACTION_MIN * all)
            break;
        cells[c.length_class] = 0;
        st = try_class(&c, &outcome);
        trial_sample_free(&c.sample);
        free(c.backends);
        free(c.rate);
    }
    if (st == ST_OK)
        *out = outcome;
    return st;
}
