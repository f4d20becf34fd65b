/*
 * part_run.h - a graph divided among ranks that are threads, and an algorithm on it.
 */
#pragma once

#include "kernels/graph/common/graph_backend.h"
#include "kernels/graph/part/part_backend.h"

typedef struct {
    const part_backend_t *backend;
    const device_t *device;
    int n_threads; /* of each rank's pool */
    const csr_t *graph;
    const graph_spec_t *spec;
    int32_t source;
    int n_ranks;
    int64_t stop_after; /* steps of this number of ranks, or -1; then resumed by */
    int n_ranks_later;
} part_run_t;

/* Take one rank's rows of a graph that is in memory. Fails the program without memory. */
void part_run_take_rows(const csr_t *g, graph_algorithm_t algorithm, int rank,
                        int n_ranks, part_graph_t *out);

/* Run all steps. @param out  columns of the whole graph, which are set, and iterations
 * @return the status of the backend */
status_t part_run(const part_run_t *run, graph_result_t *out);
