/*
 * dfa_group.c - finds the longest group by doubling and halving: subsets of a group's
 * positions determine those of any part of it, so more patterns never have fewer states.
 */
#include "kernels/automata/dfa_group.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

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
    uint8_t *fits;     /* [n_patterns] alone */
    int32_t *patterns; /* [n] those that fit */
    int64_t n;
    buf_t *groups; /* [blocks] group_t */
    int failed;    /* a status_t; any of those that failed */
} work_t;

static void fail(work_t *w, status_t st)
{
    if (st != ST_OK)
        __atomic_store_n(&w->failed, (int)st, __ATOMIC_RELAXED);
}

static bool has_failed(const work_t *w)
{
    return __atomic_load_n(&w->failed, __ATOMIC_RELAXED) != ST_OK;
}

static void try_alone(void *ctx, int64_t k, int thread)
{
    work_t *w = ctx;
    const int32_t pattern = (int32_t)k;
    dfa_t dfa = {.n_states = 0};
    bool fits = false;

    (void)thread;
    if (has_failed(w))
        return;
    fail(w, dfa_build(&dfa_builder_serial, w->nfa, &pattern, 1, w->limits, &fits, &dfa));
    w->fits[k] = fits;
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

static status_t minimise(group_t *g)
{
    const int32_t n_states = g->dfa.n_states;
    const double begin_s = clock_now_s();
    status_t st = dfa_minimise(&g->dfa);

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
    return st == ST_OK ? minimise(best) : st;
}

static void group_block(void *ctx, int64_t block, int thread)
{
    work_t *w = ctx;
    int64_t at = block * DFA_GROUP_BLOCK;
    const int64_t end = at + DFA_GROUP_BLOCK < w->n ? at + DFA_GROUP_BLOCK : w->n;
    status_t st = ST_OK;

    (void)thread;
    while (st == ST_OK && at < end && !has_failed(w)) {
        group_t group = {.first = at};

        if ((st = find_group(w, end - at, &group)) == ST_OK)
            st = buf_append(&w->groups[block], &group, sizeof(group));
        if (st != ST_OK)
            dfa_free(&group.dfa);
        at += group.n;
    }
    fail(w, st);
}

/* Group all blocks: in parallel, or each in parallel. */
static void group_blocks(work_t *w, int64_t n_blocks)
{
    const dfa_builder_t *b = w->builder;

    if (b->backend->base.kind == DEVICE_CPU && n_blocks >= pool_n_threads(b->pool)) {
        w->builder = &dfa_builder_serial;
        pool_run(b->pool, n_blocks, group_block, w);
    } else {
        pool_run(NULL, n_blocks, group_block, w);
    }
}

/* ---- all groups ---- */

/* dfa_set_t in the making. */
typedef struct {
    buf_t class_of, n_classes, middle, first_state, next, output, first_live, live,
        first_listed, listed;
    dfa_set_t set;
} maker_t;

/* Append starts of rows, moved up to where the rows of earlier ones end. */
static status_t append_starts(buf_t *to, const int64_t *first, int64_t from, int64_t n,
                              int64_t by)
{
    status_t st = ST_OK;

    for (int64_t k = from; st == ST_OK && k <= n; k++)
        st = buf_append(to, &(int64_t){first[k] + by}, sizeof(*first));
    return st;
}

/* Append outputs; output 0 is that of all groups. */
static status_t append_outputs(maker_t *m, const dfa_t *d)
{
    const int32_t shift = (int32_t)m->set.n_outputs - 1;
    status_t st = append_starts(&m->first_listed, (const void *)d->first_listed.data, 2,
                                d->n_outputs, m->set.n_listed);

    for (int32_t s = 0; st == ST_OK && s < d->n_states; s++) {
        const int32_t output = dfa_output(d, s);

        st = buf_append(&m->output, &(int32_t){output == 0 ? 0 : output + shift},
                        sizeof(output));
    }
    m->set.n_outputs += d->n_outputs - 1;
    m->set.n_listed += (int64_t)(d->listed.len / sizeof(int32_t));
    return st == ST_OK ? buf_append(&m->listed, d->listed.data, d->listed.len) : st;
}

static status_t append_group(maker_t *m, const dfa_t *d)
{
    status_t st = append_outputs(m, d);

    if (st == ST_OK &&
        (st = buf_append(&m->class_of, d->class_of, sizeof(d->class_of))) == ST_OK &&
        (st = buf_append(&m->n_classes, &d->n_classes, sizeof(d->n_classes))) == ST_OK &&
        (st = buf_append(&m->middle, &d->middle, sizeof(d->middle))) == ST_OK &&
        (st = buf_append(&m->next, d->next.data, d->next.len)) == ST_OK &&
        (st = append_starts(&m->first_live, (const void *)d->first_live.data, 1,
                            d->n_states, m->set.n_live)) == ST_OK)
        st = buf_append(&m->live, d->live.data, d->live.len);
    m->set.n_groups++;
    m->set.n_states += d->n_states;
    m->set.n_cells += (int64_t)d->n_states * d->n_classes;
    m->set.n_live += (int64_t)(d->live.len / sizeof(int32_t));
    return st == ST_OK
               ? buf_append(&m->first_state, &m->set.n_states, sizeof(m->set.n_states))
               : st;
}

/* What no group has: state, live and listed 0, and the output of nothing. */
static status_t append_begin(maker_t *m)
{
    const int64_t none[2] = {0, 0};
    status_t st = buf_append(&m->first_state, none, sizeof(none[0]));

    m->set.n_outputs = 1;
    if (st == ST_OK && (st = buf_append(&m->first_live, none, sizeof(none[0]))) == ST_OK)
        st = buf_append(&m->first_listed, none, sizeof(none));
    return st;
}

static status_t append_all(maker_t *m, const work_t *w, int64_t n_blocks)
{
    status_t st = append_begin(m);

    for (int64_t b = 0; st == ST_OK && b < n_blocks; b++) {
        const group_t *groups = (const void *)w->groups[b].data;

        for (size_t g = 0; st == ST_OK && g < w->groups[b].len / sizeof(*groups); g++) {
            for (int64_t k = 0; k < groups[g].n; k++)
                m->set.group[w->patterns[groups[g].first + k]] = (int32_t)m->set.n_groups;
            st = append_group(m, &groups[g].dfa);
        }
    }
    return st;
}

/* Let the arrays belong to the set; none is NULL, however few there are. */
static status_t finish(maker_t *m, status_t st, dfa_set_t *out)
{
    buf_t *const all[] = {&m->class_of,    &m->n_classes, &m->middle,
                          &m->first_state, &m->next,      &m->output,
                          &m->first_live,  &m->live,      &m->first_listed,
                          &m->listed};

    for (size_t k = 0; st == ST_OK && k < sizeof(all) / sizeof(all[0]); k++)
        st = buf_reserve(all[k], 1);
    m->set.class_of = m->class_of.data;
    m->set.n_classes = (void *)m->n_classes.data;
    m->set.middle = (void *)m->middle.data;
    m->set.first_state = (void *)m->first_state.data;
    m->set.next = (void *)m->next.data;
    m->set.output = (void *)m->output.data;
    m->set.first_live = (void *)m->first_live.data;
    m->set.live = (void *)m->live.data;
    m->set.first_listed = (void *)m->first_listed.data;
    m->set.listed = (void *)m->listed.data;
    if (st == ST_OK)
        *out = m->set;
    else
        dfa_set_free(&m->set);
    return st;
}

static status_t make_set(const work_t *w, int64_t n_blocks, dfa_set_t *out)
{
    const size_t n = (size_t)w->nfa->n_patterns;
    maker_t m = {.set = {.n_patterns = w->nfa->n_patterns,
                         .group = malloc((n + 1) * sizeof(*m.set.group))}};

    if (m.set.group == NULL)
        return log_nomem("groups of patterns");
    memset(m.set.group, -1, n * sizeof(*m.set.group));
    return finish(&m, append_all(&m, w, n_blocks), out);
}

static void work_free(work_t *w, int64_t n_blocks)
{
    for (int64_t b = 0; w->groups != NULL && b < n_blocks; b++) {
        group_t *groups = (void *)w->groups[b].data;

        for (size_t g = 0; g < w->groups[b].len / sizeof(*groups); g++)
            dfa_free(&groups[g].dfa);
        buf_free(&w->groups[b]);
    }
    free(w->groups);
    free(w->fits);
    free(w->patterns);
}

status_t dfa_group_all(const nfa_t *nfa, const dfa_limits_t *limits,
                       const dfa_builder_t *builder, dfa_set_t *out)
{
    const size_t n = (size_t)nfa->n_patterns + 1;
    const int64_t max_blocks = (int64_t)n / DFA_GROUP_BLOCK + 1;
    work_t w = {.nfa = nfa,
                .limits = limits,
                .builder = builder,
                .fits = calloc(n, 1),
                .patterns = malloc(n * sizeof(*w.patterns)),
                .groups = calloc((size_t)max_blocks, sizeof(*w.groups))};
    status_t st = w.fits != NULL && w.patterns != NULL && w.groups != NULL
                      ? ST_OK
                      : log_nomem("groups of patterns");

    if (st == ST_OK) {
        pool_run(builder->pool, nfa->n_patterns, try_alone, &w);
        for (int32_t k = 0; k < nfa->n_patterns; k++)
            if (w.fits[k])
                w.patterns[w.n++] = k;
        group_blocks(&w, (w.n + DFA_GROUP_BLOCK - 1) / DFA_GROUP_BLOCK);
        st = (status_t)w.failed;
    }
    if (st == ST_OK)
        st = make_set(&w, max_blocks, out);
    work_free(&w, max_blocks);
    return st;
}
