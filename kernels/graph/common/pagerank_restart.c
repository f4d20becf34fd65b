/*
 * pagerank_restart.c - limits of working sets, and what was done as text.
 */
#include "kernels/graph/common/pagerank_restart.h"

#include <inttypes.h>

/* At first a node moves by at least this many times the mean change. */
enum { MEANS_PER_MOVE = 16 };

pagerank_limits_t pagerank_limits(const graph_spec_t *spec, const csr_t *g)
{
    return (pagerank_limits_t){.first_moved = MEANS_PER_MOVE / (double)g->n_nodes,
                               .drift = spec->tolerance / 4,
                               .out_arcs = g->n_arcs / 4,
                               .arcs = g->n_arcs / 2};
}

status_t pagerank_note(const graph_spec_t *spec, int64_t n_set_passes, int64_t n_passes,
                       buf_t *out)
{
    if (spec->rank == NULL)
        return ST_OK;
    return buf_printf(out,
                      "restart %s: %" PRId64 " passes over working sets, %" PRId64
                      " over all nodes\n",
                      graph_restart_name[spec->restart], n_set_passes,
                      n_passes - n_set_passes);
}
