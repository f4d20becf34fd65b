/*
 * nested_chain.cuh - iterations without the host, 100 at a time: an iteration is a grid,
 * and the next one its tail launch, which begins when the grid and all that it launched
 * have ended.
 *
 * A chain C, which kernels get by value, has
 *   nested_items_t items;
 *   bool begin(nested_at_t *at, nested_at_t *next, nested_items_shared_t *shared) const;
 *       whether it goes on; may change where it is, and what is next: the next turn
 *   void run(const nested_at_t &at, nested_items_shared_t *shared) const;
 * All threads of the grid call both, and begin returns the same in each.
 */
#pragma once

#include "kernels/graph/nested/nested_items.cuh"

/* Turns of one launch by the host.  Tests whose grids launched kernels in chains of up to
 * 2,000 did not end within 25 s on an H200 (driver 580); with these they do. */
enum { NESTED_CHAIN_TURNS = 100 };

template <class C>
__device__ bool nested_chain_launch(const C &chain, const nested_at_t &next);

template <class C>
__global__ void __launch_bounds__(GRID_THREADS)
    nested_chain_kernel(C chain, nested_at_t at)
{
    __shared__ nested_items_shared_t shared;
    nested_at_t next = at;

    next.turn++;
    if (!chain.begin(&at, &next, &shared))
        return;
    chain.run(at, &shared);
    /* The last block has the fewest tiles, so that others are still at work. */
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0 &&
        !nested_chain_launch(chain, next))
        chain.items.nested.counts->turns.resume = next;
}

/* Launch the next turn. @return false: the host has to */
template <class C>
__device__ bool nested_chain_launch(const C &chain, const nested_at_t &next)
{
    if (next.turn % NESTED_CHAIN_TURNS == 0)
        return false;
    nested_chain_kernel<C>
        <<<gridDim.x, GRID_THREADS, 0, cudaStreamTailLaunch>>>(chain, next);
    return cudaGetLastError() == cudaSuccess;
}

/* @return whether a turn has nodes in its queue; if it has, those of the turn after the
 * next one are counted from 0 */
__device__ inline bool nested_frontier_goes_on(const frontier_t &f, int turn)
{
    const bool goes_on = grid_read(&f.n[turn % 3]) > 0;

    if (goes_on && grid_is_first())
        f.n[(turn + 2) % 3] = 0;
    return goes_on;
}

/* Run a chain. @param at  where it begins */
template <class C>
status_t nested_chain_run(const cuda_state_t *s, const C &chain, nested_at_t at = {})
{
    const nested_items_t &p = chain.items;
    auto *turns = &p.nested.counts->turns;
    status_t st;

    do {
        if ((st = CUDA_TRY(cudaMemsetAsync(turns, 0, sizeof(*turns)))) != ST_OK ||
            (st = nested_buffers_begin(p.buffers)) != ST_OK ||
            (st = nested_launch_grid(s, nested_chain_kernel<C>, chain, at)) != ST_OK)
            return st;
        st = cuda_get(&at, &turns->resume, 1);
    } while (st == ST_OK && at.turn > 0);
    return st;
}
