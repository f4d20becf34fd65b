/*
 * pscan_cuda.cu - the backend pscan: local scores of proteins (pscan_layout.cuh).
 *
 * A second launch computes the pairs whose scores may have left 16 bits.
 */
#include "kernels/align/cuda/cuda_aligner.cuh"
#include "kernels/align/local/lscan_order.cuh"
#include "kernels/align/local/pscan_layout.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/cuda/cuda_aligners.h"
}

#include <algorithm>

namespace
{

constexpr align_support_t SUPPORTS = {
    /* .alphabets = */ ALIGN_BIT(ALPHABET_PROTEIN),
    /* .gaps = */ ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
    /* .ends = */ ALIGN_BIT(ENDS_LOCAL),
    /* .scorings = */ ALIGN_BIT(SCORING_MATRIX),
    /* .emits = */ ALIGN_BIT(EMIT_SCORE)};

constexpr int64_t LEN_MAX = 1 << 20;

/* Counters of a batch, on the device. */
struct counters_t {
    int n_of_kind[LSCAN_KINDS];
    int next[2], n_doubtful; /* of the kernel, and of WIDE */
};

/* One per slot of batches. */
struct scratch_t {
    cuda_buffer_t arrays;
    cuda_buffer_t letters; /* of the batch's sequences, in windows */
    pscan_line_t *lines;
    counters_t *counters;
};

struct pscan_t {
    const align_scoring_t *scoring;
    cuda_batch_t *batch;
    pscan_launch_t launch; /* what all batches share */
    signed char *scores;   /* these two: on the device */
    int *place;
    int n_blocks;
    scratch_t scratch[CUDA_SLOTS];
};

/* @return the score of a column by the bytes of cuda_set_t; 0 is a pad */
int score_of(const align_scoring_t *s, int a, int b)
{
    const int size = alphabet_size(s->alphabet);

    return a == 0 || b == 0 || a >= size || b >= size ? 0 : s->score[a][b];
}

/* Choose the rows of a lane: as many as leave room for the blocks of a multiprocessor, or
 * for one. */
status_t size_blocks(pscan_t *x, const device_t *device)
{
    status_t st = ST_OK;

    for (int wanted = PSCAN_BLOCKS; wanted > 0 && x->n_blocks == 0; wanted--)
        for (int rows = PSCAN_ROWS_MAX; rows >= PSCAN_ROWS_MIN; rows -= PSCAN_QUAD) {
            int n = 0;

            if ((st = pscan_blocks(x->launch.classes.n, rows, device, &n)) != ST_OK)
                return st;
            if (n < wanted * device->n_cores)
                continue;
            x->n_blocks = n;
            x->launch.max_rows = rows;
            break;
        }
    if (x->n_blocks > 0)
        return ST_OK;
    log_error("this GPU has too little shared memory for the kernel pscan; give --kernel "
              "lscan");
    return ST_EDEVICE;
}

status_t create_scores(pscan_t *x, const align_scoring_t *s)
{
    signed char scores[LSCAN_TABLE];
    int best = 0;

    for (int k = 0; k < LSCAN_TABLE; k++) {
        const int score = score_of(s, k / ALPHABET_SIZE, k % ALPHABET_SIZE);

        scores[k] = static_cast<signed char>(score);
        best = std::max(best, score);
    }
    x->launch.limit = INT16_MAX - best;
    pscan_classes(scores, alphabet_size(s->alphabet), &x->launch.classes);
    return cuda_put_new(&x->scores, scores, LSCAN_TABLE);
}

/* Allocate the lines between passes, if there are long queries. */
status_t create_lines(pscan_t *x, int64_t longest)
{
    const int64_t one_pass = static_cast<int64_t>(PSCAN_WARP) * x->launch.max_rows;
    status_t st = ST_OK;

    if (longest <= one_pass)
        return ST_OK;
    x->launch.line_len = longest;
    const int64_t bytes =
        longest * static_cast<int64_t>(sizeof(pscan_line_t)) * PSCAN_WARPS;

    x->n_blocks = cuda_batch_limit_blocks(x->batch, x->n_blocks, bytes, 4);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(
            cudaMalloc(&x->scratch[k].lines, static_cast<size_t>(bytes * x->n_blocks)));
    return st;
}

void destroy(pscan_t *x)
{
    if (x == nullptr)
        return;
    for (scratch_t &s : x->scratch) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.letters);
        cudaFree(s.lines);
        cudaFree(s.counters);
    }
    cudaFree(x->scores);
    cudaFree(x->place);
    free(x);
}

status_t create(const align_context_t *context, cuda_batch_t *batch, pscan_t **out)
{
    const align_scoring_t *s = &context->spec->scoring;
    pscan_t *x = static_cast<pscan_t *>(calloc(1, sizeof(*x)));
    status_t st;

    if (x == nullptr)
        return log_nomem("the pscan kernel");
    x->scoring = s;
    x->batch = batch;
    if ((st = create_scores(x, s)) == ST_OK &&
        (st = size_blocks(x, context->device)) == ST_OK &&
        (st = create_lines(x, seqset_max_len(context->set))) == ST_OK)
        st = lscan_place_create(context->set, &x->place);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(cudaMalloc(&x->scratch[k].counters, sizeof(counters_t)));
    if (st != ST_OK) {
        destroy(x);
        return st;
    }
    x->launch.set = *cuda_batch_set(batch);
    x->launch.query_letters = x->launch.set.letters;
    x->launch.place = x->place;
    x->launch.scores = x->scores;
    *out = x;
    return ST_OK;
}

/* Enqueue: order the pairs of a batch, twins and those with the same rows together. */
status_t order_batch(const pscan_t *x, const cuda_work_t *work, const pair_order_t &plan,
                     counters_t *counters, const unsigned **order)
{
    lscan_order_args_t args = {};

    args.set = x->launch.set;
    args.pairs = work->pairs;
    args.place = x->place;
    args.max_score = INT64_MAX; /* all are of one kind */
    args.max_column = 1;
    args.max_len32 = -1;
    args.has_profile = true;
    return lscan_order(args, work->n, plan, counters->n_of_kind, work->stream, order);
}

/* Sequences first .. end-1 of a set. */
struct range_t {
    int64_t first, end;
};

void widen(range_t *range, int64_t sequence)
{
    range->first = std::min(range->first, sequence);
    range->end = std::max(range->end, sequence + 1);
}

/* Copy the sequences of a batch, where the device does not have all. */
status_t put_letters(const pscan_t *x, const cuda_work_t *work, scratch_t *scratch,
                     pscan_launch_t *launch)
{
    cuda_letters_t *letters = cuda_batch_letters(x->batch);
    range_t queries = {INT64_MAX, 0}, targets = {INT64_MAX, 0};
    status_t st;

    if (letters == nullptr)
        return ST_OK;
    for (int64_t k = 0; k < work->n; k++) {
        widen(&queries, work->batch->pairs[k].query);
        widen(&targets, work->batch->pairs[k].target);
    }
    const size_t of_queries = cuda_letters_bytes(letters, queries.first, queries.end),
                 of_targets = cuda_letters_bytes(letters, targets.first, targets.end);

    if ((st = cuda_buffer_reserve(&scratch->letters, of_queries + of_targets)) != ST_OK ||
        (st = cuda_letters_put(letters, queries.first, queries.end, scratch->letters.at,
                               work->stream, &launch->query_letters)) != ST_OK)
        return st;
    return cuda_letters_put(letters, targets.first, targets.end,
                            static_cast<char *>(scratch->letters.at) + of_queries,
                            work->stream, &launch->set.letters);
}

unsigned in_both_halves(int value)
{
    return (static_cast<unsigned>(value) & 0xffff) * 0x10001u;
}

status_t run(pscan_t *x, const cuda_work_t *work)
{
    const align_scoring_t *s = x->scoring;
    scratch_t *scratch = &x->scratch[work->slot];
    counters_t *counters = scratch->counters;
    pscan_launch_t launch = x->launch;
    pair_order_t plan;
    cuda_scratch_t arrays = {};
    status_t st;

    pair_order_add(&arrays, &plan, work->n);
    cuda_scratch_add(&arrays, &launch.doubtful, work->n);
    if ((st = cuda_scratch_reserve(&arrays, &scratch->arrays)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(counters, 0, sizeof(*counters), work->stream))) !=
            ST_OK ||
        (st = order_batch(x, work, plan, counters, &launch.order)) != ST_OK)
        return st;
    if ((st = put_letters(x, work, scratch, &launch)) != ST_OK)
        return st;
    launch.pairs = work->pairs;
    launch.score = work->score;
    launch.lines = scratch->lines;
    launch.max_n = static_cast<int>(work->n);
    launch.next = &counters->next[0];
    launch.n_doubtful = &counters->n_doubtful;
    launch.open = in_both_halves(s->gap_open);
    launch.extend = in_both_halves(s->gap);
    if ((st = pscan_run(false, launch, x->n_blocks, work->stream)) != ST_OK)
        return st;
    launch.order = launch.doubtful;
    launch.n = &counters->n_doubtful;
    launch.next = &counters->next[1];
    launch.open = static_cast<unsigned>(s->gap_open);
    launch.extend = static_cast<unsigned>(s->gap);
    return pscan_run(true, launch, x->n_blocks, work->stream);
}

bool fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_scoring_t *s = &context->spec->scoring;
    const align_range_t range = align_scoring_range(s);
    const int64_t gap = -static_cast<int64_t>(s->gap_open) - s->gap;

    return std::max(m, n) <= LEN_MAX && range.min >= INT8_MIN && range.max <= INT8_MAX &&
           gap <= INT16_MAX;
}

using functions_t = cuda_aligner_t<pscan_t, create, run, destroy>;

} // namespace

extern "C" const aligner_backend_t pscan_backend = {
    /* .base = */ {/* .name = */ "pscan", /* .kind = */ DEVICE_CUDA, /* .rate = */ 5e12},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */ SUPPORTS,
    /* .fits = */ fits,
    /* .create = */ functions_t::create,
    /* .submit = */ functions_t::submit,
    /* .wait = */ functions_t::wait,
    /* .destroy = */ functions_t::destroy,
    /* .family = */ nullptr,
};
