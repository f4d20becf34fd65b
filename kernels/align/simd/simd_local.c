/*
 * simd_local.c - the backend simd-local: sorts the pairs of a batch into groups, sweeps
 * them on all threads, and repeats those whose numbers are not proved (local_layout.h)
 * in 64 bits.
 */
#include "kernels/align/simd/simd_local.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/local_layout.h"
#include "kernels/align/cpu/cpu_cigar.h"
#include "kernels/align/simd/simd_group.h"
#include "kernels/align/simd/simd_local_sweep.h"
#include "kernels/align/simd/simd_spread.h"
#include "kernels/align/simd/simd_way.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    cpu_batch_t cpu;
    const local_sweep_fn_t *sweeps; /* [LOCAL_SWEEPS] of the device's SIMD level */
    align_spec_t plain;             /* of pairs without ambiguity codes */
    bool *is_plain;                 /* [set->n]; NULL: `plain` is not used */
    simd_pair_t *sorted;            /* [capacity] */
    int64_t *group_start;           /* [n_groups + 1] into sorted */
    bool *again;                    /* [capacity] by index: in an exact layout */
    nw_trace_ends_t *ends;          /* [capacity] by index */
    int64_t capacity, n_groups;
    simd_scratch_t *scratch;                /* [threads] */
    cpu_cigar_t *cigar;                     /* NULL unless EMIT_CIGAR */
    int64_t n_batches, n_tried, n_doubtful; /* pairs in layouts that are not exact */
} local_t;

/* How a group is swept. */
typedef struct {
    local_sweep_t sweep;
    local_layout_t layout;
} local_way_t;

static const local_sweep_fn_t *sweeps_of(simd_level_t level)
{
#if defined(__x86_64__)
    if (level == SIMD_AVX512)
        return simd_local_sweeps_avx512;
    if (level == SIMD_AVX2)
        return simd_local_sweeps_avx2;
#endif
#if defined(__x86_64__) || defined(__aarch64__)
    if (level == SIMD_128)
        return simd_local_sweeps_128;
#endif
    return NULL;
}

/* @return whether columns are scored by sets: else by a table, as where a mismatch gains
 *         and pads must not */
static bool has_sets(const align_scoring_t *s)
{
    return s->two_valued && s->mismatch <= 0;
}

/* Choose the narrowest lanes that hold the keys of pairs of at most m and n bases. */
static bool choose(const align_spec_t *spec, int64_t m, int64_t n, bool exact,
                   local_way_t *out)
{
    bool by_sets = has_sets(&spec->scoring);

    if (by_sets && !exact && !align_has_identity(spec) &&
        local_layout_choose(spec, m, n, INT16_MAX, false, &out->layout))
        out->sweep = LOCAL_16;
    else if (!exact && local_layout_choose(spec, m, n, UINT32_MAX, false, &out->layout))
        out->sweep = by_sets ? LOCAL_32 : LOCAL_32_TABLE;
    else if (local_layout_choose(spec, m, n, LOCAL_KEY_MAX, true, &out->layout))
        out->sweep = by_sets ? LOCAL_64 : LOCAL_64_TABLE;
    else
        return false;
    return true;
}

/* Groups are laid out for the maxima of their rows and columns. */
static bool local_fits(const align_context_t *context, int64_t m, int64_t n)
{
    int64_t longer = m > n ? m : n;
    local_way_t way;

    return sweeps_of(context->device->simd) != NULL &&
           choose(context->spec, longer, longer, true, &way);
}

static void local_destroy(void *state)
{
    local_t *s = state;

    if (s == NULL)
        return;
    for (int i = 0; s->scratch != NULL && i < pool_n_threads(s->cpu.context.pool); i++)
        free(s->scratch[i].memory);
    free(s->scratch);
    free(s->sorted);
    free(s->group_start);
    free(s->again);
    free(s->ends);
    free(s->is_plain);
    cpu_cigar_destroy(s->cigar);
    cpu_batch_free(&s->cpu);
    free(s);
}

static status_t local_create(const align_context_t *context, void **state)
{
    local_t *s = calloc(1, sizeof(*s));
    status_t st = ST_OK;

    if (s == NULL)
        return log_nomem("the simd-local kernel");
    s->cpu = (cpu_batch_t){.context = *context};
    s->sweeps = sweeps_of(context->device->simd);
    s->scratch = calloc((size_t)pool_n_threads(context->pool), sizeof(*s->scratch));
    s->plain = *context->spec;
    if (has_sets(&context->spec->scoring) ||
        simd_way_plain_spec(context->spec, &s->plain)) {
        s->is_plain = malloc((size_t)context->set->n * sizeof(*s->is_plain));
        if (s->is_plain != NULL)
            simd_way_find_plain(context->pool, context->set, s->is_plain);
        else
            st = log_nomem("the simd-local kernel");
    }
    if (st == ST_OK && s->scratch == NULL)
        st = log_nomem("the simd-local kernel");
    if (st == ST_OK)
        st = cpu_cigar_create(&s->cpu, context->device->simd, &s->cigar);
    if (st == ST_OK)
        *state = s;
    else
        local_destroy(s);
    return st;
}

static const align_spec_t *spec_of(const local_t *s, const simd_pair_t *pair)
{
    return pair->plain ? &s->plain : s->cpu.context.spec;
}

/* Sort pairs of similar lengths together.  No result depends on which share a group. */
static int by_shape(const void *a, const void *b)
{
    const simd_pair_t *x = a, *y = b;

    if (x->plain != y->plain)
        return x->plain ? -1 : 1;
    if (x->n / 128 != y->n / 128)
        return x->n > y->n ? -1 : 1;
    if (x->m != y->m)
        return x->m > y->m ? -1 : 1;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* @return how n sorted pairs, which share a spec, are swept */
static bool way_of(const local_t *s, const simd_pair_t *pairs, int64_t n,
                   local_way_t *out)
{
    int32_t rows = 0, columns = 0;

    for (int64_t i = 0; i < n; i++) {
        rows = pairs[i].m > rows ? pairs[i].m : rows;
        columns = pairs[i].n > columns ? pairs[i].n : columns;
    }
    return choose(spec_of(s, pairs), rows, columns, pairs[0].exact, out);
}

/* Divide n sorted pairs into groups of at most as many as their sweep has lanes. */
static void divide(local_t *s, int64_t n)
{
    s->n_groups = 0;
    for (int64_t i = 0; i < n;) {
        int64_t max = n - i < SIMD_LANES_MAX ? n - i : SIMD_LANES_MAX, count = 1;
        local_way_t way;

        while (count < max && s->sorted[i + count].plain == s->sorted[i].plain)
            count++;
        /* fewer pairs may have narrower lanes */
        while (way_of(s, &s->sorted[i], count, &way) &&
               s->sweeps[way.sweep].lanes < count)
            count = s->sweeps[way.sweep].lanes;
        s->group_start[s->n_groups++] = i;
        i += count;
    }
    s->group_start[s->n_groups] = n;
}

static status_t reserve(local_t *s, int64_t n)
{
    if (n <= s->capacity)
        return ST_OK;
    free(s->sorted);
    free(s->group_start);
    free(s->again);
    free(s->ends);
    s->capacity = 0;
    s->sorted = malloc((size_t)n * sizeof(*s->sorted));
    s->group_start = malloc((size_t)(n + 1) * sizeof(*s->group_start));
    s->again = malloc((size_t)n * sizeof(*s->again));
    s->ends = malloc((size_t)n * sizeof(*s->ends));
    if (s->sorted == NULL || s->group_start == NULL || s->again == NULL ||
        s->ends == NULL)
        return log_nomem("a batch");
    s->capacity = n;
    return ST_OK;
}

/* An exact layout takes twice the time of another one, so it comes first where that
 * leaves more than half of the pairs in doubt.  Now and then this is tried again. */
static bool starts_exact(local_t *s)
{
    return s->n_batches++ % 16 != 0 && 2 * s->n_doubtful > s->n_tried;
}

static status_t local_submit(void *state, const pair_batch_t *batch)
{
    local_t *s = state;
    bool exact = align_has_identity(s->cpu.context.spec) && starts_exact(s);
    const seqset_t *set = s->cpu.context.set;
    status_t st = cpu_batch_take(&s->cpu, batch);

    s->n_groups = 0;
    if (st != ST_OK || batch->n == 0 || (st = reserve(s, batch->n)) != ST_OK)
        return st;
    for (int64_t i = 0; i < batch->n; i++) {
        pair_t p = batch->pairs[i];
        int32_t m = (int32_t)seqset_len(set, p.query),
                n = (int32_t)seqset_len(set, p.target);

        s->sorted[i] =
            (simd_pair_t){.m = m < n ? m : n,
                          .n = m < n ? n : m,
                          .plain = s->is_plain != NULL && s->is_plain[p.query] &&
                                   s->is_plain[p.target],
                          .exact = exact,
                          .index = i};
    }
    memset(s->again, 0, (size_t)batch->n * sizeof(*s->again));
    qsort(s->sorted, (size_t)batch->n, sizeof(*s->sorted), by_shape);
    divide(s, batch->n);
    return ST_OK;
}

static size_t round_up(size_t bytes)
{
    return (bytes + SIMD_ALIGN_BYTES - 1) / SIMD_ALIGN_BYTES * SIMD_ALIGN_BYTES;
}

/* The canonical end is the last one by rows, so they have to be the definition's. */
static bool query_is_rows(const seqset_t *set, pair_t p)
{
    return nw_reference_query_is_rows(seqset_letters(set, p.query),
                                      seqset_len(set, p.query),
                                      seqset_letters(set, p.target),
                                      seqset_len(set, p.target));
}

/* Interleave the rows' or the columns' bases, as simd_group.c does. */
static void spread(const local_t *s, const align_scoring_t *scoring,
                   const simd_pair_t *pairs, int n, int lanes, bool rows,
                   int64_t n_positions, uint8_t *out)
{
    const seqset_t *set = s->cpu.context.set;
    const bool by_sets = has_sets(scoring), is_compared = by_sets && pairs[0].plain;
    simd_spread_lane_t in[SIMD_LANES_MAX];

    for (int lane = 0; lane < n; lane++) {
        pair_t p = s->cpu.batch->pairs[pairs[lane].index];
        int32_t sequence = rows == query_is_rows(set, p) ? p.query : p.target;

        in[lane] = (simd_spread_lane_t){seqset_letters(set, sequence),
                                        seqset_len(set, sequence)};
    }
    simd_spread(in, n, lanes, by_sets ? scoring->set_of : NULL,
                is_compared && !rows ? SIMD_PAD : 0, n_positions, out);
}

static void fill_tables(const align_scoring_t *scoring, const local_layout_t *f,
                        bool has_doubles, int64_t *table64, int32_t *table32)
{
    const int size = alphabet_size(scoring->alphabet);
    double *doubles = (double *)(void *)table64;

    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            int at = a * ALPHABET_SIZE + b;
            bool is_pad = a == CODE_NONE || b == CODE_NONE;
            int64_t step = is_pad
                               ? local_layout_step(f, scoring->gap, false, -1)
                               : local_layout_step(f, scoring->score[a][b],
                                                   scoring->is_match[a][b], f->mismatch);

            table32[at] = (int32_t)step;
            if (has_doubles)
                doubles[at] = (double)step;
            else
                table64[at] = step;
        }
}

/* Lay out a group's memory and fill it. @return whether there was enough */
static bool lay_out(const local_t *s, const simd_pair_t *pairs, const local_way_t *way,
                    local_group_t *g, simd_scratch_t *scratch)
{
    const align_scoring_t *scoring = &spec_of(s, pairs)->scoring;
    const local_sweep_fn_t *sweep = &s->sweeps[way->sweep];
    size_t lanes = (size_t)sweep->lanes;
    size_t h_bytes = round_up((size_t)g->n_max * lanes * (size_t)sweep->lane_bytes);
    size_t table_bytes = SIMD_TABLE_SIZE * (sizeof(int64_t) + sizeof(int32_t));
    size_t n_rows = ((size_t)g->m_max + LOCAL_ROWS - 1) / LOCAL_ROWS * LOCAL_ROWS;
    size_t bytes = 2 * h_bytes + table_bytes +
                   round_up((n_rows + (size_t)g->n_max) * lanes + SIMD_ALIGN_BYTES);
    uint8_t *at;

    if (bytes > scratch->bytes) {
        free(scratch->memory);
        scratch->memory = aligned_alloc(SIMD_ALIGN_BYTES, bytes);
        scratch->bytes = scratch->memory != NULL ? bytes : 0;
    }
    if (scratch->memory == NULL)
        return false;
    g->h = at = scratch->memory;
    g->f = at += h_bytes;
    g->table64 = (const int64_t *)(at += h_bytes);
    g->table_doubles = (const double *)(const void *)g->table64;
    g->table32 = (const int32_t *)(at + SIMD_TABLE_SIZE * sizeof(int64_t));
    g->rows = at += table_bytes;
    g->columns = at + n_rows * lanes;
    spread(s, scoring, pairs, g->n_lanes, sweep->lanes, true, (int64_t)n_rows, at);
    spread(s, scoring, pairs, g->n_lanes, sweep->lanes, false, g->n_max,
           at + n_rows * lanes);
    if (!has_sets(scoring))
        fill_tables(scoring, &way->layout, sweep->has_doubles, (int64_t *)g->table64,
                    (int32_t *)g->table32);
    return true;
}

/* @return where in its matrix a pair's alignment may end */
static nw_trace_ends_t ends_of(const local_t *s, const simd_pair_t *pair,
                               const local_best_t *best)
{
    pair_t p = s->cpu.batch->pairs[pair->index];
    const seqset_t *set = s->cpu.context.set;
    int64_t row_last =
        best->row + LOCAL_ROWS < pair->m ? best->row + LOCAL_ROWS : pair->m;
    int64_t column_last = best->last < pair->n ? best->last : pair->n;

    return query_is_rows(set, p)
               ? (nw_trace_ends_t){best->row + 1, row_last, best->first, column_last}
               : (nw_trace_ends_t){best->first, column_last, best->row + 1, row_last};
}

/* Store the results that are proved, and mark the pairs to be aligned again. */
static void settle(local_t *s, const local_way_t *way, const simd_pair_t *pairs, int n,
                   const local_best_t *best)
{
    for (int lane = 0; lane < n; lane++) {
        int64_t index = pairs[lane].index, score, matches, columns;

        s->again[index] =
            !local_layout_split(&way->layout, best[lane].key, &score, &matches, &columns);
        cpu_batch_put(&s->cpu, index, score, matches, columns);
        if (s->cigar != NULL)
            s->ends[index] = ends_of(s, &pairs[lane], &best[lane]);
    }
}

static void align_group(void *ctx, int64_t group, int thread)
{
    local_t *s = ctx;
    const simd_pair_t *pairs = s->sorted + s->group_start[group];
    int n = (int)(s->group_start[group + 1] - s->group_start[group]);
    const align_scoring_t *scoring = &spec_of(s, pairs)->scoring;
    local_group_t g = {.n_lanes = n,
                       .affine = scoring->gaps == GAPS_AFFINE,
                       .finds_ends = s->cigar != NULL,
                       .cancel = s->cpu.context.run.cancel};
    local_best_t best[SIMD_LANES_MAX];
    local_way_t way;

    if (align_cancelled(g.cancel))
        return;
    for (int i = 0; i < n; i++) {
        g.m_max = pairs[i].m > g.m_max ? pairs[i].m : g.m_max;
        g.n_max = pairs[i].n > g.n_max ? pairs[i].n : g.n_max;
    }
    if (!way_of(s, pairs, n, &way) || !lay_out(s, pairs, &way, &g, &s->scratch[thread])) {
        s->scratch[thread].failed = true;
        return;
    }
    g.plain = has_sets(scoring) && pairs[0].plain;
    g.match = local_layout_step(&way.layout, scoring->match, true, 0);
    g.mismatch =
        local_layout_step(&way.layout, scoring->mismatch, false, way.layout.mismatch);
    g.open = local_layout_step(&way.layout, scoring->gap_open, false, way.layout.open);
    g.extend = local_layout_step(&way.layout, scoring->gap, false, way.layout.extend);
    g.floor = way.sweep == LOCAL_16 ? 0 : way.layout.floor;
    s->sweeps[way.sweep].run(&g, best);
    settle(s, &way, pairs, n, best);
}

/* Move the pairs to be aligned again to the front. @return their number */
static int64_t gather_doubtful(local_t *s, int64_t n)
{
    int64_t n_doubtful = 0;

    for (int64_t i = 0; i < n; i++) {
        simd_pair_t p = s->sorted[i];

        if (!s->again[p.index])
            continue;
        p.exact = true;
        s->sorted[n_doubtful++] = p;
    }
    return n_doubtful;
}

static status_t local_wait(void *state, pair_results_t *out)
{
    local_t *s = state;
    int64_t n = s->cpu.batch->n;
    status_t st;

    while (n > 0) { /* an exact layout leaves no doubt: at most two rounds */
        pool_run(s->cpu.context.pool, s->n_groups, align_group, s);
        for (int i = 0; i < pool_n_threads(s->cpu.context.pool); i++)
            if (s->scratch[i].failed)
                return log_nomem("the simd-local kernel");
        if (align_cancelled(s->cpu.context.run.cancel))
            break;
        if (!s->sorted[0].exact)
            s->n_tried += n;
        n = gather_doubtful(s, n);
        s->n_doubtful += n;
        divide(s, n);
    }
    if ((st = cpu_cigar_run(s->cigar, &s->cpu, s->ends)) != ST_OK)
        return st;
    *out = s->cpu.results;
    return ST_OK;
}

const aligner_backend_t simd_local_backend = {
    .name = "simd-local",
    .kind = DEVICE_CPU,
    .cells_per_s = 1e10,
    .supports = {.alphabets = ALIGN_BIT(ALPHABET_DNA) | ALIGN_BIT(ALPHABET_PROTEIN),
                 .gaps = ALIGN_BIT(GAPS_LINEAR) | ALIGN_BIT(GAPS_AFFINE),
                 .ends = ALIGN_BIT(ENDS_LOCAL),
                 .scorings = ALIGN_BIT(SCORING_TWO_VALUED) | ALIGN_BIT(SCORING_MATRIX),
                 .emits = ALIGN_BIT(EMIT_SCORE) | ALIGN_BIT(EMIT_IDENTITY) |
                          ALIGN_BIT(EMIT_CIGAR)},
    .fits = local_fits,
    .create = local_create,
    .submit = local_submit,
    .wait = local_wait,
    .destroy = local_destroy,
};
