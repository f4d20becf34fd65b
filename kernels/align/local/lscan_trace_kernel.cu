/*
 * lscan_trace_kernel.cu - traces one pair per thread: the order of the pairs, memory for
 * bands, and the kernel.
 *
 * There are two launches.  The warps of the first have memory for the bands of most
 * pairs; the places in the order of warps that need more are listed, and traced by the
 * second launch, whose fewer warps have memory for any.
 */
#include "kernels/align/cuda/cuda_cigar.cuh"
#include "kernels/align/cuda/cuda_occupancy.cuh"
#include "kernels/align/cuda/cuda_pair_order.cuh"
#include "kernels/align/local/lscan_trace.cuh"
#include "kernels/align/local/lscan_trace_pair.cuh"

#include <algorithm>
#include <cstdlib>

namespace
{

constexpr int WARP = 32, KEY_BLOCK = 256, WIDTH_STEP = 16, WIDTH_BITS = 12;
constexpr unsigned ALL = 0xffffffffu;
/* The first launch has memory for bands of half the matrix of two sequences of this
 * length. */
constexpr int64_t USUAL_LEN = 1600;

/* Counters of a batch, on the device. */
struct counters_t {
    int n_traced, next, n_large, next_large;
};

/* One per slot of batches. */
struct slot_t {
    cuda_buffer_t arrays, bands;
    counters_t *counters;
};

struct trace_launch_t {
    lscan_launch_t local;
    fraction_t min_overlap;
    unsigned column_ops;
    const unsigned *order; /* pairs to trace, similar ones together */
    counters_t *counters;
    int *large;    /* [n] places in the order where warps begin that need more memory */
    bool is_large; /* the second launch */
    char *bands;   /* [warps][warp_bytes] */
    long long warp_bytes;
    long long *trace_start, *n_runs; /* as in cuda_cigar_t */
    uint32_t *runs;
};

/* @return a pair of the batch; without a path if it has no CIGAR */
__device__ inline lscan_known_t known_of(const trace_launch_t &t, unsigned at)
{
    const lscan_launch_t &p = t.local;
    const pair_t pair = p.pairs[at];
    const bool mirrored = lscan_mirrors<LSCAN_KEYS>(p, pair);
    const unsigned char *query = p.set.letters + p.set.start[pair.query];
    const unsigned char *target = p.set.letters + p.set.start[pair.target];
    const int columns = p.columns[at];

    if (!cuda_cigar_exists(true, t.min_overlap, columns, p.set.len[pair.query],
                           p.set.len[pair.target]))
        return lscan_known_t{};
    return lscan_known_t{mirrored ? target : query,
                         mirrored ? query : target,
                         mirrored ? p.target_end[at] : p.query_end[at],
                         mirrored ? p.query_end[at] : p.target_end[at],
                         columns,
                         columns - p.matches[at]};
}

/* One thread per pair.  A key has its strips of rows, and the width of its band. */
__global__ void __launch_bounds__(KEY_BLOCK)
    key_kernel(const __grid_constant__ trace_launch_t t, long long n,
               pair_order_key_t *keys, unsigned *values)
{
    const long long i = static_cast<long long>(blockIdx.x) * KEY_BLOCK + threadIdx.x;
    bool traced = false;

    if (i < n) {
        const lscan_known_t pair = known_of(t, static_cast<unsigned>(i));
        const int rows = min(pair.end_i, pair.n_columns);
        const int width = lscan_band_width(min(pair.end_j, pair.n_columns), pair.gaps);

        traced = pair.n_columns > 0;
        keys[i] = traced
                      ? static_cast<unsigned>(rows / LSCAN_TRACE_ROWS + 1) << WIDTH_BITS |
                            static_cast<unsigned>(width / WIDTH_STEP)
                      : 0;
        values[i] = static_cast<unsigned>(i);
    }
    const unsigned of_it = __ballot_sync(ALL, traced);

    if (threadIdx.x % WARP == 0 && of_it != 0)
        atomicAdd(&t.counters->n_traced, __popc(of_it));
}

/* @return the band that holds the paths of all lanes; its memory is not yet placed */
__device__ inline lscan_band_t band_of(const lscan_known_t &pair)
{
    const int rows = cuda_warp_max(min(pair.end_i, pair.n_columns));
    lscan_band_t b = {};

    b.n_rows = (rows + LSCAN_TRACE_ROWS - 1) / LSCAN_TRACE_ROWS * LSCAN_TRACE_ROWS;
    b.n_columns = cuda_warp_max(min(pair.end_j, pair.n_columns));
    b.gaps = cuda_warp_max(pair.gaps);
    b.stride = WARP;
    return b;
}

/* @return memory that a warp needs for bands, in bytes */
__host__ __device__ inline long long band_bytes(long long rows, long long columns,
                                                long long width)
{
    return (columns * static_cast<long long>(sizeof(lscan_line_t<lscan_key_t>)) +
            rows / LSCAN_TRACE_ROWS * width * static_cast<long long>(sizeof(uint2))) *
           WARP;
}

/* Trace the pairs from place k of the order on, one per lane. */
__device__ inline void trace_warp(const trace_launch_t &t, const lscan_key_t *table,
                                  int k, int lane)
{
    const bool used = k + lane < t.counters->n_traced;
    const unsigned at = t.order[used ? k + lane : k];
    const lscan_known_t pair = known_of(t, at);
    lscan_band_t b = band_of(pair);

    if (band_bytes(b.n_rows, b.n_columns, lscan_band_width(b.n_columns, b.gaps)) >
        t.warp_bytes) {
        if (lane == 0 && !t.is_large)
            t.large[atomicAdd(&t.counters->n_large, 1)] = k;
        return;
    }
    char *memory = t.bands + blockIdx.x * t.warp_bytes;

    b.line = reinterpret_cast<lscan_line_t<lscan_key_t> *>(memory) + lane;
    b.back =
        reinterpret_cast<uint2 *>(reinterpret_cast<lscan_line_t<lscan_key_t> *>(memory) +
                                  static_cast<long long>(b.n_columns) * WARP) +
        lane;
    lscan_trace_sweep(t.local, table, pair, b);
    if (!used)
        return;
    const pair_t ids = t.local.pairs[at];
    const bool mirrored = lscan_mirrors<LSCAN_KEYS>(t.local, ids);
    const int m = t.local.set.len[mirrored ? ids.target : ids.query];
    const int n = t.local.set.len[mirrored ? ids.query : ids.target];

    t.n_runs[at] =
        lscan_follow(t.local, pair, b, m, n, cuda_path_ops(t.column_ops, mirrored),
                     t.runs + t.trace_start[at]);
}

__global__ void __launch_bounds__(WARP, 12)
    trace_kernel(const __grid_constant__ trace_launch_t t)
{
    __shared__ lscan_table_t<LSCAN_KEYS> table;
    const int lane = threadIdx.x;
    const int n = t.is_large ? t.counters->n_large : t.counters->n_traced;
    const int step = t.is_large ? 1 : WARP;

    lscan_fill_table<LSCAN_KEYS>(t.local, &table, lane, WARP);
    __syncwarp();
    for (;;) {
        int k = lane == 0
                    ? atomicAdd(t.is_large ? &t.counters->next_large : &t.counters->next,
                                step)
                    : 0;

        k = __shfl_sync(ALL, k, 0);
        if (k >= n)
            return;
        trace_warp(t, table.at, t.is_large ? t.large[k] : k, lane);
        __syncwarp();
    }
}

} // namespace

struct lscan_trace_t {
    fraction_t min_overlap;
    unsigned column_ops;
    int *rank; /* [n_sequences] on the device */
    int n_blocks[2];
    long long warp_bytes[2]; /* of both launches */
    slot_t slots[CUDA_SLOTS];
};

namespace
{

/* Size the grids of both launches and the memory of their warps. */
status_t size_grids(lscan_trace_t *t, const align_context_t *context,
                    const cuda_batch_t *batch, int64_t max_len)
{
    const int64_t usual = std::min(max_len, USUAL_LEN) + LSCAN_TRACE_ROWS;
    const int64_t rows = std::min(max_len, LSCAN_ROWS_MAX) + LSCAN_TRACE_ROWS;
    int n_blocks;
    status_t st = cuda_occupancy_blocks(trace_kernel, WARP, context->device, &n_blocks);

    t->warp_bytes[0] = band_bytes(usual, usual, usual / 2 + LSCAN_TRACE_ROWS);
    t->warp_bytes[1] = std::max(band_bytes(rows, max_len, max_len), t->warp_bytes[0]);
    for (int k = 0; k < 2; k++)
        t->n_blocks[k] = cuda_batch_limit_blocks(batch, n_blocks, t->warp_bytes[k], 2);
    return st;
}

/* Enqueue a launch. */
status_t run_launch(const lscan_trace_t *t, trace_launch_t *launch, bool is_large,
                    cudaStream_t stream)
{
    launch->is_large = is_large;
    launch->warp_bytes = t->warp_bytes[is_large];
    trace_kernel<<<t->n_blocks[is_large], WARP, 0, stream>>>(*launch);
    return CUDA_TRY(cudaGetLastError());
}

void fill_launch(const lscan_trace_t *t, const cuda_work_t *work, const slot_t *slot,
                 trace_launch_t *launch)
{
    launch->min_overlap = t->min_overlap;
    launch->column_ops = t->column_ops;
    launch->counters = slot->counters;
    launch->bands = static_cast<char *>(slot->bands.at);
    launch->trace_start = work->cigar->trace_start;
    launch->n_runs = work->cigar->n_runs;
    launch->runs = work->cigar->runs;
}

} // namespace

status_t lscan_trace_create(const align_context_t *context, const cuda_batch_t *batch,
                            int64_t max_len, lscan_trace_t **out)
{
    lscan_trace_t *t = static_cast<lscan_trace_t *>(calloc(1, sizeof(*t)));
    status_t st;

    if (t == nullptr)
        return log_nomem("the traceback of local alignments");
    t->min_overlap = context->spec->min_overlap;
    t->column_ops = cuda_cigar_column_ops(context->spec);
    if ((st = cuda_rank_create(context->set, &t->rank)) == ST_OK)
        st = size_grids(t, context, batch, max_len);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(cudaMalloc(&t->slots[k].counters, sizeof(counters_t)));
    if (st != ST_OK) {
        lscan_trace_destroy(t);
        return st;
    }
    *out = t;
    return ST_OK;
}

const int *lscan_trace_rank(const lscan_trace_t *t)
{
    return t->rank;
}

status_t lscan_trace_run(lscan_trace_t *t, const cuda_work_t *work,
                         const lscan_launch_t &local)
{
    const unsigned n_blocks =
        static_cast<unsigned>((work->n + KEY_BLOCK - 1) / KEY_BLOCK);
    slot_t *slot = &t->slots[work->slot];
    const size_t bytes = static_cast<size_t>(
        std::max(t->n_blocks[0] * t->warp_bytes[0], t->n_blocks[1] * t->warp_bytes[1]));
    trace_launch_t launch = {};
    pair_order_t plan;
    cuda_scratch_t arrays = {};
    status_t st;

    cuda_scratch_add(&arrays, &launch.large, work->n);
    pair_order_add(&arrays, &plan, work->n);
    if ((st = cuda_scratch_reserve(&arrays, &slot->arrays)) != ST_OK ||
        (st = cuda_buffer_reserve(&slot->bands, bytes)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(slot->counters, 0, sizeof(counters_t),
                                       work->stream))) != ST_OK)
        return st;
    launch.local = local;
    fill_launch(t, work, slot, &launch);
    key_kernel<<<n_blocks, KEY_BLOCK, 0, work->stream>>>(launch, work->n, plan.keys[0],
                                                         plan.values[0]);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = pair_order_sort(plan, work->n, work->stream, &launch.order)) != ST_OK ||
        (st = run_launch(t, &launch, false, work->stream)) != ST_OK)
        return st;
    return run_launch(t, &launch, true, work->stream);
}

void lscan_trace_destroy(lscan_trace_t *t)
{
    if (t == nullptr)
        return;
    for (slot_t &s : t->slots) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.bands);
        cudaFree(s.counters);
    }
    cudaFree(t->rank);
    free(t);
}
