/*
 * nw_reference.c - the definition in plain C: slow, and as simple as it can be.
 *
 * H is the best of all paths to a cell, E of those that end with a gap against the
 * column's base, F of those that end with a gap against the row's base (Gotoh 1982).
 */
#include "kernels/align/common/nw_reference.h"

/* Less than any path scores, and still so after a gap. */
static const nw_cell_t no_path = {INT64_MIN / 2, 0, 0};
static const nw_cell_t empty_path = {0, 0, 0};

static nw_cell_t better(nw_cell_t x, nw_cell_t y)
{
    if (x.score != y.score)
        return x.score > y.score ? x : y;
    if (x.matches != y.matches)
        return x.matches > y.matches ? x : y;
    return x.columns <= y.columns ? x : y;
}

static bool same(nw_cell_t x, nw_cell_t y)
{
    return x.score == y.score && x.matches == y.matches && x.columns == y.columns;
}

static nw_cell_t step(nw_cell_t from, int64_t score, int64_t matches)
{
    return (nw_cell_t){from.score + score, from.matches + matches, from.columns + 1};
}

/* A matrix: what its rows and columns are, and what its cells are made of. */
typedef struct {
    const align_scoring_t *scoring;
    const align_spec_t *spec;
    bool mirrored; /* the rows are the target */
    const uint8_t *a, *b;
    int64_t m, n;
} matrix_t;

/* @return the cell `from` and behind it a terminal gap of len bases
 * @param of_row  the gap is against bases of the rows, so it runs along a column */
static nw_cell_t end_gap(const matrix_t *x, bool of_row, nw_cell_t from, int64_t len)
{
    bool of_query = of_row != x->mirrored;

    from.score += align_gap_score(align_end_gap(x->spec, of_query), len);
    if (align_end_is_counted(x->spec, of_query))
        from.columns += len;
    return from;
}

/* @return the cell behind a terminal gap of len bases at the begin of a path */
static nw_values_t border(const matrix_t *x, bool of_row, int64_t len)
{
    return (nw_values_t){end_gap(x, of_row, empty_path, len), no_path, no_path};
}

/* @return the value of a gap's base that follows a cell: the first one, or a further one.
 *         If both cost the same it may be taken as the first, since no path is better
 *         than h. */
static inline nw_cell_t gap_base(const align_scoring_t *s, const nw_cell_t *h,
                                 const nw_cell_t *gap)
{
    nw_cell_t first = step(*h, s->gap_open, 0);

    return s->gaps == GAPS_LINEAR ? first : better(first, step(*gap, s->gap, 0));
}

/* @return the cell that its three neighbours lead to.  Along the last row and column
 *         terminal gaps run, which find_end adds where they have costs of their own. */
static inline nw_values_t cell(const matrix_t *x, int64_t i, int64_t j,
                               const nw_cell_t *diagonal, const nw_values_t *above,
                               const nw_values_t *left)
{
    const align_scoring_t *s = x->scoring;
    uint8_t a = x->a[i - 1], b = x->b[j - 1];
    bool priced = x->spec->ends == ENDS_PRICED;
    nw_values_t c = {step(*diagonal, s->score[a][b], s->is_match[a][b]), no_path,
                     no_path};

    if (!priced || j < x->n)
        c.f = gap_base(s, &above->h, &above->f);
    if (!priced || i < x->m)
        c.e = gap_base(s, &left->h, &left->e);
    c.h = better(c.h, better(c.f, c.e));
    if (x->spec->ends == ENDS_LOCAL)
        c.h = better(c.h, empty_path);
    return c;
}

/* @return whether an alignment may end at the last row's cells, or the last column's, and
 *         go on with a terminal gap that has been added to no cell */
static bool ends_in(const matrix_t *x, bool of_row)
{
    return !align_end_is_counted(x->spec, of_row != x->mirrored);
}

/* @return the numbers of the best alignment: a local one needs a score above 0 */
static nw_cell_t finish(const matrix_t *x, nw_cell_t best)
{
    return x->spec->ends == ENDS_LOCAL && best.score <= 0 ? empty_path : best;
}

nw_cell_t nw_reference_pair(const align_spec_t *spec, const uint8_t *a, int64_t m,
                            const uint8_t *b, int64_t n, nw_values_t *row)
{
    return nw_reference_pair_until(spec, NULL, a, m, b, n, row);
}

nw_cell_t nw_reference_pair_until(const align_spec_t *spec, const int *cancel,
                                  const uint8_t *a, int64_t m, const uint8_t *b,
                                  int64_t n, nw_values_t *row)
{
    matrix_t x = {&spec->scoring, spec, false, a, b, m, n};
    nw_cell_t best = no_path;

    for (int64_t j = 0; j <= n; j++)
        row[j] = border(&x, false, j);
    for (int64_t i = 1; i <= m && !align_cancelled(cancel); i++) {
        nw_cell_t diagonal = row[0].h;

        if (ends_in(&x, true))
            best = better(best, end_gap(&x, true, row[n].h, m - i + 1));
        row[0] = border(&x, true, i);
        for (int64_t j = 1; j <= n; j++) {
            nw_values_t above = row[j];

            row[j] = cell(&x, i, j, &diagonal, &above, &row[j - 1]);
            diagonal = above.h;
            if (spec->ends == ENDS_LOCAL)
                best = better(best, row[j].h);
        }
    }
    for (int64_t j = ends_in(&x, false) ? 0 : n; j <= n; j++)
        best = better(best, end_gap(&x, false, row[j].h, n - j));
    return finish(&x, best);
}

/* Compute every cell, cells[i][j]. */
static void fill(const matrix_t *x, nw_values_t *cells)
{
    for (int64_t j = 0; j <= x->n; j++)
        cells[j] = border(x, false, j);
    for (int64_t i = 1; i <= x->m; i++) {
        nw_values_t *row = cells + i * (x->n + 1), *above = row - (x->n + 1);

        row[0] = border(x, true, i);
        for (int64_t j = 1; j <= x->n; j++)
            row[j] = cell(x, i, j, &above[j - 1].h, &above[j], &row[j - 1]);
    }
}

/* Find the best cell in which the alignment may end, the last one among equals.
 * @return the alignment's numbers */
static nw_cell_t find_end(const matrix_t *x, const nw_values_t *cells, int64_t *end_i,
                          int64_t *end_j)
{
    nw_cell_t best = no_path;
    bool anywhere = x->spec->ends == ENDS_LOCAL;

    for (int64_t i = ends_in(x, true) ? 0 : x->m; i <= x->m; i++)
        for (int64_t j = anywhere || (i == x->m && ends_in(x, false)) ? 0 : x->n;
             j <= x->n; j++) {
            nw_cell_t h = cells[i * (x->n + 1) + j].h;
            nw_cell_t end = end_gap(x, true, end_gap(x, false, h, x->n - j), x->m - i);

            if (!same(better(best, end), end))
                continue;
            best = end;
            *end_i = i;
            *end_j = j;
        }
    return finish(x, best);
}

/* Prepend a column, or several of a gap. */
static void put(cigar_op_t op, int64_t len, uint32_t *runs, int64_t *n_runs)
{
    if (*n_runs > 0 && cigar_run_op(runs[*n_runs - 1]) == op)
        runs[*n_runs - 1] += cigar_run(len, 0);
    else if (len > 0)
        runs[(*n_runs)++] = cigar_run(len, op);
}

/* The value of a cell that a path is followed back from. */
typedef enum { IN_H, IN_E, IN_F } value_t;

/* Follow the path back. @param runs  out: from the last to the first
 * @return the number of runs */
static int64_t follow(const matrix_t *x, const nw_values_t *cells, uint32_t *runs)
{
    const align_scoring_t *s = x->scoring;
    cigar_op_t up = x->mirrored ? CIGAR_D : CIGAR_I;
    cigar_op_t left = x->mirrored ? CIGAR_I : CIGAR_D;
    value_t value = IN_H;
    int64_t i = x->m, j = x->n, n_runs = 0;

    if (find_end(x, cells, &i, &j).columns == 0)
        return 0;
    put(left, x->n - j, runs, &n_runs);
    put(up, x->m - i, runs, &n_runs);
    while (i > 0 && j > 0) {
        const nw_values_t *c = &cells[i * (x->n + 1) + j], *above = c - (x->n + 1);
        uint8_t a = x->a[i - 1], b = x->b[j - 1];
        bool matches = s->is_match[a][b];

        if (value == IN_H) {
            if (x->spec->ends == ENDS_LOCAL && same(c->h, empty_path))
                break;
            if (same(c->h, step(above[-1].h, s->score[a][b], matches))) {
                put(align_column_op(x->spec, matches), 1, runs, &n_runs);
                i--, j--;
                continue;
            }
            value = same(c->h, c->f) ? IN_F : IN_E;
        }
        if (value == IN_F) {
            put(up, 1, runs, &n_runs);
            value = same(c->f, step(above->h, s->gap_open, 0)) ? IN_H : IN_F;
            i--;
        } else {
            put(left, 1, runs, &n_runs);
            value = same(c->e, step(c[-1].h, s->gap_open, 0)) ? IN_H : IN_E;
            j--;
        }
    }
    put(left, j, runs, &n_runs);
    put(up, i, runs, &n_runs);
    return n_runs;
}

int64_t nw_reference_cigar(const align_spec_t *spec, const uint8_t *a, int64_t m,
                           const uint8_t *b, int64_t n, nw_values_t *cells,
                           uint32_t *runs)
{
    bool mirrored = !nw_reference_query_is_rows(a, m, b, n);
    matrix_t x = {&spec->scoring,   spec,
                  mirrored,         mirrored ? b : a,
                  mirrored ? a : b, mirrored ? n : m,
                  mirrored ? m : n};
    int64_t n_runs;

    fill(&x, cells);
    n_runs = follow(&x, cells, runs);
    for (int64_t k = 0; k < n_runs / 2; k++) {
        uint32_t run = runs[k];

        runs[k] = runs[n_runs - 1 - k];
        runs[n_runs - 1 - k] = run;
    }
    return n_runs;
}
