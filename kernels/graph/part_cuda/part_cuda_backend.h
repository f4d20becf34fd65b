/*
 * part_cuda_backend.h - the graph kernels of a gang on GPUs.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_PART_CUDA_PART_CUDA_BACKEND_H
#define RIBOGRID_KERNELS_GRAPH_PART_CUDA_PART_CUDA_BACKEND_H

#include "kernels/graph/part/part_backend.h"

extern const part_backend_t part_cuda_backend;

#endif
