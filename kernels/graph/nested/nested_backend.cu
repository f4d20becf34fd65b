/*
 * nested_backend.cu - the graph backend "nested": the table of its algorithms.
 */
#include "kernels/graph/nested/nested.cuh"

namespace
{

/* @return nullptr if the backend lacks it */
const cuda_algorithm_t *algorithm_of(graph_algorithm_t algorithm)
{
    switch (algorithm) {
    case GRAPH_BFS:
        return &nested_bfs;
    case GRAPH_SSSP:
        return &nested_sssp;
    case GRAPH_PAGERANK:
        return &nested_pagerank;
    case GRAPH_BETWEENNESS:
        return &nested_betweenness;
    case GRAPH_SPMV:
        return &nested_spmv;
    case GRAPH_COLORING:
        return &nested_coloring;
    case GRAPH_DESCENDANTS:
        return &nested_descendants;
    case GRAPH_HEIGHTS:
        return &nested_heights;
    default:
        return nullptr;
    }
}

bool takes(const graph_context_t *context)
{
    const leaf_counts_t *leaves = context->spec->leaves;

    return algorithm_of(context->spec->algorithm) != nullptr &&
           context->graph->n_arcs <= CUDA_MAX_ARCS &&
           (leaves == nullptr || leaves->n_samples == 0);
}

unsigned obeys(graph_algorithm_t algorithm)
{
    const cuda_algorithm_t *a = algorithm_of(algorithm);

    return a != nullptr ? a->obeys : 0;
}

status_t create(const graph_context_t *context, void **state)
{
    return cuda_state_create(context, algorithm_of(context->spec->algorithm), state);
}

} // namespace

extern "C" const graph_backend_t nested_graph_backend = {
    /* .base = */ {/* .name = */ "nested", /* .kind = */ DEVICE_CUDA, /* .rate = */ 1e9},
    /* .takes = */ takes,
    /* .obeys = */ obeys,
    /* .create = */ create,
    /* .compute = */ cuda_state_compute,
    /* .destroy = */ cuda_state_destroy,
};
