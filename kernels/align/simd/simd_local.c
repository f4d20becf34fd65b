/*
 * simd_local.c - the backend simd-local: sorts the pairs of a batch into groups, sweeps
 * them on all threads, and repeats those whose numbers are not proved (local_layout.h)
 * in 64 bits.
 */
#include "kernels/align/common/aligner_backend.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/local_layout.h"
#include "kernels/align/simd/simd_batch.h"
#include "kernels/align/simd/simd_group.h"

#include <stdlib.h>

typedef struct {
    simd_batch_t batch;
    const local_sweep_fn_t *sweeps; /* [LOCAL_SWEEPS] of the device's SIMD level */
    align_spec_t plain;             /* of pairs without ambiguity codes, if told apart */
    nw_trace_ends_t *ends;          /* [ends_capacity] by index; only for CIGARs */
    int64_t ends_capacity;
    int64_t n_batches, n_tried, n_doubtful; /* pairs in layouts that are not exact */
} local_t;

/* How a group is swept. */
typedef struct {
    local_sweep_t sweep;
    local_layout_t layout;
} local_way_t;

/* @return whether columns are scored by sets: else by a table, as where a mismatch gains
 *         and pads must not */
static bool has_sets(const align_scoring_t *s)
{
    return s->two_valued && s->mismatch <= 0;
}

/* @return whether the scores of pairs that share their rows fit lanes of 8 bits, but for
 *         few pairs; steps of a profile are signed bytes */
static bool has_profile(const align_spec_t *spec)
{
    const align_scoring_t *s = &spec->scoring;
    const align_range_t steps = align_scoring_range(s);

    return !align_has_identity(spec) && !has_sets(s) && steps.min >= INT8_MIN &&
           steps.max <= INT8_MAX && s->gap_open >= INT8_MIN;
}

/* @return the score at which the lanes of a profile end; of others INT64_MAX */
static int64_t limit_of(local_sweep_t sweep)
{
    return sweep == LOCAL_8_PROFILE    ? LOCAL_8_MAX
           : sweep == LOCAL_16_PROFILE ? LOCAL_16_MAX
                                       : INT64_MAX;
}

/* Choose the narrowest lanes that hold the keys of pairs of at most m and n bases.
 * @param exact  no pair may be left in doubt, which none is of scores in 32 bits; of
 * those that share rows, few are in 16 bits */
static bool choose(const align_spec_t *spec, int64_t m, int64_t n, bool exact,
                   bool shares_rows, local_way_t *out)
{
    const bool by_sets = has_sets(&spec->scoring),
               has_identity = align_has_identity(spec);

    if (shares_rows && local_layout_choose(spec, m, n, UINT32_MAX, false, &out->layout)) {
        out->layout.floor = exact ? LOCAL_16_FLOOR : LOCAL_8_FLOOR;
        out->sweep = exact ? LOCAL_16_PROFILE : LOCAL_8_PROFILE;
    } else if (by_sets && !exact && !has_identity &&
               local_layout_choose(spec, m, n, INT16_MAX, false, &out->layout))
        out->sweep = LOCAL_16;
    else if (!(exact && has_identity) &&
             local_layout_choose(spec, m, n, UINT32_MAX, false, &out->layout))
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

    return simd_batch_sweeps(context->device->simd).local != NULL &&
           choose(context->spec, longer, longer, true, false, &way);
}

static void local_destroy(void *state)
{
    local_t *s = state;

    if (s == NULL)
        return;
    free(s->ends);
    simd_batch_free(&s->batch);
    free(s);
}

static status_t local_create(const align_context_t *context, void **state)
{
    local_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("the simd-local kernel");
    s->sweeps = simd_batch_sweeps(context->device->simd).local;
    s->plain = *context->spec;
    st = simd_batch_create(context, "the simd-local kernel", &s->batch);
    if (st == ST_OK && (has_sets(&context->spec->scoring) ||
                        simd_method_plain_spec(context->spec, &s->plain)))
        st = simd_batch_find_plain(&s->batch);
    if (st == ST_OK)
        *state = s;
    else
        local_destroy(s);
    return st;
}

static const align_spec_t *spec_of(const local_t *s, const simd_pair_t *pair)
{
    return pair->plain ? &s->plain : s->batch.cpu.context.spec;
}

/* Sort pairs of similar lengths together.  No result depends on which share a group. */
static int by_shape(const void *a, const void *b)
{
    const simd_pair_t *x = a, *y = b;

    if (x->plain != y->plain)
        return x->plain ? -1 : 1;
    if (x->shared != y->shared)
        return x->shared < y->shared ? -1 : 1;
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
    return choose(spec_of(s, pairs), rows, columns, pairs[0].exact, pairs[0].shared > 0,
                  out);
}

/* Groups of at most as many pairs as their sweep has lanes. */
static int64_t count_lanes(const void *ctx, const simd_pair_t *p, int64_t max)
{
    const local_t *s = ctx;
    int64_t count = 1;
    local_way_t way;

    while (count < max && p[count].plain == p->plain && p[count].shared == p->shared)
        count++;
    /* fewer pairs may have narrower lanes */
    while (way_of(s, p, count, &way) && s->sweeps[way.sweep].lanes < count)
        count = s->sweeps[way.sweep].lanes;
    return count;
}

static status_t reserve_ends(local_t *s, int64_t n)
{
    if (s->batch.cigar == NULL || n <= s->ends_capacity)
        return ST_OK;
    free(s->ends);
    s->ends_capacity = 0;
    if ((s->ends = malloc((size_t)n * sizeof(*s->ends))) == NULL)
        return log_nomem("a batch");
    s->ends_capacity = n;
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
    simd_batch_t *b = &s->batch;
    const align_context_t *context = &b->cpu.context;
    bool exact = align_has_identity(context->spec) && starts_exact(s);
    status_t st = simd_batch_take(b, batch);

    if (st != ST_OK || batch->n == 0 || (st = reserve_ends(s, batch->n)) != ST_OK)
        return st;
    for (int64_t i = 0; i < batch->n; i++) {
        pair_t p = batch->pairs[i];
        int32_t m = (int32_t)seqset_len(context->set, p.query),
                n = (int32_t)seqset_len(context->set, p.target);

        b->sorted[i] = (simd_pair_t){.m = m < n ? m : n,
                                     .n = m < n ? n : m,
                                     .plain = simd_batch_is_plain(b, p),
                                     .exact = exact,
                                     .index = i};
    }
    if (has_profile(context->spec))
        simd_group_share_rows(&b->cpu, b->sorted, batch->n);
    qsort(b->sorted, (size_t)batch->n, sizeof(*b->sorted), by_shape);
    simd_batch_divide(b, batch->n, count_lanes, s);
    return ST_OK;
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
    const seqset_t *set = s->batch.cpu.context.set;
    const bool by_sets = has_sets(scoring), is_compared = by_sets && pairs[0].plain;
    simd_spread_lane_t in[SIMD_LANES_MAX];

    for (int lane = 0; lane < n; lane++) {
        pair_t p = s->batch.cpu.batch->pairs[pairs[lane].index];
        bool query_is_row = pairs[0].shared > 0 || query_is_rows(set, p);
        int32_t sequence = rows == query_is_row ? p.query : p.target;

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

    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            int at = a * ALPHABET_SIZE + b;
            bool is_pad = a == CODE_NONE || b == CODE_NONE;
            int64_t step = is_pad
                               ? local_layout_step(f, scoring->gap, false, -1)
                               : local_layout_step(f, scoring->score[a][b],
                                                   scoring->is_match[a][b], f->mismatch);

            simd_table_put(table32, table64, has_doubles, at, step);
        }
}

/* Pads score as a gap's base. */
static void fill_profile(const align_scoring_t *scoring, int8_t *profile)
{
    const int size = alphabet_size(scoring->alphabet);

    for (int a = 0; a < size; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++) {
            bool is_pad = a == CODE_NONE || b == CODE_NONE || b >= size;

            profile[a * ALPHABET_SIZE + b] =
                (int8_t)(is_pad ? scoring->gap : scoring->score[a][b]);
        }
}

/* Lay out a group's memory and fill it. @return whether there was enough */
static bool lay_out(const local_t *s, const simd_pair_t *pairs, const local_way_t *way,
                    local_group_t *g, simd_scratch_t *scratch)
{
    const align_scoring_t *scoring = &spec_of(s, pairs)->scoring;
    const local_sweep_fn_t *sweep = &s->sweeps[way->sweep];
    size_t lanes = (size_t)sweep->lanes;
    size_t h_bytes =
        simd_scratch_round_up((size_t)g->n_max * lanes * (size_t)sweep->lane_bytes);
    size_t table_bytes = SIMD_TABLE_SIZE * (sizeof(int64_t) + sizeof(int32_t));
    size_t n_rows = ((size_t)g->m_max + LOCAL_ROWS - 1) / LOCAL_ROWS * LOCAL_ROWS;
    size_t bytes = 2 * h_bytes + table_bytes +
                   simd_scratch_round_up((n_rows + (size_t)g->n_max) * lanes);
    uint8_t *at = simd_scratch_reserve(scratch, bytes);

    if (at == NULL)
        return false;
    g->h = at;
    g->f = at += h_bytes;
    g->table64 = (const int64_t *)(at += h_bytes);
    g->table_doubles = (const double *)(const void *)g->table64;
    g->table32 = (const int32_t *)(at + SIMD_TABLE_SIZE * sizeof(int64_t));
    g->rows = at += table_bytes;
    g->columns = at + n_rows * lanes;
    spread(s, scoring, pairs, g->n_lanes, sweep->lanes, true, (int64_t)n_rows, at);
    spread(s, scoring, pairs, g->n_lanes, sweep->lanes, false, g->n_max,
           at + n_rows * lanes);
    g->profile = (const uint8_t *)g->table32; /* in place of that table */
    if (limit_of(way->sweep) < INT64_MAX)
        fill_profile(scoring, (int8_t *)g->profile);
    else if (!has_sets(scoring))
        fill_tables(scoring, &way->layout, sweep->has_doubles, (int64_t *)g->table64,
                    (int32_t *)g->table32);
    return true;
}

/* @return where in its matrix a pair's alignment may end */
static nw_trace_ends_t ends_of(const local_t *s, const simd_pair_t *pair,
                               const local_best_t *best)
{
    pair_t p = s->batch.cpu.batch->pairs[pair->index];
    const seqset_t *set = s->batch.cpu.context.set;
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

        bool is_proved = local_layout_split(&way->layout, best[lane].key, &score,
                                            &matches, &columns) &&
                         best[lane].key < limit_of(way->sweep);

        s->batch.again[index] = is_proved ? 0 : SIMD_AGAIN_EXACT;
        cpu_batch_put(&s->batch.cpu, index, score, matches, columns);
        if (s->batch.cigar != NULL)
            s->ends[index] = ends_of(s, &pairs[lane], &best[lane]);
    }
}

static void align_group(void *ctx, int64_t group, int thread)
{
    local_t *s = ctx;
    simd_scratch_t *scratch = &s->batch.scratch[thread];
    int n;
    const simd_pair_t *pairs = simd_batch_group(&s->batch, group, &n);
    const align_scoring_t *scoring = &spec_of(s, pairs)->scoring;
    local_group_t g = {.n_lanes = n,
                       .affine = scoring->gaps == GAPS_AFFINE,
                       .finds_ends = s->batch.cigar != NULL,
                       .cancel = s->batch.cpu.context.run.cancel};
    local_best_t best[SIMD_LANES_MAX];
    local_way_t way;

    if (align_cancelled(g.cancel))
        return;
    for (int i = 0; i < n; i++) {
        g.m_max = pairs[i].m > g.m_max ? pairs[i].m : g.m_max;
        g.n_max = pairs[i].n > g.n_max ? pairs[i].n : g.n_max;
    }
    if (!way_of(s, pairs, n, &way)) {
        scratch->failed = true;
        return;
    }
    if (!lay_out(s, pairs, &way, &g, scratch))
        return;
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

/* Let pairs have rows of their own. */
static void stop_sharing(simd_pair_t *pairs, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const int32_t m = pairs[i].m;

        pairs[i].shared = 0;
        if (m > pairs[i].n) {
            pairs[i].m = pairs[i].n;
            pairs[i].n = m;
        }
    }
}

/* Pairs whose scores did not fit 8 bits share rows in 16 bits where enough are left of a
 * query; those that did not fit these, no longer. */
static void share_again(local_t *s, int64_t n, bool may_share)
{
    simd_pair_t *pairs = s->batch.sorted;
    bool has_changed = false;

    for (int64_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && pairs[end].shared == pairs[first].shared;)
            end++;
        if (pairs[first].shared == 0 || (may_share && end - first >= SIMD_SHARING_MIN))
            continue;
        stop_sharing(pairs + first, end - first);
        has_changed = true;
    }
    if (has_changed)
        qsort(pairs, (size_t)n, sizeof(*pairs), by_shape);
}

static status_t local_wait(void *state, pair_results_t *out)
{
    local_t *s = state;
    simd_batch_t *b = &s->batch;
    int64_t n = b->cpu.batch->n;
    status_t st;

    /* an exact layout leaves no doubt but in lanes of 16 bits: at most three rounds */
    for (bool may_share = true; n > 0; may_share = false) {
        if ((st = simd_batch_run(b, align_group, s)) != ST_OK)
            return st;
        if (align_cancelled(b->cpu.context.run.cancel))
            break;
        if (!b->sorted[0].exact)
            s->n_tried += n;
        n = simd_batch_gather(b, n);
        s->n_doubtful += n;
        share_again(s, n, may_share);
        simd_batch_divide(b, n, count_lanes, s);
    }
    return simd_batch_finish(b, s->ends, out);
}

const aligner_backend_t simd_local_backend = {
    .base = {.name = "simd-local", .kind = DEVICE_CPU, .rate = 1e10},
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
