/*
 * nested.cuh - kernels that launch kernels: the algorithms of the graph backend "nested",
 * and what becomes of launches.
 *
 * Since CUDA 12 a kernel cannot wait for those that it launched.  Children are launched
 * into cudaStreamFireAndForget, and the last child of a node to end goes on with it.
 *
 * A grid is pending until all that it launched has ended.  A device keeps a limited
 * number of pending launches, refuses any other, and reports that to the launching thread
 * alone. Where very many threads are refused at the same time, the first grid may never
 * end: of 262,144 launches by all lanes of 8,192 warps, under limits of 2,048 and 65,536,
 * an H100 (driver 580) accepted some, ran all or nearly all of these, and went on for
 * ever.  So no launch may be refused: in one launch of the host, or in one iteration,
 * kernels may make half as many launches as may be pending, whether these have ended or
 * not, and threads ask before they launch.  The work of a launch that is not allowed, or
 * refused all the same, is done by the block that asked: it is inlined.
 */
#pragma once

#include "kernels/graph/cuda/cuda_backend.cuh"

/* Where a chain of grids is (nested_chain.cuh). */
struct nested_at_t {
    int turn;                       /* grids before this one, */
    int run;                        /* and those of them that called nested_run */
    int stage;                      /* of paths and betweenness: what the grid does */
    int depth, source;              /* of betweenness */
    unsigned long long from, below; /* of paths: lengths, the ends of a bucket */
};

/* In device memory. */
struct nested_counts_t {
    unsigned long long asked, done, inlined; /* launches; asked = done + inlined */
    unsigned long long atomics;              /* on values of nodes */
    struct {
        unsigned allowed[3]; /* launches of an iteration, and some that were not; in turn
                              */
        nested_at_t resume;  /* a grid that could not be launched; turn 0: none */
    } turns;
};

/* Passed to kernels by value. */
struct nested_t {
    nested_counts_t *counts;
    unsigned max_allowed;
};

/* What a block has in shared memory. */
struct nested_block_t {
    int listed; /* the first node without a kernel of its own, or -1 */
    unsigned asked, inlined, atomics;
};

__device__ inline void nested_block_begin(nested_block_t *block)
{
    if (threadIdx.x == 0)
        *block = {-1, 0, 0, 0};
    __syncthreads();
}

/* Add the counts of a block.
 * @param is_child  the grid was launched by a kernel, and counts as well */
__device__ inline void nested_block_end(const nested_t &n, const nested_block_t &block,
                                        bool is_child)
{
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    if (block.asked > 0)
        atomicAdd(&n.counts->asked, static_cast<unsigned long long>(block.asked));
    if (block.inlined > 0)
        atomicAdd(&n.counts->inlined, static_cast<unsigned long long>(block.inlined));
    if (block.atomics > 0)
        atomicAdd(&n.counts->atomics, static_cast<unsigned long long>(block.atomics));
    if (is_child && blockIdx.x == 0)
        atomicAdd(&n.counts->done, 1ull);
}

/* Ask for a launch. @param turn  the number of the iteration
 * @return the number of the launch in the iteration, below max_allowed, or -1 */
__device__ inline int nested_ask(const nested_t &n, int turn, nested_block_t *block)
{
    unsigned *allowed = &n.counts->turns.allowed[turn % 3], number;

    atomicAdd(&block->asked, 1u);
    if (grid_read(allowed) >= n.max_allowed)
        return -1;
    number = atomicAdd(allowed, 1u);
    return number < n.max_allowed ? static_cast<int>(number) : -1;
}

/* Allow launches in the next iteration, which begins when all of those before this one
 * have ended; by one thread. */
__device__ inline void nested_allow(const nested_t &n, int turn)
{
    n.counts->turns.allowed[(turn + 1) % 3] = 0;
}

/* Set the limit of pending launches, if one is asked for. */
status_t nested_create(const graph_run_t *run, cuda_memory_t *memory,
                       nested_t *out) MUST_CHECK;

/* A kernel is about to be loaded: malloc's heap stays as it is. */
void nested_is_loaded();

/* Set all counts to 0. */
status_t nested_begin(const nested_t &n) MUST_CHECK;

/* Append the counts to the decisions.
 * @return ST_OK, ST_ENOMEM, or ST_ELOST: a launch was lost without an error */
status_t nested_print(const nested_t &n, buf_t *out) MUST_CHECK;

/* Templates that launch kernels; templates of recursion over trees. */
extern const cuda_algorithm_t nested_bfs, nested_sssp, nested_pagerank,
    nested_betweenness, nested_spmv, nested_coloring;
extern const cuda_algorithm_t nested_descendants, nested_heights;
