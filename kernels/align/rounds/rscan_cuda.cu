/*
 * rscan_cuda.cu - the backends rscan, which aligns one pair per thread (rscan_kernel.cu),
 * and dscan, which aligns one pair per warp (dscan_kernel.cu): the rounds of a batch.
 *
 * Affine gaps and priced ends have rounds of their own (affine_batch.cu), and only they
 * may have a matrix.  Otherwise RSCAN_ROUND_FIRST takes all pairs.  rscan aligns them in
 * bands where a proof exists:
 *
 *  - Ends counted: bands that edit distances suggest (edit_band.h).  Pairs whose result
 *    does not certify the band go through RSCAN_ROUND_WIDER, in the band that it proves.
 *  - Ends free, identities: bands of a fixed width, proved by a bound on the score of all
 *    paths that leave them.  band_bound.cuh computes the bound, or where that does not
 *    apply RSCAN_ROUND_BOUND before the first round.  Pairs whose result does not reach
 *    the bound go through RSCAN_ROUND_WHOLE.
 *
 * Pairs whose tie break is in doubt go through RSCAN_ROUND_WINDOW and, where their
 * windows were too large for the bits, RSCAN_ROUND_NARROW (tie_code.h).  What is left of
 * them, hardly any, goes through RSCAN_ROUND_EXACT.  Kernels list the pairs of later
 * rounds on the device, and the host never waits between rounds.  So it does not know how
 * many pairs a list has: both kernels are launched, and the one that suits the number
 * does the work.
 */
#include "kernels/align/rounds/rscan_state.cuh"
#include "kernels/align/rscan/rscan_plan.cuh"

extern "C" {
#include "kernels/align/common/aligner_backend.h"
}

#include <climits>
#include <cstring>

namespace
{

constexpr align_support_t DSCAN_SUPPORTS = {
    /* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
    /* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
    /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY),
    /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
    /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
        ALIGN_BIT(EMIT_CIGAR)};

constexpr align_support_t RSCAN_SUPPORTS = {
    /* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
    /* .gaps = */ DSCAN_SUPPORTS.gaps | ALIGN_BIT(GAPS_AFFINE),
    /* .ends = */ DSCAN_SUPPORTS.ends | ALIGN_BIT(ENDS_PRICED),
    /* .scorings = */ DSCAN_SUPPORTS.scorings | ALIGN_BIT(SCORING_MATRIX),
    /* .emits = */ DSCAN_SUPPORTS.emits};

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

    if (longer > RSCAN_THREAD_MAX)
        return false;
    if (align_is_affine(context->spec))
        return affine_batch_fits(context->spec, longer);
    return context->spec->scoring.two_valued &&
           rscan_holds(RSCAN_SETS, context->spec, longer) && dscan_fits(context, m, n);
}

status_t create(const align_context_t *context, bool warp_per_pair, void **state)
{
    rscan_t *r = nullptr;
    const status_t st = rscan_state_create(context, warp_per_pair, &r);

    if (st == ST_OK)
        *state = r;
    return st;
}

status_t rscan_create(const align_context_t *context, void **state)
{
    return create(context, false, state);
}

status_t dscan_create(const align_context_t *context, void **state)
{
    return create(context, true, state);
}

void destroy(void *state)
{
    rscan_state_destroy(static_cast<rscan_t *>(state));
}

/* Arrays of a batch of n pairs, as rscan_launch_t has them: [n] */
struct arrays_t {
    unsigned *retry, *windowed, *doubtful;
    int *bound, *edits, *window;
    rscan_band_t *bound_band;
    short *band_w;
    unsigned char *banded;
    pair_order_t plan;
};

/* Place the arrays in a block of memory, or with NULL measure it. @return its bytes */
size_t place_arrays(void *memory, int64_t n, arrays_t *out)
{
    cuda_carver_t c = {memory, 0};

    out->retry = cuda_carve<unsigned>(&c, n);
    out->windowed = cuda_carve<unsigned>(&c, n);
    out->doubtful = cuda_carve<unsigned>(&c, n);
    out->window = cuda_carve<int>(&c, n);
    out->bound = cuda_carve<int>(&c, n);
    out->bound_band = cuda_carve<rscan_band_t>(&c, n);
    out->band_w = cuda_carve<short>(&c, n);
    out->edits = cuda_carve<int>(&c, n);
    out->banded = cuda_carve<unsigned char>(&c, n);
    out->plan = pair_order_carve(&c, n);
    return c.bytes;
}

/* A batch while its rounds are enqueued. */
struct rounds_t {
    rscan_t *r;
    const cuda_work_t *work;
    arrays_t arrays;
    rscan_counters_t *counters;
    rscan_launch_t launch; /* without what belongs to a round */
};

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
status_t plan_round(const rounds_t *s, rscan_round_t round, bool score_only,
                    rscan_list_t list, const unsigned **order)
{
    const rscan_t *r = s->r;
    rscan_plan_args_t args = {};

    args.set = *cuda_batch_set(r->batch);
    args.has_ambiguity = args.set.has_ambiguity;
    args.pairs = s->work->pairs;
    args.edits = s->arrays.edits;
    args.score = s->work->score;
    args.costs = rscan_costs(r->layout[RSCAN_SETS]);
    args.match_score = r->spec->scoring.match;
    args.score_only = score_only;
    args.exact = round == RSCAN_ROUND_EXACT;
    args.guess_bands = round == RSCAN_ROUND_FIRST && r->edits != nullptr;
    args.prove_bands = round == RSCAN_ROUND_WIDER;
    args.banded = r->bound_w > 0 ? s->arrays.banded : nullptr;
    args.only_banded = round == RSCAN_ROUND_BOUND;
    args.windows = rscan_has_windows(round) ? s->arrays.bound_band : nullptr;
    args.query_rows = r->spec->ends == ENDS_QUERY;
    memcpy(args.max_len, score_only ? r->score_max_len : r->max_len,
           sizeof(args.max_len));
    memcpy(args.long_len, r->long_len, sizeof(args.long_len));
    return rscan_plan(s->arrays.plan, args, s->work->n, list, s->arrays.band_w,
                      &s->counters->n_banded, s->counters->n_of_kind[round],
                      s->work->stream, order);
}

/* Enqueue the kernel of a kind, or where a round may have few pairs or many both: one
 * with a pair per thread for as many pairs as the device has threads, and one with a pair
 * per warp for fewer. */
status_t run_kind(const rscan_t *r, rscan_launch_t launch, int kind, cudaStream_t stream)
{
    const int n_blocks =
        launch.round == RSCAN_ROUND_BOUND ? r->n_bound_blocks[kind] : r->n_blocks[kind];
    const bool windows = rscan_has_windows(launch.round);
    const bool any_number = launch.round == RSCAN_ROUND_WHOLE || windows;
    const bool by_warp = r->warp_per_pair || kind == RSCAN_SETS64;
    status_t st;

    launch.kind = kind;
    launch.max_pairs = INT_MAX;
    if (by_warp)
        return dscan_run(kind, launch, r->n_warp_blocks[kind], stream);
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
    const bool score_only = round == RSCAN_ROUND_BOUND || r->spec->emit == EMIT_SCORE;
    rscan_launch_t launch = s->launch;
    status_t st = plan_round(s, round, score_only, list, &launch.order);

    launch.round = round;
    launch.identity = !score_only;
    launch.n_of_kind = s->counters->n_of_kind[round];
    launch.next = s->counters->next[round];
    if (round == RSCAN_ROUND_WINDOW) {
        launch.windowed = s->arrays.retry; /* no longer needed */
        launch.n_windowed = &s->counters->n_narrowed;
    } else if (round == RSCAN_ROUND_NARROW) {
        launch.windowed = s->arrays.doubtful;
        launch.n_windowed = &s->counters->n_doubtful;
    }
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

__global__ void add_stats(const rscan_counters_t *counters, cuda_band_stats_t *stats)
{
    atomicAdd(&stats->n_retried, static_cast<unsigned long long>(counters->n_retry));
    atomicAdd(&stats->n_banded, counters->n_banded);
}

status_t run_rounds(const rounds_t *s)
{
    const rscan_t *r = s->r;
    const rscan_list_t all = {nullptr, nullptr};
    const rscan_list_t retry = {s->arrays.retry, &s->counters->n_retry};
    const rscan_list_t windowed = {s->arrays.windowed, &s->counters->n_windowed};
    const rscan_list_t narrowed = {s->arrays.retry, &s->counters->n_narrowed};
    const rscan_list_t doubtful = {s->arrays.doubtful, &s->counters->n_doubtful};
    const bool banded = r->bound_w > 0 || r->edits != nullptr;
    status_t st = ST_OK;

    if (r->choice != nullptr &&
        (st = band_choice_run(r->choice, s->work, r->bound_w, s->arrays.banded,
                              &s->counters->n_banded)) != ST_OK)
        return st;
    if (r->bounds != nullptr)
        st = band_bound_run(r->bounds, s->work, r->bound_w, s->arrays.banded,
                            s->arrays.bound);
    else if (r->edits != nullptr)
        st = bscan_run(r->edits, s->work, s->arrays.edits);
    else if (r->bound_w > 0)
        st = run_round(s, RSCAN_ROUND_BOUND, all);
    if (st == ST_OK)
        st = run_round(s, RSCAN_ROUND_FIRST, all);
    if (st == ST_OK && banded)
        st = run_round(s, r->bound_w > 0 ? RSCAN_ROUND_WHOLE : RSCAN_ROUND_WIDER, retry);
    if (st == ST_OK && align_has_identity(r->spec) &&
        r->layout[RSCAN_SETS].tie != TIE_NONE &&
        (st = run_round(s, RSCAN_ROUND_WINDOW, windowed)) == ST_OK &&
        (st = run_round(s, RSCAN_ROUND_NARROW, narrowed)) == ST_OK)
        st = run_round(s, RSCAN_ROUND_EXACT, doubtful);
    if (st != ST_OK || !banded)
        return st;
    add_stats<<<1, 1, 0, s->work->stream>>>(s->counters, r->stats);
    return CUDA_TRY(cudaGetLastError());
}

void fill_launch(rounds_t *s, const rscan_scratch_t *scratch)
{
    const rscan_t *r = s->r;
    const cuda_set_t *set = cuda_batch_set(r->batch);
    rscan_launch_t *l = &s->launch;

    l->set = *set;
    l->has_ambiguity = set->has_ambiguity;
    l->pairs = s->work->pairs;
    l->lines = scratch->lines.at;
    l->line_len = r->line_len;
    l->mad_one = 1;
    l->edits = s->arrays.edits;
    l->band_w = r->edits != nullptr ? s->arrays.band_w : nullptr;
    l->bound_w = r->bound_w;
    l->banded = s->arrays.banded;
    l->outcomes = r->choice != nullptr ? band_choice_outcomes(r->choice) : nullptr;
    l->min_overlap = r->spec->min_overlap;
    l->bounds_ready = r->bounds != nullptr;
    l->bound_band = s->arrays.bound_band;
    l->bound = s->arrays.bound;
    l->retry = s->arrays.retry;
    l->windowed = s->arrays.windowed;
    l->doubtful = s->arrays.doubtful;
    l->window = s->arrays.window;
    l->n_retry = &scratch->counters->n_retry;
    l->n_windowed = &scratch->counters->n_windowed;
    l->n_doubtful = &scratch->counters->n_doubtful;
    l->score = s->work->score;
    l->matches = s->work->matches;
    l->columns = s->work->columns;
}

status_t launch_batch(void *state, const cuda_work_t *work)
{
    rscan_t *r = static_cast<rscan_t *>(state);
    rscan_scratch_t *scratch = &r->scratch[work->slot];
    rounds_t s = {r, work, {}, scratch->counters, {}};
    status_t st;

    if (r->affine != nullptr)
        return affine_batch_run(r->affine, work);
    if ((st = cuda_buffer_reserve(&scratch->arrays,
                                  place_arrays(nullptr, work->n, &s.arrays))) != ST_OK ||
        (st = cuda_buffer_reserve(&scratch->lines, r->line_bytes)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(scratch->counters, 0, sizeof(rscan_counters_t),
                                       work->stream))) != ST_OK)
        return st;
    place_arrays(scratch->arrays.at, work->n, &s.arrays);
    fill_launch(&s, scratch);
    st = run_rounds(&s);
    return st == ST_OK && r->trace != nullptr ? rscan_trace_run(r->trace, work, s.launch)
                                              : st;
}

status_t rscan_submit(void *state, const pair_batch_t *batch)
{
    return cuda_batch_submit(static_cast<rscan_t *>(state)->batch, batch, launch_batch,
                             state);
}

status_t rscan_wait(void *state, pair_results_t *out)
{
    return cuda_batch_wait(static_cast<rscan_t *>(state)->batch, out);
}

} // namespace

extern "C" const aligner_backend_t dscan_backend = {
    /* .base = */ {/* .name = */ "dscan", /* .kind = */ DEVICE_CUDA, /* .rate = */ 5e12},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */ DSCAN_SUPPORTS,
    /* .fits = */ dscan_fits,
    /* .create = */ dscan_create,
    /* .submit = */ rscan_submit,
    /* .wait = */ rscan_wait,
    /* .destroy = */ destroy,
};

extern "C" const aligner_backend_t rscan_backend = {
    /* .base = */ {/* .name = */ "rscan", /* .kind = */ DEVICE_CUDA, /* .rate = */ 5e12},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */ RSCAN_SUPPORTS,
    /* .fits = */ rscan_fits,
    /* .create = */ rscan_create,
    /* .submit = */ rscan_submit,
    /* .wait = */ rscan_wait,
    /* .destroy = */ destroy,
};
