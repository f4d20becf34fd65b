/*
 * sscan_batch.cu - the backend sscan: orders the pairs of a batch by size, and runs the
 * kernels.
 *
 * key_kernel: one thread per pair.  From its highest bits a key holds the kind, whether
 * the whole matrix is swept, the rows, the width of the band, and the columns.  So the
 * 1,024 pairs of a block differ little in any of these.
 */
#include "kernels/align/sliced/sscan_batch.cuh"

#include "kernels/align/cuda/cuda_aligner.cuh"
#include "kernels/align/cuda/cuda_pair_order.cuh"
#include "kernels/align/sliced/sscan_layout.cuh"

extern "C" {
#include "kernels/align/cuda/cuda_aligners.h"
}

#include <algorithm>

namespace
{

constexpr int KEY_BLOCK = 256, KIND_BITS = 2, WHOLE_BITS = 1, ROW_BITS = 10,
              BAND_BITS = 12, BAND_STEP = 8, COLUMN_BITS = 15;
static_assert(SSCAN_KINDS < 1 << KIND_BITS, "a field holds all kinds");
static_assert(SSCAN_LEN_MAX / SSCAN_ROWS < 1 << ROW_BITS, "a field holds all rows");
static_assert(SSCAN_LEN_MAX / BAND_STEP < 1 << BAND_BITS, "a field holds all bands");
static_assert(SSCAN_LEN_MAX < 1 << COLUMN_BITS, "a field holds all columns");
static_assert(KIND_BITS + WHOLE_BITS + ROW_BITS + BAND_BITS + COLUMN_BITS <=
                  PAIR_ORDER_BITS,
              "keys are sorted by all of their bits");

/* How the band of a pair is chosen. */
enum round_t { ROUND_WHOLE, ROUND_FIRST, ROUND_PROVED, ROUNDS };

/* Counters of a round, on the device: of each kind the pairs, and those taken so far. */
struct counters_t {
    int n_of_kind[SSCAN_KINDS], next[SSCAN_KINDS];
};

/* Arrays of a batch of n pairs. */
struct slot_arrays_t {
    short *band_w; /* [n] */
    pair_order_t plan;
};

/* One per slot of batches. */
struct scratch_t {
    cuda_buffer_t arrays, lines;
    counters_t *counters; /* [ROUNDS] */
};

} // namespace

struct sscan_t {
    cuda_batch_t *batch;
    sscan_score_t score_of;
    bool codes_match;
    bool has_bands;
    score_band_t band;
    int n_blocks[SSCAN_KINDS];
    int line_len;      /* columns */
    size_t line_bytes; /* of all lines of a slot */
    scratch_t scratch[CUDA_SLOTS];
};

namespace
{

/* What the kind and the band of a pair follow from. */
struct plan_args_t {
    cuda_set_t set;
    const pair_t *pairs;
    round_t round;
    score_band_t band;
    const int *score; /* ROUND_PROVED: in the first band */
    short *band_w;    /* in: of the round before; out: of this one */
};

/* @return w of a pair's band; < 0: none */
__device__ inline int width_of(const plan_args_t &a, long long i, int q, int t)
{
    switch (a.round) {
    case ROUND_FIRST:
        return score_band_first(&a.band, q, t, 1);
    case ROUND_PROVED:
        return score_band_proved(&a.band, q, t, a.score[i]);
    default:
        return BAND_WIDTH_NONE;
    }
}

/* @return whether the band of the round before was that of the whole matrix, or as wide
 */
__device__ inline bool is_done(const plan_args_t &a, long long i, int w)
{
    return a.round == ROUND_PROVED && (a.band_w[i] < 0 || (w >= 0 && w <= a.band_w[i]));
}

/* @param q, t  letters of the pair @param w  of its band; < 0: none */
__device__ inline pair_order_key_t key_of(int kind, int q, int t, int w)
{
    const int rows = min(q, t), columns = max(q, t);
    pair_order_key_t key = static_cast<pair_order_key_t>(SSCAN_KINDS - kind);

    key = key << WHOLE_BITS | (w < 0 ? 1 : 0);
    key = key << ROW_BITS | static_cast<unsigned>(rows / SSCAN_ROWS);
    key = key << BAND_BITS | static_cast<unsigned>(max(w, 0) / BAND_STEP);
    return key << COLUMN_BITS | static_cast<unsigned>(columns);
}

__global__ void __launch_bounds__(KEY_BLOCK)
    key_kernel(plan_args_t a, long long n, int *n_of_kind, pair_order_key_t *keys,
               unsigned *values)
{
    const long long i = static_cast<long long>(blockIdx.x) * KEY_BLOCK + threadIdx.x;
    int kind = SSCAN_KINDS;

    if (i < n) {
        const pair_t pair = a.pairs[i];
        const int q = a.set.len[pair.query], t = a.set.len[pair.target];
        const int w = width_of(a, i, q, t);

        keys[i] = 0; /* sorts behind all others */
        values[i] = static_cast<unsigned>(i);
        if (!is_done(a, i, w)) {
            kind = a.set.has_ambiguity[pair.query] != 0 ||
                           a.set.has_ambiguity[pair.target] != 0
                       ? SSCAN_KIND_CODES
                       : SSCAN_KIND_PLAIN;
            keys[i] = key_of(kind, q, t, w);
        }
        a.band_w[i] = static_cast<short>(w);
    }
    pair_order_count<SSCAN_KINDS>(n_of_kind, kind);
}

/* Choose the blocks of the kernels' grids. */
status_t size_grids(sscan_t *s, const device_t *device, int divisor)
{
    const size_t bytes = sscan_block_bytes(s->line_len);
    status_t st = ST_OK;

    for (int kind = 0; st == ST_OK && kind < SSCAN_KINDS; kind++) {
        int *n_blocks = &s->n_blocks[kind];

        if ((st = sscan_blocks(kind, device, n_blocks)) != ST_OK)
            break;
        *n_blocks = cuda_batch_limit_blocks(s->batch, *n_blocks,
                                            static_cast<int64_t>(bytes), divisor);
        s->line_bytes = std::max(s->line_bytes, bytes * static_cast<size_t>(*n_blocks));
    }
    return st;
}

/* Enqueue a round of a batch. */
status_t run_round(const sscan_t *s, const cuda_work_t *work, const slot_arrays_t &arrays,
                   round_t round)
{
    const scratch_t &scratch = s->scratch[work->slot];
    counters_t *counters = &scratch.counters[round];
    const unsigned n_blocks =
        static_cast<unsigned>((work->n + KEY_BLOCK - 1) / KEY_BLOCK);
    const plan_args_t args = {*cuda_batch_set(s->batch),
                              work->pairs,
                              round,
                              s->band,
                              work->score,
                              arrays.band_w};
    sscan_launch_t launch = {};
    status_t st;

    key_kernel<<<n_blocks, KEY_BLOCK, 0, work->stream>>>(args, work->n,
                                                         counters->n_of_kind,
                                                         arrays.plan.keys[0],
                                                         arrays.plan.values[0]);
    if ((st = CUDA_TRY(cudaGetLastError())) != ST_OK ||
        (st = pair_order_sort(arrays.plan, work->n, work->stream, &launch.order)) !=
            ST_OK)
        return st;
    launch.set = args.set;
    launch.pairs = work->pairs;
    launch.n_of_kind = counters->n_of_kind;
    launch.next = counters->next;
    launch.lines = scratch.lines.at;
    launch.line_len = s->line_len;
    launch.score_of = s->score_of;
    launch.codes_match = s->codes_match;
    launch.band_w = arrays.band_w;
    launch.score = work->score;
    for (int kind = 0; st == ST_OK && kind < SSCAN_KINDS; kind++)
        st = sscan_launch(kind, launch, s->n_blocks[kind], work->stream);
    return st;
}

/* Prepare the arrays of a batch. */
status_t begin(sscan_t *s, const cuda_work_t *work, slot_arrays_t *arrays)
{
    scratch_t *scratch = &s->scratch[work->slot];
    cuda_scratch_t list = {};
    status_t st;

    cuda_scratch_add(&list, &arrays->band_w, work->n);
    pair_order_add(&list, &arrays->plan, work->n);
    if ((st = cuda_scratch_reserve(&list, &scratch->arrays)) != ST_OK ||
        (st = cuda_buffer_reserve(&scratch->lines, s->line_bytes)) != ST_OK)
        return st;
    return CUDA_TRY(
        cudaMemsetAsync(scratch->counters, 0, ROUNDS * sizeof(counters_t), work->stream));
}

/* @return whether no alignment scores less with the ends of the spec than with counted
 *         ones */
bool ends_score_more(const align_spec_t *spec)
{
    const align_gap_t gap = align_scoring_gap(&spec->scoring);

    for (int k = 0; k < 2; k++) {
        const align_gap_t end = align_end_gap(spec, k == 0);

        if (end.open < gap.open || end.extend < gap.extend)
            return false;
    }
    return true;
}

} // namespace

bool sscan_score(const align_spec_t *spec, sscan_score_t *out)
{
    const align_scoring_t *s = &spec->scoring;
    const int64_t cost = -static_cast<int64_t>(s->gap), unit = s->match + 2 * cost;

    if (!(s->two_valued || s->neutral) || unit <= 0 || unit > SSCAN_UNIT_MAX ||
        s->mismatch + 2 * cost != 0 ||
        s->gap - static_cast<int64_t>(s->gap_open) != SSCAN_OPEN * unit)
        return false;
    *out = sscan_score_t{static_cast<int>(unit), static_cast<int>(cost)};
    return true;
}

bool sscan_bounds(const align_spec_t *spec, int64_t len)
{
    sscan_score_t score;

    return len <= SSCAN_LEN_MAX && spec->ends != ENDS_LOCAL && ends_score_more(spec) &&
           sscan_score(spec, &score);
}

bool sscan_holds(const align_spec_t *spec, int64_t len)
{
    return spec->ends == ENDS_COUNT && spec->scoring.two_valued &&
           sscan_bounds(spec, len);
}

status_t sscan_create(const align_context_t *context, cuda_batch_t *batch, int max_len,
                      int divisor, sscan_t **out)
{
    sscan_t *s = static_cast<sscan_t *>(calloc(1, sizeof(*s)));
    status_t st;

    if (s == nullptr)
        return log_nomem("the sscan kernel");
    s->batch = batch;
    sscan_score(context->spec, &s->score_of);
    s->codes_match = context->spec->scoring.two_valued;
    s->has_bands = context->run.band && score_band_applies(context->spec, &s->band);
    s->line_len =
        (max_len + SSCAN_LETTERS - 1) / SSCAN_LETTERS * SSCAN_LETTERS + SSCAN_LINE_SLACK;
    st = size_grids(s, context->device, divisor);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(cudaMalloc(&s->scratch[k].counters, ROUNDS * sizeof(counters_t)));
    if (st != ST_OK) {
        sscan_destroy(s);
        return st;
    }
    *out = s;
    return ST_OK;
}

status_t sscan_run(sscan_t *s, const cuda_work_t *work)
{
    slot_arrays_t arrays;
    status_t st = begin(s, work, &arrays);

    if (st != ST_OK || !s->has_bands)
        return st == ST_OK ? run_round(s, work, arrays, ROUND_WHOLE) : st;
    st = run_round(s, work, arrays, ROUND_FIRST);
    return st == ST_OK ? run_round(s, work, arrays, ROUND_PROVED) : st;
}

status_t sscan_run_bounds(sscan_t *s, const cuda_work_t *work)
{
    slot_arrays_t arrays;
    const status_t st = begin(s, work, &arrays);

    return st == ST_OK ? run_round(s, work, arrays, ROUND_FIRST) : st;
}

void sscan_destroy(sscan_t *s)
{
    if (s == nullptr)
        return;
    for (scratch_t &scratch : s->scratch) {
        cuda_buffer_free(&scratch.arrays);
        cuda_buffer_free(&scratch.lines);
        cudaFree(scratch.counters);
    }
    free(s);
}

namespace
{

bool fits(const align_context_t *context, int64_t m, int64_t n)
{
    return sscan_holds(context->spec, std::max(m, n));
}

status_t create(const align_context_t *context, cuda_batch_t *batch, sscan_t **out)
{
    const int64_t longest =
        std::min(seqset_max_len(context->set), static_cast<int64_t>(SSCAN_LEN_MAX));

    return sscan_create(context, batch, static_cast<int>(longest), 2, out);
}

using functions_t = cuda_aligner_t<sscan_t, create, sscan_run, sscan_destroy>;

} // namespace

extern "C" const aligner_backend_t sscan_backend = {
    /* .base = */ {/* .name = */ "sscan", /* .kind = */ DEVICE_CUDA,
                   /* .rate = */ 1.5e13},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */
    {/* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
     /* .gaps = */ ALIGN_BIT(GAPS_AFFINE),
     /* .ends = */ ALIGN_BIT(ENDS_COUNT),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE)},
    /* .fits = */ fits,
    /* .create = */ functions_t::create,
    /* .submit = */ functions_t::submit,
    /* .wait = */ functions_t::wait,
    /* .destroy = */ functions_t::destroy,
    /* .family = */ nullptr,
};
