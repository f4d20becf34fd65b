/*
 * scan_filter_kernel.cu - lists where patterns may start or leave a loop.
 *
 * A block takes chunks, a thread 16 places of each.  Few places pass the bit map, so that
 * they are queued for all threads of the block, which look for their keys' points.
 */
#include "kernels/automata/cuda/scan_cuda.cuh"

namespace
{

constexpr int THREADS = 256, PLACES = SCAN_CHUNK / THREADS, QUEUE = SCAN_CHUNK;
constexpr int BREAK_WORDS = 256 / 32;

static_assert(PLACES == 16, "a thread loads 16 bytes at once");

/* As start_filter_hash and start_filter_pair. */
__device__ uint32_t hash_of(uint32_t key, uint32_t mask)
{
    return (key ^ mask >> 7) * 0x9e3779b1;
}

__device__ uint32_t pair_of(uint32_t word)
{
    return (word << 4 ^ (word >> 8 & 0xff)) % START_FILTER_PAIRS;
}

__device__ const start_slot_t *find_slot(const scan_device_t &t, uint32_t word,
                                         uint32_t mask)
{
    const uint32_t key = word & mask, last = (1u << t.log2_slots) - 1;

    for (uint32_t s = hash_of(key, mask) >> (32 - t.log2_slots); t.slots[s].mask != 0;
         s = (s + 1) & last)
        if (t.slots[s].key == key && t.slots[s].mask == mask)
            return &t.slots[s];
    return nullptr;
}

/* A text that ends before the last of these bytes is of a point that takes any bytes
 * behind it, whatever they are. */
__device__ bool passes(const start_point_t &point, const uint8_t *bytes)
{
    for (int d = 0; d < START_POINT_DEPTH; d++)
        if (!scan_set_has(point.sets[d], bytes[d]))
            return false;
    return true;
}

/* @return whether a record begins at a place */
__device__ bool is_begin(const scan_batch_t &b, const scan_span_t &span, uint32_t at)
{
    return at == span.begin ? span.begins : b.has_lines && b.bytes[at - 1] == '\n';
}

/* List the points of a key at a place. */
__device__ void list_points(const scan_batch_t &b, const scan_span_t &span, uint32_t at,
                            uint32_t mask)
{
    const uint32_t word = b.bytes[at] | b.bytes[at + 1] << 8 | b.bytes[at + 2] << 16 |
                          static_cast<uint32_t>(b.bytes[at + 3]) << 24;
    const start_slot_t *slot = find_slot(b.tables, word, mask);

    for (int32_t k = 0; slot != nullptr && k < slot->n; k++) {
        const int32_t point = b.tables.listed[slot->first + k];
        const start_point_t &p = b.tables.points[point];

        if (passes(p, b.bytes + at) &&
            (p.loop != START_POINT_BEGIN || is_begin(b, span, at)))
            scan_push(b, p.loop >= 0 ? SCAN_EXITS : SCAN_STARTS, at,
                      static_cast<uint32_t>(point));
    }
}

struct block_t {
    uint16_t pairs[START_FILTER_PAIRS];
    uint32_t breaks[BREAK_WORDS], present[BREAK_WORDS];
    uint16_t queue[QUEUE]; /* place in the chunk, number of the mask */
    int n_queued;
};

__device__ void queue_masks(const scan_batch_t &b, const scan_span_t &span, block_t &s,
                            uint32_t chunk_begin, uint32_t place, uint32_t word)
{
    const scan_device_t &t = b.tables;

    for (uint32_t left = s.pairs[pair_of(word)] | 1u; left != 0; left &= left - 1) {
        const int m = __ffs(static_cast<int>(left)) - 1;
        const uint32_t h = hash_of(word & t.masks[m], t.masks[m]) >> (32 - t.log2_bits);

        if ((__ldg(&t.bits[h / 32]) >> h % 32 & 1) == 0)
            continue;
        const int k = atomicAdd(&s.n_queued, 1);

        if (k < QUEUE)
            s.queue[k] = static_cast<uint16_t>(place << 4 | static_cast<uint32_t>(m));
        else
            list_points(b, span, chunk_begin + place, t.masks[m]);
    }
}

__device__ void filter_chunk(const scan_batch_t &b, block_t &s, uint32_t chunk)
{
    const scan_span_t span = b.spans[b.span_of[chunk]];
    const uint32_t begin = chunk * SCAN_CHUNK, place = threadIdx.x * PLACES;
    const uint4 v = *reinterpret_cast<const uint4 *>(b.bytes + begin + place);
    const uint32_t w[] = {v.x, v.y, v.z, v.w,
                          *reinterpret_cast<const uint32_t *>(b.bytes + begin + place +
                                                              PLACES)};

#pragma unroll
    for (int k = 0; k < PLACES; k++) {
        const uint32_t word = __funnelshift_r(w[k / 4], w[k / 4 + 1], k % 4 * 8);
        const uint32_t byte = word & 0xff;

        if (begin + place + k >= span.end)
            break;
        queue_masks(b, span, s, begin, place + k, word);
        if ((s.breaks[byte / 32] >> byte % 32 & 1) != 0)
            atomicOr(&s.present[byte / 32], 1u << byte % 32);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < s.n_queued && k < QUEUE; k += THREADS)
        list_points(b, span, begin + (s.queue[k] >> 4), b.tables.masks[s.queue[k] & 15]);
}

__global__ void __launch_bounds__(THREADS)
    filter_kernel(const scan_batch_t b, uint32_t first, uint32_t end)
{
    __shared__ block_t s;

    for (int k = threadIdx.x; k < START_FILTER_PAIRS; k += THREADS)
        s.pairs[k] = b.tables.pairs[k];
    if (threadIdx.x < BREAK_WORDS)
        s.breaks[threadIdx.x] = b.tables.breaks[threadIdx.x];
    for (uint32_t chunk = first + blockIdx.x; chunk < end; chunk += gridDim.x) {
        if (threadIdx.x < BREAK_WORDS)
            s.present[threadIdx.x] = 0;
        if (threadIdx.x == 0)
            s.n_queued = 0;
        __syncthreads();
        filter_chunk(b, s, chunk);
        if (threadIdx.x < BREAK_WORDS)
            b.present[chunk * BREAK_WORDS + threadIdx.x] = s.present[threadIdx.x];
        __syncthreads();
    }
}

} // namespace

status_t scan_filter_launch(const scan_batch_t &b, uint32_t first, uint32_t end,
                            cudaStream_t stream)
{
    const uint32_t n = end - first;
    int device = 0, n_cores = 0, per_core = 0;
    status_t st = CUDA_TRY(cudaGetDevice(&device));

    if (st == ST_OK)
        st = CUDA_TRY(
            cudaDeviceGetAttribute(&n_cores, cudaDevAttrMultiProcessorCount, device));
    if (st == ST_OK)
        st = CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_core,
                                                                    filter_kernel,
                                                                    THREADS, 0));
    if (st != ST_OK || n == 0)
        return st;
    const uint32_t max = static_cast<uint32_t>(n_cores * per_core);
    const uint32_t blocks = n < max ? n : max;

    filter_kernel<<<blocks, THREADS, 0, stream>>>(b, first, end);
    return CUDA_TRY(cudaGetLastError());
}
