/*
 * part_backend.c - the algorithms that a gang computes.
 */
#include "kernels/graph/part/part_backend.h"

bool part_backend_exists(graph_algorithm_t algorithm)
{
    return algorithm == GRAPH_PAGERANK || algorithm == GRAPH_BFS ||
           algorithm == GRAPH_COMPONENTS;
}

bool part_backend_reads_arcs_in(graph_algorithm_t algorithm)
{
    return algorithm == GRAPH_PAGERANK || algorithm == GRAPH_BFS;
}
