/*
 * dfa_group.c - finds the longest group by doubling and halving: subsets of a group's
 * positions determine those of any part of it, so more patterns never have fewer states.
 */
#include "kernels/automata/dfa_group.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "kernels/automata/dfa_join.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A group of a block. */
typedef struct {
    int64_t first, n; /* among those that fit */
    dfa_t dfa;
    double build_s; /* seconds that building it took */
} group_t;

typedef struct {
    const nfa_t *nfa;
    const dfa_limits_t *limits;
    const dfa_builder_t *builder;
    int64_t first;     /* pattern of the block */
    bool *fits;        /* [patterns of the block] alone */
    int32_t *patterns; /* [n] those that fit */
    int64_t n;
    int failed; /* a status_t; any of those that failed */
} work_t;

static void try_alone(void *ctx, int64_t k, int thread)
{
    work_t *w = ctx;
    const int32_t pattern = (int32_t)(w->first + k);
    const dfa_builder_t alone = {.backend = &subset_serial_backend,
                                 .cancel = w->builder->cancel};
    dfa_t dfa = {.n_states = 0};
    status_t st;

    (void)thread;
    st = dfa_build(&alone, w->nfa, &pattern, 1, w->limits, &w->fits[k], &dfa);
    if (st != ST_OK)
        __atomic_store_n(&w->failed, (int)st, __ATOMIC_RELAXED);
    dfa_free(&dfa);
}

/* Try a group of n patterns. @param best  replaced if it fits */
static status_t try_group(const work_t *w, int64_t n, group_t *best, bool *fits)
{
    const int32_t *patterns = w->patterns + best->first;
    const double begin_s = clock_now_s();
    int64_t n_positions = 0;
    dfa_t dfa = {.n_states = 0};
    status_t st;

    for (int64_t k = 0; k < n; k++)
        n_positions += w->nfa->first[patterns[k] + 1] - w->nfa->first[patterns[k]];
    *fits = n == 1 || n_positions <= NFA_MAX_POSITIONS;
    if (!*fits)
        return ST_OK;
    st = dfa_build(w->builder, w->nfa, patterns, n, w->limits, fits, &dfa);
    if (st == ST_OK && *fits) {
        dfa_free(&best->dfa);
        best->dfa = dfa;
        best->n = n;
        best->build_s = clock_now_s() - begin_s;
    }
    return st;
}

static status_t minimise(const work_t *w, group_t *g)
{
    const int32_t n_states = g->dfa.n_states;
    const double begin_s = clock_now_s();
    status_t st = dfa_minimise(w->builder, &g->dfa);

    if (st == ST_OK)
        log_verbose("a group of %" PRId64 " patterns: %" PRId32
                    " states in %.3f s, minimised to %" PRId32 " in %.3f s",
                    g->n, n_states, g->build_s, g->dfa.n_states, clock_now_s() - begin_s);
    return st;
}

/* Find the longest group. @param max  patterns that are left */
static status_t find_group(const work_t *w, int64_t max, group_t *best)
{
    bool fits = true;
    int64_t too_many = max + 1;
    status_t st = ST_OK;

    for (int64_t n = 1; st == ST_OK && fits && best->n < max;
         n = 2 * n < max ? 2 * n : max) {
        st = try_group(w, n, best, &fits);
        if (!fits)
            too_many = n;
    }
    while (st == ST_OK && too_many - best->n > 1) {
        const int64_t n = (best->n + too_many) / 2;

        st = try_group(w, n, best, &fits);
        if (!fits)
            too_many = n;
    }
    return st == ST_OK ? minimise(w, best) : st;
}

/* Group the patterns that fit. */
static status_t find_groups(const work_t *w, int64_t n, dfa_joiner_t *to)
{
    int64_t pattern = 0; /* the next one that has no group yet */
    status_t st = ST_OK;

    for (group_t g = {.first = 0}; st == ST_OK && g.first < w->n; g.first += g.n) {
        const int32_t number = (int32_t)to->set.n_groups;

        g.n = 0;
        if ((st = find_group(w, w->n - g.first, &g)) == ST_OK)
            st = dfa_join_one(to, &g.dfa);
        dfa_free(&g.dfa);
        for (int64_t left = g.n; st == ST_OK && left > 0; pattern++) {
            st = dfa_join_pattern(to, w->fits[pattern] ? number : -1);
            left -= w->fits[pattern];
        }
    }
    for (; st == ST_OK && pattern < n; pattern++)
        st = dfa_join_pattern(to, -1);
    return st;
}

status_t dfa_group_block(const nfa_t *nfa, int64_t first, int64_t n,
                         const dfa_limits_t *limits, const dfa_builder_t *builder,
                         dfa_set_t *out)
{
    work_t w = {.nfa = nfa,
                .limits = limits,
                .builder = builder,
                .first = first,
                .fits = calloc((size_t)n + 1, sizeof(*w.fits)),
                .patterns = malloc(((size_t)n + 1) * sizeof(*w.patterns))};
    dfa_joiner_t joiner = {.set = {.n_patterns = 0}};
    status_t st =
        w.fits != NULL && w.patterns != NULL ? ST_OK : log_nomem("groups of patterns");

    if (st == ST_OK) {
        pool_run(builder->pool, n, try_alone, &w);
        for (int64_t k = 0; k < n; k++)
            if (w.fits[k])
                w.patterns[w.n++] = (int32_t)(first + k);
        st = (status_t)w.failed;
    }
    if (st == ST_OK)
        st = find_groups(&w, n, &joiner);
    free(w.fits);
    free(w.patterns);
    return dfa_join_finish(&joiner, st, out);
}

/* ---- all blocks ---- */

typedef struct {
    const nfa_t *nfa;
    const dfa_limits_t *limits;
    dfa_set_t *sets; /* [blocks] */
    int failed;      /* a status_t; any of those that failed */
} blocks_t;

static void group_block(void *ctx, int64_t block, int thread)
{
    blocks_t *b = ctx;
    int64_t n;
    const int64_t first = dfa_group_patterns(b->nfa, block, &n);
    status_t st;

    (void)thread;
    st = dfa_group_block(b->nfa, first, n, b->limits, &dfa_builder_serial,
                         &b->sets[block]);
    if (st != ST_OK)
        __atomic_store_n(&b->failed, (int)st, __ATOMIC_RELAXED);
}

status_t dfa_group_all(const nfa_t *nfa, const dfa_limits_t *limits, pool_t *pool,
                       dfa_set_t *out)
{
    const int64_t n = dfa_group_n_blocks(nfa);
    blocks_t b = {.nfa = nfa,
                  .limits = limits,
                  .sets = calloc((size_t)n + 1, sizeof(*b.sets))};
    dfa_joiner_t joiner = {.set = {.n_patterns = 0}};
    status_t st;

    if (b.sets == NULL)
        return log_nomem("groups of patterns");
    pool_run(pool, n, group_block, &b);
    st = (status_t)b.failed;
    for (int64_t k = 0; k < n; k++) {
        if (st == ST_OK)
            st = dfa_join_set(&joiner, &b.sets[k]);
        dfa_set_free(&b.sets[k]);
    }
    free(b.sets);
    return dfa_join_finish(&joiner, st, out);
}
