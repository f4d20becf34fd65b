/*
 * cuda_backend.cu - the graph backend "cuda": its state, and the frame of all algorithms.
 */
#include "kernels/graph/cuda/cuda_backend.cuh"

#include <cstdlib>

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

constexpr int64_t MAX_ARCS = UINT32_MAX - (1 << 20); /* indexes beyond rows must fit */

bool takes(const graph_context_t *context)
{
    return algorithm_of(context) != nullptr && context->graph->n_arcs <= MAX_ARCS;
}

unsigned obeys(graph_algorithm_t algorithm)
{
    const cuda_algorithm_t *a = algorithms[algorithm];

    return a != nullptr ? a->obeys : 0;
}

void destroy(void *state)
{
    cuda_state_t *s = static_cast<cuda_state_t *>(state);
    const cuda_algorithm_t *algorithm;

    if (s == nullptr)
        return;
    algorithm = algorithm_of(&s->context);
    cudaSetDevice(s->context.device->index);
    cuda_memory_free(&s->memory);
    if (s->begun != nullptr)
        cudaEventDestroy(s->begun);
    if (s->ended != nullptr)
        cudaEventDestroy(s->ended);
    csr_free(&s->reversed);
    if (algorithm->destroy != nullptr)
        algorithm->destroy(s);
    free(s);
}

status_t put_graphs(cuda_state_t *s, bool reads_arcs_in)
{
    const csr_t *g = s->context.graph;
    status_t st = cuda_graph_put(&s->memory, g, &s->g);

    s->in = s->g;
    if (st != ST_OK || !reads_arcs_in || g->is_symmetric)
        return st;
    if ((st = csr_transpose(g, &s->reversed)) == ST_OK)
        st = cuda_graph_put(&s->memory, &s->reversed, &s->in);
    return st;
}

status_t create_state(cuda_state_t *s, const cuda_algorithm_t *algorithm)
{
    status_t st = CUDA_TRY(cudaSetDevice(s->context.device->index));

    if (st != ST_OK || (st = CUDA_TRY(cudaEventCreate(&s->begun))) != ST_OK ||
        (st = CUDA_TRY(cudaEventCreate(&s->ended))) != ST_OK ||
        (st = put_graphs(s, algorithm->reads_arcs_in)) != ST_OK)
        return st;
    st = algorithm->create(s);
    csr_free(&s->reversed); /* large; only create reads it */
    if (st != ST_OK)
        return st;
    return CUDA_TRY(cudaDeviceSynchronize());
}

status_t create(const graph_context_t *context, void **state)
{
    const cuda_algorithm_t *algorithm = algorithm_of(context);
    cuda_state_t *s = static_cast<cuda_state_t *>(calloc(1, algorithm->state_bytes));
    status_t st;

    if (s == nullptr)
        return log_nomem("a graph backend");
    s->context = *context;
    st = create_state(s, algorithm);
    if (st != ST_OK) {
        destroy(s);
        return st;
    }
    *state = s;
    return ST_OK;
}

status_t compute(void *state, const graph_task_t *task, graph_result_t *out)
{
    cuda_state_t *s = static_cast<cuda_state_t *>(state);
    const cuda_algorithm_t *algorithm = algorithm_of(&s->context);
    float milliseconds = 0;
    status_t st;

    if (s->g.n_nodes == 0)
        return ST_OK;
    if ((st = CUDA_TRY(cudaSetDevice(s->context.device->index))) != ST_OK ||
        (st = CUDA_TRY(cudaMemset(s->counters, 0, FRONTIER_COUNTER_BYTES))) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(s->begun))) != ST_OK ||
        (st = algorithm->launch(s, task)) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(s->ended))) != ST_OK ||
        (st = CUDA_TRY(cudaEventSynchronize(s->ended))) != ST_OK ||
        (st = CUDA_TRY(cudaEventElapsedTime(&milliseconds, s->begun, s->ended))) != ST_OK)
        return st;
    out->seconds += static_cast<double>(milliseconds) / 1000;
    return algorithm->fetch(s, task, out);
}

} // namespace

extern "C" const graph_backend_t cuda_graph_backend = {
    /* .base = */ {/* .name = */ "cuda", /* .kind = */ DEVICE_CUDA, /* .rate = */ 5e9},
    /* .takes = */ takes,
    /* .obeys = */ obeys,
    /* .create = */ create,
    /* .compute = */ compute,
    /* .destroy = */ destroy,
};
