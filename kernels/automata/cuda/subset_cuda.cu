/*
 * subset_cuda.cu - the backend of GPUs: rounds of the subset construction with one hash
 * table in device memory (subset_kernels.cuh).
 *
 * Keys of states lie in one array, which the host lets grow (SUBSET_ARENA), or where the
 * device has allocated them, behind handles: by malloc (SUBSET_MALLOC), or in blocks of
 * memory that belong to thread blocks (SUBSET_BLOCKS).  With an array or malloc, keys of
 * candidates are made where they are compared, and not stored; with blocks, they are
 * stored in temporary memory of the round, and those that survive are moved to permanent
 * memory.
 */
#include "kernels/automata/cuda/refine_cuda.cuh"
#include "kernels/automata/cuda/subset_kernels.cuh"

extern "C" {
#include "kernels/align/common/align_run.h"
#include "kernels/automata/subset_backend.h"
}

#include <cub/device/device_scan.cuh>

#include <cstdlib>

namespace
{

/* Candidates of a round, and words of their keys, at most; but always those of a state.
 */
constexpr int64_t ROUND_CANDIDATES = 1 << 22, ROUND_WORDS = 1 << 26;

constexpr int64_t FIRST_STATES = 1 << 12, FIRST_SLOTS = 1 << 14;

/* ---- memory ---- */

/* Permanent memory grows by segments, which are the larger, the more states there are. */
constexpr int MAX_SEGMENTS = 64;

/* The backend's state: memory that is used again for the next group. */
struct engine_t {
    device_t device;
    area_t follow, starts, consume;           /* of the group */
    area_t keys, next, slots;                 /* of the states */
    area_t moves, slot_of, is_new, rank, sum; /* of a round */

    /* keys behind handles */
    subset_allocator_t allocator;
    area_t first, handles, temporary, candidates, owners, counters;
    area_t segments[MAX_SEGMENTS]; /* of chunks */
    int n_segments;
    int64_t n_chunks; /* of the last one */
    unsigned n_taken; /* of these */

    refine_memory_t refine;
};

void drop_segments(engine_t *e)
{
    for (; e->n_segments > 0; e->n_segments--)
        cudaFree(e->segments[e->n_segments - 1].at);
    e->n_chunks = e->n_taken = 0;
}

void destroy(void *state)
{
    engine_t *e = static_cast<engine_t *>(state);

    if (e == nullptr)
        return;
    cudaSetDevice(e->device.index);
    for (area_t *a :
         {&e->follow, &e->starts, &e->consume, &e->keys, &e->next, &e->slots, &e->moves,
          &e->slot_of, &e->is_new, &e->rank, &e->sum, &e->first, &e->handles,
          &e->temporary, &e->candidates, &e->owners, &e->counters})
        cudaFree(a->at);
    drop_segments(e);
    refine_memory_free(&e->refine);
    free(e);
}

/* Give a third of the free memory to malloc on the device. */
status_t set_heap(const engine_t *e)
{
    size_t n_free = 0, n_all;
    status_t st = CUDA_TRY(cudaSetDevice(e->device.index));

    if (st == ST_OK)
        st = CUDA_TRY(cudaMemGetInfo(&n_free, &n_all));
    return st == ST_OK ? CUDA_TRY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, n_free / 3))
                       : st;
}

status_t create(const subset_context_t *context, void **state)
{
    engine_t *e = static_cast<engine_t *>(calloc(1, sizeof(*e)));
    status_t st = ST_OK;

    if (e == nullptr)
        return log_nomem("automata");
    e->device = *context->device;
    e->allocator = context->allocator;
    if (e->allocator == SUBSET_MALLOC && (st = set_heap(e)) != ST_OK)
        free(e);
    else
        *state = e;
    return st;
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
        st = area_put(&e->consume, consume, n_words * n_classes * sizeof(*consume));
    if (st == ST_OK)
        st = area_put(&e->follow, s->follow,
                      (n_positions + 1) * n_words * sizeof(*s->follow));
    if (st == ST_OK)
        st = area_put(&e->starts, s->starts, n_words * sizeof(*s->starts));
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
    const bool has_handles = e->allocator != SUBSET_ARENA;
    const size_t key = has_handles ? sizeof(*r->handles)
                                   : static_cast<size_t>(r->n_words) * sizeof(*r->keys),
                 row = static_cast<size_t>(r->n_classes) * sizeof(*r->next),
                 used = static_cast<size_t>(r->n_states),
                 all = static_cast<size_t>(n > FIRST_STATES ? n : FIRST_STATES);
    status_t st = area_grow(has_handles ? &e->handles : &e->keys, used * key, all * key);

    if (st == ST_OK)
        st = area_grow(&e->next, used * row, all * row);
    r->keys = static_cast<uint64_t *>(e->keys.at);
    r->handles = has_handles ? static_cast<uint64_t **>(e->handles.at) : nullptr;
    r->next = static_cast<int32_t *>(e->next.at);
    return st;
}

/* Put the keys of the first states there. */
status_t put_first(engine_t *e, round_t *r, const buf_t *keys)
{
    const int64_t n = static_cast<int64_t>(keys->len / sizeof(uint64_t)) / r->n_words;
    status_t st = reserve_states(e, r, n);

    r->n_states = n;
    if (st != ST_OK || r->handles == nullptr)
        return st == ST_OK ? cuda_put(r->keys, keys->data, keys->len) : st;
    if ((st = area_put(&e->first, keys->data, keys->len)) != ST_OK)
        return st;
    for (int64_t s = 0; st == ST_OK && s < n; s++) {
        uint64_t *key = static_cast<uint64_t *>(e->first.at) + s * r->n_words;

        st = cuda_put(&r->handles[s], &key, sizeof(key));
    }
    return st;
}

/* ---- memory of thread blocks ---- */

/* Have the thread blocks, without any chunk, and the counters. */
status_t begin_owners(engine_t *e, round_t *r)
{
    const int n = OWNERS_PER_CORE * e->device.n_cores;
    status_t st = area_grow(&e->owners, 0, static_cast<size_t>(n) * sizeof(*r->owners));

    if (st == ST_OK)
        st = area_grow(&e->counters, 0, 2 * sizeof(*r->n_taken));
    if (st != ST_OK)
        return st;
    r->n_owners = n;
    r->owners = static_cast<owner_t *>(e->owners.at);
    r->n_taken = static_cast<unsigned *>(e->counters.at);
    r->n_failed = r->n_taken + 1;
    st = CUDA_TRY(cudaMemset(r->owners, 0, static_cast<size_t>(n) * sizeof(*r->owners)));
    return st == ST_OK ? CUDA_TRY(cudaMemset(r->n_taken, 0, 2 * sizeof(*r->n_taken)))
                       : st;
}

/* Have temporary memory for the candidates of a round. */
status_t reserve_temporary(engine_t *e, round_t *r)
{
    const int64_t step = static_cast<int64_t>(r->n_owners) * OWNER_THREADS;
    status_t st;

    r->owner_candidates = (r->n_candidates + step - 1) / step * OWNER_THREADS;
    if ((st = area_grow(&e->temporary, 0,
                        static_cast<size_t>(r->n_owners * r->owner_candidates *
                                            r->n_words) *
                            sizeof(*r->temporary))) != ST_OK ||
        (st = area_grow(&e->candidates, 0,
                        static_cast<size_t>(r->n_candidates) * sizeof(*r->candidates))) !=
            ST_OK)
        return st;
    r->temporary = static_cast<uint64_t *>(e->temporary.at);
    r->candidates = static_cast<uint64_t **>(e->candidates.at);
    return ST_OK;
}

/* Have chunks for new states: a thread block leaves less of one than its threads can
 * need. */
status_t reserve_chunks(engine_t *e, round_t *r, int64_t n_new)
{
    const int64_t needed = n_new / (CHUNK_KEYS - OWNER_THREADS) + r->n_owners;
    const int64_t n = 4 * needed + r->n_states / CHUNK_KEYS;
    area_t *to = &e->segments[e->n_segments];
    status_t st;

    if (needed <= e->n_chunks - e->n_taken)
        return ST_OK;
    if (e->n_segments == MAX_SEGMENTS)
        return log_nomem("states");
    *to = area_t{};
    if ((st = area_grow(to, 0,
                        static_cast<size_t>(n * CHUNK_KEYS * r->n_words) *
                            sizeof(*r->chunks))) != ST_OK)
        return st;
    e->n_segments++;
    e->n_chunks = n;
    e->n_taken = 0;
    r->chunks = static_cast<uint64_t *>(to->at);
    return CUDA_TRY(cudaMemset(r->n_taken, 0, sizeof(*r->n_taken)));
}

/* Move the new states to memory of the thread blocks. */
status_t move_new(engine_t *e, round_t *r, int64_t n_new)
{
    status_t st = reserve_chunks(e, r, n_new);

    if (st != ST_OK)
        return st;
    move_kernel<<<static_cast<unsigned>(r->n_owners), OWNER_THREADS>>>(*r);
    return CUDA_TRY(
        cudaMemcpy(&e->n_taken, r->n_taken, sizeof(e->n_taken), cudaMemcpyDeviceToHost));
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
    if (e->allocator == SUBSET_BLOCKS && (st = reserve_temporary(e, r)) != ST_OK)
        return st;
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
    if (e->allocator == SUBSET_BLOCKS)
        make_kernel<<<static_cast<unsigned>(r->n_owners), OWNER_THREADS>>>(*r);
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

/* Keep the new states. */
status_t keep_new(engine_t *e, round_t *r, int64_t n_new)
{
    unsigned n_failed = 0;
    status_t st = reserve_states(e, r, r->n_states + n_new);

    if (st != ST_OK)
        return st;
    switch (e->allocator) {
    case SUBSET_BLOCKS:
        st = move_new(e, r, n_new);
        break;
    case SUBSET_MALLOC:
        keep_malloc_kernel<<<blocks_for(r->n_candidates), THREADS>>>(*r);
        if ((st = CUDA_TRY(cudaMemcpy(&n_failed, r->n_failed, sizeof(n_failed),
                                      cudaMemcpyDeviceToHost))) == ST_OK &&
            n_failed > 0) {
            log_error("malloc on the device has no memory left for states; give "
                      "--allocator arena");
            st = ST_EDEVICE;
        }
        break;
    default:
        keep_kernel<<<blocks_for(r->n_candidates), THREADS>>>(*r);
    }
    return st == ST_OK ? CUDA_TRY(cudaGetLastError()) : st;
}

/* @return states that a round expands */
int64_t states_of_round(const round_t *r)
{
    const int64_t left = r->n_states - r->first, by_words = ROUND_WORDS / r->n_words;
    const int64_t max =
        (by_words < ROUND_CANDIDATES ? by_words : ROUND_CANDIDATES) / r->n_classes;

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
    if (!*fits || (st = keep_new(e, r, n_new)) != ST_OK)
        return st;
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

/* Put all keys into the array. */
status_t gather(engine_t *e, round_t *r)
{
    const int64_t n = r->n_states * r->n_words;
    status_t st = area_grow(&e->keys, 0, static_cast<size_t>(n) * sizeof(*r->keys));

    if (st != ST_OK)
        return st;
    r->keys = static_cast<uint64_t *>(e->keys.at);
    gather_kernel<<<blocks_for(n), THREADS>>>(*r);
    return CUDA_TRY(cudaGetLastError());
}

/* Free the keys of all states but the first ones. */
void free_keys(engine_t *e, const round_t *r, int64_t n_first)
{
    if (e->allocator == SUBSET_MALLOC && r->n_states > n_first)
        free_kernel<<<blocks_for(r->n_states - n_first), THREADS>>>(*r, n_first);
    drop_segments(e);
}

status_t find(void *state, const subset_t *s, int64_t max_states, const int *cancel,
              subset_states_t *states, bool *fits)
{
    engine_t *e = static_cast<engine_t *>(state);
    round_t r = {};
    status_t st = CUDA_TRY(cudaSetDevice(e->device.index));

    if (st == ST_OK)
        st = put_group(e, s, &r);
    if (st == ST_OK && e->allocator != SUBSET_ARENA)
        st = begin_owners(e, &r);
    if (st == ST_OK)
        st = put_first(e, &r, &states->keys);
    const int64_t n_first = r.n_states;
    *fits = n_first <= max_states;
    while (st == ST_OK && *fits && r.first < r.n_states)
        st = align_cancelled(cancel) ? ST_ESTOPPED : run_round(e, &r, max_states, fits);
    if (st == ST_OK && *fits && r.handles != nullptr)
        st = gather(e, &r);
    if (st == ST_OK && *fits)
        st = fetch(&states->keys, r.keys, r.n_states * r.n_words, sizeof(*r.keys));
    if (st == ST_OK && *fits)
        st = fetch(&states->next, r.next, r.n_states * r.n_classes, sizeof(*r.next));
    free_keys(e, &r, n_first);
    return st;
}

status_t refine(void *state, const int32_t *next, int32_t n_states, int32_t n_classes,
                const int *cancel, int32_t *block, int32_t *n_blocks)
{
    engine_t *e = static_cast<engine_t *>(state);
    const status_t st = CUDA_TRY(cudaSetDevice(e->device.index));

    return st == ST_OK ? refine_cuda(&e->refine, next, n_states, n_classes, cancel, block,
                                     n_blocks)
                       : st;
}

} // namespace

extern "C" const subset_backend_t subset_cuda_backend = {
    /* .base = */ {"cuda", DEVICE_CUDA, 1e4},
    /* .create = */ create,
    /* .find = */ find,
    /* .refine = */ refine,
    /* .destroy = */ destroy,
};
