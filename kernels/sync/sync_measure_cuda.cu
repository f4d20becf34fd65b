/*
 * sync_measure_cuda.cu - kernels that do nothing but wait for all of their blocks.
 */
#include "kernels/sync/sync_grid.cuh"
#include "kernels/sync/sync_launch.cuh"
#include "kernels/sync/sync_nested.cuh"

extern "C" {
#include "kernels/sync/sync_measure.h"
}

namespace
{

enum { LINE = 32 /* words between those of two blocks */, N_TIMES = 3 };
enum { GRAPH_NODES = 500 };

struct memory_t {
    sync_grid_t grid;
    int *written; /* [blocks][LINE]: the round, in turn in one word and another */
    unsigned long long *n_stale;
    long long *n_ended; /* rounds of kernels that launch themselves */
};

template <sync_kind_t KIND>
__global__ void rounds_kernel(memory_t m, long long n_rounds, bool checks)
{
    const unsigned next = (blockIdx.x + 1) % gridDim.x;
    sync_round_t round = {};

    for (long long k = 1; k <= n_rounds; k++) {
        const int now = static_cast<int>(k);

        if (checks && threadIdx.x == 0)
            __stcg(&m.written[blockIdx.x * LINE + k % 2], now);
        sync_grid<KIND>(m.grid, &round);
        if (checks && threadIdx.x == blockDim.x - 1 &&
            __ldcg(&m.written[next * LINE + k % 2]) != now)
            atomicAdd(m.n_stale, 1ull);
    }
}

/* A round of SYNC_LAUNCH and SYNC_GRAPH. */
__global__ void round_kernel(memory_t m, long long, bool)
{
    if (threadIdx.x == 0)
        __stcg(&m.written[blockIdx.x * LINE], 1);
}

/* The same, begun before the one in front ends, which it waits for. */
__global__ void dependent_kernel(memory_t m)
{
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
    if (threadIdx.x == 0)
        __stcg(&m.written[blockIdx.x * LINE], 1);
}

using kernel_t = void (*)(memory_t, long long, bool);

kernel_t kernel_of(sync_kind_t kind)
{
    switch (kind) {
    case SYNC_LOCK:
        return rounds_kernel<SYNC_LOCK>;
    case SYNC_ACQUIRE:
        return rounds_kernel<SYNC_ACQUIRE>;
    case SYNC_LOCK_FREE:
        return rounds_kernel<SYNC_LOCK_FREE>;
    case SYNC_CLUSTER_FIRST:
        return rounds_kernel<SYNC_CLUSTER_FIRST>;
    case SYNC_CLUSTER:
        return rounds_kernel<SYNC_CLUSTER>;
    case SYNC_COOPERATIVE:
        return rounds_kernel<SYNC_COOPERATIVE>;
    default:
        return round_kernel;
    }
}

struct measure_t {
    const sync_setup_t *setup;
    int n_cores;
    memory_t memory;
    char *block; /* all of it */
    size_t bytes;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaGraphExec_t graph;
};

void destroy(measure_t *m)
{
    cudaFree(m->block);
    if (m->graph != nullptr)
        cudaGraphExecDestroy(m->graph);
    if (m->begin != nullptr)
        cudaEventDestroy(m->begin);
    if (m->end != nullptr)
        cudaEventDestroy(m->end);
    if (m->stream != nullptr)
        cudaStreamDestroy(m->stream);
}

/* Lay out the memory: a line per block for each array. */
status_t create(measure_t *m)
{
    const size_t n = static_cast<size_t>(m->setup->n_blocks) * LINE;
    status_t st;

    m->bytes = (3 * n + 2 * LINE) * sizeof(int);
    if ((st = CUDA_TRY(cudaMalloc(&m->block, m->bytes))) != ST_OK ||
        (st = CUDA_TRY(cudaStreamCreateWithFlags(&m->stream, cudaStreamNonBlocking))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaEventCreate(&m->begin))) != ST_OK ||
        (st = CUDA_TRY(cudaEventCreate(&m->end))) != ST_OK)
        return st;
    int *at = reinterpret_cast<int *>(m->block);

    m->memory = {{reinterpret_cast<unsigned *>(at), at + 2 * LINE, at + 2 * LINE + n},
                 at + 2 * LINE + 2 * n,
                 reinterpret_cast<unsigned long long *>(at + LINE),
                 reinterpret_cast<long long *>(at + LINE) + 1};
    return ST_OK;
}

sync_nested_t nested_of(const measure_t *m)
{
    return {m->setup->n_blocks, m->setup->n_threads, m->memory.written,
            m->memory.n_ended};
}

/* Capture GRAPH_NODES launches. */
status_t make_graph(measure_t *m)
{
    cudaGraph_t graph = nullptr;
    status_t st =
        CUDA_TRY(cudaStreamBeginCapture(m->stream, cudaStreamCaptureModeThreadLocal));

    if (st != ST_OK)
        return st;
    for (int k = 0; k < GRAPH_NODES; k++)
        round_kernel<<<m->setup->n_blocks, m->setup->n_threads, 0, m->stream>>>(m->memory,
                                                                                1, false);
    if ((st = CUDA_TRY(cudaStreamEndCapture(m->stream, &graph))) == ST_OK)
        st = CUDA_TRY(cudaGraphInstantiate(&m->graph, graph, 0));
    if (graph != nullptr)
        cudaGraphDestroy(graph);
    return st;
}

/* @return the rounds of a run: whole graphs, or chains */
int64_t n_rounds(const measure_t *m)
{
    const int64_t part = m->setup->kind == SYNC_GRAPH  ? GRAPH_NODES
                         : m->setup->kind == SYNC_TAIL ? SYNC_TAIL_ROUNDS
                                                       : 1;

    return (m->setup->n_rounds + part - 1) / part * part;
}

/* Enqueue launches that may begin before the one in front ends. */
status_t enqueue_dependent(const measure_t *m)
{
    cudaLaunchAttribute overlaps = {};
    cudaLaunchConfig_t config = {};
    status_t st = ST_OK;

    overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlaps.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(static_cast<unsigned>(m->setup->n_blocks));
    config.blockDim = dim3(static_cast<unsigned>(m->setup->n_threads));
    config.stream = m->stream;
    config.attrs = &overlaps;
    config.numAttrs = 1;
    for (int64_t k = 0; st == ST_OK && k < m->setup->n_rounds; k++)
        st = CUDA_TRY(cudaLaunchKernelEx(&config, dependent_kernel, m->memory));
    return st;
}

status_t enqueue_graphs(const measure_t *m, int64_t n)
{
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < n; k++)
        st = CUDA_TRY(cudaGraphLaunch(m->graph, m->stream));
    return st;
}

status_t enqueue(const measure_t *m)
{
    const sync_setup_t &s = *m->setup;

    switch (s.kind) {
    case SYNC_GRAPH:
        return enqueue_graphs(m, n_rounds(m) / GRAPH_NODES);
    case SYNC_WHILE:
        return enqueue_graphs(m, 1);
    case SYNC_TAIL:
        return sync_nested_tail(nested_of(m), n_rounds(m), m->stream);
    case SYNC_DEPENDENT:
        return enqueue_dependent(m);
    case SYNC_LAUNCH:
        for (int64_t k = 0; k < s.n_rounds; k++)
            round_kernel<<<s.n_blocks, s.n_threads, 0, m->stream>>>(m->memory, 1, false);
        return CUDA_TRY(cudaGetLastError());
    default:
        return sync_launch(kernel_of(s.kind), {s.n_blocks, s.n_threads, s.cluster},
                           m->n_cores, m->stream, m->memory,
                           static_cast<long long>(s.n_rounds), s.checks);
    }
}

/* @param out_s  seconds of all rounds */
status_t run(const measure_t *m, double *out_s)
{
    float ms = 0;
    status_t st;

    if ((st = CUDA_TRY(cudaMemsetAsync(m->block, 0, m->bytes, m->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(m->begin, m->stream))) != ST_OK ||
        (st = enqueue(m)) != ST_OK ||
        (st = CUDA_TRY(cudaEventRecord(m->end, m->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaStreamSynchronize(m->stream))) != ST_OK ||
        (st = CUDA_TRY(cudaEventElapsedTime(&ms, m->begin, m->end))) != ST_OK)
        return st;
    *out_s = static_cast<double>(ms) / 1000;
    return ST_OK;
}

/* Make the graph of a kind that has one. */
status_t prepare(measure_t *m)
{
    if (m->setup->kind == SYNC_GRAPH)
        return make_graph(m);
    if (m->setup->kind == SYNC_WHILE)
        return sync_nested_while(nested_of(m), n_rounds(m), &m->graph);
    return ST_OK;
}

/* Kernels that launch themselves may end early, and no call says so. */
status_t check_rounds(const measure_t *m)
{
    long long n = 0;
    const bool counts = m->setup->kind == SYNC_WHILE || m->setup->kind == SYNC_TAIL;
    const status_t st = counts ? CUDA_TRY(cudaMemcpy(&n, m->memory.n_ended, sizeof(n),
                                                     cudaMemcpyDeviceToHost))
                               : ST_OK;

    if (!counts || st != ST_OK || n == n_rounds(m))
        return st;
    log_error("%s: only %lld of %lld rounds have run", sync_kind_name[m->setup->kind], n,
              static_cast<long long>(n_rounds(m)));
    return ST_EDEVICE;
}

/* The least of some runs, and the reads that were stale. */
status_t run_all(measure_t *m, double *out_s, int64_t *n_stale)
{
    double least = 0;
    status_t st = prepare(m);

    *n_stale = 0;
    for (int k = 0; st == ST_OK && k < N_TIMES; k++) {
        unsigned long long stale = 0;
        double s = 0;

        if ((st = run(m, &s)) == ST_OK)
            st = CUDA_TRY(cudaMemcpy(&stale, m->memory.n_stale, sizeof(stale),
                                     cudaMemcpyDeviceToHost));
        if (st == ST_OK)
            st = check_rounds(m);
        least = k == 0 || s < least ? s : least;
        *n_stale += static_cast<int64_t>(stale);
    }
    *out_s = least / static_cast<double>(n_rounds(m));
    return st;
}

} // namespace

extern "C" status_t sync_measure(const device_t *gpu, const sync_setup_t *setup,
                                 double *out_s, int64_t *n_stale)
{
    measure_t m = {};
    status_t st = CUDA_TRY(cudaSetDevice(gpu->index));

    m.setup = setup;
    m.n_cores = gpu->n_cores;
    if (st == ST_OK && (st = create(&m)) == ST_OK)
        st = run_all(&m, out_s, n_stale);
    destroy(&m);
    return st;
}
