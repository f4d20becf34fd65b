/*
 * cpu_backend.h - the graph backend `cpu`: parallel algorithms on the threads of a pool.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_CPU_CPU_BACKEND_H
#define RIBOGRID_KERNELS_GRAPH_CPU_CPU_BACKEND_H

#include "kernels/graph/common/graph_backend.h"

extern const graph_backend_t cpu_graph_backend;

#endif
