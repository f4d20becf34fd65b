/*
 * rscan_trace.cu - traces a batch: the order of its pairs, and memory for directions.
 *
 * There are two launches.  The warps of the first have memory for a band of a quarter to
 * half of the largest matrix, which is enough for nearly all pairs.  Pairs that need more
 * are listed, and traced by the second launch, whose fewer warps have memory for all of
 * it.  With affine gaps both are first made in keys of 32 bits, and then, for the pairs
 * that these leave in doubt, in keys of 64.
 *
 * Directions take most of the memory.  The batches in flight share it: one is traced
 * after the other.
 */
#include "kernels/align/rounds/rscan_trace.cuh"

#include "kernels/align/affine/affine_layout.cuh"
#include "kernels/align/cuda/cuda_cigar.cuh"
#include "kernels/align/rscan/rscan_plan.cuh"

#include <algorithm>
#include <cstdlib>

namespace
{

constexpr int TAG_BITS = 2, KEY_BITS = 62;
/* The first launch has memory for a band of at most, and at least, this fraction of the
 * largest matrix. */
constexpr int64_t MAX_DIVISOR = 2, MIN_DIVISOR = 4;

/* What pairs are traced in; KEYS_32 is for affine gaps only. */
enum keys_t { KEYS_32, KEYS_64, N_KEYS };

/* Counters of two launches, and of a batch, on the device. */
struct pass_counters_t {
    int next, next_large, n_large;
};

struct counters_t {
    pass_counters_t of[N_KEYS];
    int n_doubtful;
};

struct slot_t {
    cuda_buffer_t arrays, lines;
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
    affine_layout_t affine_layout[N_KEYS];
    int max_len32; /* bases of a sequence in KEYS_32; 0: there are no such keys */
    cell_layout_t layout;
    rscan_steps_t steps;
    int *rank;                                    /* [n_sequences] on the device */
    int n_blocks[N_KEYS], n_large_blocks[N_KEYS]; /* of the two launches */
    int64_t usual_len, max_blocks_len; /* of the directions, in the two launches */
    int64_t line_len;
    cuda_buffer_t blocks;
    cudaEvent_t traced; /* the last batch, so that `blocks` is free */
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

/* @return the kind of affine keys */
int kind_of(keys_t keys)
{
    return keys == KEYS_32 ? RSCAN_KEY : AFFINE_TABLE_KEY;
}

/* Choose the layouts of affine keys; those of 32 bits hold all but the longest sequences.
 */
void choose_affine_layouts(rscan_trace_t *t, const align_context_t *context, int max_len)
{
    const int len = rscan_usual_len(context->set, max_len);

    affine_layout(AFFINE_TABLE_KEY, context->spec, max_len, &t->affine_layout[KEYS_64]);
    if (affine_layout(RSCAN_KEY, context->spec, len, &t->affine_layout[KEYS_32]))
        t->max_len32 = len;
}

/* @return bytes of the directions of a block of threads
 * @param len  columns of RSCAN_TRACE_ROWS rows, per thread */
int64_t block_bytes(const rscan_trace_t *t, int64_t len)
{
    return len * RSCAN_TRACE_BLOCK *
           static_cast<int64_t>(t->affine ? sizeof(uint2) : sizeof(unsigned));
}

/* @return as many of a launch's blocks as have memory for their directions */
int limit_blocks(const rscan_trace_t *t, const cuda_batch_t *batch, int n_blocks,
                 int64_t len)
{
    return n_blocks == 0
               ? 0
               : cuda_batch_limit_blocks(batch, n_blocks, block_bytes(t, len), 1);
}

/* Choose the grids of all launches.  The slots share the memory of directions, which may
 * be as large as the scratch of one. */
status_t size_grids(rscan_trace_t *t, const device_t *device, const cuda_batch_t *batch,
                    int64_t max_len)
{
    const int64_t n_row_blocks = max_len / RSCAN_TRACE_ROWS + 1;
    int n_blocks[N_KEYS] = {};
    status_t st = t->affine
                      ? affine_trace_blocks(AFFINE_TABLE_KEY, device, &n_blocks[KEYS_64])
                      : rscan_trace_blocks(device, &n_blocks[KEYS_64]);

    if (st == ST_OK && t->max_len32 > 0)
        st = affine_trace_blocks(RSCAN_KEY, device, &n_blocks[KEYS_32]);
    if (st != ST_OK)
        return st;
    const int64_t most = std::max(n_blocks[KEYS_32], n_blocks[KEYS_64]);

    t->line_len = max_len + RSCAN_LINE_SLACK;
    t->max_blocks_len = n_row_blocks * (max_len + RSCAN_LINE_SLACK);
    t->usual_len =
        std::clamp(cuda_batch_scratch_bytes(batch) / (most * block_bytes(t, 1)),
                   t->max_blocks_len / MIN_DIVISOR, t->max_blocks_len / MAX_DIVISOR);
    for (int k = 0; k < N_KEYS; k++) {
        t->n_blocks[k] = limit_blocks(t, batch, n_blocks[k], t->usual_len);
        t->n_large_blocks[k] = limit_blocks(t, batch, n_blocks[k], t->max_blocks_len);
    }
    return ST_OK;
}

status_t reserve(rscan_trace_t *t, slot_t *s, const cuda_scratch_t *arrays)
{
    const int64_t n_usual = std::max(t->n_blocks[KEYS_32], t->n_blocks[KEYS_64]);
    const int64_t n_large =
        std::max(t->n_large_blocks[KEYS_32], t->n_large_blocks[KEYS_64]);
    const int64_t blocks = std::max(block_bytes(t, t->usual_len) * n_usual,
                                    block_bytes(t, t->max_blocks_len) * n_large);
    const int64_t lines = std::max(n_usual, n_large) * t->line_len * RSCAN_TRACE_BLOCK *
                          static_cast<int64_t>(t->affine ? affine_line_bytes(RSCAN_SETS64)
                                                         : sizeof(unsigned long long));
    status_t st;

    if ((st = cuda_scratch_reserve(arrays, &s->arrays)) != ST_OK ||
        (st = cuda_buffer_reserve(&s->lines, static_cast<size_t>(lines))) != ST_OK)
        return st;
    return cuda_buffer_reserve(&t->blocks, static_cast<size_t>(blocks));
}

status_t launch_one(const rscan_trace_t *t, keys_t keys,
                    const rscan_trace_launch_t &launch, int n_blocks, cudaStream_t stream)
{
    return t->affine ? affine_trace_run(kind_of(keys), launch, t->affine_layout[keys],
                                        n_blocks, stream)
                     : rscan_trace_kernel_run(launch, n_blocks, stream);
}

/* Enqueue both launches of the pairs of the order, in one kind of keys. */
status_t launch_keys(const rscan_trace_t *t, const slot_t *s, keys_t keys,
                     rscan_trace_launch_t launch, cudaStream_t stream)
{
    pass_counters_t *n = &s->counters->of[keys];
    status_t st;

    launch.next = &n->next;
    launch.n_large = &n->n_large;
    launch.blocks_len = t->usual_len;
    if ((st = launch_one(t, keys, launch, t->n_blocks[keys], stream)) != ST_OK)
        return st;
    launch.next = &n->next_large;
    launch.list = launch.large;
    launch.n_list = &n->n_large;
    launch.blocks_len = t->max_blocks_len;
    return launch_one(t, keys, launch, t->n_large_blocks[keys], stream);
}

/* Enqueue: order the pairs, and trace them in all launches. */
status_t launch_all(const rscan_trace_t *t, const slot_t *s, const pair_order_t &plan,
                    rscan_trace_launch_t launch, cudaStream_t stream)
{
    status_t st = rscan_trace_keys(launch, plan.keys[0], plan.values[0], stream);

    if (st != ST_OK ||
        (st = pair_order_sort(plan, launch.n, stream, &launch.order)) != ST_OK)
        return st;
    if (t->max_len32 > 0) {
        if ((st = launch_keys(t, s, KEYS_32, launch, stream)) != ST_OK)
            return st;
        launch.order = launch.scan.doubtful.pairs;
        launch.n_order = &s->counters->n_doubtful;
    }
    return launch_keys(t, s, KEYS_64, launch, stream);
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
        choose_affine_layouts(t, context, max_len);
        t->steps =
            spec->ends == ENDS_COUNT ? RSCAN_STEPS_OF_COLUMNS : RSCAN_STEPS_OF_MATCHES;
    } else {
        rscan_layout(RSCAN_SETS64, spec, max_len, &t->layout);
    }
    if ((st = cuda_rank_create(context->set, &t->rank)) == ST_OK)
        st = size_grids(t, context->device, batch, max_len);
    if (st == ST_OK)
        st = CUDA_TRY(cudaEventCreateWithFlags(&t->traced, cudaEventDisableTiming));
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

    launch.scan = scan;
    cuda_scratch_add(&arrays, &launch.large, work->n);
    if (t->max_len32 > 0)
        cuda_scratch_add(&arrays, &launch.scan.doubtful.pairs, work->n);
    pair_order_add(&arrays, &plan, work->n);
    if ((st = reserve(t, s, &arrays)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(s->counters, 0, sizeof(*s->counters),
                                       work->stream))) != ST_OK)
        return st;
    launch.scan.doubtful.n = &s->counters->n_doubtful;
    launch.max_len = t->max_len32;
    launch.band_w = t->affine ? scan.band_w : nullptr;
    launch.scan.layout =
        t->affine ? affine_cell_layout(t->affine_layout[KEYS_64]) : t->layout;
    if (!t->affine)
        launch.scan.tie = tie_code_of(&t->layout, t->line_len);
    launch.scan.variant.identity = true;
    launch.steps = t->steps;
    launch.scan.lines = s->lines.at;
    launch.scan.line_len = t->line_len;
    launch.rank = t->rank;
    launch.n = static_cast<int>(work->n);
    launch.blocks = t->blocks.at;
    launch.min_overlap = t->min_overlap;
    launch.column_ops = t->column_ops;
    launch.trace_start = work->cigar->trace_start;
    launch.n_runs = work->cigar->n_runs;
    launch.runs = work->cigar->runs;
    if ((st = CUDA_TRY(cudaStreamWaitEvent(work->stream, t->traced, 0))) != ST_OK ||
        (st = launch_all(t, s, plan, launch, work->stream)) != ST_OK)
        return st;
    return CUDA_TRY(cudaEventRecord(t->traced, work->stream));
}

void rscan_trace_destroy(rscan_trace_t *t)
{
    if (t == nullptr)
        return;
    for (slot_t &s : t->slots) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.lines);
        cudaFree(s.counters);
    }
    cuda_buffer_free(&t->blocks);
    if (t->traced != nullptr)
        cudaEventDestroy(t->traced);
    cudaFree(t->rank);
    free(t);
}
