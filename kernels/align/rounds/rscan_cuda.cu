/*
 * rscan_cuda.cu - the backends rscan, which aligns one pair per thread (rscan_kernel.cu),
 * and dscan, which aligns one pair per warp (dscan_kernel.cu): the rounds of a batch.
 *
 * RSCAN_ROUND_FIRST takes all pairs.  rscan aligns them in bands where a proof exists:
 *
 *  - Ends counted: bands that edit distances suggest (edit_band.h).  Pairs whose result
 *    does not certify the band go through RSCAN_ROUND_WIDER, in the band that it proves.
 *  - Ends free, identities: corridors, which have all of the best paths (corridor.cuh).
 *    Pairs without one go through RSCAN_ROUND_WHOLE.
 *  - The same, where corridors do not apply: bands of a fixed width, proved by a bound on
 *    the score of all paths that leave them, which RSCAN_ROUND_BOUND computes before the
 *    first round.  Pairs whose result does not reach the bound go through
 *    RSCAN_ROUND_WHOLE.
 *
 * Pairs whose tie break is in doubt go through RSCAN_ROUND_WINDOW and, where their
 * windows were too large for the bits, RSCAN_ROUND_NARROW (tie_code.h).  What is left of
 * them, hardly any, goes through RSCAN_ROUND_EXACT.  Kernels list the pairs of later
 * rounds on the device, and the host never waits between rounds.  So it does not know how
 * many pairs a list has: both kernels are launched, and the one that suits the number
 * does the work.
 */
#include "kernels/align/bscan/bscan_batch.cuh"
#include "kernels/align/bscan/corridor.cuh"
#include "kernels/align/cuda/cuda_aligner.cuh"
#include "kernels/align/rounds/rscan_trace.cuh"
#include "kernels/align/rscan/rscan_plan.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/common/band_width.h"
#include "kernels/align/cuda/cuda_aligners.h"
}

#include <climits>
#include <cstring>

namespace
{

constexpr align_support_t SUPPORTS = {
    /* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
    /* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
    /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY),
    /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
    /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
        ALIGN_BIT(EMIT_CIGAR)};

bool dscan_fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_spec_t *spec = context->spec;
    const int64_t longer = m > n ? m : n;
    const bool identity = align_has_identity(spec);

    return rscan_holds_long(spec, m, n) &&
           (!identity || rscan_holds(RSCAN_SETS64, spec, longer)) &&
           (spec->emit != EMIT_CIGAR ||
            (longer <= RSCAN_THREAD_MAX && rscan_trace_holds(spec, longer)));
}

bool rscan_fits(const align_context_t *context, int64_t m, int64_t n)
{
    const int64_t longer = m > n ? m : n;

    return longer <= RSCAN_THREAD_MAX && rscan_holds(RSCAN_SETS, context->spec, longer) &&
           dscan_fits(context, m, n);
}

/* Counters of a batch, on the device. */
struct rscan_counters_t {
    int n_of_kind[RSCAN_ROUNDS][RSCAN_KINDS], next[RSCAN_ROUNDS][RSCAN_KINDS];
    int n_retry, n_windowed, n_narrowed, n_doubtful;
    int n_lost; /* pairs whose corridor was looked for, in vain */
    unsigned long long n_banded;
};

/* One per slot of batches. */
struct rscan_scratch_t {
    cuda_buffer_t arrays; /* of a batch (rscan_cuda.cu) */
    cuda_buffer_t lines;
    rscan_counters_t *counters;
};

struct rscan_t {
    const align_spec_t *spec;
    bool warp_per_pair; /* the backend is dscan */
    cuda_batch_t *batch;
    bscan_t *edits;        /* edit distances that bands are chosen from; may be NULL */
    corridor_t *corridors; /* of pairs; may be NULL */
    int n_corridor_blocks[RSCAN_KINDS]; /* of their kernels' grids */
    int bound_w;                        /* w of guarded bands; 0: none */
    band_choice_t *choice; /* chooses the pairs that have such a band; or NULL */
    rscan_trace_t *trace;  /* NULL: no CIGARs */
    cell_layout_t layout[RSCAN_KINDS],
        score_layout[RSCAN_KINDS];                        /* of the spec; of scores */
    int max_len[RSCAN_KINDS], score_max_len[RSCAN_KINDS]; /* bases that they hold */
    int long_len[RSCAN_KINDS]; /* of the shorter sequence of a long pair; 0: none */
    int n_blocks[RSCAN_KINDS], n_bound_blocks[RSCAN_KINDS], n_warp_blocks[RSCAN_KINDS];
    long long line_len; /* columns */
    size_t line_bytes;  /* of all lines of a slot */
    rscan_scratch_t scratch[CUDA_SLOTS];
    cuda_band_stats_t *stats;
};

/* @return the maximum bases of a sequence that may come */
int max_bases(const rscan_t *r, const seqset_t *set)
{
    const int64_t longest = seqset_max_len(set);
    const bool any = r->warp_per_pair && r->spec->emit != EMIT_CIGAR;

    return static_cast<int>(any || longest < RSCAN_THREAD_MAX ? longest
                                                              : RSCAN_THREAD_MAX);
}

/* @return whether pairs may be long */
bool has_long_pairs(const rscan_t *r)
{
    return r->warp_per_pair && r->spec->ends == ENDS_FREE &&
           r->spec->emit == EMIT_IDENTITY;
}

void choose_layouts(rscan_t *r, const seqset_t *set)
{
    const int max_len = max_bases(r, set), usual = rscan_usual_len(set, max_len);
    align_spec_t score = *r->spec;

    score.emit = EMIT_SCORE;
    for (int kind = 0; kind < RSCAN_KINDS; kind++) {
        const bool is_key = kind == RSCAN_KEY || kind == RSCAN_KEY_LONG;

        r->max_len[kind] =
            rscan_layout(kind, r->spec, is_key ? usual : max_len, &r->layout[kind]);
        r->score_max_len[kind] =
            rscan_layout(kind, &score, max_len, &r->score_layout[kind]);
    }
    if (r->max_len[RSCAN_KEY_LONG] <= r->max_len[RSCAN_KEY])
        r->max_len[RSCAN_KEY_LONG] = 0; /* no pair needs it */
    if (!has_long_pairs(r))
        return;
    for (int kind = RSCAN_KEY; kind <= RSCAN_SETS; kind++)
        if (r->max_len[kind] > 0)
            r->long_len[kind] = rscan_long_limit(&r->layout[kind], r->max_len[kind]);
}

/* Lower the blocks of a grid where their lines would take too much memory.
 * @param block_bytes  of the lines of a block */
void limit_grid(rscan_t *r, size_t block_bytes, int *n_blocks)
{
    *n_blocks = cuda_batch_limit_blocks(r->batch, *n_blocks,
                                        static_cast<int64_t>(block_bytes), 4);
    if (block_bytes * static_cast<size_t>(*n_blocks) > r->line_bytes)
        r->line_bytes = block_bytes * static_cast<size_t>(*n_blocks);
}

/* @param max_len  bases of a sequence */
status_t size_grids(rscan_t *r, const device_t *device, int max_len)
{
    status_t st;

    r->line_len =
        (has_long_pairs(r) ? max_len : r->max_len[RSCAN_SETS]) + RSCAN_LINE_SLACK;
    for (int kind = 0; kind < RSCAN_KINDS; kind++) {
        const size_t cell_bytes = static_cast<size_t>(rscan_cell_bytes(kind));
        const size_t bytes = static_cast<size_t>(r->line_len) * RSCAN_BLOCK * cell_bytes;

        if (r->max_len[kind] == 0 && r->score_max_len[kind] == 0)
            continue;
        if ((st = dscan_blocks(kind, device, &r->n_warp_blocks[kind])) != ST_OK)
            return st;
        limit_grid(r, bytes / 32, &r->n_warp_blocks[kind]);
        if (r->warp_per_pair || kind == RSCAN_SETS64)
            continue;
        if ((st = rscan_blocks(kind, RSCAN_ROUND_FIRST, device, &r->n_blocks[kind])) !=
                ST_OK ||
            (st = rscan_blocks(kind, RSCAN_ROUND_BOUND, device,
                               &r->n_bound_blocks[kind])) != ST_OK)
            return st;
        limit_grid(r, bytes, &r->n_blocks[kind]);
        limit_grid(r, bytes, &r->n_bound_blocks[kind]);
    }
    return ST_OK;
}

/* Create what bands need. */
status_t create_bands(rscan_t *r, const align_context_t *context)
{
    const align_spec_t *spec = context->spec;
    status_t st;

    if (!context->run.band || r->warp_per_pair)
        return ST_OK;
    if (spec->ends == ENDS_COUNT && band_width_applies(spec))
        return bscan_create(context->device, context->pool, context->set,
                            max_bases(r, context->set), true, BSCAN_EDITS, r->batch,
                            &r->edits);
    if (spec->ends != ENDS_FREE || !align_has_identity(spec))
        return ST_OK;
    for (int kind = RSCAN_KEY; kind <= RSCAN_SETS; kind++)
        if ((st = rscan_corridor_blocks(kind, context->device,
                                        &r->n_corridor_blocks[kind])) != ST_OK)
            return st;
    if (corridor_applies(spec) && r->n_corridor_blocks[RSCAN_KEY] > 0 &&
        seqset_max_len(context->set) >= CORRIDOR_MIN)
        return corridor_create(context->device, context->set, spec, r->batch,
                               &r->corridors);
    r->bound_w = band_width_guarded(INT32_MAX);
    return band_choice_create(context, r->batch, {0, true}, &r->choice);
}

void destroy(rscan_t *r)
{
    if (r == nullptr)
        return;
    cuda_band_stats_report("rscan", r->stats);
    for (rscan_scratch_t &s : r->scratch) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.lines);
        cudaFree(s.counters);
    }
    rscan_trace_destroy(r->trace);
    band_choice_destroy(r->choice);
    corridor_destroy(r->corridors);
    bscan_destroy(r->edits);
    cudaFree(r->stats);
    free(r);
}

template <bool WARP_PER_PAIR>
status_t create(const align_context_t *context, cuda_batch_t *batch, rscan_t **out)
{
    rscan_t *r = static_cast<rscan_t *>(calloc(1, sizeof(*r)));
    status_t st;

    if (r == nullptr)
        return log_nomem("the rscan kernel");
    r->spec = context->spec;
    r->batch = batch;
    r->warp_per_pair = WARP_PER_PAIR;
    const int max_len = max_bases(r, context->set);

    choose_layouts(r, context->set);
    if ((st = cuda_put_zeros(&r->stats, 1)) == ST_OK &&
        (st = create_bands(r, context)) == ST_OK && context->spec->emit == EMIT_CIGAR)
        st = rscan_trace_create(context, batch, max_len, &r->trace);
    if (st == ST_OK)
        st = size_grids(r, context->device, max_len);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(cudaMalloc(&r->scratch[k].counters, sizeof(rscan_counters_t)));
    if (st != ST_OK) {
        destroy(r);
        return st;
    }
    *out = r;
    return ST_OK;
}

/* A batch while its rounds are enqueued. */
struct rounds_t {
    rscan_t *r;
    const cuda_work_t *work;
    pair_order_t plan;
    rscan_counters_t *counters;
    rscan_launch_t launch; /* without what belongs to a round */
};

/* @return where the bands of a round come from */
rscan_bands_t bands_of(const rscan_t *r, rscan_round_t round)
{
    if (rscan_has_windows(round))
        return RSCAN_BANDS_WINDOWS;
    if (round == RSCAN_ROUND_WIDER)
        return RSCAN_BANDS_PROVED;
    if (round != RSCAN_ROUND_BOUND && round != RSCAN_ROUND_FIRST)
        return RSCAN_BANDS_NONE;
    return r->corridors != nullptr ? RSCAN_BANDS_CORRIDORS
           : r->bound_w > 0        ? RSCAN_BANDS_GUARDED
           : r->edits != nullptr   ? RSCAN_BANDS_GUESSED
                                   : RSCAN_BANDS_NONE;
}

rscan_variant_t variant_of(const rscan_t *r, rscan_round_t round)
{
    rscan_variant_t v = {};

    v.round = round;
    v.bands = bands_of(r, round);
    v.bound_w = r->bound_w;
    v.only_banded = round == RSCAN_ROUND_BOUND || v.bands == RSCAN_BANDS_CORRIDORS;
    v.identity = round != RSCAN_ROUND_BOUND && align_has_identity(r->spec);
    v.exact = round == RSCAN_ROUND_EXACT;
    v.query_rows = r->spec->ends == ENDS_QUERY;
    return v;
}

/* @return whether a round's pairs may be of a kind */
bool has_kind(rscan_round_t round, bool score_only, int kind)
{
    if (round == RSCAN_ROUND_EXACT || kind == RSCAN_SETS64)
        return round == RSCAN_ROUND_EXACT && kind == RSCAN_SETS64;
    return kind == RSCAN_SETS || (kind == RSCAN_SCORE2) == score_only;
}

/* Windows have narrow bands: one pair per thread pays from this fraction of the device's
 * threads on. */
constexpr int WINDOW_DIVISOR = 8;

/* Enqueue: order the pairs of a round. */
status_t plan_round(const rounds_t *s, const rscan_launch_t &launch, rscan_list_t list,
                    const unsigned **order)
{
    const rscan_t *r = s->r;
    rscan_plan_args_t args = {};

    args.costs = rscan_costs(r->layout[RSCAN_SETS]);
    args.match_score = r->spec->scoring.match;
    memcpy(args.max_len, launch.variant.identity ? r->max_len : r->score_max_len,
           sizeof(args.max_len));
    memcpy(args.long_len, r->long_len, sizeof(args.long_len));
    return rscan_plan(s->plan, launch, args, s->work->n, list, &s->counters->n_banded,
                      s->work->stream, order);
}

/* Enqueue the kernel of a kind, or where a round may have few pairs or many both: one
 * with a pair per thread for as many pairs as the device has threads, and one with a pair
 * per warp for fewer. */
status_t run_kind(const rscan_t *r, rscan_launch_t launch, int kind, cudaStream_t stream)
{
    const rscan_round_t round = launch.variant.round;
    const int n_blocks =
        round == RSCAN_ROUND_BOUND ? r->n_bound_blocks[kind] : r->n_blocks[kind];
    const bool windows = rscan_has_windows(round);
    const bool any_number = round == RSCAN_ROUND_WHOLE || windows;
    const bool by_warp = r->warp_per_pair || kind == RSCAN_SETS64;
    status_t st;

    launch.kind = kind;
    launch.max_pairs = INT_MAX;
    if (by_warp)
        return dscan_run(kind, launch, r->n_warp_blocks[kind], stream);
    if (launch.variant.bands == RSCAN_BANDS_CORRIDORS)
        return rscan_corridor_run(kind, launch, r->n_corridor_blocks[kind], stream);
    launch.min_pairs = any_number ? n_blocks * RSCAN_BLOCK : 0;
    if (windows)
        launch.min_pairs /= WINDOW_DIVISOR;
    if ((st = rscan_run(kind, launch, n_blocks, stream)) != ST_OK || !any_number)
        return st;
    launch.max_pairs = launch.min_pairs - 1;
    launch.min_pairs = 0;
    return dscan_run(kind, launch, r->n_warp_blocks[kind], stream);
}

/* Enqueue a round: order its pairs, and run the kernels of their kinds. */
status_t run_round(const rounds_t *s, rscan_round_t round, rscan_list_t list)
{
    const rscan_t *r = s->r;
    rscan_launch_t launch = s->launch;

    launch.variant = variant_of(r, round);
    launch.n_of_kind = s->counters->n_of_kind[round];
    launch.next = s->counters->next[round];
    if (round == RSCAN_ROUND_WINDOW) /* what needed a wider band is done */
        launch.windowed = {s->launch.retry.pairs, &s->counters->n_narrowed};
    else if (round == RSCAN_ROUND_NARROW)
        launch.windowed = s->launch.doubtful;
    const bool score_only = !launch.variant.identity;
    status_t st = plan_round(s, launch, list, &launch.order);

    for (int kind = 0; st == ST_OK && kind < RSCAN_KINDS; kind++) {
        const int max_len = score_only ? r->score_max_len[kind] : r->max_len[kind];

        if (!has_kind(round, score_only, kind) || max_len == 0)
            continue;
        launch.layout = score_only ? r->score_layout[kind] : r->layout[kind];
        launch.max_bases = 2 * max_len;
        launch.tie = tie_code_of(&launch.layout, r->line_len);
        st = run_kind(r, launch, kind, s->work->stream);
    }
    return st;
}

/* @param corridors  whether pairs had corridors, not bands */
__global__ void add_stats(const rscan_counters_t *counters, bool corridors,
                          cuda_band_stats_t *stats)
{
    const int n_retried = corridors ? counters->n_lost : counters->n_retry;

    atomicAdd(&stats->n_retried, static_cast<unsigned long long>(n_retried));
    atomicAdd(&stats->n_banded,
              counters->n_banded + static_cast<unsigned>(counters->n_lost));
}

/* Enqueue: find the corridors of a batch, and list the pairs that have none. */
status_t find_corridors(const rounds_t *s)
{
    const rscan_launch_t &l = s->launch;

    return corridor_run(s->r->corridors, s->work,
                        corridor_out_t{l.corridors, l.n_corridor_blocks, l.band_w,
                                       l.retry.pairs, l.retry.n, &s->counters->n_lost});
}

status_t run_rounds(const rounds_t *s)
{
    const rscan_t *r = s->r;
    const rscan_launch_t &l = s->launch;
    const rscan_list_t all = {nullptr, nullptr};
    const rscan_list_t narrowed = {l.retry.pairs, &s->counters->n_narrowed};
    const bool banded = r->corridors != nullptr || r->bound_w > 0 || r->edits != nullptr;
    status_t st = ST_OK;

    if (r->choice != nullptr &&
        (st = band_choice_run(r->choice, s->work, r->bound_w, l.banded,
                              &s->counters->n_banded)) != ST_OK)
        return st;
    if (r->corridors != nullptr)
        st = find_corridors(s);
    else if (r->edits != nullptr)
        st = bscan_run(r->edits, s->work, l.edits);
    else if (r->bound_w > 0)
        st = run_round(s, RSCAN_ROUND_BOUND, all);
    if (st == ST_OK)
        st = run_round(s, RSCAN_ROUND_FIRST, all);
    if (st == ST_OK && banded)
        st = run_round(s, r->edits == nullptr ? RSCAN_ROUND_WHOLE : RSCAN_ROUND_WIDER,
                       l.retry);
    if (st == ST_OK && align_has_identity(r->spec) &&
        r->layout[RSCAN_SETS].tie != TIE_NONE &&
        (st = run_round(s, RSCAN_ROUND_WINDOW, l.windowed)) == ST_OK &&
        (st = run_round(s, RSCAN_ROUND_NARROW, narrowed)) == ST_OK)
        st = run_round(s, RSCAN_ROUND_EXACT, l.doubtful);
    if (st != ST_OK || !banded)
        return st;
    add_stats<<<1, 1, 0, s->work->stream>>>(s->counters, r->corridors != nullptr,
                                            r->stats);
    return CUDA_TRY(cudaGetLastError());
}

void fill_launch(rounds_t *s, const rscan_scratch_t *scratch)
{
    const rscan_t *r = s->r;
    rscan_launch_t *l = &s->launch;

    l->set = *cuda_batch_set(r->batch);
    l->pairs = s->work->pairs;
    l->variant = variant_of(r, RSCAN_ROUND_FIRST);
    l->lines = scratch->lines.at;
    l->line_len = r->line_len;
    l->mad_one = 1;
    l->outcomes = r->choice != nullptr ? band_choice_outcomes(r->choice) : nullptr;
    l->min_overlap = r->spec->min_overlap;
    l->retry.n = &scratch->counters->n_retry;
    l->windowed.n = &scratch->counters->n_windowed;
    l->doubtful.n = &scratch->counters->n_doubtful;
    l->score = s->work->score;
    l->matches = s->work->matches;
    l->columns = s->work->columns;
}

/* Reserve the arrays of a batch, most of which its launches have. */
status_t reserve_arrays(rounds_t *s, rscan_scratch_t *scratch)
{
    const int64_t n = s->work->n;
    rscan_launch_t *l = &s->launch;
    cuda_scratch_t arrays = {};

    cuda_scratch_add(&arrays, &l->retry.pairs, n);
    cuda_scratch_add(&arrays, &l->windowed.pairs, n);
    cuda_scratch_add(&arrays, &l->doubtful.pairs, n);
    cuda_scratch_add(&arrays, &l->window, n);
    cuda_scratch_add(&arrays, &l->bound, n);
    cuda_scratch_add(&arrays, &l->bound_band, n);
    cuda_scratch_add(&arrays, &l->band_w, n);
    if (s->r->corridors != nullptr) {
        l->n_corridor_blocks = corridor_blocks(s->r->corridors);
        cuda_scratch_add(&arrays, &l->corridors, n * l->n_corridor_blocks);
    }
    cuda_scratch_add(&arrays, &l->edits, n);
    cuda_scratch_add(&arrays, &l->banded, n);
    pair_order_add(&arrays, &s->plan, n);
    return cuda_scratch_reserve(&arrays, &scratch->arrays);
}

status_t run(rscan_t *r, const cuda_work_t *work)
{
    rscan_scratch_t *scratch = &r->scratch[work->slot];
    rounds_t s = {r, work, {}, scratch->counters, {}};
    status_t st;

    if ((st = reserve_arrays(&s, scratch)) != ST_OK ||
        (st = cuda_buffer_reserve(&scratch->lines, r->line_bytes)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(scratch->counters, 0, sizeof(rscan_counters_t),
                                       work->stream))) != ST_OK)
        return st;
    fill_launch(&s, scratch);
    st = run_rounds(&s);
    return st == ST_OK && r->trace != nullptr ? rscan_trace_run(r->trace, work, s.launch)
                                              : st;
}

using rscan = cuda_aligner_t<rscan_t, create<false>, run, destroy>;
using dscan = cuda_aligner_t<rscan_t, create<true>, run, destroy>;

} // namespace

extern "C" const aligner_backend_t dscan_backend = {
    /* .base = */ {/* .name = */ "dscan", /* .kind = */ DEVICE_CUDA, /* .rate = */ 5e12},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */ SUPPORTS,
    /* .fits = */ dscan_fits,
    /* .create = */ dscan::create,
    /* .submit = */ dscan::submit,
    /* .wait = */ dscan::wait,
    /* .destroy = */ dscan::destroy,
    /* .family = */ nullptr,
};

extern "C" const aligner_backend_t rscan_backend = {
    /* .base = */ {/* .name = */ "rscan", /* .kind = */ DEVICE_CUDA, /* .rate = */ 5e12},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */ SUPPORTS,
    /* .fits = */ rscan_fits,
    /* .create = */ rscan::create,
    /* .submit = */ rscan::submit,
    /* .wait = */ rscan::wait,
    /* .destroy = */ rscan::destroy,
    /* .family = */ nullptr,
};
