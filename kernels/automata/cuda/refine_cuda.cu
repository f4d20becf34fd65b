/*
 * refine_cuda.cu - equivalent states by rounds (Moore): states stay together while they
 * are of one block, and each class of bytes leads from them to one block.
 *
 * A round puts all states into a hash table, by their block and those that they lead to.
 * A warp has a state; its lanes share the classes.  Of equal states the first one stays
 * in the slot (atomicMin), and the ranks of these are the new blocks.  The last round
 * divides nothing: there are as many rounds as bytes that tell two states apart at most.
 */
#include "kernels/automata/cuda/refine_cuda.cuh"

extern "C" {
#include "kernels/align/common/align_run.h"
}

#include <cub/device/device_scan.cuh>

namespace
{

constexpr int THREADS = 256, WARP = 32;
constexpr unsigned ALL_LANES = 0xffffffff;
constexpr unsigned long long FREE = ~0ull;

/* A slot has 32 bits of the hash, and a state. */
struct round_t {
    int32_t n_states, n_classes;
    const int32_t *next;  /* [n_states][n_classes] */
    const int32_t *block; /* [n_states] */
    int32_t *new_block;   /* [n_states] */
    unsigned long long *slots;
    int64_t n_slots;   /* a power of two, at least twice the states */
    uint32_t *slot_of; /* [n_states] */
    int32_t *is_first; /* [n_states] */
    int32_t *rank;     /* [n_states] among the first ones */
};

__device__ uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 32) * 0xff51afd7ed558ccd;
    return (h ^ h >> 29) * 0xc4ceb9fe1a85ec53;
}

/* @return the block that a class leads to; that of the state itself behind the last */
__device__ int32_t part_of(const round_t &r, int32_t s, int c)
{
    return c < r.n_classes ? r.block[r.next[static_cast<int64_t>(s) * r.n_classes + c]]
                           : r.block[s];
}

/* @return the hash of a state; all lanes call it */
__device__ uint64_t hash_of(const round_t &r, int32_t s, int lane)
{
    uint64_t h = 0;

    for (int c = lane; c <= r.n_classes; c += WARP)
        h +=
            mix(static_cast<uint64_t>(c) << 32 | static_cast<uint32_t>(part_of(r, s, c)));
    for (int by = WARP / 2; by > 0; by /= 2)
        h += __shfl_xor_sync(ALL_LANES, h, by);
    return mix(h);
}

/* @return whether two states stay together; all lanes call it */
__device__ bool is_same(const round_t &r, int32_t s, int32_t t, int lane)
{
    bool same = true;

    for (int c = lane; same && c <= r.n_classes; c += WARP)
        same = part_of(r, s, c) == part_of(r, t, c);
    return __all_sync(ALL_LANES, same);
}

/* A warp per state. */
__global__ void __launch_bounds__(THREADS) insert_kernel(const round_t r)
{
    const int64_t at = (static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x) / WARP;
    const int lane = threadIdx.x % WARP;

    if (at >= r.n_states)
        return;
    const int32_t s = static_cast<int32_t>(at);
    const uint64_t hash = hash_of(r, s, lane),
                   mask = static_cast<uint64_t>(r.n_slots) - 1;
    const unsigned long long mine =
        (hash & 0xffffffff00000000) | static_cast<unsigned>(s);
    uint64_t slot = hash & mask;

    for (;; slot = (slot + 1) & mask) {
        unsigned long long has = 0;

        if (lane == 0)
            has = atomicCAS(&r.slots[slot], FREE, mine);
        has = __shfl_sync(ALL_LANES, has, 0);
        if (has == FREE)
            break;
        if (has >> 32 == mine >> 32 && is_same(r, s, static_cast<int32_t>(has), lane)) {
            if (lane == 0)
                atomicMin(&r.slots[slot], mine);
            break;
        }
    }
    if (lane == 0)
        r.slot_of[s] = static_cast<uint32_t>(slot);
}

/* Mark the states that stayed in their slots. */
__global__ void __launch_bounds__(THREADS) mark_kernel(const round_t r)
{
    const int64_t s = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (s < r.n_states)
        r.is_first[s] = static_cast<int32_t>(r.slots[r.slot_of[s]]) == s;
}

__global__ void __launch_bounds__(THREADS) divide_kernel(const round_t r)
{
    const int64_t s = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (s < r.n_states)
        r.new_block[s] = r.rank[static_cast<int32_t>(r.slots[r.slot_of[s]])];
}

unsigned blocks_for(int64_t n_threads)
{
    return static_cast<unsigned>((n_threads + THREADS - 1) / THREADS);
}

/* ---- the host ---- */

/* Have memory for rounds, and put the automaton there. */
status_t begin(refine_memory_t *m, const int32_t *next, const int32_t *block, round_t *r)
{
    const size_t n = static_cast<size_t>(r->n_states), bytes = n * sizeof(*block);
    size_t sum_bytes = 0;
    status_t st = CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, sum_bytes, r->is_first,
                                                         r->rank, r->n_states));

    for (r->n_slots = 1024; r->n_slots < 2 * r->n_states;)
        r->n_slots *= 2;
    if (st != ST_OK || (st = area_grow(&m->sum, 0, sum_bytes)) != ST_OK ||
        (st = area_put(&m->next, next, bytes * static_cast<size_t>(r->n_classes))) !=
            ST_OK ||
        (st = area_put(&m->block[0], block, bytes)) != ST_OK ||
        (st = area_grow(&m->block[1], 0, bytes)) != ST_OK ||
        (st = area_grow(&m->slots, 0,
                        static_cast<size_t>(r->n_slots) * sizeof(*r->slots))) != ST_OK ||
        (st = area_grow(&m->slot_of, 0, bytes)) != ST_OK ||
        (st = area_grow(&m->is_first, 0, bytes)) != ST_OK ||
        (st = area_grow(&m->rank, 0, bytes)) != ST_OK)
        return st;
    r->next = static_cast<const int32_t *>(m->next.at);
    r->slots = static_cast<unsigned long long *>(m->slots.at);
    r->slot_of = static_cast<uint32_t *>(m->slot_of.at);
    r->is_first = static_cast<int32_t *>(m->is_first.at);
    r->rank = static_cast<int32_t *>(m->rank.at);
    return ST_OK;
}

/* Divide blocks. @param n_blocks  out */
status_t run_round(const refine_memory_t *m, const round_t *r, int32_t *n_blocks)
{
    size_t sum_bytes = m->sum.bytes;
    int32_t last[2];
    status_t st =
        CUDA_TRY(cudaMemsetAsync(r->slots, 0xff,
                                 static_cast<size_t>(r->n_slots) * sizeof(*r->slots)));

    if (st != ST_OK)
        return st;
    insert_kernel<<<blocks_for(static_cast<int64_t>(r->n_states) * WARP), THREADS>>>(*r);
    mark_kernel<<<blocks_for(r->n_states), THREADS>>>(*r);
    if ((st = CUDA_TRY(cub::DeviceScan::ExclusiveSum(m->sum.at, sum_bytes, r->is_first,
                                                     r->rank, r->n_states))) != ST_OK)
        return st;
    divide_kernel<<<blocks_for(r->n_states), THREADS>>>(*r);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(&last[0], &r->rank[r->n_states - 1], sizeof(last[0]),
                                  cudaMemcpyDeviceToHost))) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(&last[1], &r->is_first[r->n_states - 1],
                                  sizeof(last[1]), cudaMemcpyDeviceToHost))) != ST_OK)
        return st;
    *n_blocks = last[0] + last[1];
    return ST_OK;
}

} // namespace

status_t refine_cuda(refine_memory_t *m, const int32_t *next, int32_t n_states,
                     int32_t n_classes, const int *cancel, int32_t *block,
                     int32_t *n_blocks)
{
    round_t r = {};
    int32_t before, now = 0;
    int from = 0;
    status_t st;

    r.n_states = n_states;
    r.n_classes = n_classes;
    if ((st = begin(m, next, block, &r)) != ST_OK)
        return st;
    do {
        r.block = static_cast<const int32_t *>(m->block[from].at);
        r.new_block = static_cast<int32_t *>(m->block[1 - from].at);
        before = now;
        st = align_cancelled(cancel) ? ST_ESTOPPED : run_round(m, &r, &now);
        from = 1 - from;
    } while (st == ST_OK && now > before);
    if (st == ST_OK)
        st = CUDA_TRY(cudaMemcpy(block, m->block[from].at,
                                 static_cast<size_t>(n_states) * sizeof(*block),
                                 cudaMemcpyDeviceToHost));
    *n_blocks = now;
    return st;
}

void refine_memory_free(refine_memory_t *m)
{
    for (area_t *a : {&m->next, &m->block[0], &m->block[1], &m->slots, &m->slot_of,
                      &m->is_first, &m->rank, &m->sum})
        cudaFree(a->at);
    *m = refine_memory_t{};
}
