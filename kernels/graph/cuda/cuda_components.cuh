/*
 * cuda_components.cuh - weakly connected components.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_COMPONENTS_CUH
#define RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_COMPONENTS_CUH

#include "kernels/graph/cuda/cuda_loop.cuh"

/* @param in         arcs reversed; the same as g in symmetric graphs
 * @param bits       [n_nodes / 32 + 1] scratch
 * @param component  [n_nodes] the smallest node of each node's component
 * @param visited    arcs that were looked at are added */
status_t components_run(const cuda_graph_t &g, const cuda_graph_t &in,
                        const cuda_loop_t &loop, int n_cores, uint32_t *bits,
                        int *component, unsigned long long *visited) MUST_CHECK;

#endif
