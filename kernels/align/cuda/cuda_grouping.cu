/*
 * cuda_grouping.cu - groups of pairs, by sorting their keys.
 *
 * One thread per pair, in the order of the sorted keys.  There the pairs of a query stand
 * together, by ascending class and length, and find_queries notes where each query begins
 * and ends.  Every 32nd pair from the beginning of its query starts a group.
 *
 * The groups are then sorted by counting.  A bin is a class and a range of lengths.  Each
 * block counts the groups of CHUNK pairs per bin in shared memory (count_groups), one
 * block turns the totals into the places where bins start (place_bins), and each block
 * takes places in all bins for its groups at once (place_groups).
 */
#include "kernels/align/cuda/cuda_grouping.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace
{

enum { WARP = 32, BLOCK = 256, CHUNK = 8192, LENGTH_BINS = 32 };
enum { N_BINS = CUDA_GROUPING_CLASSES * LENGTH_BINS };

struct grouping_args_t {
    const unsigned long long *keys; /* [n] sorted */
    int n;
    int *query_ends; /* [n_sequences][2] first pair of a query, and one past its last */
    int *bins;       /* [N_BINS] */
    cuda_pair_group_t *groups;
    int *class_start, *next;
};

__device__ int query_of(unsigned long long key)
{
    return static_cast<int>(key >> CUDA_GROUPING_QUERY_SHIFT);
}

/* Two bins per octave of lengths, the longest first. */
__device__ int bin_of(unsigned long long key)
{
    const unsigned low = static_cast<unsigned>(key);
    const int group_class =
        low >> CUDA_GROUPING_LENGTH_BITS & (CUDA_GROUPING_CLASSES - 1);
    const unsigned length = (low & ((1u << CUDA_GROUPING_LENGTH_BITS) - 1)) | 2;
    const int octave = 31 - __clz(static_cast<int>(length));
    const int length_bin = 2 * octave + static_cast<int>(length >> (octave - 1) & 1);

    return group_class * LENGTH_BINS + LENGTH_BINS - 1 - length_bin;
}

__global__ void find_queries(const grouping_args_t a)
{
    const int at = blockIdx.x * BLOCK + threadIdx.x;

    if (at >= a.n || a.keys[at] == CUDA_GROUPING_NO_KEY)
        return;
    const int query = query_of(a.keys[at]);

    if (at == 0 || query_of(a.keys[at - 1]) != query)
        a.query_ends[2 * query] = at;
    if (at == a.n - 1 || a.keys[at + 1] == CUDA_GROUPING_NO_KEY ||
        query_of(a.keys[at + 1]) != query)
        a.query_ends[2 * query + 1] = at + 1;
}

/* @return the group that starts at a pair; its count is 0 if none does */
__device__ cuda_pair_group_t group_at(const grouping_args_t &a, int at)
{
    if (at >= a.n || a.keys[at] == CUDA_GROUPING_NO_KEY)
        return cuda_pair_group_t{at, 0};
    const int query = query_of(a.keys[at]);
    const int first = a.query_ends[2 * query], end = a.query_ends[2 * query + 1];

    return cuda_pair_group_t{at, (at - first) % WARP == 0
                                     ? min(end - at, static_cast<int>(WARP))
                                     : 0};
}

/* Count the groups of each bin that start in this block's chunk. */
__device__ void count_chunk(const grouping_args_t &a, int *counts)
{
    for (int k = threadIdx.x; k < N_BINS; k += BLOCK)
        counts[k] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < CHUNK; k += BLOCK) {
        const cuda_pair_group_t group = group_at(a, blockIdx.x * CHUNK + k);

        if (group.count > 0)
            atomicAdd(&counts[bin_of(a.keys[group.first + group.count - 1])], 1);
    }
    __syncthreads();
}

__global__ void count_groups(const grouping_args_t a)
{
    __shared__ int counts[N_BINS];

    count_chunk(a, counts);
    for (int k = threadIdx.x; k < N_BINS; k += BLOCK)
        if (counts[k] > 0)
            atomicAdd(&a.bins[k], counts[k]);
}

/* Turn the counts of the bins into their starts: one block, one thread per class. */
__global__ void place_bins(const grouping_args_t a)
{
    __shared__ int totals[CUDA_GROUPING_CLASSES];
    const int mine = threadIdx.x;
    int start = 0, sum = 0;

    for (int k = 0; k < LENGTH_BINS; k++)
        sum += a.bins[mine * LENGTH_BINS + k];
    totals[mine] = sum;
    __syncthreads();
    for (int k = 0; k < mine; k++)
        start += totals[k];
    a.class_start[mine] = start;
    a.next[mine] = 0;
    for (int k = 0; k < LENGTH_BINS; k++) {
        const int count = a.bins[mine * LENGTH_BINS + k];

        a.bins[mine * LENGTH_BINS + k] = start;
        start += count;
    }
    if (mine == CUDA_GROUPING_CLASSES - 1)
        a.class_start[CUDA_GROUPING_CLASSES] = start;
}

__global__ void place_groups(const grouping_args_t a)
{
    __shared__ int counts[N_BINS];

    count_chunk(a, counts);
    for (int k = threadIdx.x; k < N_BINS; k += BLOCK)
        if (counts[k] > 0)
            counts[k] = atomicAdd(&a.bins[k], counts[k]);
    __syncthreads();
    for (int k = threadIdx.x; k < CHUNK; k += BLOCK) {
        const cuda_pair_group_t group = group_at(a, blockIdx.x * CHUNK + k);

        if (group.count > 0)
            a.groups[atomicAdd(&counts[bin_of(a.keys[group.first + group.count - 1])],
                               1)] = group;
    }
}

/* @return the bits of a key to sort by: one query more than there are, so that NO_KEY,
 *         whose bits are all ones, sorts last */
int key_bits(int n_sequences)
{
    int bits = 0;

    while (bits < 31 && (1ll << bits) <= n_sequences)
        bits++;
    return bits + CUDA_GROUPING_QUERY_SHIFT;
}

/* Sort the keys and indices; with `sorting` NULL only find out its bytes. */
status_t sort_keys(cuda_grouping_t *g, size_t *bytes, int64_t n, cudaStream_t stream)
{
    const int from = g->keys == g->key_arrays[1];
    cub::DoubleBuffer<unsigned long long> keys(g->key_arrays[from], g->key_arrays[!from]);
    cub::DoubleBuffer<int> values(g->index_arrays[from], g->index_arrays[!from]);
    status_t st =
        CUDA_TRY(cub::DeviceRadixSort::SortPairs(g->sorting, *bytes, keys, values,
                                                 static_cast<int>(n), 0,
                                                 key_bits(g->n_sequences), stream));

    if (st == ST_OK && g->sorting != nullptr) {
        const int sorted = keys.Current() == g->key_arrays[1];

        g->keys = g->key_arrays[!sorted];
        g->indices = g->index_arrays[!sorted];
        g->queue.order = g->index_arrays[sorted];
    }
    return st;
}

/* Reserve the arrays for n pairs. */
status_t reserve_arrays(cuda_grouping_t *g, int64_t n)
{
    cuda_scratch_t s = {};

    for (int k = 0; k < 2; k++) {
        cuda_scratch_add(&s, &g->key_arrays[k], n);
        cuda_scratch_add(&s, &g->index_arrays[k], n);
    }
    cuda_scratch_add(&s, &g->groups, n);
    cuda_scratch_add(&s, &g->query_ends, 2ll * g->n_sequences);
    cuda_scratch_add(&s, &g->bins, N_BINS);
    cuda_scratch_add(&s, &g->queue.next, CUDA_GROUPING_CLASSES);
    cuda_scratch_add(&s, &g->class_start, CUDA_GROUPING_CLASSES + 1);
    cuda_scratch_add(&s, &g->sorting, static_cast<int64_t>(g->sorting_bytes));
    return cuda_scratch_reserve(&s, &g->buffer);
}

} // namespace

int64_t cuda_grouping_piece(int64_t n, int64_t bytes)
{
    constexpr int64_t PAIR_BYTES = 2 * sizeof(unsigned long long) + 2 * sizeof(int) +
                                   sizeof(cuda_pair_group_t) + sizeof(int);
    int64_t piece = n < CUDA_GROUPING_PAIRS_MAX ? n : CUDA_GROUPING_PAIRS_MAX;

    while (piece > 1 && piece * PAIR_BYTES > bytes)
        piece = (piece + 1) / 2;
    return piece;
}

status_t cuda_grouping_reserve(cuda_grouping_t *g, int64_t n, int n_sequences)
{
    status_t st;

    if (n <= g->capacity)
        return ST_OK;
    g->capacity = 0;
    g->n_sequences = n_sequences;
    g->sorting = nullptr;
    if ((st = sort_keys(g, &g->sorting_bytes, n, nullptr)) != ST_OK ||
        (st = reserve_arrays(g, n)) != ST_OK)
        return st;
    g->keys = g->key_arrays[0];
    g->indices = g->index_arrays[0];
    g->queue.groups = g->groups;
    g->queue.class_start = g->class_start;
    g->capacity = n;
    return ST_OK;
}

status_t cuda_grouping_build(cuda_grouping_t *g, int64_t n, cudaStream_t stream)
{
    const unsigned n_blocks = static_cast<unsigned>((n + BLOCK - 1) / BLOCK);
    const unsigned n_chunks = static_cast<unsigned>((n + CHUNK - 1) / CHUNK);
    size_t bytes = g->sorting_bytes;
    status_t st;

    if ((st = sort_keys(g, &bytes, n, stream)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(g->bins, 0, N_BINS * sizeof(int), stream))) !=
            ST_OK)
        return st;
    const int sorted = g->queue.order == g->index_arrays[1];
    const grouping_args_t args = {
        g->key_arrays[sorted], static_cast<int>(n), g->query_ends, g->bins, g->groups,
        g->class_start,        g->queue.next};

    find_queries<<<n_blocks, BLOCK, 0, stream>>>(args);
    count_groups<<<n_chunks, BLOCK, 0, stream>>>(args);
    place_bins<<<1, CUDA_GROUPING_CLASSES, 0, stream>>>(args);
    place_groups<<<n_chunks, BLOCK, 0, stream>>>(args);
    return CUDA_TRY(cudaGetLastError());
}

void cuda_grouping_free(cuda_grouping_t *g)
{
    cuda_buffer_free(&g->buffer);
    *g = cuda_grouping_t{};
}
