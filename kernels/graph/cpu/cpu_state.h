/*
 * cpu_state.h - what the algorithms of the backend `cpu` share: the graph, memory that is
 * kept between tasks, and loops over ranges.
 */
#pragma once

#include "io/base/buf.h"
#include "kernels/graph/common/graph_backend.h"

enum { CPU_N_ARRAYS = 11 };

typedef struct {
    const csr_t *graph;
    const csr_t *in; /* the same arcs by target; the graph itself if it is symmetric */
    const graph_spec_t *spec;
    const graph_run_t *run;
    pool_t *pool;
    int n_threads;
    csr_t reversed; /* owns the arrays of `in`, unless that is the graph */
    void *array[CPU_N_ARRAYS];
    size_t array_bytes[CPU_N_ARRAYS];
} cpu_t;

/* An algorithm: fills the columns, or the arcs, of a result, and counts iterations and
 * visited arcs. @return ST_OK, ST_ENOMEM or ST_EINPUT (both logged), or ST_ESTOPPED */
typedef status_t (*cpu_fn_t)(cpu_t *c, const graph_task_t *task, graph_result_t *out);

status_t cpu_bfs(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_sssp(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_pagerank(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_betweenness(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_spmv(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_components(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_mst(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_mis(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_coloring(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_triangles(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_descendants(cpu_t *c, const graph_task_t *task, graph_result_t *out);
status_t cpu_heights(cpu_t *c, const graph_task_t *task, graph_result_t *out);

/* @return array number `slot`, of n x bytes at least; its contents are those of the last
 *         task, and 0 at first.  NULL (logged) without memory */
void *cpu_array(cpu_t *c, int slot, int64_t n, size_t bytes);

/* Sort the nodes by descending degree, then by number.
 * @param slot   of an array for its counts
 * @param nodes  [n_nodes] @return false without memory (logged) */
bool cpu_degree_order(cpu_t *c, int slot, int32_t *nodes);

/* Iterations begin .. end-1. @param thread  0 .. n_threads-1 */
typedef void (*cpu_range_fn_t)(void *ctx, int64_t begin, int64_t end, int thread);

/* Cut 0 .. n-1 into ranges of `grain`, which start at its multiples, and call fn for
 * each.  A single range is run by the caller. @param pool  NULL: the caller alone */
void cpu_for(pool_t *pool, int64_t n, int64_t grain, cpu_range_fn_t fn, void *ctx);

/* cpu_search.c: a direction-optimizing breadth-first search (Beamer, Asanovic, Patterson
 * 2012): large levels are found by the nodes that are still missing, each of which looks
 * for a neighbor in the last level.
 *
 * Parents are the smallest neighbors one level above: a missing node reads its arcs in
 * ascending order, and nodes that push their level write the minimum. */

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
