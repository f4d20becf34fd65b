/*
 * sync_nested.cu - kernels that do nothing but run again.
 */
#include "kernels/sync/sync_nested.cuh"

namespace
{

__device__ inline bool is_first()
{
    return blockIdx.x == 0 && threadIdx.x == 0;
}

/* @return the rounds that have ended with this one; called by one thread */
__device__ inline long long end_round(const sync_nested_t &s)
{
    __stcg(s.written, 1);
    return ++*s.n_ended;
}

__global__ void tail_kernel(sync_nested_t s, int n_left)
{
    if (!is_first())
        return;
    end_round(s);
    if (n_left > 1)
        tail_kernel<<<gridDim.x, blockDim.x, 0, cudaStreamTailLaunch>>>(s, n_left - 1);
}

__global__ void while_kernel(sync_nested_t s, cudaGraphConditionalHandle handle,
                             long long n_rounds)
{
    if (is_first())
        cudaGraphSetConditional(handle, end_round(s) < n_rounds);
}

/* Add a while-node, and the kernel that is its body. */
status_t add_while(const sync_nested_t &s, long long n_rounds, cudaGraph_t graph)
{
    cudaGraphConditionalHandle handle;
    cudaGraphNodeParams node = {};
    cudaGraphNode_t added;
    status_t st = CUDA_TRY(
        cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));

    if (st != ST_OK)
        return st;
    node.type = cudaGraphNodeTypeConditional;
    node.conditional.handle = handle;
    node.conditional.type = cudaGraphCondTypeWhile;
    node.conditional.size = 1;
#if CUDART_VERSION >= 13000
    st = CUDA_TRY(cudaGraphAddNode(&added, graph, nullptr, nullptr, 0, &node));
#else
    st = CUDA_TRY(cudaGraphAddNode(&added, graph, nullptr, 0, &node));
#endif
    if (st != ST_OK)
        return st;
    sync_nested_t argument = s;
    void *arguments[] = {&argument, &handle, &n_rounds};
    cudaKernelNodeParams kernel = {};

    kernel.func = reinterpret_cast<void *>(while_kernel);
    kernel.gridDim = dim3(static_cast<unsigned>(s.n_blocks));
    kernel.blockDim = dim3(static_cast<unsigned>(s.n_threads));
    kernel.kernelParams = arguments;
    return CUDA_TRY(cudaGraphAddKernelNode(&added, node.conditional.phGraph_out[0],
                                           nullptr, 0, &kernel));
}

} // namespace

status_t sync_nested_tail(const sync_nested_t &s, long long n_rounds, cudaStream_t stream)
{
    for (long long k = 0; k < n_rounds; k += SYNC_TAIL_ROUNDS)
        tail_kernel<<<s.n_blocks, s.n_threads, 0, stream>>>(s, SYNC_TAIL_ROUNDS);
    return CUDA_TRY(cudaGetLastError());
}

status_t sync_nested_while(const sync_nested_t &s, long long n_rounds,
                           cudaGraphExec_t *out)
{
    cudaGraph_t graph = nullptr;
    status_t st = CUDA_TRY(cudaGraphCreate(&graph, 0));

    if (st == ST_OK && (st = add_while(s, n_rounds, graph)) == ST_OK)
        st = CUDA_TRY(cudaGraphInstantiate(out, graph, 0));
    if (graph != nullptr)
        cudaGraphDestroy(graph);
    return st;
}
