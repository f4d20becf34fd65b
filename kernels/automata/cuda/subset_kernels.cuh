/*
 * subset_kernels.cuh - the kernels of subset_cuda.cu: a round of the subset construction.
 *
 * A warp per state makes what may follow it; the candidates are the parts of that which
 * the classes of bytes leave, one thread each.  A slot of the hash table has the number
 * of a state, or of a candidate of the round.  Of equal candidates the first one stays in
 * the slot (atomicMin), so that prefix sums over these give the numbers of the
 * definition, whatever the order of the threads.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

#include <cstdint>

namespace
{

constexpr int THREADS = 256, WARP = 32;

/* A slot: 32 bits of the hash, and a number of a state, or of a candidate with this bit.
 */
constexpr unsigned IS_CANDIDATE = 1u << 31;
constexpr unsigned long long FREE = ~0ull;

/* Keys in a chunk of permanent memory; a thread block takes one after the other. */
constexpr int CHUNK_KEYS = 256;

/* Threads of a thread block that allocates, and how many of these a multiprocessor has.
 */
constexpr int OWNER_THREADS = 128, OWNERS_PER_CORE = 2;

/* A thread block's permanent memory: what is left of its chunk. */
struct owner_t {
    uint64_t *at;
    int n_left; /* keys */
};

/* What kernels know of a group and its states. */
struct round_t {
    int n_words, n_classes;
    const uint64_t *follow;  /* [n_positions + 1][n_words] */
    const uint64_t *starts;  /* [n_words] */
    const uint64_t *consume; /* [n_words][n_classes] */
    uint64_t *keys;          /* [max_states][n_words]; with handles: at the end */
    uint64_t **handles;      /* [max_states] of keys; NULL: they lie in the array */
    int32_t *next;           /* [max_states][n_classes] */
    unsigned long long *slots;
    int64_t n_slots; /* a power of two */

    /* the round */
    int64_t first, n; /* states */
    int64_t n_states; /* before it */
    uint64_t *moves;  /* [n][n_words] what may follow its states */
    int64_t n_candidates;
    uint32_t *slot_of; /* [n_candidates] */
    int32_t *is_new;   /* [n_candidates] */
    int32_t *rank;     /* [n_candidates] among the new ones */

    /* SUBSET_BLOCKS */
    uint64_t *temporary;   /* [n_owners][owner_candidates][n_words] */
    uint64_t **candidates; /* [n_candidates] handles of their keys */
    owner_t *owners;       /* [n_owners] thread blocks */
    int n_owners;
    int64_t owner_candidates; /* of a thread block, at most */
    uint64_t *chunks;         /* [..][CHUNK_KEYS][n_words] that are left */
    unsigned *n_taken;        /* of these */
    unsigned *n_failed;       /* SUBSET_MALLOC: keys for which there was no memory */
};

/* ---- keys ---- */

__device__ const uint64_t *state_key(const round_t &r, int64_t s)
{
    return r.handles != nullptr ? r.handles[s] : r.keys + s * r.n_words;
}

/* A state of the round, and a class that leads from there. */
__device__ uint64_t make_word(const round_t &r, int64_t k, int w)
{
    const unsigned candidate = static_cast<unsigned>(k),
                   n_classes = static_cast<unsigned>(r.n_classes);

    return r.moves[static_cast<int64_t>(candidate / n_classes) * r.n_words + w] &
           r.consume[w * r.n_classes + static_cast<int>(candidate % n_classes)];
}

__device__ uint64_t candidate_word(const round_t &r, int64_t k, int w)
{
    return r.candidates != nullptr ? r.candidates[k][w] : make_word(r, k, w);
}

/* @return a word of what a slot has: of a state, or of a candidate */
__device__ uint64_t word_of(const round_t &r, unsigned number, int w)
{
    return (number & IS_CANDIDATE) != 0 ? candidate_word(r, number & ~IS_CANDIDATE, w)
                                        : state_key(r, number)[w];
}

__device__ uint64_t hash_of(const round_t &r, unsigned number)
{
    uint64_t h = 0x9e3779b97f4a7c15;

    for (int w = 0; w < r.n_words; w++) {
        h = (h ^ word_of(r, number, w)) * 0xff51afd7ed558ccd;
        h ^= h >> 32;
    }
    return h * 0xc4ceb9fe1a85ec53;
}

/* @return whether a candidate equals what a slot has */
__device__ bool is_same(const round_t &r, int64_t k, unsigned number)
{
    bool same = true;

    for (int w = 0; same && w < r.n_words; w++)
        same = candidate_word(r, k, w) == word_of(r, number, w);
    return same;
}

/* ---- kernels ---- */

/* A warp per state; a lane per word. */
__global__ void __launch_bounds__(THREADS) follow_kernel(const round_t r)
{
    const int64_t k = (static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x) / WARP;
    const int lane = threadIdx.x % WARP;

    if (k >= r.n)
        return;
    for (int to = lane; to < r.n_words; to += WARP) {
        uint64_t all = r.starts[to];

        for (int w = 0; w < r.n_words; w++)
            for (uint64_t bits = state_key(r, r.first + k)[w]; bits != 0;
                 bits &= bits - 1) {
                const int64_t p = w * 64 + __ffsll(static_cast<long long>(bits)) - 1;

                all |= r.follow[p * r.n_words + to];
            }
        r.moves[k * r.n_words + to] = all;
    }
}

/* Find the slot of each candidate, or take a free one. */
__global__ void __launch_bounds__(THREADS) insert_kernel(const round_t r)
{
    const int64_t k = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (k >= r.n_candidates)
        return;
    const unsigned number = IS_CANDIDATE | static_cast<unsigned>(k);
    const uint64_t hash = hash_of(r, number), mask = static_cast<uint64_t>(r.n_slots) - 1;
    const unsigned long long mine = (hash & 0xffffffff00000000) | number;

    for (uint64_t slot = hash & mask;; slot = (slot + 1) & mask) {
        unsigned long long has =
            *static_cast<volatile unsigned long long *>(&r.slots[slot]);

        if (has == FREE)
            has = atomicCAS(&r.slots[slot], FREE, mine);
        if (has != FREE) {
            if (has >> 32 != mine >> 32 || !is_same(r, k, static_cast<unsigned>(has)))
                continue;
            if ((has & IS_CANDIDATE) != 0)
                atomicMin(&r.slots[slot], mine);
        }
        r.slot_of[k] = static_cast<uint32_t>(slot);
        return;
    }
}

/* Mark the candidates that stayed in their slots. */
__global__ void __launch_bounds__(THREADS) mark_kernel(const round_t r)
{
    const int64_t k = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (k < r.n_candidates)
        r.is_new[k] = static_cast<unsigned>(r.slots[r.slot_of[k]]) ==
                      (IS_CANDIDATE | static_cast<unsigned>(k));
}

/* Give a new state its number, and its key a place. */
__device__ void keep(const round_t &r, int64_t k, uint64_t *key)
{
    const int64_t s = r.n_states + r.rank[k];
    unsigned long long *slot = &r.slots[r.slot_of[k]];

    for (int w = 0; w < r.n_words; w++)
        key[w] = candidate_word(r, k, w);
    if (r.handles != nullptr)
        r.handles[s] = key;
    *slot = (*slot & 0xffffffff00000000) | static_cast<unsigned>(s);
}

__global__ void __launch_bounds__(THREADS) keep_kernel(const round_t r)
{
    const int64_t k = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (k < r.n_candidates && r.is_new[k] != 0)
        keep(r, k, r.keys + (r.n_states + r.rank[k]) * r.n_words);
}

__global__ void __launch_bounds__(THREADS) keep_malloc_kernel(const round_t r)
{
    const int64_t k = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (k >= r.n_candidates || r.is_new[k] == 0)
        return;
    uint64_t *key =
        static_cast<uint64_t *>(malloc(static_cast<size_t>(r.n_words) * sizeof(*key)));

    r.handles[r.n_states + r.rank[k]] = key;
    if (key == nullptr)
        atomicAdd(r.n_failed, 1);
    else
        keep(r, k, key);
}

__global__ void __launch_bounds__(THREADS) free_kernel(const round_t r, int64_t first)
{
    const int64_t s = first + static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (s < r.n_states)
        free(r.handles[s]);
}

/* A thread block makes the keys of its candidates one after the other in its temporary
 * memory, which begins anew with each round. */
__global__ void __launch_bounds__(OWNER_THREADS) make_kernel(const round_t r)
{
    __shared__ unsigned n_used;

    if (threadIdx.x == 0)
        n_used = 0;
    __syncthreads();
    for (int64_t k = static_cast<int64_t>(blockIdx.x) * OWNER_THREADS + threadIdx.x;
         k < r.n_candidates; k += static_cast<int64_t>(gridDim.x) * OWNER_THREADS) {
        uint64_t *key =
            r.temporary +
            (blockIdx.x * r.owner_candidates + atomicAdd(&n_used, 1)) * r.n_words;

        for (int w = 0; w < r.n_words; w++)
            key[w] = make_word(r, k, w);
        r.candidates[k] = key;
    }
}

/* A thread block moves those of its candidates that survive to its permanent memory. */
__global__ void __launch_bounds__(OWNER_THREADS) move_kernel(const round_t r)
{
    __shared__ owner_t mine;
    __shared__ int n_placed;
    const int64_t step = static_cast<int64_t>(gridDim.x) * OWNER_THREADS;

    if (threadIdx.x == 0)
        mine = r.owners[blockIdx.x];
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * OWNER_THREADS;
         first < r.n_candidates; first += step) {
        const int64_t k = first + threadIdx.x;
        const bool survives = k < r.n_candidates && r.is_new[k] != 0;
        const int n = __syncthreads_count(survives);

        if (threadIdx.x == 0) {
            if (mine.n_left < n)
                mine = {r.chunks + static_cast<int64_t>(atomicAdd(r.n_taken, 1)) *
                                       CHUNK_KEYS * r.n_words,
                        CHUNK_KEYS};
            n_placed = 0;
        }
        __syncthreads();
        if (survives)
            keep(r, k,
                 mine.at + static_cast<int64_t>(atomicAdd(&n_placed, 1)) * r.n_words);
        __syncthreads();
        if (threadIdx.x == 0) {
            mine.at += static_cast<int64_t>(n) * r.n_words;
            mine.n_left -= n;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0)
        r.owners[blockIdx.x] = mine;
}

/* Copy keys behind handles into the array. */
__global__ void __launch_bounds__(THREADS) gather_kernel(const round_t r)
{
    const int64_t at = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (at < r.n_states * r.n_words)
        r.keys[at] = r.handles[at / r.n_words][at % r.n_words];
}

/* Fill in the rows of the states. */
__global__ void __launch_bounds__(THREADS) row_kernel(const round_t r)
{
    const int64_t k = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (k < r.n_candidates)
        r.next[r.first * r.n_classes + k] = static_cast<int32_t>(r.slots[r.slot_of[k]]);
}

/* Put states into an empty table. */
__global__ void __launch_bounds__(THREADS) enter_kernel(const round_t r)
{
    const int64_t s = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (s >= r.n_states)
        return;
    const unsigned number = static_cast<unsigned>(s);
    const uint64_t hash = hash_of(r, number), mask = static_cast<uint64_t>(r.n_slots) - 1;
    const unsigned long long mine = (hash & 0xffffffff00000000) | number;
    uint64_t slot = hash & mask;

    while (atomicCAS(&r.slots[slot], FREE, mine) != FREE)
        slot = (slot + 1) & mask;
}

unsigned blocks_for(int64_t n_threads)
{
    return static_cast<unsigned>((n_threads + THREADS - 1) / THREADS);
}

} // namespace
