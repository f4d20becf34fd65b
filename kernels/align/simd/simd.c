/*
 * simd.c - the backends simd and bscan: sorts the pairs of a batch into groups, sweeps
 * the groups on all threads, and repeats those whose band or layout did not suffice.
 *
 * Where the scores are computed before the identities, this proves bands, and allows
 * layouts for known scores (cell_layout.h).
 */
#include "kernels/align/common/aligner_backend.h"

#include "io/base/logmsg.h"
#include "kernels/align/simd/simd_batch.h"
#include "kernels/align/simd/simd_group.h"

#include <assert.h>
#include <stdlib.h>

typedef struct {
    simd_batch_t batch;
    const simd_sweep_t *sweeps;      /* [SWEEPS] of the device's SIMD level */
    simd_method_t methods[2];        /* of any pairs, and of plain ones */
    int64_t n_banded, n_uncertified; /* pairs in a band; of these, not proved at first */
} simd_t;

static bool bscan_fits(const align_context_t *context, int64_t m, int64_t n)
{
    cell_layout_t layout;

    (void)m;
    (void)n;
    return simd_batch_sweeps(context->device->simd).whole != NULL &&
           cell_layout_choose_bits(context->spec, &layout);
}

/* The pairs of a group share one layout, for the maxima of their rows and columns.  If it
 * holds longer x longer, all pairs up to that length can share a group. */
static bool simd_fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_spec_t *spec = context->spec;
    int64_t longer = m > n ? m : n;
    cell_layout_t layout;

    return simd_batch_sweeps(context->device->simd).whole != NULL &&
           cell_layout_choose(spec, longer, longer, true, &layout);
}

static void simd_destroy(void *state)
{
    simd_t *s = state;

    if (s == NULL)
        return;
    if (s->n_banded > 0)
        log_verbose("%s: %lld pairs in a band, %.2f %% certified at the first try",
                    s->methods[0].bits ? "bscan" : "simd", (long long)s->n_banded,
                    100.0 * (double)(s->n_banded - s->n_uncertified) /
                        (double)s->n_banded);
    for (int i = 0; i < 2; i++)
        simd_method_free(&s->methods[i]);
    simd_batch_free(&s->batch);
    free(s);
}

static status_t create_ways(simd_t *s, bool bits)
{
    const align_context_t *context = &s->batch.cpu.context;
    status_t st = simd_method_create(context, context->spec, bits, &s->methods[0]);
    align_spec_t plain;

    if (st != ST_OK || !simd_method_plain_spec(context->spec, &plain) ||
        (st = simd_batch_find_plain(&s->batch)) != ST_OK)
        return st;
    return simd_method_create(context, &plain, bits, &s->methods[1]);
}

static status_t create(const align_context_t *context, bool bits, void **state)
{
    simd_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("the simd kernel");
    s->sweeps = simd_batch_sweeps(context->device->simd).whole;
    st = simd_batch_create(context, bits ? "the bscan kernel" : "the simd kernel",
                           &s->batch);
    if (st == ST_OK)
        st = create_ways(s, bits);
    if (st == ST_OK)
        *state = s;
    else
        simd_destroy(s);
    return st;
}

static status_t simd_create(const align_context_t *context, void **state)
{
    return create(context, false, state);
}

static status_t bscan_create(const align_context_t *context, void **state)
{
    return create(context, true, state);
}

static const simd_method_t *method_of(const simd_t *s, const simd_pair_t *pair)
{
    return &s->methods[pair->plain];
}

/* A group's band must be wide enough for its largest difference of lengths: pairs of
 * guarded bands are sorted by classes of SKEW_CLASS bases of difference first. */
enum { SKEW_CLASS = 32 };

/* Sort pairs of similar lengths and bands together.  No result depends on which pairs
 * share a group. */
static int by_shape(const void *a, const void *b)
{
    const simd_pair_t *x = a, *y = b;

    if (x->exact != y->exact)
        return x->exact ? 1 : -1;
    if (x->plain != y->plain)
        return x->plain ? -1 : 1;
    if (x->shared != y->shared)
        return x->shared > y->shared ? -1 : 1;
    if ((x->band == SIMD_BAND_NONE) != (y->band == SIMD_BAND_NONE))
        return x->band == SIMD_BAND_NONE ? 1 : -1;
    if (x->skew != y->skew)
        return x->skew > y->skew ? -1 : 1;
    if (x->n / 128 != y->n / 128)
        return x->n > y->n ? -1 : 1;
    if (x->band != y->band)
        return x->band > y->band ? -1 : 1;
    if (x->m / 64 != y->m / 64)
        return x->m > y->m ? -1 : 1;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    if (x->m != y->m)
        return x->m > y->m ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* @return whether two pairs may be in one group: known scores are those of a band */
static bool may_share_group(const simd_pair_t *x, const simd_pair_t *y)
{
    return x->exact == y->exact && x->plain == y->plain && x->shared == y->shared &&
           (x->band == SIMD_BAND_NONE) == (y->band == SIMD_BAND_NONE);
}

/* Groups of the first sweep, which all of a group's pairs need or none. */
static int64_t count_first(const void *ctx, const simd_pair_t *p, int64_t max)
{
    const simd_t *s = ctx;
    const simd_method_t *method = method_of(s, p);
    int64_t lanes = s->sweeps[SWEEP_8].lanes, count = 1;

    while (count < max && count < lanes && may_share_group(p, p + count) &&
           simd_method_needs_score(method, p + count) ==
               simd_method_needs_score(method, p))
        count++;
    return count;
}

/* Groups of at most as many pairs as their sweep has lanes. */
static int64_t count_lanes(const void *ctx, const simd_pair_t *p, int64_t max)
{
    const simd_t *s = ctx;
    cell_layout_t layout;
    int64_t count = 1;

    while (count < max && may_share_group(p, p + count))
        count++;
    /* fewer pairs may have another layout */
    while (simd_method_layout(method_of(s, p), p, count, &layout) &&
           s->sweeps[layout.sweep].lanes < count)
        count = s->sweeps[layout.sweep].lanes;
    return count;
}

static void sort_and_divide(simd_t *s, int64_t n)
{
    if (n > 0)
        qsort(s->batch.sorted, (size_t)n, sizeof(*s->batch.sorted), by_shape);
    simd_batch_divide(&s->batch, n, count_lanes, s);
}

/* Make a pair's rows those of the definition, or the query (simd_group_swaps), shared
 * with no other pair. */
static void choose_rows(const simd_t *s, simd_pair_t *p)
{
    const align_context_t *context = &s->batch.cpu.context;
    const pair_t pair = s->batch.cpu.batch->pairs[p->index];
    const int32_t query = (int32_t)seqset_len(context->set, pair.query),
                  target = (int32_t)seqset_len(context->set, pair.target);

    p->shared = 0;
    p->swapped = simd_group_swaps(context->spec, context->set, pair);
    p->m = p->swapped ? target : query;
    p->n = p->swapped ? query : target;
}

static status_t simd_submit(void *state, const pair_batch_t *batch)
{
    simd_t *s = state;
    simd_batch_t *b = &s->batch;
    const align_context_t *context = &b->cpu.context;
    status_t st = simd_batch_take(b, batch);

    if (st != ST_OK)
        return st;
    for (int64_t i = 0; i < batch->n; i++) {
        const pair_t p = batch->pairs[i];
        simd_pair_t *pair = &b->sorted[i];

        *pair = (simd_pair_t){.plain = simd_batch_is_plain(b, p), .index = i};
        choose_rows(s, pair);
        pair->band = simd_method_band(method_of(s, pair), context->set, p);
        if (method_of(s, pair)->guards && pair->band != SIMD_BAND_NONE)
            pair->skew = (pair->n - pair->m) / SKEW_CLASS;
    }
    if (s->methods[0].profiles)
        simd_group_share_rows(&b->cpu, b->sorted, batch->n);
    sort_and_divide(s, batch->n);
    return ST_OK;
}

/* @return how a pair is aligned again whose band is not proved */
static uint8_t fails_in_band(const simd_t *s, const simd_pair_t *p)
{
    return method_of(s, p)->guards && p->band * SIMD_WIDER <= p->m / 2 ? SIMD_AGAIN_WIDER
                                                                       : SIMD_AGAIN_WHOLE;
}

/* @return whether a band is proved: the end is the best one */
static bool is_proved(const simd_t *s, const simd_group_t *g, const simd_pair_t *p,
                      const cell_end_t *end)
{
    if (g->low == SIMD_BAND_NONE)
        return true;
    if (method_of(s, p)->guards)
        return end->score == p->score && end->matches >= 0;
    return cell_layout_certifies(g->layout, end, p->m, g->low);
}

/* Follow the path of a pair whose end is proved, if all best paths are in the band (a
 * guard proves this) and the rows are those of the definition. */
static void trace(simd_t *s, const simd_group_t *g, const simd_pair_t *p, int lane,
                  const cell_end_t *end, int thread)
{
    const align_context_t *context = &s->batch.cpu.context;
    const pair_t pair = s->batch.cpu.batch->pairs[p->index];
    const uint8_t *query = seqset_letters(context->set, pair.query),
                  *target = seqset_letters(context->set, pair.target);
    trace_path_t path = {.spec = context->spec,
                         .a = p->swapped ? target : query,
                         .b = p->swapped ? query : target,
                         .up = p->swapped ? CIGAR_D : CIGAR_I,
                         .left = p->swapped ? CIGAR_I : CIGAR_D};

    if (!align_has_cigar(context->spec, p->m, p->n, (int32_t)end->columns) ||
        !nw_reference_query_is_rows(path.a, p->m, path.b, p->n) ||
        !(g->low == SIMD_BAND_NONE || method_of(s, p)->guards ||
          cell_layout_holds_all(g->layout, end, p->m, g->low)))
        return;
    simd_trace_follow(g, lane, end, &path);
    cpu_cigar_put(s->batch.cigar, thread, p->index, &path);
}

/* Store the results that are proved, and mark the pairs to be aligned again. */
static void settle(simd_t *s, const simd_group_t *g, const simd_pair_t *pairs,
                   const cell_end_t *ends, int thread)
{
    int64_t n_uncertified = 0;

    for (int lane = 0; lane < g->n_lanes; lane++) {
        const simd_pair_t *p = &pairs[lane];
        const bool proved = is_proved(s, g, p, &ends[lane]);
        const uint8_t again = !proved               ? fails_in_band(s, p)
                              : ends[lane].doubtful ? SIMD_AGAIN_EXACT
                                                    : 0;

        n_uncertified += !proved;
        s->batch.again[p->index] = again;
        assert(again != 0 || ends[lane].matches >= 0);
        if (again != 0)
            continue;
        cpu_batch_put(&s->batch.cpu, p->index, ends[lane].score, ends[lane].matches,
                      ends[lane].columns);
        if (g->trace != NULL)
            trace(s, g, p, lane, &ends[lane], thread);
    }
    if (g->low != SIMD_BAND_NONE)
        __atomic_fetch_add(&s->n_banded, g->n_lanes, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->n_uncertified, n_uncertified, __ATOMIC_RELAXED);
}

/* @return the score of a lane's alignment without an overlap */
static int64_t apart(const simd_group_t *g, int lane)
{
    return align_gap_score(g->layout->end_gap, g->m[lane]) +
           align_gap_score(g->layout->end_gap, g->n[lane]);
}

/* @return what an alignment without an overlap has, which only ends that are no columns
 *         allow; or the known score, to be attained */
static cell_end_t first_end(const simd_group_t *g, const simd_pair_t *pairs, int lane)
{
    const cell_layout_t *f = g->layout;
    cell_end_t end = {.score = f->rows_free ? apart(g, lane) : INT64_MIN};

    if (f->tie == TIE_KNOWN && end.score != pairs[lane].score)
        end = (cell_end_t){.score = pairs[lane].score, .matches = -1};
    return end;
}

/* Sweep over a group. @return whether there was memory for it */
static bool sweep_group(simd_t *s, simd_group_t *g, const simd_pair_t *pairs,
                        simd_scratch_t *scratch, cell_end_t *ends)
{
    const simd_sweep_t *sweep = &s->sweeps[g->layout->sweep];

    if (!simd_group_lay_out(&s->batch.cpu, sweep, pairs, g, scratch))
        return false;
    simd_group_fill(g, sweep);
    for (int lane = 0; lane < g->n_lanes; lane++)
        ends[lane] = first_end(g, pairs, lane);
    (g->layout->affine ? sweep->run_affine : sweep->run)(g, ends);
    return true;
}

static void align_group(void *ctx, int64_t group, int thread)
{
    simd_t *s = ctx;
    simd_scratch_t *scratch = &s->batch.scratch[thread];
    cell_end_t ends[SIMD_LANES_MAX];
    cell_layout_t layout;
    simd_trace_t paths;
    int n;
    simd_pair_t *pairs = simd_batch_group(&s->batch, group, &n);
    simd_group_t g = {.spec = &method_of(s, pairs)->spec,
                      .layout = &layout,
                      .n_lanes = n,
                      .cancel = s->batch.cpu.context.run.cancel};

    if (align_cancelled(g.cancel))
        return;
    simd_group_measure(&g, pairs);
    if (!simd_method_layout(method_of(s, pairs), pairs, g.n_lanes, &layout)) {
        scratch->failed = true;
        return;
    }
    if (s->batch.cigar != NULL)
        simd_trace_choose(&g, &s->sweeps[layout.sweep], &paths);
    if (sweep_group(s, &g, pairs, scratch, ends))
        settle(s, &g, pairs, ends, thread);
}

/* After a sweep of little but the band, without guards, whose scores are those of paths:
 * sweep all cells that matter for them, and guard the band. */
static void sweep_again(const simd_t *s, simd_group_t *g, const simd_pair_t *pairs,
                        cell_end_t *ends)
{
    int64_t least[SIMD_LANES_MAX];

    for (int lane = 0; lane < g->n_lanes; lane++) {
        least[lane] = ends[lane].score;
        ends[lane] = first_end(g, pairs, lane);
    }
    g->narrow = false;
    g->guarded = true;
    g->least = least;
    s->sweeps[g->layout->sweep].run_affine(g, ends);
}

/* Overlaps by chance gain as much as CHANCE_MATCHES matches.  No band is proved to hold
 * all their best paths, and with affine gaps they have too few matches for a layout of
 * known scores, except for those under a matrix. */
enum { CHANCE_MATCHES = 12 };

/* @param score  of a pair, or more */
static bool is_by_chance(const simd_group_t *g, int lane, int64_t score)
{
    const cell_layout_t *f = g->layout;
    int64_t gain = f->match_score - 2 * f->end_gap.extend; /* of a match */

    return f->affine && f->sweep == SWEEP_8 && f->rows_free &&
           score <= apart(g, lane) + CHANCE_MATCHES * gain;
}

/* Compute the best scores, in a band with a reward for leaving it: simd_diff_body.h. */
static void score_group(void *ctx, int64_t group, int thread)
{
    simd_t *s = ctx;
    cell_end_t ends[SIMD_LANES_MAX];
    int n;
    simd_pair_t *pairs = simd_batch_group(&s->batch, group, &n);
    const simd_method_t *method = method_of(s, pairs);
    simd_group_t g = {.spec = &method->spec,
                      .layout = &method->first,
                      .n_lanes = n,
                      .guarded = pairs[0].band != SIMD_BAND_NONE,
                      .cancel = s->batch.cpu.context.run.cancel};
    cell_layout_t known;

    if (align_cancelled(g.cancel) || !simd_method_needs_score(method, pairs))
        return;
    simd_group_measure(&g, pairs);
    if (!g.guarded && !cell_layout_choose_known(&method->spec, g.m_max, g.n_max, &known))
        return;
    g.narrow = g.guarded && g.layout->affine && g.layout->match_score >= 0;
    g.guarded = g.guarded && !g.narrow;
    if (!sweep_group(s, &g, pairs, &s->batch.scratch[thread], ends))
        return;
    if (g.narrow)
        sweep_again(s, &g, pairs, ends);
    for (int lane = 0; lane < g.n_lanes; lane++) {
        choose_rows(s, &pairs[lane]);
        pairs[lane].score = ends[lane].score;
        pairs[lane].scored = true;
        if (is_by_chance(&g, lane, ends[lane].score)) {
            simd_pair_drop_band(&pairs[lane]);
            pairs[lane].exact = true;
            continue;
        }
        if (!g.guarded)
            continue;
        pairs[lane].high = g.high;
        pairs[lane].band = g.low;
    }
}

static status_t simd_wait(void *state, pair_results_t *out)
{
    simd_t *s = state;
    simd_batch_t *b = &s->batch;
    int64_t n = b->cpu.batch->n;
    status_t st;

    /* In each round a failed pair gets a wider band or none, or an exact layout: at most
     * four rounds. */
    while (n > 0) {
        if (s->methods[0].scores_first || s->methods[1].scores_first) {
            simd_batch_divide(b, n, count_first, s);
            if ((st = simd_batch_run(b, score_group, s)) != ST_OK)
                return st;
            sort_and_divide(s, n);
        }
        if ((st = simd_batch_run(b, align_group, s)) != ST_OK)
            return st;
        if (align_cancelled(b->cpu.context.run.cancel))
            break;
        n = simd_batch_gather(b, n);
        sort_and_divide(s, n);
    }
    return simd_batch_finish(b, NULL, out);
}

const aligner_backend_t simd_backend = {
    .base = {.name = "simd", .kind = DEVICE_CPU, .rate = 1e10},
    .supports = {.alphabets = ALIGN_BIT(ALPHABET_DNA) | ALIGN_BIT(ALPHABET_PROTEIN),
                 .gaps = ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
                 .ends = ALIGN_BIT(ENDS_FREE) | ALIGN_BIT(ENDS_COUNT) |
                         ALIGN_BIT(ENDS_QUERY) | ALIGN_BIT(ENDS_PRICED),
                 .scorings = ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
                 .emits = ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
                          ALIGN_BIT(EMIT_CIGAR)},
    .fits = simd_fits,
    .create = simd_create,
    .submit = simd_submit,
    .wait = simd_wait,
    .destroy = simd_destroy,
};

const aligner_backend_t bscan_backend = {
    .base = {.name = "bscan", .kind = DEVICE_CPU, .rate = 1e11},
    .supports = {.alphabets = ALIGN_BIT(ALPHABET_DNA),
                 .gaps = ALIGN_BIT(GAPS_LINEAR),
                 .ends = ALIGN_BIT(ENDS_COUNT),
                 .scorings = ALIGN_BIT(SCORING_TWO_VALUED),
                 .emits = ALIGN_BIT(EMIT_SCORE)},
    .fits = bscan_fits,
    .create = bscan_create,
    .submit = simd_submit,
    .wait = simd_wait,
    .destroy = simd_destroy,
};
