/*
 * cuda_graph_backend.h - the graph backend "cuda".
 */
#ifndef RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_GRAPH_BACKEND_H
#define RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_GRAPH_BACKEND_H

#include "kernels/graph/common/graph_backend.h"

extern const graph_backend_t cuda_graph_backend;

#endif
