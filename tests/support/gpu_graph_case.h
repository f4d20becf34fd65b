/*
 * gpu_graph_case.h - compares results of the graph backends `cuda` and `serial`.
 */
#pragma once

#include "kernels/graph/common/graph_backend.h"

enum { GPU_GRAPH_SOURCES_MAX = 1200 };

/* The devices, and the settings that were compared. */
typedef struct {
    device_t cpu, gpu;
    pool_t *pool;
    int n_passed, n_failed;
} gpu_graph_case_t;

/* @return the backend that takes the graph on its device; on a CPU `serial`; or NULL */
const graph_backend_t *gpu_graph_backend(const graph_context_t *context);

/*
 * Compute an algorithm on a graph by both, and print a line; values that differ are
 * printed and counted as failures.
 *
 * @param name       of the graph, for the line
 * @param n_sources  at most GPU_GRAPH_SOURCES_MAX; of algorithms that are not summed: 1
 * @param sample     of spec->leaves, from 1; 0: none
 * @param all        with all settings; else with the default
 */
void gpu_graph_compare(gpu_graph_case_t *s, const char *name, const csr_t *g,
                       const graph_spec_t *spec, int n_sources, int sample, bool all);
