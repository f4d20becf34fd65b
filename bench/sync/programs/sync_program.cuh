/*
 * sync_program.cuh - runs a program of rounds with each kind of barrier.
 *
 * A program P, passed to kernels by value, has
 *   enum { THREADS, BLOCKS_PER_CORE, SHARED_BYTES };  of a block
 *   int n_rounds, n_blocks;               that a round has work for
 *   __device__ void round(int k) const;   by all threads of any number of blocks
 * What a round reads of those before, it reads with __ldcg.
 */
#pragma once

#include "kernels/sync/sync_grid.cuh"
#include "kernels/sync/sync_launch.cuh"

extern "C" {
#include "bench/sync/programs/sync_program.h"
#include "io/base/logmsg.h"
}

#include <algorithm>
#include <cstdint>
#include <functional>

namespace
{

constexpr sync_kind_t NO_BARRIER = SYNC_KINDS;
enum { BUSY_NS = 60000 }; /* before what is timed */
enum { PROGRAM_RUNS = 7, PROGRAM_CLUSTER = 4 /* blocks, of SYNC_CLUSTER_FIRST */ };

template <class P, sync_kind_t KIND>
__global__ void __launch_bounds__(P::THREADS, P::BLOCKS_PER_CORE)
    rounds_kernel(const __grid_constant__ P p, sync_grid_t grid)
{
    sync_round_t round = {};

    for (int k = 0; k < p.n_rounds; k++) {
        p.round(k);
        if constexpr (KIND == NO_BARRIER)
            __syncthreads();
        else
            sync_grid<KIND>(grid, &round);
    }
}

template <class P, bool DEPENDENT>
__global__ void __launch_bounds__(P::THREADS, P::BLOCKS_PER_CORE)
    round_kernel(const __grid_constant__ P p, int k)
{
#if __CUDA_ARCH__ >= 900
    if (DEPENDENT) {
        cudaTriggerProgrammaticLaunchCompletion();
        cudaGridDependencySynchronize();
    }
#endif
    p.round(k);
}

/* What all runs of a program share. */
struct program_run_t {
    const device_t *gpu;
    int max_blocks; /* 0: any number */
    cudaStream_t stream;
    cudaEvent_t begin, end;
    int *barrier; /* sync_grid_t's memory */
    size_t barrier_bytes;
    cudaGraphExec_t graph;
};

inline void program_end(program_run_t *r)
{
    cudaFree(r->barrier);
    if (r->begin != nullptr)
        cudaEventDestroy(r->begin);
    if (r->end != nullptr)
        cudaEventDestroy(r->end);
    if (r->stream != nullptr)
        cudaStreamDestroy(r->stream);
}

inline status_t program_begin(const device_t *gpu, const sync_program_setup_t *setup,
                              program_run_t *r)
{
    status_t st;

    r->gpu = gpu;
    r->max_blocks = setup->max_blocks;
    r->barrier_bytes = (1 + 2 * static_cast<size_t>(gpu->n_cores) * 32) * sizeof(int);
    if ((st = CUDA_TRY(cudaSetDevice(gpu->index))) != ST_OK ||
        (st = CUDA_TRY(cudaMalloc(&r->barrier, r->barrier_bytes))) != ST_OK ||
        (st = CUDA_TRY(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaEventCreate(&r->begin))) != ST_OK)
        return st;
    return CUDA_TRY(cudaEventCreate(&r->end));
}

/* Keep the GPU busy while the host enqueues what is timed. */
__global__ void busy_kernel(long long n_ns)
{
    long long begin, now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < n_ns);
}

/* @return seconds that `enqueue` takes on the GPU, by events; the least of some runs
 * @param prepare  enqueued before each run */
inline status_t program_time(const program_run_t &r,
                             const std::function<status_t()> &prepare,
                             const std::function<status_t()> &enqueue, double *out_s)
{
    double least = 0;
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k <= PROGRAM_RUNS; k++) { /* the first warms up */
        float ms = 0;

        if ((st = prepare()) != ST_OK)
            return st;
        busy_kernel<<<1, 1, 0, r.stream>>>(BUSY_NS);
        if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
            (st = CUDA_TRY(cudaEventRecord(r.begin, r.stream))) != ST_OK ||
            (st = enqueue()) != ST_OK ||
            (st = CUDA_TRY(cudaEventRecord(r.end, r.stream))) != ST_OK ||
            (st = CUDA_TRY(cudaStreamSynchronize(r.stream))) != ST_OK ||
            (st = CUDA_TRY(cudaEventElapsedTime(&ms, r.begin, r.end))) != ST_OK)
            return st;
        least = k <= 1 || ms < least ? static_cast<double>(ms) : least;
    }
    *out_s = least / 1000;
    return st;
}

/* Launch the rounds one by one. */
template <class P, bool DEPENDENT>
status_t program_launches(const program_run_t &r, const P &p, int n_blocks)
{
    cudaLaunchAttribute overlaps = {};
    cudaLaunchConfig_t config = {};
    status_t st = ST_OK;

    overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlaps.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = dim3(static_cast<unsigned>(n_blocks));
    config.blockDim = dim3(P::THREADS);
    config.dynamicSmemBytes = P::SHARED_BYTES;
    config.stream = r.stream;
    config.attrs = &overlaps;
    config.numAttrs = DEPENDENT ? 1 : 0;
    if (P::SHARED_BYTES > 0)
        st = CUDA_TRY(cudaFuncSetAttribute(round_kernel<P, DEPENDENT>, SYNC_SHARED,
                                           P::SHARED_BYTES));
    for (int k = 0; st == ST_OK && k < p.n_rounds; k++)
        st = CUDA_TRY(cudaLaunchKernelEx(&config, round_kernel<P, DEPENDENT>, p, k));
    return st;
}

template <class P> status_t program_graph(program_run_t *r, const P &p, int n_blocks)
{
    cudaGraph_t graph = nullptr;
    status_t st =
        CUDA_TRY(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal));

    if (st != ST_OK)
        return st;
    st = program_launches<P, false>(*r, p, n_blocks);
    const status_t ended = CUDA_TRY(cudaStreamEndCapture(r->stream, &graph));

    st = st != ST_OK ? st : ended;
    if (st == ST_OK)
        st = CUDA_TRY(cudaGraphInstantiate(&r->graph, graph, 0));
    if (graph != nullptr)
        cudaGraphDestroy(graph);
    return st;
}

template <class P> using program_kernel_t = void (*)(P, sync_grid_t);

template <class P> program_kernel_t<P> program_kernel(int kind)
{
    switch (kind) {
    case SYNC_LOCK:
        return rounds_kernel<P, SYNC_LOCK>;
    case SYNC_ACQUIRE:
        return rounds_kernel<P, SYNC_ACQUIRE>;
    case SYNC_LOCK_FREE:
        return rounds_kernel<P, SYNC_LOCK_FREE>;
    case SYNC_CLUSTER_FIRST:
        return rounds_kernel<P, SYNC_CLUSTER_FIRST>;
    case SYNC_CLUSTER:
        return rounds_kernel<P, SYNC_CLUSTER>;
    case SYNC_COOPERATIVE:
        return rounds_kernel<P, SYNC_COOPERATIVE>;
    default:
        return rounds_kernel<P, NO_BARRIER>;
    }
}

/* @param out  a grid that fills the GPU; 0 blocks: it has no such clusters */
template <class P>
status_t program_shape(const program_run_t &r, const P &p, int kind, sync_shape_t *out)
{
    int resident = 0, n_blocks = r.gpu->n_cores * P::BLOCKS_PER_CORE;
    status_t st;

    n_blocks = std::min(n_blocks, std::max(p.n_blocks, int{PROGRAM_CLUSTER}));
    if (r.max_blocks > 0)
        n_blocks = std::min(n_blocks, r.max_blocks);
    *out = {n_blocks, P::THREADS, kind == SYNC_CLUSTER_FIRST ? PROGRAM_CLUSTER : 1,
            P::SHARED_BYTES};
    if (kind == SYNC_CLUSTER) {
        out->cluster = SYNC_CLUSTER_MAX;
        while (r.max_blocks > 0 && out->cluster > r.max_blocks)
            out->cluster /= 2;
        out->n_blocks = n_blocks = out->cluster;
    }
    out->n_blocks -= n_blocks % out->cluster;
    if ((st = sync_resident(program_kernel<P>(kind), *out, r.gpu->n_cores, &resident)) ==
        ST_OK)
        out->n_blocks = std::min(out->n_blocks, resident / out->cluster * out->cluster);
    return st;
}

/* Time one kind. @param prepare  enqueues the input */
template <class P>
status_t program_time_kind(program_run_t *r, const P &p, int kind,
                           const std::function<status_t()> &prepare, double *out_s)
{
    sync_shape_t shape;
    status_t st = program_shape(*r, p, kind, &shape);
    int *at = r->barrier;

    if (st != ST_OK || shape.n_blocks == 0)
        return st;
    const sync_grid_t grid = {reinterpret_cast<unsigned *>(at), at + 1,
                              at + 1 + shape.n_blocks};

    if (kind == SYNC_GRAPH && (st = program_graph(r, p, shape.n_blocks)) != ST_OK)
        return st;
    st = program_time(
        *r,
        [&] {
            const status_t cleared =
                CUDA_TRY(cudaMemsetAsync(r->barrier, 0, r->barrier_bytes, r->stream));

            return cleared == ST_OK ? prepare() : cleared;
        },
        [&] {
            switch (kind) {
            case SYNC_LAUNCH:
                return program_launches<P, false>(*r, p, shape.n_blocks);
            case SYNC_DEPENDENT:
                return program_launches<P, true>(*r, p, shape.n_blocks);
            case SYNC_GRAPH:
                return CUDA_TRY(cudaGraphLaunch(r->graph, r->stream));
            default:
                return sync_launch(program_kernel<P>(kind), shape, r->gpu->n_cores,
                                   r->stream, p, grid);
            }
        },
        out_s);
    if (r->graph != nullptr)
        cudaGraphExecDestroy(r->graph);
    r->graph = nullptr;
    return st;
}

/*
 * Time all kinds.
 *
 * @param prepare  enqueues the input
 * @param check    compares what a run has left with the CPU's; @return ST_EINPUT if it is
 *                 wrong
 */
template <class P>
status_t program_time_all(program_run_t *r, const char *name, const P &p, int only,
                          const std::function<status_t()> &prepare,
                          const std::function<status_t()> &check,
                          sync_program_times_t *out)
{
    status_t st = program_time_kind(r, p, NO_BARRIER, prepare, &out->work_s);

    out->n_rounds = p.n_rounds;
    for (int kind = 0; st == ST_OK && kind < SYNC_PROGRAM_KINDS; kind++) {
        if ((only >= 0 && kind != only) ||
            (st = program_time_kind(r, p, kind, prepare, &out->s[kind])) != ST_OK ||
            out->s[kind] == 0)
            continue;
        if ((st = check()) == ST_EINPUT)
            log_error("%s with the barrier %s: not the CPU's result", name,
                      sync_kind_name[kind]);
    }
    return st;
}

/* Random numbers, the same in each run. */
inline uint32_t program_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(*state >> 32);
}

} // namespace
