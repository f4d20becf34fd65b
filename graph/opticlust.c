#include "graph/opticlust.h"

#include "graph/mcc.h"
#include "io/logmsg.h"
#include "io/rng.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    const adjacency_t *g;
    int32_t *cluster; /* [n] of each node */
    int32_t *size;    /* [n] of each cluster */
    int32_t *empty;   /* [n] clusters without a member, a stack */
    int32_t *n_close; /* [n] the present node's neighbours in each cluster; else 0 */
    int32_t *order;   /* [n_order] nodes that have neighbours */
    int64_t n_order, n_empty;
    mcc_t now;
} state_t;

/* The counts when a node, its cluster left, joins one of `size` others, `close` of them
 * its neighbours. */
static mcc_t joined(const mcc_t *apart, int64_t close, int64_t size)
{
    int64_t far = size - close;

    return (mcc_t){.tp = apart->tp + close,
                   .fn = apart->fn - close,
                   .fp = apart->fp + far,
                   .tn = apart->tn - far};
}

static mcc_t left(const mcc_t *together, int64_t close, int64_t size)
{
    return joined(together, -close, -size);
}

static void count_neighbours(state_t *s, int32_t node, int32_t step)
{
    for (int64_t k = s->g->start[node]; k < s->g->start[node + 1]; k++)
        s->n_close[s->cluster[s->g->neighbour[k].node]] += step;
}

/* Of equal coefficients that with fewer wrong pairs is better: where every pair is close
 * the coefficient has no value before all is one cluster. */
static bool is_better(const mcc_t *x, const mcc_t *y)
{
    double left_value = mcc_value(x), right_value = mcc_value(y);

    return left_value > right_value ||
           (left_value == right_value && x->fp + x->fn < y->fp + y->fn);
}

/* @return the cluster that the node should be in; -1: one of its own */
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

static void shuffle(state_t *s, rng_t *rng)
{
    for (int64_t i = s->n_order - 1; i > 0; i--) {
        int64_t k = (int64_t)rng_below(rng, (uint64_t)i + 1);
        int32_t moved = s->order[i];

        s->order[i] = s->order[k];
        s->order[k] = moved;
    }
}

static int64_t optimise(state_t *s, uint64_t seed)
{
    int64_t n = s->g->n, n_edges = s->g->start[n] / 2, n_rounds = 0, n_moves;
    rng_t rng = rng_seed(seed);

    for (int64_t i = 0; i < n; i++) {
        s->cluster[i] = (int32_t)i;
        s->size[i] = 1;
        if (s->g->start[i + 1] > s->g->start[i])
            s->order[s->n_order++] = (int32_t)i;
    }
    s->now = (mcc_t){.tn = n * (n - 1) / 2 - n_edges, .fn = n_edges};
    do {
        n_moves = 0;
        shuffle(s, &rng);
        for (int64_t i = 0; i < s->n_order; i++)
            n_moves += move(s, s->order[i]);
        n_rounds++;
    } while (n_moves > 0);
    return n_rounds;
}

/* Clusters by their least members; `first` is scratch. */
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

status_t opticlust_cluster(const adjacency_t *g, uint64_t seed, int32_t *label,
                           int64_t *n_rounds)
{
    size_t n = (size_t)g->n;
    int32_t *ints = calloc(5 * n + 1, sizeof(*ints));
    state_t s = {.g = g};

    if (ints == NULL)
        return log_nomem("clusters");
    s.cluster = ints;
    s.size = ints + n;
    s.empty = ints + 2 * n;
    s.n_close = ints + 3 * n;
    s.order = ints + 4 * n;
    *n_rounds = optimise(&s, seed);
    write_labels(&s, s.empty, label);
    free(ints);
    return ST_OK;
}
