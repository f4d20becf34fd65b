/*
 * rscan_cuda.cu - the backends rscan, which aligns one pair per thread (rscan_kernel.cu),
 * and dscan, which aligns one pair per warp (dscan_kernel.cu): the rounds of a batch.
 *
 * RSCAN_ROUND_FIRST takes all pairs.  rscan aligns them in bands where a proof exists:
 *
 *  - Ends counted: bands that edit distances suggest (edit_band.h).  Pairs whose result
 *    does not certify the band go through RSCAN_ROUND_WIDER, in the band that it proves.
 *  - Ends free, identities: bands of a fixed width, proved by a bound on the score of all
 *    paths that leave them.  band_bound.cuh computes the bound, or where that does not
 *    apply RSCAN_ROUND_BOUND before the first round.  Pairs whose result does not reach
 *    the bound go through RSCAN_ROUND_WHOLE.
 *
 * Pairs that 32 bits leave in doubt (cell_layout.h) go through RSCAN_ROUND_EXACT.  The
 * last two rounds have few pairs, so a warp aligns each.  Kernels list the pairs of later
 * rounds on the device, and the host never waits between rounds.
 */
#include "kernels/align/bscan/band_bound.cuh"
#include "kernels/align/bscan/bscan_batch.cuh"
#include "kernels/align/cuda/cuda_band_stats.cuh"
#include "kernels/align/rscan/rscan_plan.cuh"
#include "kernels/align/rscan/rscan_trace.cuh"
#include "kernels/device/cuda_put.cuh"

extern "C" {
#include "kernels/align/common/band_width.h"
#include "kernels/align/rscan/dscan.h"
#include "kernels/align/rscan/rscan.h"
}

#include <cstdlib>
#include <cstring>

namespace
{

constexpr int LINE_SLACK = 8; /* columns: kernels read a line in groups of four */
/* Bases of rscan's sequences.  Of longer ones too few fit a batch to fill a device with
 * one pair per thread. */
constexpr int64_t THREAD_MAX = 4096;
constexpr int N_ROUNDS = RSCAN_ROUND_EXACT + 1;

constexpr align_support_t SUPPORTS = {
    /* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
    /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY),
    /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
    /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
        ALIGN_BIT(EMIT_CIGAR)};

/* Counters of a batch, on the device. */
struct counters_t {
    int n_of_kind[N_ROUNDS][RSCAN_KINDS], next[N_ROUNDS][RSCAN_KINDS];
    int n_retry, n_doubtful;
    unsigned long long n_banded;
};

/* One per slot of batches. */
struct scratch_t {
    cuda_buffer_t arrays; /* arrays_t */
    cuda_buffer_t lines;
    counters_t *counters;
};

struct rscan_t {
    const align_spec_t *spec;
    bool warp_per_pair; /* the backend is dscan */
    cuda_batch_t *batch;
    bscan_t *edits;       /* edit distances that bands are chosen from; may be NULL */
    int bound_w;          /* w of the bands that bounds prove; 0: none */
    band_bound_t *bounds; /* computes those bounds; NULL: RSCAN_ROUND_BOUND does */
    rscan_trace_t *trace; /* NULL: no CIGARs */
    cell_layout_t layout[RSCAN_KINDS],
        score_layout[RSCAN_KINDS];                        /* of the spec; of scores */
    int max_len[RSCAN_KINDS], score_max_len[RSCAN_KINDS]; /* bases that they hold */
    int n_blocks[RSCAN_KINDS], n_bound_blocks[RSCAN_KINDS], n_warp_blocks[RSCAN_KINDS];
    long long line_len; /* columns */
    size_t line_bytes;  /* of all lines of a slot */
    scratch_t scratch[CUDA_SLOTS];
    cuda_band_stats_t *stats;
};

bool dscan_fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_spec_t *spec = context->spec;
    const int64_t longer = m > n ? m : n;
    const bool identity = align_has_identity(spec);

    return rscan_holds(RSCAN_SETS, spec, longer) &&
           (!identity || rscan_holds(RSCAN_SETS64, spec, longer)) &&
           (spec->emit != EMIT_CIGAR ||
            (longer <= THREAD_MAX && rscan_trace_holds(spec, longer)));
}

bool rscan_fits(const align_context_t *context, int64_t m, int64_t n)
{
    return m <= THREAD_MAX && n <= THREAD_MAX && dscan_fits(context, m, n);
}

void rscan_destroy(void *state)
{
    rscan_t *r = static_cast<rscan_t *>(state);

    if (r == nullptr)
        return;
    cuda_band_stats_report("rscan", r->stats);
    cuda_batch_destroy(r->batch); /* waits for batches in flight */
    for (scratch_t &s : r->scratch) {
        cuda_buffer_free(&s.arrays);
        cuda_buffer_free(&s.lines);
        cudaFree(s.counters);
    }
    rscan_trace_destroy(r->trace);
    band_bound_destroy(r->bounds);
    bscan_destroy(r->edits);
    cudaFree(r->stats);
    free(r);
}

/* @return the maximum bases of a sequence that may come */
int max_bases(const rscan_t *r, const seqset_t *set)
{
    const int64_t longest = seqset_max_len(set);
    const bool any = r->warp_per_pair && r->spec->emit != EMIT_CIGAR;

    return static_cast<int>(any || longest < THREAD_MAX ? longest : THREAD_MAX);
}

/* @return a length that at most 1 % of the sequences exceed, so that a few long sequences
 *         do not cost all others the bits of their keys; at most max_len */
int usual_len(const seqset_t *set, int max_len)
{
    int64_t len = 1023;

    while (len < max_len) {
        int64_t n_longer = 0;

        for (int64_t i = 0; i < set->n; i++)
            n_longer += seqset_len(set, i) > len;
        if (n_longer * 100 <= set->n)
            return static_cast<int>(len);
        len = 2 * len + 1;
    }
    return max_len;
}

void choose_layouts(rscan_t *r, const seqset_t *set)
{
    const int max_len = max_bases(r, set), usual = usual_len(set, max_len);
    align_spec_t score = *r->spec;

    score.emit = EMIT_SCORE;
    for (int kind = 0; kind < RSCAN_KINDS; kind++) {
        r->max_len[kind] =
            rscan_layout(kind, r->spec, kind == RSCAN_KEY ? usual : max_len,
                         &r->layout[kind]);
        r->score_max_len[kind] =
            rscan_layout(kind, &score, max_len, &r->score_layout[kind]);
    }
}

/* Lower the blocks of a grid where their lines would take too much memory.
 * @param block_bytes  of the lines of a block */
void limit_grid(rscan_t *r, size_t block_bytes, int *n_blocks)
{
    const int64_t max_blocks =
        cuda_batch_scratch_bytes(r->batch) / 4 / static_cast<int64_t>(block_bytes);

    if (*n_blocks > max_blocks)
        *n_blocks = max_blocks > 1 ? static_cast<int>(max_blocks) : 1;
    if (block_bytes * static_cast<size_t>(*n_blocks) > r->line_bytes)
        r->line_bytes = block_bytes * static_cast<size_t>(*n_blocks);
}

status_t size_grids(rscan_t *r, const device_t *device)
{
    status_t st;

    r->line_len = r->max_len[RSCAN_SETS] + LINE_SLACK;
    for (int kind = 0; kind < RSCAN_KINDS; kind++) {
        const size_t cell_bytes = static_cast<size_t>(rscan_cell_bytes(kind));
        const size_t bytes = static_cast<size_t>(r->line_len) * RSCAN_BLOCK * cell_bytes;

        if ((st = dscan_blocks(kind, device, &r->n_warp_blocks[kind])) != ST_OK)
            return st;
        limit_grid(r, bytes / 32, &r->n_warp_blocks[kind]);
        if (r->warp_per_pair || kind == RSCAN_SETS64)
            continue;
        if ((st = rscan_blocks(kind, false, device, &r->n_blocks[kind])) != ST_OK ||
            (st = rscan_blocks(kind, true, device, &r->n_bound_blocks[kind])) != ST_OK)
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

    if (!context->run.band || r->warp_per_pair)
        return ST_OK;
    if (spec->ends == ENDS_COUNT && band_width_applies(spec))
        return bscan_create(context->device, context->pool, context->set,
                            max_bases(r, context->set), true, BSCAN_EDITS, r->batch,
                            &r->edits);
    if (spec->ends != ENDS_FREE || !align_has_identity(spec))
        return ST_OK;
    r->bound_w = band_width_guarded(INT32_MAX);
    return band_bound_applies(spec) ? band_bound_create(context->device, context->set,
                                                        spec, r->batch, &r->bounds)
                                    : ST_OK;
}

status_t create(const align_context_t *context, bool warp_per_pair, void **state)
{
    rscan_t *r = static_cast<rscan_t *>(calloc(1, sizeof(*r)));
    status_t st;

    if (r == nullptr)
        return log_nomem("the rscan kernel");
    r->spec = context->spec;
    r->warp_per_pair = warp_per_pair;
    choose_layouts(r, context->set);
    if ((st = cuda_batch_create(context, &r->batch)) == ST_OK &&
        (st = cuda_put_zeros(&r->stats, 1)) == ST_OK &&
        (st = create_bands(r, context)) == ST_OK && context->spec->emit == EMIT_CIGAR)
        st = rscan_trace_create(context, r->batch, max_bases(r, context->set), &r->trace);
    if (st == ST_OK)
        st = size_grids(r, context->device);
    for (int k = 0; st == ST_OK && k < CUDA_SLOTS; k++)
        st = CUDA_TRY(cudaMalloc(&r->scratch[k].counters, sizeof(counters_t)));
    if (st != ST_OK) {
        rscan_destroy(r);
        return st;
    }
    *state = r;
    return ST_OK;
}

status_t rscan_create(const align_context_t *context, void **state)
{
    return create(context, false, state);
}

status_t dscan_create(const align_context_t *context, void **state)
{
    return create(context, true, state);
}

/* Arrays of a batch of n pairs, as rscan_launch_t has them: [n] */
struct arrays_t {
    unsigned *retry, *doubtful;
    int *bound, *edits;
    rscan_band_t *bound_band;
    short *band_w;
    rscan_plan_t plan;
};

/* Place the arrays in a block of memory, or with NULL measure it. @return its bytes */
size_t place_arrays(void *memory, int64_t n, arrays_t *out)
{
    cuda_carver_t c = {memory, 0};

    out->retry = cuda_carve<unsigned>(&c, n);
    out->doubtful = cuda_carve<unsigned>(&c, n);
    out->bound = cuda_carve<int>(&c, n);
    out->bound_band = cuda_carve<rscan_band_t>(&c, n);
    out->band_w = cuda_carve<short>(&c, n);
    out->edits = cuda_carve<int>(&c, n);
    out->plan = rscan_plan_carve(&c, n);
    return c.bytes;
}

/* A batch while its rounds are enqueued. */
struct rounds_t {
    rscan_t *r;
    const cuda_work_t *work;
    arrays_t arrays;
    counters_t *counters;
    rscan_launch_t launch; /* without what belongs to a round */
};

/* @return whether a round's pairs may be of a kind */
bool has_kind(rscan_round_t round, bool score_only, int kind)
{
    if (round == RSCAN_ROUND_EXACT || kind == RSCAN_SETS64)
        return round == RSCAN_ROUND_EXACT && kind == RSCAN_SETS64;
    return kind == RSCAN_SETS || (kind == RSCAN_SCORE2) == score_only;
}

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
    args.query_rows = r->spec->ends == ENDS_QUERY;
    memcpy(args.max_len, score_only ? r->score_max_len : r->max_len,
           sizeof(args.max_len));
    return rscan_plan(s->arrays.plan, args, s->work->n, list, s->arrays.band_w,
                      &s->counters->n_banded, s->counters->n_of_kind[round],
                      s->work->stream, order);
}

/* Enqueue a round: order its pairs, and run the kernels of their kinds. */
status_t run_round(const rounds_t *s, rscan_round_t round, rscan_list_t list)
{
    const rscan_t *r = s->r;
    const bool score_only = round == RSCAN_ROUND_BOUND || r->spec->emit == EMIT_SCORE;
    const bool warp_per_pair =
        r->warp_per_pair || round == RSCAN_ROUND_WHOLE || round == RSCAN_ROUND_EXACT;
    const int *n_thread_blocks =
        round == RSCAN_ROUND_BOUND ? r->n_bound_blocks : r->n_blocks;
    rscan_launch_t launch = s->launch;
    status_t st = plan_round(s, round, score_only, list, &launch.order);

    launch.round = round;
    launch.identity = !score_only;
    launch.n_of_kind = s->counters->n_of_kind[round];
    launch.next = s->counters->next[round];
    for (int kind = 0; st == ST_OK && kind < RSCAN_KINDS; kind++) {
        const int max_len = score_only ? r->score_max_len[kind] : r->max_len[kind];

        if (!has_kind(round, score_only, kind) || max_len == 0)
            continue;
        launch.layout = score_only ? r->score_layout[kind] : r->layout[kind];
        launch.per_quantum = rscan_per_quantum(launch.layout);
        st = warp_per_pair
                 ? dscan_run(kind, launch, r->n_warp_blocks[kind], s->work->stream)
                 : rscan_run(kind, launch, n_thread_blocks[kind], s->work->stream);
    }
    return st;
}

__global__ void add_stats(const counters_t *counters, bool bound,
                          cuda_band_stats_t *stats)
{
    const int *n_of_kind = counters->n_of_kind[RSCAN_ROUND_FIRST];

    atomicAdd(&stats->n_retried, static_cast<unsigned long long>(counters->n_retry));
    atomicAdd(&stats->n_banded, bound ? static_cast<unsigned long long>(
                                            n_of_kind[RSCAN_KEY] + n_of_kind[RSCAN_SETS])
                                      : counters->n_banded);
}

status_t run_rounds(const rounds_t *s)
{
    const rscan_t *r = s->r;
    const rscan_list_t all = {nullptr, nullptr};
    const rscan_list_t retry = {s->arrays.retry, &s->counters->n_retry};
    const rscan_list_t doubtful = {s->arrays.doubtful, &s->counters->n_doubtful};
    const bool banded = r->bound_w > 0 || r->edits != nullptr;
    status_t st = ST_OK;

    if (r->bounds != nullptr)
        st = band_bound_run(r->bounds, s->work, r->bound_w, s->arrays.bound);
    else if (r->edits != nullptr)
        st = bscan_run(r->edits, s->work, s->arrays.edits);
    else if (r->bound_w > 0)
        st = run_round(s, RSCAN_ROUND_BOUND, all);
    if (st == ST_OK)
        st = run_round(s, RSCAN_ROUND_FIRST, all);
    if (st == ST_OK && banded)
        st = run_round(s, r->bound_w > 0 ? RSCAN_ROUND_WHOLE : RSCAN_ROUND_WIDER, retry);
    if (st == ST_OK && align_has_identity(r->spec) &&
        r->layout[RSCAN_SETS].tie != TIE_NONE)
        st = run_round(s, RSCAN_ROUND_EXACT, doubtful);
    if (st != ST_OK || !banded)
        return st;
    add_stats<<<1, 1, 0, s->work->stream>>>(s->counters, r->bound_w > 0, r->stats);
    return CUDA_TRY(cudaGetLastError());
}

void fill_launch(rounds_t *s, const scratch_t *scratch)
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
    l->bounds_ready = r->bounds != nullptr;
    l->bound_band = s->arrays.bound_band;
    l->bound = s->arrays.bound;
    l->retry = s->arrays.retry;
    l->doubtful = s->arrays.doubtful;
    l->n_retry = &scratch->counters->n_retry;
    l->n_doubtful = &scratch->counters->n_doubtful;
    l->score = s->work->score;
    l->matches = s->work->matches;
    l->columns = s->work->columns;
}

status_t launch_batch(void *state, const cuda_work_t *work)
{
    rscan_t *r = static_cast<rscan_t *>(state);
    scratch_t *scratch = &r->scratch[work->slot];
    rounds_t s = {r, work, {}, scratch->counters, {}};
    status_t st;

    if ((st = cuda_buffer_reserve(&scratch->arrays,
                                  place_arrays(nullptr, work->n, &s.arrays))) != ST_OK ||
        (st = cuda_buffer_reserve(&scratch->lines, r->line_bytes)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(scratch->counters, 0, sizeof(counters_t),
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
    /* .name = */ "dscan",
    /* .kind = */ DEVICE_CUDA,
    /* .cells_per_s = */ 5e12,
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */ SUPPORTS,
    /* .fits = */ dscan_fits,
    /* .create = */ dscan_create,
    /* .submit = */ rscan_submit,
    /* .wait = */ rscan_wait,
    /* .destroy = */ rscan_destroy,
};

extern "C" const aligner_backend_t rscan_backend = {
    /* .name = */ "rscan",
    /* .kind = */ DEVICE_CUDA,
    /* .cells_per_s = */ 5e12,
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */ SUPPORTS,
    /* .fits = */ rscan_fits,
    /* .create = */ rscan_create,
    /* .submit = */ rscan_submit,
    /* .wait = */ rscan_wait,
    /* .destroy = */ rscan_destroy,
};
