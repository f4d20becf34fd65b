/*
 * cuda_group.cu - units of pairs by sorting keys.
 *
 * Keys are sorted, so that a query's pairs are together, ascending in class and length.
 * A thread a place in that order tells where queries begin and end; every 32nd place from
 * its query's beginning starts a unit.  Units are sorted by counting: a bin is a class
 * and a length.  A block counts the units of CHUNK places in shared memory, then takes
 * room for them in each bin at once.
 */
#include "kernels/align/cuda/cuda_group.cuh"

#include <cub/device/device_radix_sort.cuh>

namespace
{

enum { WARP = 32, BLOCK = 256, CHUNK = 8192, LENGTH_BINS = 32 };
enum { N_BINS = CUDA_GROUP_CLASSES * LENGTH_BINS };
enum { ROOM_ALIGN = 256 };

struct units_t {
    const unsigned long long *keys; /* [n] sorted */
    int n;
    int *query_ends; /* [sequences][2] a query's first place and that behind its last */
    int *bins;       /* [N_BINS] */
    cuda_pair_group_t *units;
    int *class_start, *next;
};

__device__ int query_of(unsigned long long key)
{
    return static_cast<int>(key >> CUDA_GROUP_QUERY_SHIFT);
}

/* Two bins an octave of lengths, the longest first. */
__device__ int bin_of(unsigned long long key)
{
    const unsigned low = static_cast<unsigned>(key);
    const int group_class = low >> CUDA_GROUP_LENGTH_BITS & (CUDA_GROUP_CLASSES - 1);
    const unsigned length = (low & ((1u << CUDA_GROUP_LENGTH_BITS) - 1)) | 2;
    const int octave = 31 - __clz(static_cast<int>(length));
    const int length_bin = 2 * octave + static_cast<int>(length >> (octave - 1) & 1);

    return group_class * LENGTH_BINS + LENGTH_BINS - 1 - length_bin;
}

__global__ void find_queries(const units_t u)
{
    const int at = blockIdx.x * BLOCK + threadIdx.x;

    if (at >= u.n || u.keys[at] == CUDA_GROUP_NO_KEY)
        return;
    const int query = query_of(u.keys[at]);

    if (at == 0 || query_of(u.keys[at - 1]) != query)
        u.query_ends[2 * query] = at;
    if (at == u.n - 1 || u.keys[at + 1] == CUDA_GROUP_NO_KEY ||
        query_of(u.keys[at + 1]) != query)
        u.query_ends[2 * query + 1] = at + 1;
}

/* @return the unit that starts at a place; none has a count of 0 */
__device__ cuda_pair_group_t unit_at(const units_t &u, int at)
{
    if (at >= u.n || u.keys[at] == CUDA_GROUP_NO_KEY)
        return cuda_pair_group_t{at, 0};
    const int query = query_of(u.keys[at]);
    const int first = u.query_ends[2 * query], end = u.query_ends[2 * query + 1];

    return cuda_pair_group_t{at, (at - first) % WARP == 0
                                     ? min(end - at, static_cast<int>(WARP))
                                     : 0};
}

/* Leave in `counts` how many units of each bin start in this block's places. */
__device__ void count_chunk(const units_t &u, int *counts)
{
    for (int k = threadIdx.x; k < N_BINS; k += BLOCK)
        counts[k] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < CHUNK; k += BLOCK) {
        const cuda_pair_group_t unit = unit_at(u, blockIdx.x * CHUNK + k);

        if (unit.count > 0)
            atomicAdd(&counts[bin_of(u.keys[unit.first + unit.count - 1])], 1);
    }
    __syncthreads();
}

__global__ void count_units(const units_t u)
{
    __shared__ int counts[N_BINS];

    count_chunk(u, counts);
    for (int k = threadIdx.x; k < N_BINS; k += BLOCK)
        if (counts[k] > 0)
            atomicAdd(&u.bins[k], counts[k]);
}

/* One block: from counts to where bins start. A thread has the bins of a class. */
__global__ void place_bins(const units_t u)
{
    __shared__ int totals[CUDA_GROUP_CLASSES];
    const int mine = threadIdx.x;
    int start = 0, sum = 0;

    for (int k = 0; k < LENGTH_BINS; k++)
        sum += u.bins[mine * LENGTH_BINS + k];
    totals[mine] = sum;
    __syncthreads();
    for (int k = 0; k < mine; k++)
        start += totals[k];
    u.class_start[mine] = start;
    u.next[mine] = 0;
    for (int k = 0; k < LENGTH_BINS; k++) {
        const int count = u.bins[mine * LENGTH_BINS + k];

        u.bins[mine * LENGTH_BINS + k] = start;
        start += count;
    }
    if (mine == CUDA_GROUP_CLASSES - 1)
        u.class_start[CUDA_GROUP_CLASSES] = start;
}

__global__ void put_units(const units_t u)
{
    __shared__ int counts[N_BINS];

    count_chunk(u, counts);
    for (int k = threadIdx.x; k < N_BINS; k += BLOCK)
        if (counts[k] > 0)
            counts[k] = atomicAdd(&u.bins[k], counts[k]);
    __syncthreads();
    for (int k = threadIdx.x; k < CHUNK; k += BLOCK) {
        const cuda_pair_group_t unit = unit_at(u, blockIdx.x * CHUNK + k);

        if (unit.count > 0)
            u.units[atomicAdd(&counts[bin_of(u.keys[unit.first + unit.count - 1])], 1)] =
                unit;
    }
}

/* The bits of a key, where queries' are one more than needed: NO_KEY's are all ones. */
int key_bits(int n_sequences)
{
    int bits = 0;

    while (bits < 31 && (1ll << bits) <= n_sequences)
        bits++;
    return bits + CUDA_GROUP_QUERY_SHIFT;
}

status_t sort_keys(cuda_group_t *g, size_t *bytes, int64_t n, cudaStream_t stream)
{
    const int from = g->keys == g->key_rooms[1];
    cub::DoubleBuffer<unsigned long long> keys(g->key_rooms[from], g->key_rooms[!from]);
    cub::DoubleBuffer<int> values(g->index_rooms[from], g->index_rooms[!from]);
    status_t st =
        CUDA_TRY(cub::DeviceRadixSort::SortPairs(g->sorting, *bytes, keys, values,
                                                 static_cast<int>(n), 0,
                                                 key_bits(g->n_sequences), stream));

    if (st == ST_OK && g->sorting != nullptr) {
        const int sorted = keys.Current() == g->key_rooms[1];

        g->keys = g->key_rooms[!sorted];
        g->indices = g->index_rooms[!sorted];
        g->order = g->index_rooms[sorted];
    }
    return st;
}

/* @return where memory of some bytes begins, behind what is laid out already */
template <typename T> void lay_out(char *room, size_t *used, int64_t n, T **out)
{
    const size_t bytes = static_cast<size_t>(n) * sizeof(T);

    *out = room == nullptr ? nullptr : reinterpret_cast<T *>(room + *used);
    *used += (bytes + ROOM_ALIGN - 1) / ROOM_ALIGN * ROOM_ALIGN;
}

size_t lay_out_all(cuda_group_t *g, char *room, int64_t n)
{
    size_t used = 0;

    for (int k = 0; k < 2; k++) {
        lay_out(room, &used, n, &g->key_rooms[k]);
        lay_out(room, &used, n, &g->index_rooms[k]);
    }
    lay_out(room, &used, n, &g->unit_room);
    lay_out(room, &used, 2ll * g->n_sequences, &g->query_ends);
    lay_out(room, &used, N_BINS + 2 * CUDA_GROUP_CLASSES + 1, &g->bins);
    lay_out(room, &used, static_cast<int64_t>(g->sorting_bytes),
            reinterpret_cast<char **>(&g->sorting));
    return used;
}

} // namespace

size_t cuda_group_pair_bytes()
{
    return 2 * sizeof(unsigned long long) + 2 * sizeof(int) + sizeof(cuda_pair_group_t) +
           sizeof(int);
}

int64_t cuda_group_part(int64_t n, int64_t bytes)
{
    const int64_t pair_bytes = static_cast<int64_t>(cuda_group_pair_bytes());
    int64_t part = n < CUDA_GROUP_PAIRS_MAX ? n : CUDA_GROUP_PAIRS_MAX;

    while (part > 1 && part * pair_bytes > bytes)
        part = (part + 1) / 2;
    return part;
}

status_t cuda_group_reserve(cuda_group_t *g, int64_t n, int n_sequences)
{
    status_t st;

    if (n <= g->capacity)
        return ST_OK;
    g->capacity = 0;
    g->n_sequences = n_sequences;
    g->sorting = nullptr;
    if ((st = sort_keys(g, &g->sorting_bytes, n, nullptr)) != ST_OK)
        return st;
    g->sorting_bytes++; /* never none, so that there is an address */
    if ((st = cuda_buffer_reserve(&g->room, lay_out_all(g, nullptr, n))) != ST_OK)
        return st;
    lay_out_all(g, static_cast<char *>(g->room.at), n);
    g->keys = g->key_rooms[0];
    g->indices = g->index_rooms[0];
    g->units = g->unit_room;
    g->next = g->bins + N_BINS;
    g->class_start = g->next + CUDA_GROUP_CLASSES;
    g->capacity = n;
    return ST_OK;
}

status_t cuda_group_form(cuda_group_t *g, int64_t n, cudaStream_t stream)
{
    const unsigned n_blocks = static_cast<unsigned>((n + BLOCK - 1) / BLOCK);
    const unsigned n_chunks = static_cast<unsigned>((n + CHUNK - 1) / CHUNK);
    size_t bytes = g->sorting_bytes;
    status_t st;

    if ((st = sort_keys(g, &bytes, n, stream)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(g->bins, 0, N_BINS * sizeof(int), stream))) !=
            ST_OK)
        return st;
    const units_t u = {g->order == g->index_rooms[0] ? g->key_rooms[0] : g->key_rooms[1],
                       static_cast<int>(n),
                       g->query_ends,
                       g->bins,
                       g->unit_room,
                       const_cast<int *>(g->class_start),
                       g->next};

    find_queries<<<n_blocks, BLOCK, 0, stream>>>(u);
    count_units<<<n_chunks, BLOCK, 0, stream>>>(u);
    place_bins<<<1, CUDA_GROUP_CLASSES, 0, stream>>>(u);
    put_units<<<n_chunks, BLOCK, 0, stream>>>(u);
    return CUDA_TRY(cudaGetLastError());
}

void cuda_group_free(cuda_group_t *g)
{
    cuda_buffer_free(&g->room);
    *g = cuda_group_t{};
}
