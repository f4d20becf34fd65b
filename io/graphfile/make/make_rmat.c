/*
 * make_rmat.c - R-MAT: each bit of an edge's ends is drawn from four quadrants; then the
 * nodes are permuted, so that a node's number tells nothing about its degree.
 */
#include "io/graphfile/make/graph_makers.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <stdlib.h>

enum { PIECE = 1 << 14 /* edges with a generator of their own */ };

typedef struct {
    const graph_make_options_t *options;
    graph_edges_t *edges;
    uint64_t below_a, below_b, below_c; /* of 2^32: sums of the probabilities */
    int32_t *number;                    /* [2^scale] permuted */
} rmat_t;

/* @return floor(2^32 numerator / denominator) */
static uint64_t scaled(fraction_t p, int64_t default_percent)
{
    if (p.denominator == 0)
        p = (fraction_t){default_percent, 100};
    return (uint64_t)(((__int128)p.numerator << 32) / p.denominator);
}

static void make_edge(const rmat_t *r, rng_t *rng, int64_t i)
{
    uint64_t source = 0, target = 0, bits = 0;

    for (int64_t level = 0; level < r->options->scale; level++) {
        uint64_t draw; /* no branches: they could not be predicted */

        if (level % 2 == 0)
            bits = rng_next(rng);
        draw = level % 2 == 0 ? bits >> 32 : bits & UINT32_MAX;
        source = source << 1 | (draw >= r->below_b);
        target = target << 1 |
                 ((draw >= r->below_a) ^ (draw >= r->below_b) ^ (draw >= r->below_c));
    }
    r->edges->source[i] = r->number[source];
    r->edges->target[i] = r->number[target];
}

static void make_piece(void *ctx, int64_t piece, int thread)
{
    const rmat_t *r = ctx;
    int64_t end = (piece + 1) * PIECE < r->edges->n ? (piece + 1) * PIECE : r->edges->n;
    uint64_t state = r->options->seed;
    rng_t rng = rng_seed(rng_splitmix(&state) + (uint64_t)piece);

    (void)thread;
    for (int64_t i = piece * PIECE; i < end; i++)
        make_edge(r, &rng, i);
}

static status_t permute(rmat_t *r)
{
    int64_t n = INT64_C(1) << r->options->scale;
    rng_t rng = rng_seed(r->options->seed);

    if ((r->number = malloc((size_t)n * sizeof(*r->number))) == NULL)
        return log_nomem("a graph");
    for (int64_t u = 0; u < n; u++) { /* Fisher, Yates, inside out */
        int64_t at = (int64_t)rng_below(&rng, (uint64_t)u + 1);

        r->number[u] = r->number[at];
        r->number[at] = (int32_t)u;
    }
    return ST_OK;
}

status_t make_rmat(const graph_make_options_t *o, pool_t *pool, graph_edges_t *e)
{
    int64_t n_nodes = INT64_C(1) << o->scale, n = n_nodes * o->edge_factor;
    rmat_t r = {.options = o, .edges = e};
    status_t st;

    r.below_a = scaled(o->a, 57);
    r.below_b = r.below_a + scaled(o->b, 19);
    r.below_c = r.below_b + scaled(o->c, 19);
    if ((st = graph_edges_create(n, false, false, e)) != ST_OK ||
        (st = permute(&r)) != ST_OK)
        return st;
    e->n = n;
    e->n_declared = n_nodes;
    pool_run(pool, (n + PIECE - 1) / PIECE, make_piece, &r);
    free(r.number);
    return ST_OK;
}
