/*
 * make_tree.c - level by level; the children of a node are numbered one after the other.
 */
#include "io/graphfile/make/graph_makers.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <inttypes.h>

/* Add the children of a node, numbers *n .. */
static status_t add_children(const graph_make_options_t *o, rng_t *rng, int64_t parent,
                             int64_t *n, graph_edges_t *e)
{
    int64_t count =
        o->min_children +
        (int64_t)rng_below(rng, (uint64_t)(o->max_children - o->min_children + 1));
    status_t st = ST_OK;

    if (count > INT32_MAX - *n) {
        log_error("the tree has more than %" PRId32
                  " nodes; give a smaller depth or fewer children",
                  INT32_MAX);
        return ST_EUSAGE;
    }
    for (int64_t k = 0; st == ST_OK && k < count; k++)
        st = graph_edges_add(e, parent, (*n)++);
    return st;
}

status_t make_tree(const graph_make_options_t *o, graph_edges_t *e)
{
    rng_t rng = rng_seed(o->seed);
    int64_t begin = 0, end = 1; /* the nodes of a level */
    status_t st = graph_edges_create(0, false, false, e);

    e->is_directed = true;
    for (int64_t level = 1; st == ST_OK && level < o->depth; level++) {
        int64_t n = end;

        for (int64_t u = begin; st == ST_OK && u < end; u++)
            if (u == 0 || rng_chance(&rng, 1, UINT64_C(1) << o->sparsity))
                st = add_children(o, &rng, u, &n, e);
        begin = end;
        end = n;
    }
    e->n_declared = end;
    return st;
}
