#include "kernels/align/nw_reference.h"

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

/* A cell of the first row or column, k letters in. */
static nw_cell_t border(const align_spec_t *spec, int64_t k)
{
    if (spec->ends == ENDS_FREE)
        return (nw_cell_t){0, 0, 0};
    return (nw_cell_t){k * spec->scoring.gap, 0, k};
}

nw_cell_t nw_reference_pair(const align_spec_t *spec, const uint8_t *a, int64_t m,
                            const uint8_t *b, int64_t n, nw_cell_t *row)
{
    const align_scoring_t *s = &spec->scoring;
    nw_cell_t best;

    for (int64_t j = 0; j <= n; j++)
        row[j] = border(spec, j);
    best = row[n]; /* free ends: an alignment may leave at the right border ... */
    for (int64_t i = 1; i <= m && !align_cancelled(spec); i++) {
        nw_cell_t diagonal = row[0];

        row[0] = border(spec, i);
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
    for (int64_t j = 0; j <= n; j++) /* ... or at the bottom one */
        best = better(best, row[j]);
    return best;
}
