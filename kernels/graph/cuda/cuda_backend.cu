/*
 * cuda_backend.cu - the graph backend "cuda": the table of its algorithms.
 */
#include "kernels/graph/cuda/cuda_backend.cuh"

namespace
{

const cuda_algorithm_t *const algorithms[GRAPH_N_ALGORITHMS] = {
    /* GRAPH_BFS */ &cuda_traversal,
    /* GRAPH_SSSP */ &cuda_traversal,
    /* GRAPH_PAGERANK */ &cuda_pagerank,
    /* GRAPH_BETWEENNESS */ &cuda_betweenness,
    /* GRAPH_SPMV */ &cuda_spmv,
    /* GRAPH_COMPONENTS */ &cuda_components,
    /* GRAPH_MST */ &cuda_mst,
    /* GRAPH_MIS */ &cuda_mis,
    /* GRAPH_COLORING */ &cuda_coloring,
    /* GRAPH_TRIANGLES */ &cuda_triangles,
    /* GRAPH_DESCENDANTS */ &cuda_descendants,
    /* GRAPH_HEIGHTS */ &cuda_heights,
};

/* @return nullptr if the backend lacks it */
const cuda_algorithm_t *algorithm_of(const graph_context_t *context)
{
    return algorithms[context->spec->algorithm];
}

bool takes(const graph_context_t *context)
{
    return algorithm_of(context) != nullptr && context->graph->n_arcs <= CUDA_MAX_ARCS;
}

unsigned obeys(graph_algorithm_t algorithm)
{
    const cuda_algorithm_t *a = algorithms[algorithm];

    return a != nullptr ? a->obeys : 0;
}

status_t create(const graph_context_t *context, void **state)
{
    return cuda_state_create(context, algorithm_of(context), state);
}

} // namespace

extern "C" const graph_backend_t cuda_graph_backend = {
    /* .base = */ {/* .name = */ "cuda", /* .kind = */ DEVICE_CUDA, /* .rate = */ 5e9},
    /* .takes = */ takes,
    /* .obeys = */ obeys,
    /* .create = */ create,
    /* .compute = */ cuda_state_compute,
    /* .destroy = */ cuda_state_destroy,
};
