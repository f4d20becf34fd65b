/*
 * simd.c - the backends simd and bscan: sorts the pairs of a batch into groups, sweeps
 * the groups on all threads, and repeats those whose band or layout did not suffice.
 */
#include "kernels/align/cpu/simd.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/band_width.h"
#include "kernels/align/cpu/cpu_cigar.h"
#include "kernels/align/cpu/simd_group.h"

#include <stdlib.h>
#include <string.h>

/* Why a pair is aligned again: without a band, or in an exact layout. */
enum { AGAIN_WHOLE = 1, AGAIN_EXACT = 2 };

typedef struct {
    cpu_batch_t cpu;
    const simd_sweep_t *sweeps; /* [SWEEPS] of the device's SIMD level */
    bool bits;                  /* the backend bscan: bit-parallel */
    bool guards;                /* bands are proved by a guarded sweep */
    cell_layout_t guard;        /* the layout of that sweep */
    int64_t *guarded;           /* [capacity] by index: best score of the guarded sweep */
    band_width_t *band;         /* NULL: no estimated bands */
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

/* Choose the layout of a group's lanes. @return whether there is one */
static bool choose_layout(const simd_t *s, int64_t m, int64_t n, bool exact,
                          cell_layout_t *out)
{
    return s->bits ? cell_layout_choose_bits(s->cpu.context.spec, out)
                   : cell_layout_choose(s->cpu.context.spec, m, n, exact, out);
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
                    s->bits ? "bscan" : "simd", (long long)s->n_banded,
                    100.0 * (double)(s->n_banded - s->n_uncertified) /
                        (double)s->n_banded);
    for (int i = 0; s->scratch != NULL && i < pool_n_threads(s->cpu.context.pool); i++)
        free(s->scratch[i].memory);
    free(s->scratch);
    free(s->sorted);
    free(s->group_start);
    free(s->again);
    free(s->guarded);
    band_width_destroy(s->band);
    cpu_cigar_destroy(s->cigar);
    cpu_batch_free(&s->cpu);
    free(s);
}

static status_t simd_create(const align_context_t *context, void **state)
{
    const align_spec_t *spec = context->spec;
    simd_t *s = calloc(1, sizeof(*s));
    status_t st = ST_OK;

    if (s == NULL)
        return log_nomem("the simd kernel");
    s->cpu = (cpu_batch_t){.context = *context};
    s->sweeps = simd_sweeps_of(context->device->simd);
    s->scratch = calloc((size_t)pool_n_threads(context->pool), sizeof(*s->scratch));
    if (s->scratch == NULL)
        st = log_nomem("the simd kernel");
    else if (context->run.band && spec->scoring.two_valued &&
             cell_layout_choose_guard(spec, &s->guard))
        s->guards = true;
    else if (context->run.band && band_width_applies(spec))
        st = band_width_create(context->pool, context->set, spec, &s->band);
    if (st == ST_OK)
        st = cpu_cigar_create(&s->cpu, context->device->simd, &s->cigar);
    if (st != ST_OK) {
        simd_destroy(s);
        return st;
    }
    *state = s;
    return ST_OK;
}

static status_t bscan_create(const align_context_t *context, void **state)
{
    status_t st = simd_create(context, state);

    if (st == ST_OK)
        ((simd_t *)*state)->bits = true;
    return st;
}

/* Sort pairs of similar lengths and bands together.  No result depends on which pairs
 * share a group. */
static int by_shape(const void *a, const void *b)
{
    const simd_pair_t *x = a, *y = b;

    if (x->exact != y->exact)
        return x->exact ? 1 : -1;
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

/* @param m, n  out: the maximum of the pairs' rows, and of their columns */
static void find_max(const simd_pair_t *pairs, int64_t n_pairs, int64_t *m, int64_t *n)
{
    *m = *n = 1;
    for (int64_t i = 0; i < n_pairs; i++) {
        *m = pairs[i].m > *m ? pairs[i].m : *m;
        *n = pairs[i].n > *n ? pairs[i].n : *n;
    }
}

/* Divide the banded pairs, which are the first ones of n, into groups for the guarded
 * sweep. @return the number of groups */
static int64_t divide_guarded(simd_t *s, int64_t n)
{
    int64_t lanes = s->sweeps[SWEEP_8].lanes, n_banded = 0;

    while (n_banded < n && s->sorted[n_banded].band != SIMD_BAND_NONE)
        n_banded++;
    s->n_groups = 0;
    for (int64_t i = 0; i < n_banded; i += lanes)
        s->group_start[s->n_groups++] = i;
    s->group_start[s->n_groups] = n_banded;
    return s->n_groups;
}

/* Divide n sorted pairs into groups of at most as many as their sweep has lanes. */
static void divide(simd_t *s, int64_t n)
{
    s->n_groups = 0;
    for (int64_t i = 0; i < n;) {
        int64_t max_count = n - i < SIMD_LANES_MAX ? n - i : SIMD_LANES_MAX, rows,
                columns;
        int64_t count = 1;
        cell_layout_t layout;

        while (count < max_count && s->sorted[i + count].exact == s->sorted[i].exact)
            count++;
        find_max(s->sorted + i, count, &rows, &columns);
        if (choose_layout(s, rows, columns, s->sorted[i].exact, &layout) &&
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
    free(s->guarded);
    s->capacity = 0;
    s->sorted = malloc((size_t)n * sizeof(*s->sorted));
    s->group_start = malloc((size_t)(n + 1) * sizeof(*s->group_start));
    s->again = malloc((size_t)n);
    s->guarded = malloc((size_t)n * sizeof(*s->guarded));
    if (s->sorted == NULL || s->group_start == NULL || s->again == NULL ||
        s->guarded == NULL)
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
        int32_t band = s->guards         ? band_width_guarded(m < n ? m : n)
                       : s->band != NULL ? band_width_of(s->band, p.query, p.target)
                                         : BAND_WIDTH_NONE;

        s->sorted[i] =
            (simd_pair_t){.m = swap ? n : m,
                          .n = swap ? m : n,
                          .band = band == BAND_WIDTH_NONE ? SIMD_BAND_NONE : band,
                          .index = i};
    }
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
            if (s->guards
                    ? ends[lane].score != s->guarded[p->index]
                    : !cell_layout_certifies(g->layout, &ends[lane], p->m, g->low)) {
                again |= AGAIN_WHOLE;
                n_uncertified++;
            }
        }
        if (ends[lane].doubtful)
            again |= AGAIN_EXACT;
        s->again[p->index] = again;
        if (again == 0)
            cpu_batch_put(&s->cpu, p->index, ends[lane].score, ends[lane].matches,
                          ends[lane].columns);
    }
    __atomic_fetch_add(&s->n_banded, n_banded, __ATOMIC_RELAXED);
    __atomic_fetch_add(&s->n_uncertified, n_uncertified, __ATOMIC_RELAXED);
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
    simd_group_fill(s->cpu.context.spec, g);
    for (int lane = 0; lane < g->n_lanes; lane++) { /* no overlap is an alignment, too */
        int64_t score = align_gap_score(g->layout->end_gap, g->m[lane]) +
                        align_gap_score(g->layout->end_gap, g->n[lane]);

        ends[lane] = (cell_end_t){.score = g->layout->rows_free ? score : INT64_MIN};
    }
    (g->layout->affine ? sweep->run_affine : sweep->run)(g, ends);
    return true;
}

static void align_group(void *ctx, int64_t group, int thread)
{
    simd_t *s = ctx;
    simd_pair_t *pairs = s->sorted + s->group_start[group];
    cell_end_t ends[SIMD_LANES_MAX];
    cell_layout_t layout;
    simd_group_t g = {.layout = &layout,
                      .n_lanes = (int)(s->group_start[group + 1] - s->group_start[group]),
                      .cancel = s->cpu.context.run.cancel};

    if (align_cancelled(s->cpu.context.run.cancel))
        return;
    simd_group_measure(&g, pairs);
    if (!choose_layout(s, g.m_max, g.n_max, pairs[0].exact, &layout))
        s->scratch[thread].failed = true;
    else if (sweep_group(s, &g, pairs, &s->scratch[thread], ends))
        settle(s, &g, pairs, ends);
}

/* Compute the best scores with a reward for leaving the band: simd_diff_body.h. */
static void guard_group(void *ctx, int64_t group, int thread)
{
    simd_t *s = ctx;
    simd_pair_t *pairs = s->sorted + s->group_start[group];
    cell_end_t ends[SIMD_LANES_MAX];
    simd_group_t g = {.layout = &s->guard,
                      .n_lanes = (int)(s->group_start[group + 1] - s->group_start[group]),
                      .guarded = true,
                      .cancel = s->cpu.context.run.cancel};

    if (align_cancelled(s->cpu.context.run.cancel))
        return;
    simd_group_measure(&g, pairs);
    if (!sweep_group(s, &g, pairs, &s->scratch[thread], ends))
        return;
    for (int lane = 0; lane < g.n_lanes; lane++) {
        s->guarded[pairs[lane].index] = ends[lane].score;
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
        if (again & AGAIN_WHOLE)
            p.band = p.high = SIMD_BAND_NONE;
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

    if (s->guards && n > 0) {
        pool_run(s->cpu.context.pool, divide_guarded(s, n), guard_group, s);
        divide(s, n);
    }
    /* In each round a failed pair loses its band or gets an exact layout: at most three
     * rounds. */
    while (n > 0) {
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
    if ((st = cpu_cigar_run(s->cigar, &s->cpu)) != ST_OK)
        return st;
    *out = s->cpu.results;
    return ST_OK;
}

const aligner_backend_t simd_backend = {
    .name = "simd",
    .kind = DEVICE_CPU,
    .cells_per_s = 1e10,
    .supports = {.gaps = ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
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
    .supports = {.gaps = ALIGN_BIT(GAPS_LINEAR),
                 .ends = ALIGN_BIT(ENDS_COUNT),
                 .scorings = ALIGN_BIT(SCORING_TWO_VALUED),
                 .emits = ALIGN_BIT(EMIT_SCORE)},
    .fits = bscan_fits,
    .create = bscan_create,
    .submit = simd_submit,
    .wait = simd_wait,
    .destroy = simd_destroy,
};
