/*
 * simd.c - the backends simd and bscan: sorts the pairs of a batch into groups, sweeps
 * the groups on all threads, and repeats those whose band or layout did not suffice.
 *
 * Where the scores are computed before the identities, this proves bands, and allows
 * layouts for known scores (cell_layout.h).
 */
#include "kernels/align/simd/simd.h"

#include "io/base/logmsg.h"
#include "kernels/align/cpu/cpu_cigar.h"
#include "kernels/align/simd/simd_group.h"
#include "kernels/align/simd/simd_way.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Why a pair is aligned again: without a band, or in an exact layout. */
enum { AGAIN_WHOLE = 1, AGAIN_EXACT = 2 };

typedef struct {
    cpu_batch_t cpu;
    const simd_sweep_t *sweeps; /* [SWEEPS] of the device's SIMD level */
    simd_way_t ways[2];         /* of any pairs, and of plain ones */
    bool *is_plain;             /* [set->n]; NULL: the ways are the same */
    int64_t *score;             /* [capacity] by index: those computed first */
    simd_pair_t *sorted;        /* [capacity] */
    int64_t *group_start;       /* [n_groups + 1] into sorted */
    uint8_t *again;             /* [capacity] by index: AGAIN_ bits */
    int64_t capacity, n_groups;
    simd_scratch_t *scratch;         /* [threads] */
    cpu_cigar_t *cigar;              /* NULL unless EMIT_CIGAR */
    int64_t n_banded, n_uncertified; /* pairs in a band; of these, not proved at first */
} simd_t;

const simd_sweep_t *simd_sweeps_of(simd_level_t level)
{
#if defined(__x86_64__)
    if (level == SIMD_AVX512)
        return simd_sweeps_avx512;
    if (level == SIMD_AVX2)
        return simd_sweeps_avx2;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    if (level == SIMD_128)
        return simd_sweeps_128;
#endif
    return NULL;
}

static bool bscan_fits(const align_context_t *context, int64_t m, int64_t n)
{
    cell_layout_t layout;

    (void)m;
    (void)n;
    return simd_sweeps_of(context->device->simd) != NULL &&
           cell_layout_choose_bits(context->spec, &layout);
}

/* The pairs of a group share one layout, for the maxima of their rows and columns.  If it
 * holds longer x longer, all pairs up to that length can share a group. */
static bool simd_fits(const align_context_t *context, int64_t m, int64_t n)
{
    const align_spec_t *spec = context->spec;
    int64_t longer = m > n ? m : n;
    cell_layout_t layout;

    return simd_sweeps_of(context->device->simd) != NULL &&
           cell_layout_choose(spec, longer, longer, true, &layout);
}

static void simd_destroy(void *state)
{
    simd_t *s = state;

    if (s == NULL)
        return;
    if (s->n_banded > 0)
        log_verbose("%s: %lld pairs in a band, %.2f %% certified at the first try",
                    s->ways[0].bits ? "bscan" : "simd", (long long)s->n_banded,
                    100.0 * (double)(s->n_banded - s->n_uncertified) /
                        (double)s->n_banded);
    for (int i = 0; s->scratch != NULL && i < pool_n_threads(s->cpu.context.pool); i++)
        free(s->scratch[i].memory);
    free(s->scratch);
    free(s->sorted);
    free(s->group_start);
    free(s->again);
    free(s->score);
    for (int i = 0; i < 2; i++)
        simd_way_free(&s->ways[i]);
    free(s->is_plain);
    cpu_cigar_destroy(s->cigar);
    cpu_batch_free(&s->cpu);
    free(s);
}

static status_t create_ways(simd_t *s, bool bits)
{
    const align_context_t *context = &s->cpu.context;
    status_t st = simd_way_create(context, context->spec, bits, &s->ways[0]);
    align_spec_t plain;

    if (st != ST_OK || !simd_way_plain_spec(context->spec, &plain))
        return st;
    if ((s->is_plain = malloc((size_t)context->set->n * sizeof(*s->is_plain))) == NULL)
        return log_nomem("the simd kernel");
    simd_way_find_plain(context->pool, context->set, s->is_plain);
    return simd_way_create(context, &plain, bits, &s->ways[1]);
}

static status_t create(const align_context_t *context, bool bits, void **state)
{
    simd_t *s = calloc(1, sizeof(*s));
    status_t st = ST_OK;

    if (s == NULL)
        return log_nomem("the simd kernel");
    s->cpu = (cpu_batch_t){.context = *context};
    s->sweeps = simd_sweeps_of(context->device->simd);
    s->scratch = calloc((size_t)pool_n_threads(context->pool), sizeof(*s->scratch));
    if (s->scratch == NULL)
        st = log_nomem("the simd kernel");
    else
        st = create_ways(s, bits);
    if (st == ST_OK)
        st = cpu_cigar_create(&s->cpu, context->device->simd, &s->cigar);
    if (st != ST_OK) {
        simd_destroy(s);
        return st;
    }
    *state = s;
    return ST_OK;
}

static status_t simd_create(const align_context_t *context, void **state)
{
    return create(context, false, state);
}

static status_t bscan_create(const align_context_t *context, void **state)
{
    return create(context, true, state);
}

static const simd_way_t *way_of(const simd_t *s, const simd_pair_t *pair)
{
    return &s->ways[pair->plain];
}

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
static bool goes_with(const simd_pair_t *x, const simd_pair_t *y)
{
    return x->exact == y->exact && x->plain == y->plain && x->shared == y->shared &&
           (x->band == SIMD_BAND_NONE) == (y->band == SIMD_BAND_NONE);
}

/* Divide n sorted pairs into groups for the first sweep, which all of a group's pairs
 * need or none. @return the number of groups */
static int64_t divide_first(simd_t *s, int64_t n)
{
    int64_t lanes = s->sweeps[SWEEP_8].lanes;

    s->n_groups = 0;
    for (int64_t i = 0; i < n;) {
        const simd_pair_t *p = s->sorted + i;
        int64_t max_count = n - i < lanes ? n - i : lanes, count = 1;

        while (count < max_count && goes_with(p, p + count) &&
               simd_way_needs_score(way_of(s, p), p + count) ==
                   simd_way_needs_score(way_of(s, p), p))
            count++;
        s->group_start[s->n_groups++] = i;
        i += count;
    }
    s->group_start[s->n_groups] = n;
    return s->n_groups;
}

/* Divide n sorted pairs into groups of at most as many as their sweep has lanes. */
static void divide(simd_t *s, int64_t n)
{
    s->n_groups = 0;
    for (int64_t i = 0; i < n;) {
        int64_t count = n - i < SIMD_LANES_MAX ? n - i : SIMD_LANES_MAX, same = 1;
        cell_layout_t layout;

        while (same < count && goes_with(&s->sorted[i], &s->sorted[i + same]))
            same++;
        count = same;
        /* fewer pairs may have another layout */
        while (simd_way_layout(way_of(s, &s->sorted[i]), &s->sorted[i], count, &layout) &&
               s->sweeps[layout.sweep].lanes < count)
            count = s->sweeps[layout.sweep].lanes;
        s->group_start[s->n_groups++] = i;
        i += count;
    }
    s->group_start[s->n_groups] = n;
}

static status_t reserve(simd_t *s, int64_t n)
{
    if (n <= s->capacity)
        return ST_OK;
    free(s->sorted);
    free(s->group_start);
    free(s->again);
    free(s->score);
    s->capacity = 0;
    s->sorted = malloc((size_t)n * sizeof(*s->sorted));
    s->group_start = malloc((size_t)(n + 1) * sizeof(*s->group_start));
    s->again = malloc((size_t)n);
    s->score = malloc((size_t)n * sizeof(*s->score));
    if (s->sorted == NULL || s->group_start == NULL || s->again == NULL ||
        s->score == NULL)
        return log_nomem("a batch");
    s->capacity = n;
    return ST_OK;
}

static status_t simd_submit(void *state, const pair_batch_t *batch)
{
    simd_t *s = state;
    const seqset_t *set = s->cpu.context.set;
    status_t st = cpu_batch_take(&s->cpu, batch);

    s->n_groups = 0;
    if (st != ST_OK || batch->n == 0 || (st = reserve(s, batch->n)) != ST_OK)
        return st;
    for (int64_t i = 0; i < batch->n; i++) {
        pair_t p = batch->pairs[i];
        int32_t m = (int32_t)seqset_len(set, p.query),
                n = (int32_t)seqset_len(set, p.target);
        bool swap = simd_group_swaps(s->cpu.context.spec, m, n);
        simd_pair_t *pair = &s->sorted[i];

        *pair = (simd_pair_t){.m = swap ? n : m, .n = swap ? m : n, .index = i};
        pair->plain =
            s->is_plain != NULL && s->is_plain[p.query] && s->is_plain[p.target];
        pair->band = simd_way_band(way_of(s, pair), set, p);
    }
    if (s->ways[0].profiles)
        simd_group_share_rows(&s->cpu, s->sorted, batch->n);
    memset(s->again, 0, (size_t)batch->n);
    qsort(s->sorted, (size_t)batch->n, sizeof(*s->sorted), by_shape);
    divide(s, batch->n);
    return ST_OK;
}

/* Store the results that are proved, and mark the pairs to be aligned again. */
static void settle(simd_t *s, const simd_group_t *g, const simd_pair_t *pairs,
                   const cell_end_t *ends)
{
    int64_t n_banded = 0, n_uncertified = 0;

    for (int lane = 0; lane < g->n_lanes; lane++) {
        const simd_pair_t *p = &pairs[lane];
        uint8_t again = 0;

        if (g->low != SIMD_BAND_NONE) {
            n_banded++;
            if (way_of(s, p)->guards
                    ? ends[lane].score != s->score[p->index] || ends[lane].matches < 0
                    : !cell_layout_certifies(g->layout, &ends[lane], p->m, g->low)) {
                again |= AGAIN_WHOLE;
                n_uncertified++;
            }
        }
        if (ends[lane].doubtful)
            again |= AGAIN_EXACT;
        s->again[p->index] = again;
        assert(again != 0 || ends[lane].matches >= 0);
        if (again == 0)
            cpu_batch_put(&s->cpu, p->index, ends[lane].score, ends[lane].matches,
                          ends[lane].columns);
    }
    __atomic_fetch_add(&s->n_banded, n_banded, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->n_uncertified, n_uncertified, __ATOMIC_RELAXED);
}

/* @return what an alignment without an overlap has, which only ends that are no columns
 *         allow; or the known score, to be attained */
static cell_end_t first_end(const simd_t *s, const simd_group_t *g,
                            const simd_pair_t *pairs, int lane)
{
    const cell_layout_t *f = g->layout;
    int64_t score =
        align_gap_score(f->end_gap, g->m[lane]) + align_gap_score(f->end_gap, g->n[lane]);
    cell_end_t end = {.score = f->rows_free ? score : INT64_MIN};

    if (f->tie == TIE_KNOWN && end.score != s->score[pairs[lane].index])
        end = (cell_end_t){.score = s->score[pairs[lane].index], .matches = -1};
    return end;
}

/* Sweep over a group. @return whether there was memory for it */
static bool sweep_group(simd_t *s, simd_group_t *g, const simd_pair_t *pairs,
                        simd_scratch_t *scratch, cell_end_t *ends)
{
    const simd_sweep_t *sweep = &s->sweeps[g->layout->sweep];

    if (!simd_group_lay_out(&s->cpu, sweep, pairs, g, scratch)) {
        scratch->failed = true;
        return false;
    }
    simd_group_fill(g);
    for (int lane = 0; lane < g->n_lanes; lane++)
        ends[lane] = first_end(s, g, pairs, lane);
    (g->layout->affine ? sweep->run_affine : sweep->run)(g, ends);
    return true;
}

static void align_group(void *ctx, int64_t group, int thread)
{
    simd_t *s = ctx;
    simd_pair_t *pairs = s->sorted + s->group_start[group];
    cell_end_t ends[SIMD_LANES_MAX];
    cell_layout_t layout;
    simd_group_t g = {.spec = &way_of(s, pairs)->spec,
                      .layout = &layout,
                      .n_lanes = (int)(s->group_start[group + 1] - s->group_start[group]),
                      .cancel = s->cpu.context.run.cancel};

    if (align_cancelled(s->cpu.context.run.cancel))
        return;
    simd_group_measure(&g, pairs);
    if (!simd_way_layout(way_of(s, pairs), pairs, g.n_lanes, &layout))
        s->scratch[thread].failed = true;
    else if (sweep_group(s, &g, pairs, &s->scratch[thread], ends))
        settle(s, &g, pairs, ends);
}

/* Compute the best scores, in a band with a reward for leaving it: simd_diff_body.h. */
static void score_group(void *ctx, int64_t group, int thread)
{
    simd_t *s = ctx;
    simd_pair_t *pairs = s->sorted + s->group_start[group];
    const simd_way_t *way = way_of(s, pairs);
    cell_end_t ends[SIMD_LANES_MAX];
    simd_group_t g = {.spec = &way->spec,
                      .layout = &way->first,
                      .n_lanes = (int)(s->group_start[group + 1] - s->group_start[group]),
                      .guarded = pairs[0].band != SIMD_BAND_NONE,
                      .cancel = s->cpu.context.run.cancel};
    cell_layout_t known;

    if (align_cancelled(s->cpu.context.run.cancel) || !simd_way_needs_score(way, pairs))
        return;
    simd_group_measure(&g, pairs);
    if (!g.guarded && !cell_layout_choose_known(&way->spec, g.m_max, g.n_max, &known))
        return;
    if (!sweep_group(s, &g, pairs, &s->scratch[thread], ends))
        return;
    for (int lane = 0; lane < g.n_lanes; lane++) {
        s->score[pairs[lane].index] = ends[lane].score;
        pairs[lane].scored = true;
        if (!g.guarded)
            continue;
        pairs[lane].high = g.high;
        pairs[lane].band = g.low;
    }
}

/* Move the pairs to be aligned again to the front. @return their number */
static int64_t gather_failed(simd_t *s, int64_t n)
{
    int64_t n_failed = 0;

    for (int64_t i = 0; i < n; i++) {
        simd_pair_t p = s->sorted[i];
        uint8_t again = s->again[p.index];

        if (again == 0)
            continue;
        if (again & AGAIN_WHOLE) {
            p.band = p.high = SIMD_BAND_NONE;
            p.scored = false;
        }
        p.exact = p.exact || (again & AGAIN_EXACT) != 0;
        s->sorted[n_failed++] = p;
    }
    return n_failed;
}

static status_t simd_wait(void *state, pair_results_t *out)
{
    simd_t *s = state;
    int64_t n = s->cpu.batch->n;
    status_t st;

    /* In each round a failed pair loses its band or gets an exact layout: at most three
     * rounds. */
    while (n > 0) {
        if (s->ways[0].scores_first || s->ways[1].scores_first) {
            pool_run(s->cpu.context.pool, divide_first(s, n), score_group, s);
            divide(s, n);
        }
        pool_run(s->cpu.context.pool, s->n_groups, align_group, s);
        for (int i = 0; i < pool_n_threads(s->cpu.context.pool); i++)
            if (s->scratch[i].failed)
                return log_nomem("the simd kernel");
        if (align_cancelled(s->cpu.context.run.cancel))
            break;
        n = gather_failed(s, n);
        qsort(s->sorted, (size_t)n, sizeof(*s->sorted), by_shape);
        divide(s, n);
    }
    if ((st = cpu_cigar_run(s->cigar, &s->cpu, NULL)) != ST_OK)
        return st;
    *out = s->cpu.results;
    return ST_OK;
}

const aligner_backend_t simd_backend = {
    .name = "simd",
    .kind = DEVICE_CPU,
    .cells_per_s = 1e10,
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
    .name = "bscan",
    .kind = DEVICE_CPU,
    .cells_per_s = 1e11,
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
