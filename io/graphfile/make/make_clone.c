/*
 * make_clone.c - the configuration model (Bollobas 1980): every node has as many ends of
 * edges as its degree, and all ends are joined at random.
 */
#include "io/graphfile/make/graph_makers.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <stdlib.h>

/* @return the number of ends, at most those of an even sum: one may be left over */
static int64_t count_ends(const degree_table_t *t)
{
    int64_t n = 0;

    for (int64_t u = 0; u < t->n_nodes; u++)
        n += t->degree[u];
    return n;
}

static status_t join_ends(const degree_table_t *t, uint64_t seed, graph_edges_t *e)
{
    int64_t n = count_ends(t), at = 0;
    int32_t *ends = malloc((size_t)n * sizeof(*ends) + 1);
    rng_t rng = rng_seed(seed);
    status_t st = graph_edges_create(n / 2, false, false, e);

    if (ends == NULL && st == ST_OK)
        st = log_nomem("a graph");
    if (st != ST_OK)
        goto done;
    for (int64_t u = 0; u < t->n_nodes; u++)
        for (int32_t k = 0; k < t->degree[u]; k++)
            ends[at++] = (int32_t)u;
    for (; st == ST_OK && n > 1; n -= 2) { /* take two at random, fill their places */
        int64_t i = (int64_t)rng_below(&rng, (uint64_t)n), j;
        int32_t u = ends[i];

        ends[i] = ends[n - 1];
        j = (int64_t)rng_below(&rng, (uint64_t)n - 1);
        st = graph_edges_add(e, u, ends[j]);
        ends[j] = ends[n - 2];
    }
done:
    free(ends);
    return st;
}

status_t make_clone(const graph_make_options_t *o, graph_edges_t *e)
{
    degree_table_t table = {0};
    status_t st = degree_table_create(o->degrees, o->seed, &table);

    if (st == ST_OK)
        st = join_ends(&table, o->seed + 1, e);
    e->n_declared = table.n_nodes;
    degree_table_free(&table);
    return st;
}
