/*
 * cpu_search.h - a direction-optimizing breadth-first search (Beamer, Asanovic, Patterson
 * 2012): large levels are found by the nodes that are still missing, each of which looks
 * for a neighbor in the last level.
 *
 * Parents are the smallest neighbors one level above: a missing node reads its arcs in
 * ascending order, and nodes that push their level write the minimum.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_CPU_CPU_SEARCH_H
#define RIBOGRID_KERNELS_GRAPH_CPU_CPU_SEARCH_H

#include "io/base/buf.h"
#include "kernels/graph/cpu/cpu_state.h"

/* Memory of a search. */
typedef struct {
    int32_t *queue, *next_queue;            /* [n_nodes] */
    uint64_t *front, *next_front, *missing; /* [n_nodes / 64 + 1] */
} cpu_search_memory_t;

typedef struct {
    int64_t n_levels;  /* depth of the deepest node + 1 */
    int64_t n_visited; /* arcs that were looked at */
    buf_t *decisions;  /* a line for each change of direction; or NULL */
} cpu_search_stats_t;

/*
 * Search from a source.
 *
 * @param pool    NULL: the caller alone
 * @param depth, parent  [n_nodes] -1 where no path leads; parent NULL: not needed
 * @return ST_OK, or ST_ENOMEM (logged; of decisions)
 */
status_t cpu_search(const cpu_t *c, pool_t *pool, int32_t source,
                    const cpu_search_memory_t *memory, int32_t *depth, int32_t *parent,
                    cpu_search_stats_t *stats) MUST_CHECK;

#endif
