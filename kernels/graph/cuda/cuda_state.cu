/*
 * cuda_state.cu - the frame of all algorithms: their state, and its functions in the
 * table.
 */
#include "kernels/graph/cuda/cuda_backend.cuh"

#include <cstdlib>

void cuda_state_destroy(void *state)
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
    csr_free(&s->reversed);
    if (s->algorithm->destroy != nullptr)
        s->algorithm->destroy(s);
    free(s);
}

namespace
{

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

status_t create_state(cuda_state_t *s)
{
    status_t st = CUDA_TRY(cudaSetDevice(s->context.device->index));

    if (st != ST_OK || (st = CUDA_TRY(cudaEventCreate(&s->begun))) != ST_OK ||
        (st = CUDA_TRY(cudaEventCreate(&s->ended))) != ST_OK ||
        (st = put_graphs(s, s->algorithm->reads_arcs_in)) != ST_OK)
        return st;
    st = s->algorithm->create(s);
    csr_free(&s->reversed); /* large; only create reads it */
    if (st != ST_OK)
        return st;
    return CUDA_TRY(cudaDeviceSynchronize());
}

} // namespace

status_t cuda_state_create(const graph_context_t *context,
                           const cuda_algorithm_t *algorithm, void **state)
{
    cuda_state_t *s = static_cast<cuda_state_t *>(calloc(1, algorithm->state_bytes));
    status_t st;

    if (s == nullptr)
        return log_nomem("a graph backend");
    s->algorithm = algorithm;
    s->context = *context;
    st = create_state(s);
    if (st != ST_OK) {
        cuda_state_destroy(s);
        return st;
    }
    *state = s;
    return ST_OK;
}

status_t cuda_state_compute(void *state, const graph_task_t *task, graph_result_t *out)
{
    cuda_state_t *s = static_cast<cuda_state_t *>(state);
    float milliseconds = 0;
    status_t st;

    if (s->g.n_nodes == 0)
        return ST_OK;
    if ((st = CUDA_TRY(cudaSetDevice(s->context.device->index))) != ST_OK ||
        (st = CUDA_TRY(cudaMemset(s->counters, 0, FRONTIER_COUNTER_BYTES))) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(s->begun))) != ST_OK ||
        (st = s->algorithm->launch(s, task)) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(s->ended))) != ST_OK ||
        (st = CUDA_TRY(cudaEventSynchronize(s->ended))) != ST_OK ||
        (st = CUDA_TRY(cudaEventElapsedTime(&milliseconds, s->begun, s->ended))) != ST_OK)
        return st;
    out->seconds += static_cast<double>(milliseconds) / 1000;
    return s->algorithm->fetch(s, task, out);
}
