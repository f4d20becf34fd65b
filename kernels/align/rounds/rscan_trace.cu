/*
 * rscan_trace.cu - traces a batch: the order of its pairs, and memory for directions.
 *
 * There are two launches.  The warps of the first have memory for a band of a quarter of
 * the largest matrix, which is enough for nearly all pairs.  Pairs that need more are
 * listed, and traced by the second launch, whose fewer warps have memory for all of it.
 */
#include "kernels/align/rounds/rscan_trace.cuh"

#include "kernels/align/affine/affine_layout.cuh"
#include "kernels/align/cuda/cuda_cigar.cuh"
#include "kernels/align/rscan/rscan_plan.cuh"

#include <cstdlib>

namespace
{

constexpr int TAG_BITS = 2, KEY_BITS = 62;
/* The bands of most pairs take at most the largest matrix divided by this. */
constexpr int64_t USUAL_DIVISOR = 4;

/* Counters of a batch, on the device. */
struct counters_t {
    int next, next_large, n_large;
};

struct slot_t {
    cuda_buffer_t arrays, lines, blocks;
    counters_t *counters;
};

} // namespace

bool rscan_trace_holds(const align_spec_t *spec, int64_t len)
{
    cell_layout_t layout;
    affine_layout_t affine;

    if (align_is_affine(spec))
        return affine_layout(AFFINE_TABLE_KEY, spec, len, &affine);
    return rscan_holds(RSCAN_SETS64, spec, len) &&
           rscan_layout(RSCAN_SETS64, spec, static_cast<int>(len), &layout) >= len &&
           rscan_layout_bits(layout, len) + TAG_BITS <= KEY_BITS;
}

struct rscan_trace_t {
    fraction_t min_overlap;
    unsigned column_ops;
    bool affine; /* gaps are affine, or ends are priced */
    affine_layout_t affine_layout;
    cell_layout_t layout;
    rscan_steps_t steps;
    int *rank;                         /* [n_sequences] on the device */
    int n_blocks, n_large_blocks;      /* of the two launches */
    int64_t usual_len, max_blocks_len; /* of the directions, in the two launches */
    int64_t line_len;
    slot_t slots[CUDA_SLOTS];
};

namespace
{

/* @return the greatest length up to max_len that can be traced */
int limit_len(const align_spec_t *spec, int max_len)
{
    int low = 1, high = max_len; /* low can be traced, high cannot */

    if (rscan_trace_holds(spec, max_len))
        return max_len;
    while (high - low > 1) {
        const int len = low + (high - low) / 2;

        if (rscan_trace_holds(spec, len))
            low = len;
        else
            high = len;
    }
    return low;
}

/* @return bytes of the directions of a block of threads
 * @param len  columns of RSCAN_TRACE_ROWS rows, per thread */
int64_t block_bytes(const rscan_trace_t *t, int64_t len)
{
    return len * RSCAN_TRACE_BLOCK *
           static_cast<int64_t>(t->affine ? sizeof(uint2) : sizeof(unsigned));
}

status_t size_grids(rscan_trace_t *t, const device_t *device, const cuda_batch_t *batch,
                    int64_t max_len)
{
    const int64_t n_row_blocks = max_len / RSCAN_TRACE_ROWS + 1;
    int n_blocks = 0;
    const status_t st = t->affine ? affine_trace_blocks(device, &n_blocks)
                                  : rscan_trace_blocks(device, &n_blocks);

    t->line_len = max_len + RSCAN_LINE_SLACK;
    t->max_blocks_len = n_row_blocks * (max_len + RSCAN_LINE_SLACK);
    t->usual_len = t->max_blocks_len / USUAL_DIVISOR;
    t->n_blocks =
        cuda_batch_limit_blocks(batch, n_blocks, block_bytes(t, t->usual_len), 2);
    t->n_large_blocks =
        cuda_batch_limit_blocks(batch, n_blocks, block_bytes(t, t->max_blocks_len), 2);
    return st;
}

status_t reserve(const rscan_trace_t *t, slot_t *s, const cuda_scratch_t *arrays)
{
    const int64_t blocks =
        t->n_blocks > t->n_large_blocks ? t->n_blocks : t->n_large_blocks;
    const int64_t usual = block_bytes(t, t->usual_len) * t->n_blocks;
    const int64_t large = block_bytes(t, t->max_blocks_len) * t->n_large_blocks;
    const int64_t lines = blocks * t->line_len * RSCAN_TRACE_BLOCK *
                          static_cast<int64_t>(t->affine ? affine_line_bytes(RSCAN_SETS64)
                                                         : sizeof(unsigned long long));
    status_t st;

    if ((st = cuda_scratch_reserve(arrays, &s->arrays)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->lines, static_cast<size_t>(lines))) != ST_OK)
        return st;
    return cuda_buffer_reserve(&s->blocks,
                               static_cast<size_t>(usual > large ? usual : large));
}

status_t launch_one(const rscan_trace_t *t, const rscan_trace_launch_t &launch,
                    int n_blocks, cudaStream_t stream)
{
    return t->affine ? affine_trace_run(launch, t->affine_layout, n_blocks, stream)
                     : rscan_trace_kernel_run(launch, n_blocks, stream);
}

/* Enqueue: order the pairs, and trace them in two launches. */
status_t launch_all(const rscan_trace_t *t, const slot_t *s, const pair_order_t &plan,
                    rscan_trace_launch_t launch, cudaStream_t stream)
{
    int *const large = launch.large;
    status_t st = rscan_trace_keys(launch, plan.keys[0], plan.values[0], stream);

    if (st != ST_OK ||
        (st = pair_order_sort(plan, launch.n, stream, &launch.order)) != ST_OK)
        return st;
    launch.next = &s->counters->next;
    launch.n_large = &s->counters->n_large;
    launch.blocks_len = t->usual_len;
    if ((st = launch_one(t, launch, t->n_blocks, stream)) != ST_OK)
        return st;
    launch.next = &s->counters->next_large;
    launch.list = large;
    launch.n_list = &s->counters->n_large;
    launch.large = launch.n_large = nullptr;
    launch.blocks_len = t->max_blocks_len;
    return launch_one(t, launch, t->n_large_blocks, stream);
}

} // namespace

status_t rscan_trace_create(const align_context_t *context, const cuda_batch_t *batch,
                            int max_len, rscan_trace_t **out)
{
    const align_spec_t *spec = context->spec;
    rscan_trace_t *t = static_cast<rscan_trace_t *>(calloc(1, sizeof(*t)));
    status_t st;

    if (t == nullptr)
        return log_nomem("CIGARs");
    t->min_overlap = spec->min_overlap;
    t->column_ops = cuda_cigar_column_ops(spec);
    max_len = limit_len(spec, max_len);
    t->affine = align_is_affine(spec);
    if (t->affine) {
        affine_layout(AFFINE_TABLE_KEY, spec, max_len, &t->affine_layout);
        t->steps =
            spec->ends == ENDS_COUNT ? RSCAN_STEPS_OF_COLUMNS : RSCAN_STEPS_OF_MATCHES;
    } else {
        rscan_layout(RSCAN_SETS64, spec, max_len, &t->layout);
    }
    if ((st = cuda_rank_create(context->set, &t->rank)) == ST_OK)
        st = size_grids(t, context->device, batch, max_len);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(cudaMalloc(&t->slots[k].counters, sizeof(counters_t)));
    if (st != ST_OK) {
        rscan_trace_destroy(t);
        return st;
    }
    *out = t;
    return ST_OK;
}

status_t rscan_trace_run(rscan_trace_t *t, const cuda_work_t *work,
                         const rscan_launch_t &scan)
{
    slot_t *s = &t->slots[work->slot];
    rscan_trace_launch_t launch = {};
    pair_order_t plan;
    cuda_scratch_t arrays = {};
    status_t st;

    cuda_scratch_add(&arrays, &launch.large, work->n);
    pair_order_add(&arrays, &plan, work->n);
    if ((st = reserve(t, s, &arrays)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(s->counters, 0, sizeof(*s->counters),
                                       work->stream))) != ST_OK)
        return st;
    launch.scan = scan;
    launch.scan.layout = t->affine ? affine_cell_layout(t->affine_layout) : t->layout;
    if (!t->affine)
        launch.scan.tie = tie_code_of(&t->layout, t->line_len);
    launch.scan.variant.identity = true;
    launch.steps = t->steps;
    launch.scan.lines = s->lines.at;
    launch.scan.line_len = t->line_len;
    launch.rank = t->rank;
    launch.n = static_cast<int>(work->n);
    launch.blocks = s->blocks.at;
    launch.min_overlap = t->min_overlap;
    launch.column_ops = t->column_ops;
    launch.trace_start = work->cigar->trace_start;
    launch.n_runs = work->cigar->n_runs;
    launch.runs = work->cigar->runs;
    return launch_all(t, s, plan, launch, work->stream);
}

void rscan_trace_destroy(rscan_trace_t *t)
{
    if (t == nullptr)
        return;
    for (slot_t &s : t->slots) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.lines);
        cuda_buffer_free(&s.blocks);
        cudaFree(s.counters);
    }
    cudaFree(t->rank);
    free(t);
}
