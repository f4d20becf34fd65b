/*
 * part_cpu.h - the graph kernels of a gang on the threads of a pool.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_PART_PART_CPU_H
#define RIBOGRID_KERNELS_GRAPH_PART_PART_CPU_H

#include "kernels/graph/part/part_backend.h"

extern const part_backend_t part_cpu_backend;

#endif
