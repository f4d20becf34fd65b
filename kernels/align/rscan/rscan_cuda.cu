/*
 * rscan_cuda.cu - the rows rscan, an alignment a thread (rscan_kernel.cu), and dscan, an
 * alignment a warp (dscan_kernel.cu): a batch's rounds.
 *
 * The first round takes all pairs, rscan in bands where there is a proof for them.  What
 * its results do not certify is listed on the device and aligned in the wider bands that
 * they prove; what a guard does not, and what 32 bits leave in doubt, a warp a pair: they
 * are few, and a thread alone takes long.  rscan's identities with free ends have a round
 * before: scores with a reward for leaving the band (simd_diff_body.h has the proof).
 * The host waits for none of them.
 */
#include "kernels/align/bscan/band_bound.cuh"
#include "kernels/align/bscan/bscan_batch.cuh"
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

constexpr int LINE_SLACK = 8;
/* Letters of rscan's pairs: longer ones are too few for a thread each. */
constexpr int64_t THREAD_MAX = 4096;
constexpr int ROUNDS = RSCAN_ROUND_EXACT + 1;

/* Counters of a batch, on the device. */
struct counters_t {
    int n_of_kind[ROUNDS][RSCAN_KINDS], next[ROUNDS][RSCAN_KINDS];
    int n_retry, n_doubtful;
    unsigned long long n_banded;
};

/* Of all batches. */
struct totals_t {
    unsigned long long n_banded, n_retry;
};

struct scratch_t {
    cuda_buffer_t pairs; /* what grows with a batch */
    cuda_buffer_t lines;
    counters_t *counters;
};

struct rscan_t {
    const align_spec_t *spec;
    bool warp_per_pair; /* the row dscan */
    cuda_batch_t *batch;
    bscan_t *edits;       /* NULL: no bands by edit distances */
    int bound_w;          /* w of guarded bands; 0: none */
    band_bound_t *bounds; /* of the scores beside guarded bands; NULL: by a round */
    rscan_trace_t *trace; /* NULL: no CIGARs */
    const pair_batch_t *submitted;
    cell_layout_t layout[RSCAN_KINDS],
        score_layout[RSCAN_KINDS]; /* of results, of guards */
    int limit[RSCAN_KINDS], score_limit[RSCAN_KINDS];
    int n_blocks[RSCAN_KINDS], n_bound_blocks[RSCAN_KINDS], n_warp_blocks[RSCAN_KINDS];
    long long line_len;
    size_t line_bytes; /* of a slot */
    scratch_t scratch[CUDA_SLOTS];
    totals_t *totals;
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
    totals_t totals = {};

    if (r == nullptr)
        return;
    if (r->totals != nullptr &&
        cudaMemcpy(&totals, r->totals, sizeof(totals), cudaMemcpyDeviceToHost) ==
            cudaSuccess &&
        totals.n_banded > 0)
        log_verbose("rscan: %llu pairs in a band, %.2f %% certified at the first try",
                    totals.n_banded,
                    100.0 * static_cast<double>(totals.n_banded - totals.n_retry) /
                        static_cast<double>(totals.n_banded));
    cuda_batch_destroy(r->batch); /* waits for what is under way */
    for (int k = 0; k < CUDA_SLOTS; k++) {
        cuda_buffer_free(&r->scratch[k].pairs);
        cuda_buffer_free(&r->scratch[k].lines);
        cudaFree(r->scratch[k].counters);
    }
    rscan_trace_destroy(r->trace);
    band_bound_destroy(r->bounds);
    bscan_destroy(r->edits);
    cudaFree(r->totals);
    free(r);
}

/* @return the most letters that a pair's sequences may have */
int max_bases(const rscan_t *r, const seqset_t *set)
{
    const int64_t longest = seqset_max_len(set);

    const bool any = r->warp_per_pair && r->spec->emit != EMIT_CIGAR;

    return static_cast<int>(any || longest < THREAD_MAX ? longest : THREAD_MAX);
}

/* The length up to which all but one of a hundred sequences are: a few long ones shall
 * not cost the others the bits of their keys. */
int usual_length(const seqset_t *set, int most)
{
    int64_t len = 1023;

    while (len < most) {
        int64_t n_longer = 0;

        for (int64_t i = 0; i < set->n; i++)
            n_longer += seqset_len(set, i) > len;
        if (n_longer * 100 <= set->n)
            return static_cast<int>(len);
        len = 2 * len + 1;
    }
    return most;
}

void choose_layouts(rscan_t *r, const seqset_t *set)
{
    const int most = max_bases(r, set), usual = usual_length(set, most);
    align_spec_t score = *r->spec;

    score.emit = EMIT_SCORE;
    for (int kind = 0; kind < RSCAN_KINDS; kind++) {
        r->limit[kind] = rscan_layout(kind, r->spec, kind == RSCAN_KEY ? usual : most,
                                      &r->layout[kind]);
        r->score_limit[kind] = rscan_layout(kind, &score, most, &r->score_layout[kind]);
    }
}

/* As many blocks as the device holds at once, fewer where their lines would fill it. */
void size_grid(rscan_t *r, size_t block_bytes, int *n_blocks)
{
    const int64_t most =
        cuda_batch_scratch_bytes(r->batch) / 4 / static_cast<int64_t>(block_bytes);

    if (*n_blocks > most)
        *n_blocks = most > 1 ? static_cast<int>(most) : 1;
    if (block_bytes * static_cast<size_t>(*n_blocks) > r->line_bytes)
        r->line_bytes = block_bytes * static_cast<size_t>(*n_blocks);
}

status_t size_grids(rscan_t *r, const device_t *device)
{
    status_t st;

    r->line_len = r->limit[RSCAN_SETS] + LINE_SLACK;
    for (int kind = 0; kind < RSCAN_KINDS; kind++) {
        const size_t cell_bytes = static_cast<size_t>(rscan_cell_bytes(kind));
        const size_t bytes = static_cast<size_t>(r->line_len) * RSCAN_BLOCK * cell_bytes;

        if ((st = dscan_blocks(kind, device, &r->n_warp_blocks[kind])) != ST_OK)
            return st;
        size_grid(r, bytes / 32, &r->n_warp_blocks[kind]);
        if (r->warp_per_pair || kind == RSCAN_SETS64)
            continue;
        if ((st = rscan_blocks(kind, false, device, &r->n_blocks[kind])) != ST_OK ||
            (st = rscan_blocks(kind, true, device, &r->n_bound_blocks[kind])) != ST_OK)
            return st;
        size_grid(r, bytes, &r->n_blocks[kind]);
        size_grid(r, bytes, &r->n_bound_blocks[kind]);
    }
    return ST_OK;
}

status_t create(const align_context_t *context, bool warp_per_pair, void **state)
{
    const device_t *device = context->device;
    const seqset_t *set = context->set;
    const align_spec_t *spec = context->spec;
    rscan_t *r = static_cast<rscan_t *>(calloc(1, sizeof(*r)));
    const bool band = context->run.band && !warp_per_pair;
    status_t st;

    if (r == nullptr)
        return log_nomem("a kernel");
    r->spec = spec;
    r->warp_per_pair = warp_per_pair;
    choose_layouts(r, set);
    if (band && spec->ends == ENDS_FREE && align_has_identity(spec))
        r->bound_w = band_width_guarded(INT32_MAX);
    if ((st = cuda_batch_create(context, &r->batch)) == ST_OK &&
        (st = cuda_put_zeros(&r->totals, 1)) == ST_OK && band &&
        spec->ends == ENDS_COUNT && band_width_applies(spec))
        st = bscan_create(device, context->pool, set, max_bases(r, set), true,
                          BSCAN_EDITS, r->batch, &r->edits);
    if (st == ST_OK && r->bound_w > 0 && band_bound_applies(spec))
        st = band_bound_create(device, set, spec, r->batch, &r->bounds);
    if (st == ST_OK && spec->emit == EMIT_CIGAR)
        st =
            rscan_trace_create(device, set, spec, r->batch, max_bases(r, set), &r->trace);
    if (st == ST_OK)
        st = size_grids(r, device);
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

/* Arrays of a batch, in a slot's memory. */
struct arrays_t {
    unsigned *retry, *doubtful;
    int *bound, *edits;
    rscan_band_t *bound_band;
    short *band_w;
    void *plan;
};

constexpr size_t ALIGN = 256;

/* Lay the arrays out from `at`, which may be NULL. @return their bytes */
size_t lay_out(char *at, int64_t n, arrays_t *out)
{
    const size_t count = static_cast<size_t>(n);
    const size_t sizes[] = {count * sizeof(unsigned), count * sizeof(unsigned),
                            count * sizeof(int),      count * sizeof(rscan_band_t),
                            count * sizeof(short),    count * sizeof(int),
                            rscan_plan_bytes(n)};
    constexpr int N = sizeof(sizes) / sizeof(sizes[0]);
    size_t place[N + 1] = {};

    for (int k = 0; k < N; k++)
        place[k + 1] = place[k] + (sizes[k] / ALIGN + 1) * ALIGN;
    if (at != nullptr) {
        out->retry = reinterpret_cast<unsigned *>(at + place[0]);
        out->doubtful = reinterpret_cast<unsigned *>(at + place[1]);
        out->bound = reinterpret_cast<int *>(at + place[2]);
        out->bound_band = reinterpret_cast<rscan_band_t *>(at + place[3]);
        out->band_w = reinterpret_cast<short *>(at + place[4]);
        out->edits = reinterpret_cast<int *>(at + place[5]);
        out->plan = at + place[6];
    }
    return place[N];
}

/* What a batch's rounds have in common. */
struct rounds_t {
    rscan_t *r;
    const cuda_work_t *work;
    arrays_t arrays;
    counters_t *counters;
    rscan_launch_t launch;
};

/* Order the round's pairs, and run the kernels of the kinds that they may be of. */
status_t run_round(rounds_t *s, rscan_round_t round, const unsigned *list,
                   const int *n_listed)
{
    rscan_t *r = s->r;
    rscan_launch_t launch = s->launch;
    const bool scores = round == RSCAN_ROUND_BOUND || r->spec->emit == EMIT_SCORE;
    const bool warp_per_pair =
        r->warp_per_pair || round == RSCAN_ROUND_WHOLE || round == RSCAN_ROUND_EXACT;
    rscan_plan_args_t shape = {*cuda_batch_set(r->batch),
                               cuda_batch_set(r->batch)->has_ambiguity,
                               s->work->pairs,
                               s->arrays.edits,
                               s->work->score,
                               rscan_costs(r->layout[RSCAN_SETS]),
                               r->spec->scoring.match,
                               scores,
                               round == RSCAN_ROUND_EXACT,
                               round == RSCAN_ROUND_FIRST && r->edits != nullptr,
                               round == RSCAN_ROUND_WIDER,
                               {},
                               r->spec->ends == ENDS_QUERY};
    status_t st;

    memcpy(shape.limit, scores ? r->score_limit : r->limit, sizeof(shape.limit));
    st = rscan_plan(rscan_plan_at(s->arrays.plan, s->work->n), shape, s->work->n, list,
                    n_listed, s->arrays.band_w, &s->counters->n_banded,
                    s->counters->n_of_kind[round], s->work->stream, &launch.order);
    launch.round = round;
    launch.identity = !scores;
    launch.n_of_kind = s->counters->n_of_kind[round];
    launch.next = s->counters->next[round];
    for (int kind = 0; st == ST_OK && kind < RSCAN_KINDS; kind++) {
        const bool wanted = kind == RSCAN_SETS64   ? round == RSCAN_ROUND_EXACT
                            : kind == RSCAN_SCORE2 ? scores
                            : kind == RSCAN_KEY    ? !scores && round != RSCAN_ROUND_EXACT
                                                   : round != RSCAN_ROUND_EXACT;

        if (!wanted || shape.limit[kind] == 0)
            continue;
        launch.layout = scores ? r->score_layout[kind] : r->layout[kind];
        launch.per_quantum = rscan_per_quantum(launch.layout);
        if (warp_per_pair)
            st = dscan_run(kind, launch, r->n_warp_blocks[kind], s->work->stream);
        else
            st = rscan_run(kind, launch,
                           round == RSCAN_ROUND_BOUND ? r->n_bound_blocks[kind]
                                                      : r->n_blocks[kind],
                           s->work->stream);
    }
    return st;
}

__global__ void add_totals(const counters_t *counters, bool bound, totals_t *totals)
{
    atomicAdd(&totals->n_retry, static_cast<unsigned long long>(counters->n_retry));
    atomicAdd(&totals->n_banded,
              bound ? static_cast<unsigned long long>(
                          counters->n_of_kind[RSCAN_ROUND_FIRST][RSCAN_KEY] +
                          counters->n_of_kind[RSCAN_ROUND_FIRST][RSCAN_SETS])
                    : counters->n_banded);
}

status_t run_rounds(rounds_t *s)
{
    const rscan_t *r = s->r;
    const bool banded = r->bound_w > 0 || r->edits != nullptr;
    status_t st = ST_OK;

    if (r->bounds != nullptr)
        st = band_bound_run(r->bounds, s->work, r->bound_w, s->arrays.bound);
    else if (r->edits != nullptr)
        st = bscan_run(r->edits, s->work, s->arrays.edits);
    else if (r->bound_w > 0)
        st = run_round(s, RSCAN_ROUND_BOUND, nullptr, nullptr);
    if (st == ST_OK)
        st = run_round(s, RSCAN_ROUND_FIRST, nullptr, nullptr);
    if (st == ST_OK && banded)
        st = run_round(s, r->bound_w > 0 ? RSCAN_ROUND_WHOLE : RSCAN_ROUND_WIDER,
                       s->arrays.retry, &s->counters->n_retry);
    if (st == ST_OK && align_has_identity(r->spec) &&
        r->layout[RSCAN_SETS].tie != TIE_NONE)
        st =
            run_round(s, RSCAN_ROUND_EXACT, s->arrays.doubtful, &s->counters->n_doubtful);
    if (st != ST_OK || !banded)
        return st;
    add_totals<<<1, 1, 0, s->work->stream>>>(s->counters, r->bound_w > 0, r->totals);
    return CUDA_TRY(cudaGetLastError());
}

status_t launch_batch(void *row, const cuda_work_t *work)
{
    rscan_t *r = static_cast<rscan_t *>(row);
    scratch_t *scratch = &r->scratch[work->slot];
    rounds_t s = {r, work, {}, scratch->counters, {}};
    status_t st;

    if ((st = cuda_buffer_reserve(&scratch->pairs, lay_out(nullptr, work->n, nullptr))) !=
            ST_OK ||
        (st = cuda_buffer_reserve(&scratch->lines, r->line_bytes)) != ST_OK ||
        (st = CUDA_TRY(cudaMemsetAsync(scratch->counters, 0, sizeof(counters_t),
                                       work->stream))) != ST_OK)
        return st;
    lay_out(static_cast<char *>(scratch->pairs.at), work->n, &s.arrays);
    s.launch.set = *cuda_batch_set(r->batch);
    s.launch.has_ambiguity = cuda_batch_set(r->batch)->has_ambiguity;
    s.launch.pairs = work->pairs;
    s.launch.lines = scratch->lines.at;
    s.launch.line_len = r->line_len;
    s.launch.mad_one = 1;
    s.launch.edits = s.arrays.edits;
    s.launch.band_w = r->edits != nullptr ? s.arrays.band_w : nullptr;
    s.launch.bound_w = r->bound_w;
    s.launch.bounds_ready = r->bounds != nullptr;
    s.launch.bound_band = s.arrays.bound_band;
    s.launch.bound = s.arrays.bound;
    s.launch.retry = s.arrays.retry;
    s.launch.doubtful = s.arrays.doubtful;
    s.launch.n_retry = &scratch->counters->n_retry;
    s.launch.n_doubtful = &scratch->counters->n_doubtful;
    s.launch.score = work->score;
    s.launch.matches = work->matches;
    s.launch.columns = work->columns;
    st = run_rounds(&s);
    return st == ST_OK && r->trace != nullptr
               ? rscan_trace_run(r->trace, r->submitted, work, s.launch)
               : st;
}

status_t rscan_submit(void *state, const pair_batch_t *batch)
{
    rscan_t *r = static_cast<rscan_t *>(state);

    r->submitted = batch;
    return cuda_batch_submit(r->batch, batch, launch_batch, r);
}

status_t rscan_wait(void *state, pair_results_t *out)
{
    rscan_t *r = static_cast<rscan_t *>(state);
    const int slot = cuda_batch_slot(r->batch); /* the oldest's, for now */
    pair_results_t results;
    status_t st = cuda_batch_wait(r->batch, &results);

    if (st == ST_OK && r->trace != nullptr)
        st = rscan_trace_fetch(r->trace, slot, &results);
    if (st == ST_OK)
        *out = results;
    return st;
}

} // namespace

extern "C" const aligner_backend_t dscan_backend = {
    /* .name = */ "dscan",
    /* .kind = */ DEVICE_CUDA,
    /* .cells_per_s = */ 5e12,
    /* .depth = */ ALIGNER_DEPTH,
    /* .supports = */
    {/* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
     /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
         ALIGN_BIT(EMIT_CIGAR)},
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
    /* .supports = */
    {/* .gaps = */ ALIGN_BIT(GAPS_LINEAR),
     /* .ends = */ ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) | ALIGN_BIT(ENDS_QUERY),
     /* .scorings = */ ALIGN_BIT(SCORING_TWO_VALUED),
     /* .emits = */ ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
         ALIGN_BIT(EMIT_CIGAR)},
    /* .fits = */ rscan_fits,
    /* .create = */ rscan_create,
    /* .submit = */ rscan_submit,
    /* .wait = */ rscan_wait,
    /* .destroy = */ rscan_destroy,
};
