/*
 * nw_reference.c - the definition in plain C: slow, and as simple as it can be.
 */
#include "kernels/align/common/nw_reference.h"

#include "io/seq/cigar.h"

static nw_cell_t better(nw_cell_t x, nw_cell_t y)
{
    if (x.score != y.score)
        return x.score > y.score ? x : y;
    if (x.matches != y.matches)
        return x.matches > y.matches ? x : y;
    return x.columns <= y.columns ? x : y;
}

static nw_cell_t step(nw_cell_t from, int64_t score, int64_t matches)
{
    return (nw_cell_t){from.score + score, from.matches + matches, from.columns + 1};
}

/* The cell k bases along the first row or column. */
static nw_cell_t border(const align_spec_t *spec, bool of_query, int64_t k)
{
    if (align_end_is_free(spec, of_query))
        return (nw_cell_t){0, 0, 0};
    return (nw_cell_t){k * spec->scoring.gap, 0, k};
}

nw_cell_t nw_reference_pair(const align_spec_t *spec, const uint8_t *a, int64_t m,
                            const uint8_t *b, int64_t n, nw_cell_t *row)
{
    return nw_reference_pair_until(spec, NULL, a, m, b, n, row);
}

nw_cell_t nw_reference_pair_until(const align_spec_t *spec, const int *cancel,
                                  const uint8_t *a, int64_t m, const uint8_t *b,
                                  int64_t n, nw_cell_t *row)
{
    const align_scoring_t *s = &spec->scoring;
    nw_cell_t best;

    for (int64_t j = 0; j <= n; j++)
        row[j] = border(spec, false, j);
    best = row[n]; /* free ends: the alignment may end at the right border ... */
    for (int64_t i = 1; i <= m && !align_cancelled(cancel); i++) {
        nw_cell_t diagonal = row[0];

        row[0] = border(spec, true, i);
        for (int64_t j = 1; j <= n; j++) {
            uint8_t x = a[i - 1], y = b[j - 1];
            nw_cell_t cell = step(diagonal, s->score[x][y], s->is_match[x][y]);

            cell = better(cell, step(row[j], s->gap, 0));
            cell = better(cell, step(row[j - 1], s->gap, 0));
            diagonal = row[j];
            row[j] = cell;
        }
        best = better(best, row[n]);
    }
    if (spec->ends == ENDS_COUNT)
        return row[n];
    if (spec->ends == ENDS_QUERY) /* after all of the query: only at the bottom border */
        best = row[n];
    for (int64_t j = 0; j <= n; j++) /* ... or at the bottom border */
        best = better(best, row[j]);
    return best;
}

static bool same(nw_cell_t x, nw_cell_t y)
{
    return x.score == y.score && x.matches == y.matches && x.columns == y.columns;
}

/* Compute every cell, cells[i][j]. @param mirrored  b is the query */
static void fill(const align_spec_t *spec, const uint8_t *a, int64_t m, const uint8_t *b,
                 int64_t n, bool mirrored, nw_cell_t *cells)
{
    const align_scoring_t *s = &spec->scoring;

    for (int64_t j = 0; j <= n; j++)
        cells[j] = border(spec, mirrored, j);
    for (int64_t i = 1; i <= m; i++) {
        nw_cell_t *row = cells + i * (n + 1), *above = row - (n + 1);

        row[0] = border(spec, !mirrored, i);
        for (int64_t j = 1; j <= n; j++) {
            uint8_t x = a[i - 1], y = b[j - 1];

            row[j] =
                better(step(above[j - 1], s->score[x][y], s->is_match[x][y]),
                       better(step(above[j], s->gap, 0), step(row[j - 1], s->gap, 0)));
        }
    }
}

/* Find the best cell in which the alignment may end, the last one among equals. */
static void find_end(const align_spec_t *spec, const nw_cell_t *cells, int64_t m,
                     int64_t n, bool mirrored, int64_t *end_i, int64_t *end_j)
{
    bool rows_free = align_end_is_free(spec, !mirrored);
    bool columns_free = align_end_is_free(spec, mirrored);

    *end_i = m;
    *end_j = n;
    for (int64_t i = rows_free ? 0 : m; i <= m; i++)
        for (int64_t j = columns_free && i == m ? 0 : n; j <= n; j++) {
            nw_cell_t best = cells[*end_i * (n + 1) + *end_j],
                      cell = cells[i * (n + 1) + j];

            if (!same(better(best, cell), cell))
                continue;
            *end_i = i;
            *end_j = j;
        }
}

/* Prepend a column, or several of a gap. */
static void put(cigar_op_t op, int64_t len, uint32_t *runs, int64_t *n_runs)
{
    if (*n_runs > 0 && cigar_run_op(runs[*n_runs - 1]) == op)
        runs[*n_runs - 1] += cigar_run(len, 0);
    else if (len > 0)
        runs[(*n_runs)++] = cigar_run(len, op);
}

/* Follow the path back. @param runs  out: from the last to the first
 * @return the number of runs */
static int64_t follow(const align_spec_t *spec, const uint8_t *a, int64_t m,
                      const uint8_t *b, int64_t n, const nw_cell_t *cells, bool mirrored,
                      uint32_t *runs)
{
    const align_scoring_t *s = &spec->scoring;
    cigar_op_t up = mirrored ? CIGAR_D : CIGAR_I, left = mirrored ? CIGAR_I : CIGAR_D;
    int64_t i, j, n_runs = 0;

    find_end(spec, cells, m, n, mirrored, &i, &j);
    if (cells[i * (n + 1) + j].columns == 0)
        return 0;
    put(up, m - i, runs, &n_runs);
    put(left, n - j, runs, &n_runs);
    while (i > 0 && j > 0) {
        const nw_cell_t *cell = &cells[i * (n + 1) + j], *above = cell - (n + 1);
        bool matches = s->is_match[a[i - 1]][b[j - 1]];

        if (same(*cell, step(above[-1], s->score[a[i - 1]][b[j - 1]], matches))) {
            put(matches ? CIGAR_EQ : CIGAR_X, 1, runs, &n_runs);
            i--, j--;
        } else if (same(*cell, step(*above, s->gap, 0))) {
            put(up, 1, runs, &n_runs);
            i--;
        } else {
            put(left, 1, runs, &n_runs);
            j--;
        }
    }
    put(up, i, runs, &n_runs);
    put(left, j, runs, &n_runs);
    return n_runs;
}

int64_t nw_reference_cigar(const align_spec_t *spec, const uint8_t *a, int64_t m,
                           const uint8_t *b, int64_t n, nw_cell_t *cells, uint32_t *runs)
{
    bool mirrored = !nw_reference_query_is_rows(a, m, b, n);
    int64_t n_runs;

    if (mirrored) {
        fill(spec, b, n, a, m, true, cells);
        n_runs = follow(spec, b, n, a, m, cells, true, runs);
    } else {
        fill(spec, a, m, b, n, false, cells);
        n_runs = follow(spec, a, m, b, n, cells, false, runs);
    }
    for (int64_t k = 0; k < n_runs / 2; k++) {
        uint32_t run = runs[k];

        runs[k] = runs[n_runs - 1 - k];
        runs[n_runs - 1 - k] = run;
    }
    return n_runs;
}
