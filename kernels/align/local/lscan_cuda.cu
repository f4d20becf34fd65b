/*
 * lscan_cuda.cu - the backend lscan: orders the pairs of a batch (lscan_order.cuh) and
 * runs the kernel of each kind.
 *
 * What is kept to trace pairs takes most of the memory.  The batches in flight share it:
 * one is aligned after the other.
 */
#include "kernels/align/cuda/cuda_aligner.cuh"
#include "kernels/align/local/lscan_order.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/cuda/cuda_aligners.h"
}

#include <algorithm>

namespace
{

constexpr align_support_t SUPPORTS = {
    /* .alphabets = */ ALIGN_BIT(ALPHABET_DNA) | ALIGN_BIT(ALPHABET_PROTEIN),
    /* .gaps = */ ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
    /* .ends = */ ALIGN_BIT(ENDS_LOCAL),
    /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
    /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
        ALIGN_BIT(EMIT_CIGAR)};

/* Counters of a list of pairs: of each kind the pairs, and those taken so far. */
struct counters_t {
    int n_of_kind[LSCAN_KINDS], next[LSCAN_KERNELS];
};

/* Of a batch, and of those pairs of TRACED32 that KEYS takes after it. */
enum { BATCH, DOUBTFUL, N_LISTS };

/* One per slot of batches. */
struct scratch_t {
    cuda_buffer_t arrays, lines;
    counters_t *counters; /* [N_LISTS] on the device */
};

struct lscan_t {
    const align_spec_t *spec;
    cuda_batch_t *batch;
    lscan_layout_t layout;
    lscan_steps_t *steps;        /* on the device */
    int *place;                  /* lscan_place_create; NULL: there are no twins */
    int *rank;                   /* of lscan_cigars_t, on the device */
    cudaEvent_t aligned;         /* pairs are traced: the last batch, so lines are free */
    int n_blocks[LSCAN_KERNELS]; /* 0: there are no such pairs */
    long long line_len[LSCAN_KERNELS]; /* of lscan_launch_t */
    int square[LSCAN_KERNELS];         /* likewise */
    size_t line_bytes;                 /* of all lines of a slot, or of all slots */
    scratch_t scratch[CUDA_SLOTS];
};

/* @return whether pairs may be of a kernel's kind */
bool has_kind(const lscan_t *l, int kernel)
{
    switch (lscan_plan_kind(kernel)) {
    case LSCAN_KEYS:
        return true;
    case LSCAN_KEYS32:
        return l->layout.max_len32 > 0;
    case LSCAN_TRACED32:
        return l->layout.traced.score_weight > 0;
    case LSCAN_PROFILE:
        return !align_has_identity(l->spec);
    default:
        return !align_has_identity(l->spec) && l->spec->scoring.alphabet == ALPHABET_DNA;
    }
}

/* @return the maximum letters of a sequence that is taken */
int64_t max_letters(const align_context_t *context)
{
    int64_t taken = 0, refused = seqset_max_len(context->set) + 1;

    if (refused > LSCAN_LEN_MAX + 1)
        refused = LSCAN_LEN_MAX + 1;
    while (refused - taken > 1) {
        const int64_t len = taken + (refused - taken) / 2;

        if (lscan_holds(context->spec, len, 1))
            taken = len;
        else
            refused = len;
    }
    return taken;
}

/* Copy the tables of the layout to the device. */
status_t create_layout(lscan_t *l, int64_t max_len)
{
    lscan_steps_t steps;

    lscan_layout(l->spec, max_len, &l->layout, &steps);
    return cuda_put_new(&l->steps, &steps, 1);
}

bool has_cigars(const lscan_t *l)
{
    return l->spec->emit == EMIT_CIGAR;
}

/* @return whether a kernel traces its pairs */
bool traces(const lscan_t *l, int kernel)
{
    return has_cigars(l) || lscan_plan_kind(kernel) == LSCAN_TRACED32;
}

/* @return whether any kernel does */
bool traces_any(const lscan_t *l)
{
    return has_cigars(l) || has_kind(l, LSCAN_TRACED32);
}

/* @return entries of a thread of a kernel. @param max_len  letters of a sequence */
long long line_len_of(const lscan_t *l, int kernel, int64_t max_len, int square)
{
    if (lscan_plan_kind(kernel) == LSCAN_KEYS32)
        max_len = std::min(max_len, l->layout.max_len32);
    return traces(l, kernel) ? lscan_max_kept_entries(kernel, max_len, square)
                             : lscan_line_len(max_len + LSCAN_QUAD);
}

/* Choose the lines of a kernel and how many of `most` blocks there is memory for: with
 * squares of the smallest size that leaves two thirds of them, else of the one that
 * leaves most.  Slots that share their lines have as much for them as the scratch of both
 * but a quarter. */
void size_grid(lscan_t *l, int kernel, int most, int64_t max_len)
{
    int *n_blocks = &l->n_blocks[kernel];

    for (int square = LSCAN_SQUARE_MIN; square <= LSCAN_SQUARE_MAX; square *= 2) {
        const long long len = line_len_of(l, kernel, max_len, square);
        const int64_t bytes =
            len * LSCAN_BLOCK * static_cast<int64_t>(lscan_line_bytes(kernel));
        const int n = traces(l, kernel)
                          ? cuda_batch_limit_blocks(l->batch, most, bytes * 2 / 3, 1)
                          : cuda_batch_limit_blocks(l->batch, most, bytes, 4);

        if (n <= *n_blocks)
            continue;
        *n_blocks = n;
        l->line_len[kernel] = len;
        l->square[kernel] = square;
        if (n >= most * 2 / 3)
            break;
    }
    l->line_bytes = std::max(l->line_bytes, static_cast<size_t>(*n_blocks) *
                                                static_cast<size_t>(l->line_len[kernel]) *
                                                LSCAN_BLOCK * lscan_line_bytes(kernel));
}

/* Choose the blocks of the kernels' grids. */
status_t size_grids(lscan_t *l, const device_t *device, int64_t max_len)
{
    lscan_launch_t launch = {};
    status_t st = ST_OK;

    lscan_launch_set(l->spec, l->layout, &launch);
    for (int kind = 0; st == ST_OK && kind < LSCAN_KERNELS; kind++) {
        int n_blocks = 0;

        if (has_kind(l, kind) &&
            (st = lscan_blocks(kind, traces(l, kind), launch.n_letters, device,
                               &n_blocks)) == ST_OK &&
            n_blocks > 0)
            size_grid(l, kind, n_blocks, max_len);
    }
    return st;
}

void destroy(lscan_t *l)
{
    if (l == nullptr)
        return;
    for (scratch_t &s : l->scratch) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.lines);
        cudaFree(s.counters);
    }
    if (l->aligned != nullptr)
        cudaEventDestroy(l->aligned);
    cudaFree(l->rank);
    cudaFree(l->steps);
    cudaFree(l->place);
    free(l);
}

status_t create(const align_context_t *context, cuda_batch_t *batch, lscan_t **out)
{
    lscan_t *l = static_cast<lscan_t *>(calloc(1, sizeof(*l)));
    const int64_t max_len = max_letters(context);
    status_t st;

    if (l == nullptr)
        return log_nomem("the lscan kernel");
    l->spec = context->spec;
    l->batch = batch;
    if ((st = create_layout(l, max_len)) == ST_OK)
        st = size_grids(l, context->device, max_len);
    if (st == ST_OK && l->n_blocks[LSCAN_TWIN_PROFILE] > 0)
        st = lscan_place_create(context->set, &l->place);
    if (st == ST_OK && has_cigars(l))
        st = cuda_rank_create(context->set, &l->rank);
    if (st == ST_OK)
        st = CUDA_TRY(cudaEventCreateWithFlags(&l->aligned, cudaEventDisableTiming));
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(cudaMalloc(&l->scratch[k].counters, N_LISTS * sizeof(counters_t)));
    if (st != ST_OK) {
        destroy(l);
        return st;
    }
    *out = l;
    return ST_OK;
}

/* Enqueue: order the pairs of a batch. */
status_t order_batch(const lscan_t *l, const cuda_work_t *work, const scratch_t *scratch,
                     const pair_order_t &plan, const unsigned **order)
{
    const lscan_order_args_t args = {*cuda_batch_set(l->batch),
                                     work->pairs,
                                     l->place,
                                     l->layout.max_score,
                                     l->layout.max_column,
                                     l->layout.max_len32,
                                     l->n_blocks[LSCAN_BASES] > 0,
                                     l->n_blocks[LSCAN_PROFILE] > 0,
                                     l->n_blocks[LSCAN_TRACED32] > 0};

    return lscan_order(args, work->n, plan, scratch->counters->n_of_kind, work->stream,
                       order);
}

void fill_cigars(const lscan_t *l, const cuda_cigar_t *cigar, lscan_cigars_t *out)
{
    out->rank = l->rank;
    out->min_overlap = l->spec->min_overlap;
    out->column_ops = cuda_cigar_column_ops(l->spec);
    out->trace_start = cigar->trace_start;
    out->n_runs = cigar->n_runs;
    out->runs = cigar->runs;
}

void fill_launch(const lscan_t *l, const cuda_work_t *work, const scratch_t *scratch,
                 lscan_launch_t *launch)
{
    lscan_launch_set(l->spec, l->layout, launch);
    launch->set = *cuda_batch_set(l->batch);
    launch->pairs = work->pairs;
    launch->scores = l->steps->scores;
    launch->keys.steps = l->steps->keys;
    launch->keys32.steps = l->steps->keys32;
    launch->keys_traced.steps = l->steps->traced;
    launch->score = work->score;
    launch->matches = work->matches;
    launch->columns = work->columns;
    if (has_cigars(l))
        fill_cigars(l, work->cigar, &launch->cigars);
    launch->cigars.n_doubtful = &scratch->counters[DOUBTFUL].n_of_kind[LSCAN_KEYS];
}

/* Enqueue a kernel, if there may be pairs of its kind. @param counters  of its list */
status_t run_kernel(const lscan_t *l, int kernel, counters_t *counters,
                    lscan_launch_t launch, cudaStream_t stream)
{
    launch.n_of_kind = counters->n_of_kind;
    launch.next = counters->next;
    launch.line_len = l->line_len[kernel];
    launch.square = l->square[kernel];
    return l->n_blocks[kernel] > 0
               ? lscan_run(kernel, launch, l->n_blocks[kernel], stream)
               : ST_OK;
}

status_t run(lscan_t *l, const cuda_work_t *work)
{
    scratch_t *scratch = &l->scratch[work->slot];
    lscan_launch_t launch = {};
    cuda_buffer_t *lines = &l->scratch[traces_any(l) ? 0 : work->slot].lines;
    pair_order_t plan;
    cuda_scratch_t arrays = {};
    status_t st;

    pair_order_add(&arrays, &plan, work->n);
    cuda_scratch_add(&arrays, &launch.cigars.doubtful,
                     l->n_blocks[LSCAN_TRACED32] > 0 ? work->n : 0);
    if ((st = cuda_scratch_reserve(&arrays, &scratch->arrays)) != ST_OK ||
        (st = cuda_buffer_reserve(lines, l->line_bytes)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(scratch->counters, 0, N_LISTS * sizeof(counters_t),
                                       work->stream))) != ST_OK)
        return st;
    fill_launch(l, work, scratch, &launch);
    launch.lines = lines->at;
    if ((st = order_batch(l, work, scratch, plan, &launch.order)) == ST_OK &&
        traces_any(l))
        st = CUDA_TRY(cudaStreamWaitEvent(work->stream, l->aligned, 0));
    for (int kernel = LSCAN_KERNELS - 1; st == ST_OK && kernel >= 0; kernel--)
        st = run_kernel(l, kernel, &scratch->counters[BATCH], launch, work->stream);
    if (st == ST_OK && l->n_blocks[LSCAN_TRACED32] > 0) {
        launch.order = launch.cigars.doubtful;
        st =
            run_kernel(l, LSCAN_KEYS, &scratch->counters[DOUBTFUL], launch, work->stream);
    }
    return st == ST_OK ? CUDA_TRY(cudaEventRecord(l->aligned, work->stream)) : st;
}

bool fits(const align_context_t *context, int64_t m, int64_t n)
{
    return lscan_holds(context->spec, m, n);
}

using functions_t = cuda_aligner_t<lscan_t, create, run, destroy>;

} // namespace

extern "C" const aligner_backend_t lscan_backend = {
    /* .base = */ {/* .name = */ "lscan", /* .kind = */ DEVICE_CUDA, /* .rate = */ 3e12},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */ SUPPORTS,
    /* .fits = */ fits,
    /* .create = */ functions_t::create,
    /* .submit = */ functions_t::submit,
    /* .wait = */ functions_t::wait,
    /* .destroy = */ functions_t::destroy,
    /* .family = */ nullptr,
};
