/*
 * cuda_backend.cu - the graph backend "cuda": its state, and the frame of all algorithms.
 */
#include "kernels/graph/cuda/cuda_backend.cuh"

#include <cstdlib>

namespace
{

constexpr int64_t MAX_ARCS = UINT32_MAX - (1 << 20); /* indexes beyond rows must fit */

bool takes(const graph_context_t *context)
{
    return cuda_algorithm(context) != nullptr && context->graph->n_arcs <= MAX_ARCS &&
           graph_is_defined(context);
}

unsigned obeys(graph_algorithm_t algorithm)
{
    graph_spec_t spec = {};
    const graph_context_t context = {nullptr, nullptr, nullptr, &spec, nullptr};
    const cuda_algorithm_t *a;

    spec.algorithm = algorithm;
    a = cuda_algorithm(&context);
    return a != nullptr ? a->obeys : 0;
}

void destroy(void *state)
{
    cuda_state_t *s = static_cast<cuda_state_t *>(state);

    if (s == nullptr)
        return;
    cudaSetDevice(s->context.device->index);
    cuda_memory_free(&s->memory);
    if (s->begun != nullptr)
        cudaEventDestroy(s->begun);
    if (s->ended != nullptr)
        cudaEventDestroy(s->ended);
    free(s->first_copy_host);
    free(s->host);
    free(s);
}

status_t put_graphs(cuda_state_t *s, bool reads_arcs_in)
{
    const csr_t *g = s->context.graph;
    status_t st = cuda_graph_put(&s->memory, g, &s->g);
    csr_t reversed = {};

    s->in = s->g;
    if (st != ST_OK || !reads_arcs_in || g->is_symmetric)
        return st;
    if ((st = csr_transpose(g, &reversed)) == ST_OK)
        st = cuda_graph_put(&s->memory, &reversed, &s->in);
    csr_free(&reversed);
    return st;
}

status_t create_state(cuda_state_t *s, const cuda_algorithm_t *algorithm)
{
    status_t st = CUDA_TRY(cudaSetDevice(s->context.device->index));

    if (st != ST_OK || (st = CUDA_TRY(cudaEventCreate(&s->begun))) != ST_OK ||
        (st = CUDA_TRY(cudaEventCreate(&s->ended))) != ST_OK ||
        (st = put_graphs(s, algorithm->reads_arcs_in)) != ST_OK)
        return st;
    if ((st = algorithm->create(s)) != ST_OK)
        return st;
    return CUDA_TRY(cudaDeviceSynchronize());
}

status_t create(const graph_context_t *context, void **state)
{
    cuda_state_t *s = static_cast<cuda_state_t *>(calloc(1, sizeof(*s)));
    status_t st;

    if (s == nullptr)
        return log_nomem("a graph backend");
    s->context = *context;
    st = create_state(s, cuda_algorithm(context));
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
    const cuda_algorithm_t *algorithm = cuda_algorithm(&s->context);
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
    /* .name = */ "cuda",
    /* .kind = */ DEVICE_CUDA,
    /* .takes = */ takes,
    /* .obeys = */ obeys,
    /* .create = */ create,
    /* .compute = */ compute,
    /* .destroy = */ destroy,
};
