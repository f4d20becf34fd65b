/*
 * comp_align.c - one pair at a time: all cells row by row, as keys (nw_key.h).
 */
#include "kernels/align/composition/comp_align.h"

#include "io/base/logmsg.h"
#include "kernels/align/common/align_run.h"
#include "kernels/align/common/nw_key.h"
#include "kernels/align/cpu/nw_trace.h"

#include <stdlib.h>

struct comp_align {
    align_spec_t spec; /* with the scores of a pair */
    const comp_law_t *law;
    comp_mode_t how;
    const int *cancel;
    nw_trace_t *trace;
    bool query_is_rows;
    buf_t cells; /* of a row */
};

/* A cell of the row above: the best path to it, and the best that ends with a gap against
 * the base of its row. */
typedef struct {
    int64_t h, f;
} above_t;

status_t comp_align_create(const align_spec_t *spec, const comp_law_t *law,
                           comp_mode_t how, const int *cancel, simd_level_t level,
                           comp_align_t **out)
{
    comp_align_t *t = calloc(1, sizeof(*t));
    status_t st;

    if (t == NULL)
        return log_nomem("scores by composition");
    *t = (comp_align_t){.spec = *spec, .law = law, .how = how, .cancel = cancel};
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

static inline int64_t larger(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

/*
 * Compute a row. @param steps  [code of the column's residue] @return the largest key
 *
 * A gap along the row may begin behind a gap, but then it could have gone on at no more
 * cost; so e follows from the best of the other paths, and only two operations of a cell
 * wait for the cell before.
 */
static int64_t sweep(above_t *above, const uint8_t *b, int64_t n, const int64_t *steps,
                     int64_t open, int64_t extend)
{
    int64_t diagonal = 0, best = 0, e = INT64_MIN / 2;

    for (int64_t j = 0; j < n; j++) {
        const above_t up = above[j];
        const int64_t f = larger(up.h + open, up.f + extend);
        const int64_t other = larger(larger(diagonal + steps[b[j]], f), 0);
        const int64_t h = larger(other, e);

        diagonal = up.h;
        above[j] = (above_t){h, f};
        e = larger(other + open, e + extend);
        best = larger(best, h);
    }
    return best;
}

/* Align rows with columns. @return the largest key */
static status_t sweep_all(comp_align_t *t, nw_key_t key, const uint8_t *a, int64_t m,
                          const uint8_t *b, int64_t n, int64_t *best)
{
    const align_scoring_t *s = &t->spec.scoring;
    const int64_t open = nw_key_step(key, s->gap_open, 0);
    const int64_t extend = nw_key_step(key, s->gap, 0);
    int64_t steps[ALPHABET_SIZE][ALPHABET_SIZE];
    above_t *above;

    t->cells.len = 0;
    if (buf_reserve(&t->cells, (size_t)n * sizeof(*above)) != ST_OK)
        return ST_ENOMEM;
    above = (void *)t->cells.data;
    for (int64_t j = 0; j < n; j++)
        above[j] = (above_t){0, INT64_MIN / 2};
    for (int i = 0; i < ALPHABET_SIZE; i++)
        for (int j = 0; j < ALPHABET_SIZE; j++)
            steps[i][j] = nw_key_step(key, s->score[i][j], s->is_match[i][j]);
    *best = 0;
    for (int64_t i = 0; i < m && !align_cancelled(t->cancel); i++)
        *best = larger(*best, sweep(above, b, n, steps[a[i]], open, extend));
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
