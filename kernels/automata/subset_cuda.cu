/*
 * subset_cuda.cu - the backend of GPUs: rounds of the subset construction with one hash
 * table in device memory.
 *
 * A round expands the next states.  A warp per state makes what may follow it; the
 * candidates are the parts of that which the classes of bytes leave, one thread each.
 * Their keys are made where they are needed, not stored: a slot of the table has the
 * number of a state, or of a candidate of the round.  Of equal candidates the first one
 * stays in the slot (atomicMin), so that prefix sums over these give the numbers of the
 * definition, whatever the order of the threads.
 */
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/automata/subset_backend.h"
}

#include <cub/device/device_scan.cuh>

#include <climits>
#include <cstdlib>

namespace
{

constexpr int THREADS = 256, WARP = 32;

/* Candidates of a round, at most; but always those of a state. */
constexpr int64_t ROUND_CANDIDATES = 1 << 22;

constexpr int64_t FIRST_STATES = 1 << 12, FIRST_SLOTS = 1 << 14;

/* A slot: 32 bits of the hash, and a number of a state, or of a candidate with this bit.
 */
constexpr unsigned IS_CANDIDATE = 1u << 31;
constexpr unsigned long long FREE = ~0ull;

/* What kernels know of a group and its states. */
struct round_t {
    int n_words, n_classes;
    const uint64_t *follow;  /* [n_positions + 1][n_words] */
    const uint64_t *starts;  /* [n_words] */
    const uint64_t *consume; /* [n_words][n_classes] */
    uint64_t *keys;          /* [max_states][n_words] */
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
};

/* ---- keys ---- */

/* A state of the round, and a class that leads from there. */
__device__ uint64_t candidate_word(const round_t &r, int64_t k, int w)
{
    const unsigned candidate = static_cast<unsigned>(k),
                   n_classes = static_cast<unsigned>(r.n_classes);

    return r.moves[static_cast<int64_t>(candidate / n_classes) * r.n_words + w] &
           r.consume[w * r.n_classes + static_cast<int>(candidate % n_classes)];
}

__device__ uint64_t add_to_hash(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0xff51afd7ed558ccd;
    return h ^ h >> 32;
}

__device__ uint64_t candidate_hash(const round_t &r, int64_t k)
{
    uint64_t h = 0x9e3779b97f4a7c15;

    for (int w = 0; w < r.n_words; w++)
        h = add_to_hash(h, candidate_word(r, k, w));
    return h * 0xc4ceb9fe1a85ec53;
}

__device__ uint64_t state_hash(const round_t &r, int64_t s)
{
    uint64_t h = 0x9e3779b97f4a7c15;

    for (int w = 0; w < r.n_words; w++)
        h = add_to_hash(h, r.keys[s * r.n_words + w]);
    return h * 0xc4ceb9fe1a85ec53;
}

/* @return whether a candidate equals what a slot has */
__device__ bool is_same(const round_t &r, int64_t k, unsigned number)
{
    const int64_t other = number & ~IS_CANDIDATE;
    bool same = true;

    if ((number & IS_CANDIDATE) != 0)
        for (int w = 0; same && w < r.n_words; w++)
            same = candidate_word(r, k, w) == candidate_word(r, other, w);
    else
        for (int w = 0; same && w < r.n_words; w++)
            same = candidate_word(r, k, w) == r.keys[other * r.n_words + w];
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
            for (uint64_t bits = r.keys[(r.first + k) * r.n_words + w]; bits != 0;
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
    const uint64_t hash = candidate_hash(r, k),
                   mask = static_cast<uint64_t>(r.n_slots) - 1;
    const unsigned long long mine =
        (hash & 0xffffffff00000000) | IS_CANDIDATE | static_cast<unsigned>(k);

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

/* Give new states their numbers. */
__global__ void __launch_bounds__(THREADS) keep_kernel(const round_t r)
{
    const int64_t k = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;

    if (k >= r.n_candidates || r.is_new[k] == 0)
        return;
    const int64_t s = r.n_states + r.rank[k];
    unsigned long long *slot = &r.slots[r.slot_of[k]];

    for (int w = 0; w < r.n_words; w++)
        r.keys[s * r.n_words + w] = candidate_word(r, k, w);
    *slot = (*slot & 0xffffffff00000000) | static_cast<unsigned>(s);
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
    const uint64_t hash = state_hash(r, s), mask = static_cast<uint64_t>(r.n_slots) - 1;
    const unsigned long long mine =
        (hash & 0xffffffff00000000) | static_cast<unsigned>(s);
    uint64_t slot = hash & mask;

    while (atomicCAS(&r.slots[slot], FREE, mine) != FREE)
        slot = (slot + 1) & mask;
}

unsigned blocks_for(int64_t n_threads)
{
    return static_cast<unsigned>((n_threads + THREADS - 1) / THREADS);
}

/* ---- memory ---- */

/* Memory of the device that keeps what it holds when it grows. */
struct area_t {
    void *at;
    size_t bytes;
};

/* @param used  bytes that are kept */
status_t area_grow(area_t *a, size_t used, size_t bytes)
{
    area_t to = {nullptr, bytes > 2 * a->bytes ? bytes : 2 * a->bytes};
    status_t st;

    if (bytes <= a->bytes)
        return ST_OK;
    if ((st = CUDA_TRY(cudaMalloc(&to.at, to.bytes))) != ST_OK)
        return st;
    if (used > 0)
        st = CUDA_TRY(cudaMemcpy(to.at, a->at, used, cudaMemcpyDeviceToDevice));
    cudaFree(a->at);
    *a = to;
    return st;
}

/* The backend's state: memory that is used again for the next group. */
struct engine_t {
    device_t device;
    area_t follow, starts, consume;           /* of the group */
    area_t keys, next, slots;                 /* of the states */
    area_t moves, slot_of, is_new, rank, sum; /* of a round */
};

void destroy(void *state)
{
    engine_t *e = static_cast<engine_t *>(state);

    if (e == nullptr)
        return;
    cudaSetDevice(e->device.index);
    for (area_t *a : {&e->follow, &e->starts, &e->consume, &e->keys, &e->next, &e->slots,
                      &e->moves, &e->slot_of, &e->is_new, &e->rank, &e->sum})
        cudaFree(a->at);
    free(e);
}

status_t create(const subset_context_t *context, void **state)
{
    engine_t *e = static_cast<engine_t *>(calloc(1, sizeof(*e)));

    if (e == nullptr)
        return log_nomem("automata");
    e->device = *context->device;
    *state = e;
    return ST_OK;
}

status_t put(area_t *a, const void *from, size_t bytes)
{
    const status_t st = area_grow(a, 0, bytes);

    return st == ST_OK ? cuda_put(a->at, from, bytes) : st;
}

/* Put the masks of a group there; those of classes word by word. */
status_t put_group(engine_t *e, const subset_t *s, round_t *r)
{
    const size_t n_words = static_cast<size_t>(s->n_words),
                 n_classes = static_cast<size_t>(s->n_classes),
                 n_positions = static_cast<size_t>(s->n_positions);
    uint64_t *consume =
        static_cast<uint64_t *>(malloc(n_words * n_classes * sizeof(*consume)));
    status_t st = consume != nullptr ? ST_OK : log_nomem("automata");

    for (size_t at = 0; st == ST_OK && at < n_words * n_classes; at++)
        consume[at] = s->consume[at % n_classes * n_words + at / n_classes];
    if (st == ST_OK)
        st = put(&e->consume, consume, n_words * n_classes * sizeof(*consume));
    if (st == ST_OK)
        st = put(&e->follow, s->follow, (n_positions + 1) * n_words * sizeof(*s->follow));
    if (st == ST_OK)
        st = put(&e->starts, s->starts, n_words * sizeof(*s->starts));
    free(consume);
    r->n_words = static_cast<int>(n_words);
    r->n_classes = static_cast<int>(n_classes);
    r->follow = static_cast<const uint64_t *>(e->follow.at);
    r->starts = static_cast<const uint64_t *>(e->starts.at);
    r->consume = static_cast<const uint64_t *>(e->consume.at);
    return st;
}

/* Have room for n states, of which n_states are kept. */
status_t reserve_states(engine_t *e, round_t *r, int64_t n)
{
    const size_t key = static_cast<size_t>(r->n_words) * sizeof(*r->keys),
                 row = static_cast<size_t>(r->n_classes) * sizeof(*r->next),
                 used = static_cast<size_t>(r->n_states),
                 all = static_cast<size_t>(n > FIRST_STATES ? n : FIRST_STATES);
    status_t st = area_grow(&e->keys, used * key, all * key);

    if (st == ST_OK)
        st = area_grow(&e->next, used * row, all * row);
    r->keys = static_cast<uint64_t *>(e->keys.at);
    r->next = static_cast<int32_t *>(e->next.at);
    return st;
}

/* Have twice as many slots as states after a round, at most; a table that grows, or is
 * another group's, is filled anew. */
status_t reserve_slots(engine_t *e, round_t *r)
{
    const int64_t needed = 2 * (r->n_states + r->n_candidates);
    int64_t n = r->n_slots > 0 ? r->n_slots : FIRST_SLOTS;
    status_t st;

    while (n < needed)
        n *= 2;
    if (n == r->n_slots)
        return ST_OK;
    if ((st = area_grow(&e->slots, 0, static_cast<size_t>(n) * sizeof(*r->slots))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(e->slots.at, 0xff,
                                       static_cast<size_t>(n) * sizeof(*r->slots)))) !=
            ST_OK)
        return st;
    r->slots = static_cast<unsigned long long *>(e->slots.at);
    r->n_slots = n;
    enter_kernel<<<blocks_for(r->n_states), THREADS>>>(*r);
    return CUDA_TRY(cudaGetLastError());
}

/* Have room for what a round needs. */
status_t reserve_round(engine_t *e, round_t *r)
{
    const size_t n = static_cast<size_t>(r->n_candidates);
    size_t sum_bytes = 0;
    status_t st = CUDA_TRY(cub::DeviceScan::ExclusiveSum(nullptr, sum_bytes, r->is_new,
                                                         r->rank, r->n_candidates));

    if (st != ST_OK || (st = area_grow(&e->sum, 0, sum_bytes)) != ST_OK ||
        (st = area_grow(&e->moves, 0,
                        static_cast<size_t>(r->n * r->n_words) * sizeof(*r->moves))) !=
            ST_OK ||
        (st = area_grow(&e->slot_of, 0, n * sizeof(*r->slot_of))) != ST_OK ||
        (st = area_grow(&e->is_new, 0, n * sizeof(*r->is_new))) != ST_OK ||
        (st = area_grow(&e->rank, 0, n * sizeof(*r->rank))) != ST_OK)
        return st;
    r->moves = static_cast<uint64_t *>(e->moves.at);
    r->slot_of = static_cast<uint32_t *>(e->slot_of.at);
    r->is_new = static_cast<int32_t *>(e->is_new.at);
    r->rank = static_cast<int32_t *>(e->rank.at);
    return reserve_slots(e, r);
}

/* ---- rounds ---- */

/* Find the new states. @param n_new  out: how many there are */
status_t find_new(engine_t *e, const round_t *r, int64_t *n_new)
{
    size_t sum_bytes = e->sum.bytes;
    int32_t last[2];
    status_t st;

    follow_kernel<<<blocks_for(r->n * WARP), THREADS>>>(*r);
    insert_kernel<<<blocks_for(r->n_candidates), THREADS>>>(*r);
    mark_kernel<<<blocks_for(r->n_candidates), THREADS>>>(*r);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = CUDA_TRY(cub::DeviceScan::ExclusiveSum(e->sum.at, sum_bytes, r->is_new,
                                                     r->rank, r->n_candidates))) !=
            ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(&last[0], &r->rank[r->n_candidates - 1],
                                  sizeof(last[0]), cudaMemcpyDeviceToHost))) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(&last[1], &r->is_new[r->n_candidates - 1],
                                  sizeof(last[1]), cudaMemcpyDeviceToHost))) != ST_OK)
        return st;
    *n_new = last[0] + last[1];
    return ST_OK;
}

/* @return states that a round expands */
int64_t states_of_round(const round_t *r)
{
    const int64_t left = r->n_states - r->first, max = ROUND_CANDIDATES / r->n_classes;

    return left < max ? left : max;
}

status_t run_round(engine_t *e, round_t *r, int64_t max_states, bool *fits)
{
    int64_t n_new = 0;
    status_t st;

    r->n = states_of_round(r);
    r->n_candidates = r->n * r->n_classes;
    if ((st = reserve_round(e, r)) != ST_OK || (st = find_new(e, r, &n_new)) != ST_OK)
        return st;
    *fits = r->n_states + n_new <= max_states;
    if (!*fits || (st = reserve_states(e, r, r->n_states + n_new)) != ST_OK)
        return st;
    keep_kernel<<<blocks_for(r->n_candidates), THREADS>>>(*r);
    row_kernel<<<blocks_for(r->n_candidates), THREADS>>>(*r);
    r->first += r->n;
    r->n_states += n_new;
    return CUDA_TRY(cudaGetLastError());
}

/* Append what the device has to a buffer that is emptied before. */
status_t fetch(buf_t *to, const void *from, int64_t n, size_t value_bytes)
{
    const size_t bytes = static_cast<size_t>(n) * value_bytes;
    status_t st;

    to->len = 0;
    if ((st = buf_reserve(to, bytes)) != ST_OK)
        return st;
    to->len = bytes;
    return CUDA_TRY(cudaMemcpy(to->data, from, bytes, cudaMemcpyDeviceToHost));
}

status_t find(void *state, const subset_t *s, int64_t max_states, subset_states_t *states,
              bool *fits)
{
    engine_t *e = static_cast<engine_t *>(state);
    round_t r = {};
    status_t st = CUDA_TRY(cudaSetDevice(e->device.index));

    if (st == ST_OK)
        st = put_group(e, s, &r);
    const int64_t n_first =
        static_cast<int64_t>(states->keys.len / sizeof(uint64_t)) / s->n_words;
    if (st == ST_OK)
        st = reserve_states(e, &r, n_first);
    if (st == ST_OK)
        st = cuda_put(r.keys, states->keys.data, states->keys.len);
    r.n_states = n_first;
    *fits = n_first <= max_states;
    while (st == ST_OK && *fits && r.first < r.n_states)
        st = run_round(e, &r, max_states, fits);
    if (st == ST_OK && *fits)
        st = fetch(&states->keys, r.keys, r.n_states * r.n_words, sizeof(*r.keys));
    if (st == ST_OK && *fits)
        st = fetch(&states->next, r.next, r.n_states * r.n_classes, sizeof(*r.next));
    return st;
}

} // namespace

extern "C" const subset_backend_t subset_cuda_backend = {
    /* .base = */ {"cuda", DEVICE_CUDA, 0},
    /* .create = */ create,
    /* .find = */ find,
    /* .destroy = */ destroy,
};
