/*
 * affine_batch.cu - the rounds of a batch with affine gaps: each orders its pairs by kind
 * and size, and runs the kernel of each kind.
 *
 * In a first round pairs are aligned in a narrow band for their scores.  Most bands prove
 * themselves, because what lies beside them is bounded (affine_guard.cuh); of the other
 * pairs the score proves whether the band suffices, or which one does (score_band.h).
 * For identities lower bounds of scores may be known before (sscan_batch.cuh): they prove
 * bands where a guard does not, and with counted ends take the place of this round.  A
 * second round aligns the pairs whose score is not proved, or for identities all, in
 * whole matrices or in the proved bands, which are narrowed meanwhile (affine_band.cuh);
 * a third one those that 32 bits leave in doubt (affine_layout.cuh).  Few pairs with
 * large bands are aligned by a warp each (affine_lane.cuh).
 */
#include "kernels/align/rounds/affine_state.cuh"
#include "kernels/align/rscan/rscan_plan.cuh"

#include <climits>
#include <cstring>

namespace
{

/* Bands of more cells take a thread longer than all others.  They are aligned by a warp
 * each, unless they are enough pairs for this fraction of the device's threads. */
constexpr long long WIDE_CELLS = 1 << 19;
constexpr int WIDE_DIVISOR = 8;

constexpr int WARP = 32;

/* Arrays of a batch of n pairs. */
struct arrays_t {
    unsigned *retry, *doubtful; /* [n] */
    short *band_w;              /* [n] w of each pair's band, < 0: none */
    unsigned char *banded;      /* [n] which pairs get a first band (band_choice.cuh) */
    pair_order_t plan;
};

/* Place the arrays in a block of memory, or with NULL measure it. @return its bytes */
size_t place_arrays(void *memory, int64_t n, arrays_t *out)
{
    cuda_carver_t c = {memory, 0};

    out->retry = cuda_carve<unsigned>(&c, n);
    out->doubtful = cuda_carve<unsigned>(&c, n);
    out->band_w = cuda_carve<short>(&c, n);
    out->banded = cuda_carve<unsigned char>(&c, n);
    out->plan = pair_order_carve(&c, n);
    return c.bytes;
}

/* @return whether a round computes scores alone */
bool is_score_round(const affine_batch_t *b, int round)
{
    return round == AFFINE_ROUND_BAND || !align_has_identity(b->spec);
}

/* @return whether a round's pairs may be of a kind */
bool has_kind(const affine_batch_t *b, int round, int kind)
{
    if (b->max_len[kind] == 0)
        return false;
    if (is_score_round(b, round))
        return kind == RSCAN_SCORE2 || kind == RSCAN_SETS;
    return kind == RSCAN_SETS64 || (kind == RSCAN_KEY && round == AFFINE_ROUND_FIRST);
}

/* @return whether the pairs of one query come together.  Where there are bands, similar
 * ones have to, and looking up the steps of the rows for all lanes does not pay. */
bool is_by_rows(const affine_batch_t *b, int round)
{
    return is_score_round(b, round) && !b->bands;
}

/* @return the first round: without guards, lower bounds of scores take the place of
 * scores in narrow bands */
int first_round(const affine_batch_t *b)
{
    return b->bands && (b->bounds == nullptr || b->choice != nullptr)
               ? AFFINE_ROUND_BAND
               : AFFINE_ROUND_FIRST;
}

/* Enqueue: choose the pairs that get a guarded band. */
status_t choose_bands(const affine_batch_t *b, const cuda_work_t *work,
                      const arrays_t &arrays, rscan_launch_t *l)
{
    if (b->choice == nullptr)
        return ST_OK;
    l->banded = arrays.banded;
    l->outcomes = band_choice_outcomes(b->choice);
    return band_choice_run(b->choice, work, b->score_band.first_w, arrays.banded,
                           nullptr);
}

/* Enqueue: order the pairs of a round. */
status_t plan_round(const affine_batch_t *b, const cuda_work_t *work,
                    const affine_scratch_t *scratch, const arrays_t &arrays, int round,
                    const unsigned **order)
{
    affine_counters_t *counters = scratch->counters;
    const rscan_list_t retry = {arrays.retry, &counters->n_retry};
    const rscan_list_t doubtful = {arrays.doubtful, &counters->n_doubtful};
    rscan_list_t list = {nullptr, nullptr};
    rscan_plan_args_t args = {};

    args.set = *cuda_batch_set(b->batch);
    args.has_ambiguity = args.set.has_ambiguity;
    args.pairs = work->pairs;
    args.score_band = b->score_band;
    args.score_only = is_score_round(b, round);
    args.exact =
        round == AFFINE_ROUND_EXACT || (!args.score_only && b->max_len[RSCAN_KEY] == 0);
    if (round == AFFINE_ROUND_BAND) {
        args.first_bands = true;
        args.banded = b->choice != nullptr ? arrays.banded : nullptr;
    }
    args.only_banded = round == AFFINE_ROUND_BAND && align_has_identity(b->spec);
    args.known_bands = round != AFFINE_ROUND_BAND && b->bands;
    if (b->bounds != nullptr && round == first_round(b)) {
        args.known_bands = false;
        args.score_bands = true;
        args.score = work->score;
    }
    args.max_cells = is_score_round(b, round) ? 0 : WIDE_CELLS;
    args.query_rows = b->spec->ends == ENDS_QUERY;
    args.by_rows = is_by_rows(b, round);
    memcpy(args.max_len, b->max_len, sizeof(args.max_len));
    if (round == AFFINE_ROUND_EXACT)
        list = doubtful;
    else if (round == AFFINE_ROUND_FIRST && b->bands && args.score_only)
        list = retry;
    return rscan_plan(arrays.plan, args, work->n, list, arrays.band_w,
                      &counters->n_banded, counters->n_of_kind[round], work->stream,
                      order);
}

/* Enqueue the kernel of a kind, with one pair per thread. */
status_t run_kind(const affine_batch_t *b, const cuda_work_t *work, int round, int kind,
                  affine_launch_t *launch)
{
    if (kind == RSCAN_SETS64 && round == AFFINE_ROUND_FIRST &&
        b->n_key_table_blocks > 0) {
        affine_launch_set(AFFINE_TABLE_KEY32, b->key_table, launch);
        return affine_run(AFFINE_TABLE_KEY32, *launch, b->n_key_table_blocks,
                          work->stream);
    }
    if (round == AFFINE_ROUND_BAND && b->n_guard_blocks[kind] > 0) {
        const int guarded = affine_guard_kind(kind, &b->spec->scoring);

        affine_launch_set(guarded, b->guard[kind], launch);
        return affine_run(guarded, *launch, b->n_guard_blocks[kind], work->stream);
    }
    const int kernel = affine_kernel_kind(kind, &b->spec->scoring);

    affine_launch_set(kernel, b->layout[kind], launch);
    return affine_run(kernel, *launch, b->n_blocks[kind], work->stream);
}

/* @return bytes of the lines of a slot: of two kernels with one per thread, and one with
 * one per warp */
size_t slot_line_bytes(const affine_batch_t *b)
{
    return 2 * b->line_bytes + b->line_bytes / WARP;
}

/* @return how many pairs with many cells are aligned by a thread each */
int min_wide(const affine_batch_t *b)
{
    return b->n_blocks[RSCAN_SETS64] * RSCAN_BLOCK / WIDE_DIVISOR;
}

/* Enqueue the kernel of pairs with many cells, unless they are too many for it. */
status_t run_wide(const affine_batch_t *b, cudaStream_t stream, affine_launch_t launch)
{
    launch.rounds.kind = RSCAN_KEY_LONG;
    launch.rounds.max_pairs = min_wide(b) - 1;
    affine_launch_set(AFFINE_TABLE_KEY, b->layout[RSCAN_SETS64], &launch);
    return affine_warp_run(launch, b->n_blocks[RSCAN_SETS64], stream);
}

/* Enqueue the kernels of the kinds SETS and SETS64. */
status_t run_sets(const affine_batch_t *b, const cuda_work_t *work, int round,
                  affine_launch_t launch)
{
    status_t st = ST_OK;

    for (const int kind : {RSCAN_SETS, RSCAN_SETS64}) {
        if (st != ST_OK || !has_kind(b, round, kind))
            continue;
        /* the plan lists pairs that KEY does not hold as SETS, which has no identities
         * here */
        launch.rounds.kind = kind == RSCAN_SETS64 && round == AFFINE_ROUND_FIRST &&
                                     b->max_len[RSCAN_KEY] > 0
                                 ? RSCAN_SETS
                                 : kind;
        launch.rounds.min_wide = kind == RSCAN_SETS64 ? min_wide(b) : 0;
        st = run_kind(b, work, round, kind, &launch);
    }
    return st;
}

/* Enqueue the kernels of a round's kinds, side by side, with lines of their own.  Most
 * pairs are SCORE2 or KEY.  The others are few, but a thread takes long for one: they
 * begin first, because a kernel leaves room for others only at its end.  Side streams
 * wait for the round's order longer than the batch's own stream. */
status_t run_kinds(const affine_batch_t *b, const cuda_work_t *work,
                   const affine_scratch_t *scratch, int round, affine_launch_t launch)
{
    char *lines = static_cast<char *>(scratch->lines.at);
    cuda_work_t beside = *work;
    status_t st;

    launch.rounds.lines = lines + b->line_bytes;
    if ((st = run_sets(b, work, round, launch)) != ST_OK)
        return st;
    launch.rounds.lines = lines + 2 * b->line_bytes;
    if (has_kind(b, round, RSCAN_SETS64) &&
        (st = run_wide(b, cuda_side_streams_at(&scratch->side, 0, work->stream),
                       launch)) != ST_OK)
        return st;
    launch.rounds.lines = lines;
    beside.stream = cuda_side_streams_at(&scratch->side, 1, work->stream);
    for (const int kind : {RSCAN_SCORE2, RSCAN_KEY})
        if (st == ST_OK && has_kind(b, round, kind)) {
            launch.rounds.kind = kind;
            st = run_kind(b, &beside, round, kind, &launch);
        }
    return st;
}

/* Enqueue a round: order its pairs, and run the kernels of their kinds. */
status_t run_round(const affine_batch_t *b, const cuda_work_t *work,
                   const affine_scratch_t *scratch, const arrays_t &arrays, int round,
                   affine_launch_t *launch)
{
    rscan_launch_t *l = &launch->rounds;
    status_t st = plan_round(b, work, scratch, arrays, round, &l->order);

    l->n_of_kind = scratch->counters->n_of_kind[round];
    l->next = scratch->counters->next[round];
    l->identity = !is_score_round(b, round);
    l->by_rows = is_by_rows(b, round);
    launch->proves_bands = round == AFFINE_ROUND_BAND;
    if (st != ST_OK ||
        (st = cuda_side_streams_fork(&scratch->side, work->stream)) != ST_OK)
        return st;
    st = run_kinds(b, work, scratch, round, *launch);
    return st == ST_OK ? cuda_side_streams_join(&scratch->side, work->stream) : st;
}

__global__ void add_stats(const affine_counters_t *counters, cuda_band_stats_t *stats)
{
    atomicAdd(&stats->n_retried, static_cast<unsigned long long>(counters->n_retry));
    atomicAdd(&stats->n_banded, counters->n_banded);
}

/* Enqueue all rounds. */
status_t run_rounds(const affine_batch_t *b, const cuda_work_t *work,
                    const affine_scratch_t *scratch, const arrays_t &arrays,
                    affine_launch_t *launch)
{
    status_t st = b->bounds != nullptr ? sscan_run_bounds(b->bounds, work) : ST_OK;

    launch->has_bounds = b->bounds != nullptr;
    if (st == ST_OK && first_round(b) == AFFINE_ROUND_BAND &&
        (st = choose_bands(b, work, arrays, &launch->rounds)) == ST_OK)
        st = run_round(b, work, scratch, arrays, AFFINE_ROUND_BAND, launch);
    if (st == ST_OK)
        st = run_round(b, work, scratch, arrays, AFFINE_ROUND_FIRST, launch);
    if (st == ST_OK && align_has_identity(b->spec) && b->max_len[RSCAN_KEY] > 0)
        st = run_round(b, work, scratch, arrays, AFFINE_ROUND_EXACT, launch);
    if (st != ST_OK || !b->bands)
        return st;
    add_stats<<<1, 1, 0, work->stream>>>(scratch->counters, b->stats);
    return CUDA_TRY(cudaGetLastError());
}

/* Fill in what all kinds have in common. */
void fill_launch(const affine_batch_t *b, const cuda_work_t *work,
                 const affine_scratch_t *scratch, const arrays_t &arrays,
                 rscan_launch_t *l)
{
    const cuda_set_t *set = cuda_batch_set(b->batch);

    l->set = *set;
    l->has_ambiguity = set->has_ambiguity;
    l->pairs = work->pairs;
    l->max_pairs = INT_MAX;
    l->band_w = b->bands ? arrays.band_w : nullptr;
    l->retry = align_has_identity(b->spec) ? nullptr : arrays.retry;
    l->n_retry = &scratch->counters->n_retry;
    l->doubtful = arrays.doubtful;
    l->n_doubtful = &scratch->counters->n_doubtful;
    l->lines = scratch->lines.at;
    l->line_len = b->line_len;
    l->min_overlap = b->spec->min_overlap;
    l->score = work->score;
    l->matches = work->matches;
    l->columns = work->columns;
}

} // namespace

status_t affine_batch_run(affine_batch_t *b, const cuda_work_t *work)
{
    affine_scratch_t *scratch = &b->scratch[work->slot];
    affine_launch_t launch = {};
    arrays_t arrays;
    status_t st;

    if ((st = cuda_buffer_reserve(&scratch->arrays,
                                  place_arrays(nullptr, work->n, &arrays))) != ST_OK ||
        (st = cuda_buffer_reserve(&scratch->lines, slot_line_bytes(b))) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(scratch->counters, 0, sizeof(affine_counters_t),
                                       work->stream))) != ST_OK)
        return st;
    place_arrays(scratch->arrays.at, work->n, &arrays);
    fill_launch(b, work, scratch, arrays, &launch.rounds);
    launch.score_band = b->score_band;
    launch.flank_words = b->flank_words;
    st = run_rounds(b, work, scratch, arrays, &launch);
    return st == ST_OK && b->trace != nullptr
               ? rscan_trace_run(b->trace, work, launch.rounds)
               : st;
}
