/*
 * opticlust.c - moves nodes, then merges clusters, until neither improves the
 * coefficient.
 */
#include "graph/cluster/cluster_methods.h"

#include "io/base/child.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- the confusion matrix of a partition, and its coefficient ---- */

mcc_t mcc_count(int64_t n, const int32_t *label, int64_t *size, const edge_t *edges,
                int64_t n_edges)
{
    mcc_t m = {.tp = edges == NULL ? n_edges : 0};
    int64_t n_within = 0;

    for (int64_t i = 0; i < n; i++)
        n_within += size[label[i]]++;
    for (int64_t e = 0; edges != NULL && e < n_edges; e++)
        m.tp += label[edges[e].a] == label[edges[e].b];
    m.fp = n_within - m.tp;
    m.fn = n_edges - m.tp;
    m.tn = n * (n - 1) / 2 - m.tp - m.fp - m.fn;
    return m;
}

double mcc_value(const mcc_t *m)
{
    double tp = (double)m->tp, tn = (double)m->tn, fp = (double)m->fp, fn = (double)m->fn;
    double margins = sqrt((tp + fp) * (tn + fn)) * sqrt((tp + fn) * (tn + fp));

    if (m->tp < 0)
        return NAN;
    if (m->fp == 0 && m->fn == 0)
        return 1;
    return margins > 0 ? (tp * tn - fp * fn) / margins : 0;
}

typedef struct {
    const adjacency_t *g;
    const int32_t *from; /* [n] clusters to begin with, or NULL */
    int32_t *cluster;    /* [n] cluster of each node */
    int32_t *size;       /* [n] size of each cluster */
    int32_t *empty;      /* [n] stack of clusters without members */
    int32_t *n_close;    /* [n] neighbours of the current node in each cluster; else 0 */
    int32_t *order;      /* [n_order] nodes that have neighbours or are not alone */
    int32_t *first;      /* [n] list of members of each cluster while merging; -1: none */
    int32_t *next;       /* [n] next member in the list; -1: none */
    int64_t n_order, n_empty;
    mcc_t now;
    int32_t *best; /* [n] labels of the best result of all starts so far */
    mcc_t best_counts;
    int64_t best_start; /* -1: none yet */
} state_t;

/* Each thread has its own state. */
typedef struct {
    const adjacency_t *g;
    uint64_t seed;
    state_t *states;
} starts_t;

/* @param apart  counts with a node outside of a cluster
 * @param close  its neighbours among the cluster's `size` nodes
 * @return the counts after the node joins */
static mcc_t joined(const mcc_t *apart, int64_t close, int64_t size)
{
    int64_t far = size - close;

    return (mcc_t){.tp = apart->tp + close,
                   .fn = apart->fn - close,
                   .fp = apart->fp + far,
                   .tn = apart->tn - far};
}

/* The inverse of joined: @return the counts after the node leaves. */
static mcc_t left(const mcc_t *together, int64_t close, int64_t size)
{
    return joined(together, -close, -size);
}

/* Add step to n_close for each neighbour of a node. */
static void count_neighbours(state_t *s, int32_t node, int32_t step)
{
    for (int64_t k = s->g->start[node]; k < s->g->start[node + 1]; k++)
        s->n_close[s->cluster[s->g->neighbour[k].node]] += step;
}

/* Ties are broken by fewer wrong pairs: if every pair is close, the coefficient is 0 for
 * every partition but a single cluster. */
static bool is_better(const mcc_t *x, const mcc_t *y)
{
    double left_value = mcc_value(x), right_value = mcc_value(y);

    return left_value > right_value ||
           (left_value == right_value && x->fp + x->fn < y->fp + y->fn);
}

/* @return the best cluster for a node; -1: a cluster of its own. @param counts  with it
 */
static int32_t best_cluster(const state_t *s, int32_t node, mcc_t *counts)
{
    int32_t home = s->cluster[node], best = home;
    mcc_t apart = left(&s->now, s->n_close[home], s->size[home] - 1);

    *counts = s->now;
    if (s->size[home] > 1 && is_better(&apart, counts)) {
        best = -1;
        *counts = apart;
    }
    for (int64_t k = s->g->start[node]; k < s->g->start[node + 1]; k++) {
        int32_t there = s->cluster[s->g->neighbour[k].node];
        mcc_t tried = joined(&apart, s->n_close[there], s->size[there]);

        if (there != home && is_better(&tried, counts)) {
            best = there;
            *counts = tried;
        }
    }
    return best;
}

/* @return whether the node was moved */
static bool move(state_t *s, int32_t node)
{
    int32_t home = s->cluster[node], best;
    mcc_t counts;

    count_neighbours(s, node, 1);
    best = best_cluster(s, node, &counts);
    count_neighbours(s, node, -1);
    if (best == home)
        return false;
    if (best < 0)
        best = s->empty[--s->n_empty];
    if (--s->size[home] == 0)
        s->empty[s->n_empty++] = home;
    s->size[best]++;
    s->cluster[node] = best;
    s->now = counts;
    return true;
}

/* @return the cluster to merge this one into; itself: none.  n_close counts the
 * neighbours of its members */
static int32_t best_partner(const state_t *s, int32_t cluster, mcc_t *counts)
{
    int32_t best = cluster;

    *counts = s->now;
    for (int32_t i = s->first[cluster]; i >= 0; i = s->next[i])
        for (int64_t k = s->g->start[i]; k < s->g->start[i + 1]; k++) {
            int32_t there = s->cluster[s->g->neighbour[k].node];
            mcc_t tried = joined(&s->now, s->n_close[there],
                                 (int64_t)s->size[cluster] * s->size[there]);

            if (there != cluster && is_better(&tried, counts)) {
                best = there;
                *counts = tried;
            }
        }
    return best;
}

static void merge(state_t *s, int32_t gone, int32_t kept)
{
    for (int32_t i = s->first[gone], next; i >= 0; i = next) {
        next = s->next[i];
        s->cluster[i] = kept;
        s->next[i] = s->first[kept];
        s->first[kept] = i;
    }
    s->size[kept] += s->size[gone];
    s->size[gone] = 0;
    s->first[gone] = -1;
    s->empty[s->n_empty++] = gone;
}

/* Merge clusters where this improves the coefficient. @return the number of merges */
static int64_t merge_clusters(state_t *s)
{
    int64_t n = s->g->n, n_merged = 0;

    for (int64_t i = 0; i < n; i++)
        s->first[i] = -1;
    for (int64_t i = n - 1; i >= 0; i--) {
        s->next[i] = s->first[s->cluster[i]];
        s->first[s->cluster[i]] = (int32_t)i;
    }
    for (int32_t c = 0; c < n; c++) {
        mcc_t counts;
        int32_t best;

        child_tick_turn(c);
        for (int32_t i = s->first[c]; i >= 0; i = s->next[i])
            count_neighbours(s, i, 1);
        best = best_partner(s, c, &counts);
        for (int32_t i = s->first[c]; i >= 0; i = s->next[i])
            count_neighbours(s, i, -1);
        if (best == c)
            continue;
        merge(s, c, best);
        s->now = counts;
        n_merged++;
    }
    return n_merged;
}

/* Count the pairs of the clusters to begin with. */
static mcc_t count_pairs(const state_t *s)
{
    const int64_t n = s->g->n;
    int64_t n_within = 0;
    mcc_t m = {.fn = s->g->start[n] / 2};

    for (int64_t i = 0; i < n; i++) {
        n_within += (int64_t)s->size[i] * (s->size[i] - 1) / 2;
        for (int64_t k = s->g->start[i]; k < s->g->start[i + 1]; k++)
            m.tp += s->g->neighbour[k].node < i &&
                    s->cluster[s->g->neighbour[k].node] == s->cluster[i];
    }
    m.fp = n_within - m.tp;
    m.fn -= m.tp;
    m.tn = n * (n - 1) / 2 - n_within - m.fn;
    return m;
}

static void begin(state_t *s)
{
    const int64_t n = s->g->n;

    s->n_order = s->n_empty = 0;
    memset(s->size, 0, (size_t)n * sizeof(*s->size));
    for (int64_t i = 0; i < n; i++) {
        s->cluster[i] = s->from != NULL && s->from[i] >= 0 ? s->from[i] : (int32_t)i;
        s->size[s->cluster[i]]++;
    }
    for (int64_t i = 0; i < n; i++) {
        if (s->size[i] == 0)
            s->empty[s->n_empty++] = (int32_t)i;
        if (s->g->start[i + 1] > s->g->start[i] || s->size[s->cluster[i]] > 1)
            s->order[s->n_order++] = (int32_t)i;
    }
    s->now = count_pairs(s);
}

static void optimise(state_t *s, rng_t *rng)
{
    int64_t n_moves;

    do {
        child_tick();
        n_moves = 0;
        rng_shuffle(rng, s->order, s->n_order);
        for (int64_t i = 0; i < s->n_order; i++) {
            child_tick_turn(i);
            n_moves += move(s, s->order[i]);
        }
        if (n_moves == 0)
            n_moves = merge_clusters(s);
    } while (n_moves > 0);
}

/* Label clusters by their lowest members. @param first  [n] scratch */
static void write_labels(const state_t *s, int32_t *first, int32_t *label)
{
    for (int64_t i = 0; i < s->g->n; i++)
        first[i] = -1;
    for (int64_t i = 0; i < s->g->n; i++) {
        if (first[s->cluster[i]] < 0)
            first[s->cluster[i]] = (int32_t)i;
        label[i] = first[s->cluster[i]];
    }
}

/* Each thread gets its starts in ascending order, so the first of equal results is kept.
 */
static void run_start(void *ctx, int64_t index, int thread)
{
    starts_t *starts = ctx;
    state_t *s = &starts->states[thread];
    uint64_t seed = starts->seed;
    rng_t rng;

    for (int64_t k = 0; k < index; k++)
        rng_splitmix(&seed);
    rng = rng_seed(rng_splitmix(&seed));
    begin(s);
    optimise(s, &rng);
    if (s->best_start >= 0 && !is_better(&s->now, &s->best_counts))
        return;
    s->best_start = index;
    s->best_counts = s->now;
    write_labels(s, s->empty, s->best);
}

static status_t make_state(const adjacency_t *g, const int32_t *from, state_t *s)
{
    size_t n = (size_t)g->n;

    *s = (state_t){.g = g, .from = from, .best_start = -1};
    if ((s->cluster = calloc(8 * n + 1, sizeof(*s->cluster))) == NULL)
        return log_nomem("clusters");
    s->size = s->cluster + n;
    s->empty = s->cluster + 2 * n;
    s->n_close = s->cluster + 3 * n;
    s->order = s->cluster + 4 * n;
    s->best = s->cluster + 5 * n;
    s->first = s->cluster + 6 * n;
    s->next = s->cluster + 7 * n;
    return ST_OK;
}

static const state_t *best_of(const state_t *states, int n_states)
{
    const state_t *best = NULL;

    for (int i = 0; i < n_states; i++) {
        const state_t *s = &states[i];

        if (s->best_start < 0)
            continue;
        if (best == NULL || is_better(&s->best_counts, &best->best_counts) ||
            (!is_better(&best->best_counts, &s->best_counts) &&
             s->best_start < best->best_start))
            best = s;
    }
    return best;
}

status_t opticlust_cluster(const adjacency_t *g, const int32_t *from, uint64_t seed,
                           int64_t n_starts, pool_t *pool, int32_t *label)
{
    int n_threads = pool_n_threads(pool);
    starts_t starts = {g, seed, calloc((size_t)n_threads, sizeof(state_t))};
    status_t st = starts.states != NULL ? ST_OK : log_nomem("clusters");

    for (int i = 0; st == ST_OK && i < n_threads; i++)
        st = make_state(g, from, &starts.states[i]);
    if (st == ST_OK) {
        pool_run(pool, n_starts, run_start, &starts);
        memcpy(label, best_of(starts.states, n_threads)->best,
               (size_t)g->n * sizeof(*label));
    }
    for (int i = 0; starts.states != NULL && i < n_threads; i++)
        free(starts.states[i].cluster);
    free(starts.states);
    return st;
}
