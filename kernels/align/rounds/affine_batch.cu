/*
 * affine_batch.cu - the backend ascan, which aligns one pair per thread with affine gaps
 * or priced ends: the rounds of a batch.  Each orders its pairs by kind and size, and
 * runs the kernel of each kind.
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
#include "kernels/align/affine/affine_layout.cuh"
#include "kernels/align/bscan/band_choice.cuh"
#include "kernels/align/cuda/cuda_aligner.cuh"
#include "kernels/align/cuda/cuda_side_streams.cuh"
#include "kernels/align/rounds/rscan_trace.cuh"
#include "kernels/align/rscan/rscan_plan.cuh"
#include "kernels/align/sliced/sscan_batch.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/cuda/cuda_aligners.h"
}

#include <algorithm>
#include <climits>
#include <cstring>

namespace
{

/* Bands of more cells take a thread longer than all others.  They are aligned by a warp
 * each, unless they are enough pairs for this fraction of the device's threads. */
constexpr long long WIDE_CELLS = 1 << 19;
constexpr int WIDE_DIVISOR = 8;

constexpr int WARP = 32;

/* Scores in narrow bands, which prove others: of all pairs under EMIT_SCORE, else of
 * those that have such a band; results in the proved bands; results that are left in
 * doubt. */
enum affine_round_t {
    AFFINE_ROUND_BAND,
    AFFINE_ROUND_FIRST,
    AFFINE_ROUND_EXACT,
    AFFINE_ROUNDS
};

/* Counters of a batch, on the device: of each kind the pairs, and those taken so far. */
struct affine_counters_t {
    int n_of_kind[AFFINE_ROUNDS][RSCAN_KINDS], next[AFFINE_ROUNDS][RSCAN_KINDS];
    int n_retry, n_doubtful;
    unsigned long long n_banded;
};

/* One per slot of batches. */
struct affine_scratch_t {
    cuda_buffer_t arrays, lines;
    affine_counters_t *counters;
    cuda_side_streams_t side;
};

struct affine_batch_t {
    const align_spec_t *spec;
    cuda_batch_t *batch;
    rscan_trace_t *trace; /* NULL: no CIGARs */
    bool bands;           /* whether pairs have bands */
    score_band_t score_band;
    cuda_band_stats_t *stats;
    affine_layout_t layout[RSCAN_KINDS];
    int max_len[RSCAN_KINDS]; /* bases that the layouts hold; 0: no such kind */
    int n_blocks[RSCAN_KINDS];
    affine_layout_t key_table;          /* of AFFINE_TABLE_KEY32 */
    int n_key_table_blocks;             /* 0: 32 bits do not hold all pairs with codes */
    affine_layout_t guard[RSCAN_KINDS]; /* of kinds whose first bands are guarded */
    int n_guard_blocks[RSCAN_KINDS];    /* 0: those of a kind are not */
    sscan_t *bounds;                    /* of scores; NULL: there are none */
    band_choice_t *choice; /* chooses the pairs that get one; NULL: none is guarded */
    int flank_words;       /* 0: none is guarded */
    long long line_len;    /* columns */
    size_t line_bytes;     /* of all lines of a kernel with one per thread */
    affine_scratch_t scratch[CUDA_SLOTS];
};

/* @return whether any round may have pairs of a kind */
bool is_needed(const affine_batch_t *b, int kind)
{
    const bool of_scores = kind == RSCAN_SCORE2 || kind == RSCAN_SETS;

    if (kind == RSCAN_KEY_TIES) /* bounds of scores say which pairs suit it */
        return align_has_identity(b->spec) && b->bounds != nullptr;
    return align_has_identity(b->spec) ? b->bands || !of_scores : of_scores;
}

/* Choose the blocks of a kernel's grid, and reserve their lines. */
status_t create_grid(affine_batch_t *b, const device_t *device, int kernel, int *n_blocks)
{
    const size_t bytes =
        static_cast<size_t>(b->line_len) * RSCAN_BLOCK * affine_line_bytes(kernel);
    status_t st = affine_blocks(kernel, device, n_blocks);

    if (st != ST_OK)
        return st;
    *n_blocks =
        cuda_batch_limit_blocks(b->batch, *n_blocks, static_cast<int64_t>(bytes), 4);
    b->line_bytes = std::max(b->line_bytes, bytes * static_cast<size_t>(*n_blocks));
    return ST_OK;
}

/* Choose the layout of a kind, and the blocks of its grid.
 * @param max_len    bases of a sequence
 * @param usual_len  bases that few sequences exceed */
status_t create_kind(affine_batch_t *b, const device_t *device, int kind, int max_len,
                     int usual_len)
{
    const int kernel = affine_kernel_kind(kind, &b->spec->scoring);

    if (is_needed(b, kind))
        b->max_len[kind] =
            kind == RSCAN_KEY_TIES
                ? usual_len
                : affine_limit(kernel, b->spec, kind == RSCAN_KEY ? usual_len : max_len);
    if (b->max_len[kind] == 0 ||
        !affine_layout(kernel, b->spec, b->max_len[kind], &b->layout[kind])) {
        b->max_len[kind] = 0;
        return ST_OK;
    }
    return create_grid(b, device, kernel, &b->n_blocks[kind]);
}

/* Choose whether pairs whose sequences both have codes are tried in 32 bits. */
status_t create_key_table(affine_batch_t *b, const device_t *device, int max_len)
{
    const int kernel = AFFINE_TABLE_KEY32;

    if (b->max_len[RSCAN_KEY] == 0 || affine_limit(kernel, b->spec, max_len) < max_len ||
        !affine_layout(kernel, b->spec, max_len, &b->key_table))
        return ST_OK;
    return create_grid(b, device, kernel, &b->n_key_table_blocks);
}

/* Find out whether scores have lower bounds.  Where scores alone are computed, these take
 * longer than they save; where all ends are free, scores prove next to no bands. */
status_t create_bounds(affine_batch_t *b, const align_context_t *context, int max_len)
{
    return b->bands && align_has_identity(b->spec) && b->spec->ends != ENDS_FREE &&
                   sscan_bounds(b->spec, max_len)
               ? sscan_create(context, b->batch, max_len, 4, &b->bounds)
               : ST_OK;
}

/* Choose which kinds' first bands are guarded.  Their lines are the longest ones.  With
 * counted ends, identities take 5 % less time without guards, because there the score of
 * any band proves quite a narrow one. */
status_t create_guards(affine_batch_t *b, const align_context_t *context, int max_len)
{
    status_t st = ST_OK;

    if (!b->bands || (align_has_identity(b->spec) && b->spec->ends == ENDS_COUNT))
        return ST_OK;
    for (int kind = 0; st == ST_OK && kind < RSCAN_KINDS; kind++) {
        const int kernel = affine_guard_kind(kind, &b->spec->scoring);

        if (kernel == kind || !affine_layout(kernel, b->spec, max_len, &b->guard[kind]))
            continue;
        if (b->flank_words == 0) {
            b->flank_words = affine_flank_words(max_len);
            b->line_len += 2 * b->flank_words;
        }
        st = create_grid(b, context->device, kernel, &b->n_guard_blocks[kind]);
    }
    const band_choice_by_t by = {b->bounds != nullptr
                                     ? static_cast<int>(b->score_band.match)
                                     : 0,
                                 b->n_guard_blocks[RSCAN_SETS] > 0};

    return st == ST_OK && b->flank_words > 0
               ? band_choice_create(context, b->batch, by, &b->choice)
               : st;
}

void destroy(affine_batch_t *b)
{
    if (b == nullptr)
        return;
    cuda_band_stats_report("ascan", b->stats);
    rscan_trace_destroy(b->trace);
    band_choice_destroy(b->choice);
    sscan_destroy(b->bounds);
    for (affine_scratch_t &s : b->scratch) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.lines);
        cudaFree(s.counters);
        cuda_side_streams_destroy(&s.side);
    }
    cudaFree(b->stats);
    free(b);
}

status_t create(const align_context_t *context, cuda_batch_t *batch, affine_batch_t **out)
{
    affine_batch_t *b = static_cast<affine_batch_t *>(calloc(1, sizeof(*b)));
    const int max_len =
        static_cast<int>(std::min(seqset_max_len(context->set), RSCAN_THREAD_MAX));
    const int usual_len = rscan_usual_len(context->set, max_len);
    status_t st;

    if (b == nullptr)
        return log_nomem("the ascan kernel");
    b->spec = context->spec;
    b->batch = batch;
    b->bands = context->run.band && score_band_applies(b->spec, &b->score_band);
    b->line_len = max_len + RSCAN_LINE_SLACK;
    if ((st = cuda_put_zeros(&b->stats, 1)) == ST_OK &&
        (st = create_bounds(b, context, max_len)) == ST_OK)
        st = create_guards(b, context, max_len);
    for (int kind = 0; st == ST_OK && kind < RSCAN_KINDS; kind++)
        st = create_kind(b, context->device, kind, max_len, usual_len);
    if (st == ST_OK)
        st = create_key_table(b, context->device, max_len);
    if (st == ST_OK && b->spec->emit == EMIT_CIGAR)
        st = rscan_trace_create(context, batch, max_len, &b->trace);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        if ((st = CUDA_TRY(cudaMalloc(&b->scratch[k].counters,
                                      sizeof(affine_counters_t)))) == ST_OK)
            st = cuda_side_streams_create(&b->scratch[k].side);
    if (st != ST_OK) {
        destroy(b);
        return st;
    }
    *out = b;
    return ST_OK;
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
    return kind == RSCAN_SETS64 ||
           (round == AFFINE_ROUND_FIRST && (kind == RSCAN_KEY || kind == RSCAN_KEY_TIES));
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
status_t choose_bands(const affine_batch_t *b, const cuda_work_t *work, rscan_launch_t *l)
{
    if (b->choice == nullptr)
        return ST_OK;
    l->outcomes = band_choice_outcomes(b->choice);
    return band_choice_run(b->choice, work, b->score_band.first_w, l->banded, nullptr);
}

/* @return where the bands of a round come from */
rscan_bands_t bands_of(const affine_batch_t *b, int round)
{
    if (round == AFFINE_ROUND_BAND)
        return b->bounds != nullptr ? RSCAN_BANDS_FIRST_OR_SCORES : RSCAN_BANDS_FIRST;
    if (b->bounds != nullptr && round == first_round(b))
        return RSCAN_BANDS_SCORES;
    return b->bands ? RSCAN_BANDS_KNOWN : RSCAN_BANDS_NONE;
}

rscan_variant_t variant_of(const affine_batch_t *b, int round)
{
    rscan_variant_t v = {};

    v.bands = bands_of(b, round);
    v.only_banded = round == AFFINE_ROUND_BAND && align_has_identity(b->spec);
    v.identity = !is_score_round(b, round);
    v.exact = round == AFFINE_ROUND_EXACT || (v.identity && b->max_len[RSCAN_KEY] == 0);
    v.query_rows = b->spec->ends == ENDS_QUERY;
    v.by_rows = is_by_rows(b, round);
    return v;
}

/* A batch while its rounds are enqueued. */
struct rounds_t {
    const affine_batch_t *b;
    const cuda_work_t *work;
    affine_scratch_t *scratch;
    pair_order_t plan;
    affine_launch_t launch; /* without what belongs to a round */
};

/* Enqueue: order the pairs of a round. */
status_t plan_round(const rounds_t *s, int round, const rscan_launch_t &launch,
                    const unsigned **order)
{
    const affine_batch_t *b = s->b;
    rscan_list_t list = {nullptr, nullptr};
    rscan_plan_args_t args = {};

    args.score_band = b->score_band;
    args.max_cells = is_score_round(b, round) ? 0 : WIDE_CELLS;
    memcpy(args.max_len, b->max_len, sizeof(args.max_len));
    if (b->max_len[RSCAN_KEY_TIES] > 0) {
        args.ties_score = affine_ties_score(b->layout[RSCAN_KEY_TIES]);
        args.ties_cost = b->layout[RSCAN_KEY_TIES].c;
    }
    if (round == AFFINE_ROUND_EXACT)
        list = launch.doubtful;
    else if (round == AFFINE_ROUND_FIRST && b->bands && !launch.variant.identity)
        list = launch.retry;
    return rscan_plan(s->plan, launch, args, s->work->n, list,
                      &s->scratch->counters->n_banded, s->work->stream, order);
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

/* @return bytes of the lines of a slot: of two or three kernels with one per thread, and
 * one with one per warp */
size_t slot_line_bytes(const affine_batch_t *b)
{
    return (b->max_len[RSCAN_KEY_TIES] > 0 ? 3 : 2) * b->line_bytes +
           b->line_bytes / WARP;
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
    for (const int kind : {RSCAN_KEY_TIES, RSCAN_SCORE2, RSCAN_KEY}) {
        const bool has_ties = kind == RSCAN_KEY_TIES;

        if (st != ST_OK || !has_kind(b, round, kind))
            continue;
        launch.rounds.kind = kind;
        launch.rounds.lines = lines + (has_ties ? slot_line_bytes(b) - b->line_bytes : 0);
        beside.stream =
            cuda_side_streams_at(&scratch->side, has_ties ? 2 : 1, work->stream);
        st = run_kind(b, &beside, round, kind, &launch);
    }
    return st;
}

/* Enqueue a round: order its pairs, and run the kernels of their kinds. */
status_t run_round(const rounds_t *s, int round)
{
    const cudaStream_t stream = s->work->stream;
    affine_launch_t launch = s->launch;
    rscan_launch_t *l = &launch.rounds;
    status_t st;

    l->variant = variant_of(s->b, round);
    l->n_of_kind = s->scratch->counters->n_of_kind[round];
    l->next = s->scratch->counters->next[round];
    if ((st = plan_round(s, round, *l, &l->order)) != ST_OK ||
        (st = cuda_side_streams_fork(&s->scratch->side, stream)) != ST_OK ||
        (st = run_kinds(s->b, s->work, s->scratch, round, launch)) != ST_OK)
        return st;
    return cuda_side_streams_join(&s->scratch->side, stream);
}

__global__ void add_stats(const affine_counters_t *counters, cuda_band_stats_t *stats)
{
    atomicAdd(&stats->n_retried, static_cast<unsigned long long>(counters->n_retry));
    atomicAdd(&stats->n_banded, counters->n_banded);
}

/* Enqueue all rounds. */
status_t run_rounds(rounds_t *s)
{
    const affine_batch_t *b = s->b;
    status_t st = b->bounds != nullptr ? sscan_run_bounds(b->bounds, s->work) : ST_OK;

    if (st == ST_OK && first_round(b) == AFFINE_ROUND_BAND &&
        (st = choose_bands(b, s->work, &s->launch.rounds)) == ST_OK)
        st = run_round(s, AFFINE_ROUND_BAND);
    if (st == ST_OK)
        st = run_round(s, AFFINE_ROUND_FIRST);
    if (st == ST_OK && align_has_identity(b->spec) && b->max_len[RSCAN_KEY] > 0)
        st = run_round(s, AFFINE_ROUND_EXACT);
    if (st != ST_OK || !b->bands)
        return st;
    add_stats<<<1, 1, 0, s->work->stream>>>(s->scratch->counters, b->stats);
    return CUDA_TRY(cudaGetLastError());
}

/* Reserve the arrays of a batch, most of which its launches have. */
status_t reserve_arrays(rounds_t *s)
{
    const affine_batch_t *b = s->b;
    const int64_t n = s->work->n;
    rscan_launch_t *l = &s->launch.rounds;
    cuda_scratch_t arrays = {};

    if (!align_has_identity(b->spec))
        cuda_scratch_add(&arrays, &l->retry.pairs, n);
    cuda_scratch_add(&arrays, &l->doubtful.pairs, n);
    if (b->bands)
        cuda_scratch_add(&arrays, &l->band_w, n);
    if (b->choice != nullptr)
        cuda_scratch_add(&arrays, &l->banded, n);
    pair_order_add(&arrays, &s->plan, n);
    return cuda_scratch_reserve(&arrays, &s->scratch->arrays);
}

/* Fill in what all kinds have in common. */
void fill_launch(rounds_t *s)
{
    const affine_batch_t *b = s->b;
    rscan_launch_t *l = &s->launch.rounds;

    l->set = *cuda_batch_set(b->batch);
    l->pairs = s->work->pairs;
    l->max_pairs = INT_MAX;
    l->retry.n = &s->scratch->counters->n_retry;
    l->doubtful.n = &s->scratch->counters->n_doubtful;
    l->lines = s->scratch->lines.at;
    l->line_len = b->line_len;
    l->min_overlap = b->spec->min_overlap;
    l->score = s->work->score;
    l->matches = s->work->matches;
    l->columns = s->work->columns;
    s->launch.score_band = b->score_band;
    s->launch.flank_words = b->flank_words;
}

status_t run(affine_batch_t *b, const cuda_work_t *work)
{
    affine_scratch_t *scratch = &b->scratch[work->slot];
    rounds_t s = {b, work, scratch, {}, {}};
    status_t st;

    if ((st = reserve_arrays(&s)) != ST_OK ||
        (st = cuda_buffer_reserve(&scratch->lines, slot_line_bytes(b))) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(scratch->counters, 0, sizeof(affine_counters_t),
                                       work->stream))) != ST_OK)
        return st;
    fill_launch(&s);
    st = run_rounds(&s);
    return st == ST_OK && b->trace != nullptr
               ? rscan_trace_run(b->trace, work, s.launch.rounds)
               : st;
}

bool fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_spec_t *spec = context->spec;
    const int64_t len = std::max(m, n);
    const int scores = affine_kernel_kind(RSCAN_SETS, &spec->scoring);
    const int keys = affine_kernel_kind(RSCAN_SETS64, &spec->scoring);
    affine_layout_t f;

    return align_is_affine(spec) && len <= RSCAN_THREAD_MAX &&
           affine_layout(scores, spec, len, &f) &&
           (!align_has_identity(spec) || affine_layout(keys, spec, len, &f));
}

using functions_t = cuda_aligner_t<affine_batch_t, create, run, destroy>;

} // namespace

extern "C" const aligner_backend_t ascan_backend = {
    /* .base = */ {/* .name = */ "ascan", /* .kind = */ DEVICE_CUDA, /* .rate = */ 5e12},
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */
    {/* .alphabets = */ ALIGN_BIT(ALPHABET_DNA),
     /* .gaps = */ ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
     /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY) |
         ALIGN_BIT(ENDS_PRICED),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
         ALIGN_BIT(EMIT_CIGAR)},
    /* .fits = */ fits,
    /* .create = */ functions_t::create,
    /* .submit = */ functions_t::submit,
    /* .wait = */ functions_t::wait,
    /* .destroy = */ functions_t::destroy,
    /* .family = */ "rscan",
};
