/*
 * comp_align.c - one pair at a time: all cells row by row, as keys (nw_key.h).
 */
#include "kernels/align/composition/comp_align.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/align_run.h"
#include "kernels/align/common/nw_key.h"
#include "kernels/align/composition/comp_row.h"
#include "kernels/align/cpu/nw_trace.h"

#include <stdlib.h>

struct comp_align {
    align_spec_t spec; /* with the scores of a pair */
    const comp_law_t *law;
    comp_mode_t how;
    const int *cancel;
    nw_trace_t *trace;
    bool query_is_rows;
    comp_row_fn_t sweep;
    buf_t cells; /* of a row, then the steps of its columns for each code of a row */
};

static inline int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

/*
 * A gap along the row may begin behind a gap, but then it could have gone on at no more
 * cost; so e follows from the best of the other paths, and only two operations of a cell
 * wait for the cell before.
 */
static int64_t sweep_scalar(const comp_row_t *row)
{
    int64_t diagonal = 0, best = 0, e = INT64_MIN / 2;

    for (int64_t j = 0; j < row->n; j++) {
        const int64_t up = row->h[j];
        const int64_t f = larger(up + row->open, row->f[j] + row->extend);
        const int64_t other = larger(larger(diagonal + row->steps[j], f), 0);
        const int64_t h = larger(other, e);

        diagonal = up;
        row->h[j] = h;
        row->f[j] = f;
        e = larger(other + row->open, e + row->extend);
        best = larger(best, h);
    }
    return best;
}

static comp_row_fn_t sweep_of(simd_level_t level)
{
#if defined(__x86_64__)
    if (level >= SIMD_AVX2)
        return level == SIMD_AVX512 ? comp_row_avx512 : comp_row_avx2;
#endif
    (void)level;
    return sweep_scalar;
}

status_t comp_align_create(const align_spec_t *spec, const comp_law_t *law,
                           comp_mode_t how, const int *cancel, simd_level_t level,
                           comp_align_t **out)
{
    comp_align_t *t = calloc(1, sizeof(*t));
    status_t st;

    if (t == NULL)
        return log_nomem("scores by composition");
    *t = (comp_align_t){.spec = *spec,
                        .law = law,
                        .how = how,
                        .cancel = cancel,
                        .sweep = sweep_of(level)};
    for (int a = 0; a < ALPHABET_SIZE; a++)
        for (int b = 0; b < ALPHABET_SIZE; b++)
            t->spec.scoring.score[a][b] *= COMP_UNIT;
    t->spec.scoring.gap *= COMP_UNIT;
    t->spec.scoring.gap_open *= COMP_UNIT;
    if ((st = nw_trace_create(&t->spec, cancel, level, &t->trace)) != ST_OK)
        comp_align_destroy(t);
    else
        *out = t;
    return st;
}

void comp_align_set(comp_align_t *t, const uint8_t *a, int64_t m, const uint8_t *b,
                    int64_t n)
{
    const comp_counts_t of_a = comp_scores_count(a, m), of_b = comp_scores_count(b, n);
    int32_t scores[COMP_AA][COMP_AA];

    t->query_is_rows = nw_reference_query_is_rows(a, m, b, n);
    if (t->query_is_rows)
        comp_scores(t->law, t->how, &of_a, &of_b, scores);
    else
        comp_scores(t->law, t->how, &of_b, &of_a, scores);
    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++)
            t->spec.scoring.score[comp_law_code[i]][comp_law_code[j]] = scores[i][j];
}

const align_spec_t *comp_align_spec(const comp_align_t *t)
{
    return &t->spec;
}

/* Set what a residue of a row adds to a key with each column's. @param out  [n_padded] */
static void fill_steps(const align_scoring_t *s, nw_key_t key, uint8_t code,
                       const uint8_t *b, int64_t n, int64_t n_padded, int64_t *out)
{
    int64_t step[ALPHABET_SIZE];

    for (int j = 0; j < ALPHABET_SIZE; j++)
        step[j] = nw_key_step(key, s->score[code][j], s->is_match[code][j]);
    for (int64_t j = 0; j < n; j++)
        out[j] = step[b[j]];
    for (int64_t j = n; j < n_padded; j++)
        out[j] = COMP_ROW_NO_STEP;
}

/* Align rows with columns. @return the largest key */
static status_t sweep_all(comp_align_t *t, nw_key_t key, const uint8_t *a, int64_t m,
                          const uint8_t *b, int64_t n, int64_t *best)
{
    const align_scoring_t *s = &t->spec.scoring;
    const int64_t n_padded = (n + COMP_ROW_PAD - 1) / COMP_ROW_PAD * COMP_ROW_PAD;
    const size_t bytes = (size_t)n_padded * (2 + ALPHABET_SIZE) * sizeof(int64_t);
    comp_row_t row = {.n = n,
                      .open = nw_key_step(key, s->gap_open, 0),
                      .extend = nw_key_step(key, s->gap, 0)};
    uint32_t filled = 0; /* bit k: the steps of code k */
    int64_t *steps;

    t->cells.len = 0;
    if (buf_reserve(&t->cells, bytes) != ST_OK)
        return ST_ENOMEM;
    row.h = (void *)t->cells.data;
    row.f = row.h + n_padded;
    steps = row.f + n_padded;
    for (int64_t j = 0; j < n_padded; j++) {
        row.h[j] = 0;
        row.f[j] = INT64_MIN / 2;
    }
    *best = 0;
    for (int64_t i = 0; i < m && !align_cancelled(t->cancel); i++) {
        row.steps = steps + a[i] * n_padded;
        if ((filled >> a[i] & 1) == 0)
            fill_steps(s, key, a[i], b, n, n_padded, steps + a[i] * n_padded);
        filled |= UINT32_C(1) << a[i];
        *best = larger(*best, t->sweep(&row));
    }
    return ST_OK;
}

status_t comp_align_pair(comp_align_t *t, const uint8_t *a, int64_t m, const uint8_t *b,
                         int64_t n, nw_cell_t *out)
{
    const nw_key_t key = nw_key_layout(&t->spec, m, n);
    nw_cell_t cell = {0, 0, 0};
    int64_t best;
    status_t st = t->query_is_rows ? sweep_all(t, key, a, m, b, n, &best)
                                   : sweep_all(t, key, b, n, a, m, &best);

    if (st != ST_OK)
        return st;
    if (best > 0)
        nw_key_split(key, best, &cell.score, &cell.matches, &cell.columns);
    *out = cell.score > 0 ? cell : (nw_cell_t){0, 0, 0};
    return ST_OK;
}

status_t comp_align_trace(comp_align_t *t, const uint8_t *a, int64_t m, const uint8_t *b,
                          int64_t n, const nw_cell_t *known, buf_t *runs)
{
    return nw_trace_pair(t->trace, a, m, b, n, known, NULL, runs);
}

void comp_align_destroy(comp_align_t *t)
{
    if (t == NULL)
        return;
    nw_trace_destroy(t->trace);
    buf_free(&t->cells);
    free(t);
}
