/*
 * heat_map.c - averages identities cell by cell, in one scan of the pairs.
 */
#include "graph/summary/heat_map.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>

/* @return the first position in the order of n that belongs to row k */
static int64_t first_position(const heat_map_t *map, int64_t n, int k)
{
    return (k * n + map->side - 1) / map->side;
}

/* @return the number of pairs in a cell, with or without an identity */
static double pairs_in(const heat_map_t *map, int64_t n, int row, int col)
{
    double height =
        (double)(first_position(map, n, row + 1) - first_position(map, n, row));
    double width =
        (double)(first_position(map, n, col + 1) - first_position(map, n, col));

    return row == col ? height * (height - 1) / 2 : height * width;
}

/* Turn the sums and counts on and above the diagonal into means and fractions, and mirror
 * them. */
static void finish(heat_map_t *map, int64_t n)
{
    for (int row = 0; row < map->side; row++)
        for (int col = row; col < map->side; col++) {
            double *mean = &map->mean[row * map->side + col];
            double *coverage = &map->coverage[row * map->side + col];
            double pairs = pairs_in(map, n, row, col);

            *mean = pairs < 1 ? 1 : *coverage > 0 ? *mean / *coverage : NAN;
            *coverage = pairs < 1 ? 1 : *coverage / pairs;
            map->mean[col * map->side + row] = *mean;
            map->coverage[col * map->side + row] = *coverage;
        }
}

static void add_pair(heat_map_t *map, const int32_t *cell_of, const pairs_hit_t *hit)
{
    int32_t a = cell_of[hit->row], b = cell_of[hit->col];
    int64_t at = a < b ? (int64_t)a * map->side + b : (int64_t)b * map->side + a;

    if (hit->columns <= 0 || a < 0 || b < 0)
        return;
    map->mean[at] += (double)hit->matches / hit->columns;
    map->coverage[at]++;
}

status_t heat_map_make(const pairs_file_t *file, const int32_t *order, int64_t n,
                       int side, heat_map_t *out)
{
    int64_t n_rows = pairs_n_rows(file), n_hits = 0;
    size_t n_cells = (size_t)side * (size_t)side;
    heat_map_t map = {side, calloc(n_cells + 1, sizeof(double)),
                      calloc(n_cells + 1, sizeof(double))};
    int32_t *cell_of = malloc((size_t)(n_rows + 1) * sizeof(*cell_of));
    pairs_scan_t *scan = NULL;
    const pairs_hit_t *hits;
    status_t st = ST_OK;

    if (map.mean == NULL || map.coverage == NULL || cell_of == NULL)
        st = log_nomem("a heat map");
    for (int64_t i = 0; st == ST_OK && i < n_rows; i++)
        cell_of[i] = -1; /* not in the map */
    for (int64_t k = 0; st == ST_OK && k < n; k++)
        cell_of[order[k]] = (int32_t)(k * side / n);
    if (st == ST_OK)
        st = pairs_scan_open(file, NULL, &scan);
    while (st == ST_OK && (st = pairs_scan_next(scan, &hits, &n_hits)) == ST_OK &&
           n_hits > 0)
        for (int64_t k = 0; k < n_hits; k++)
            add_pair(&map, cell_of, &hits[k]);
    pairs_scan_close(scan);
    free(cell_of);
    if (st != ST_OK) {
        heat_map_free(&map);
        return st;
    }
    finish(&map, n);
    *out = map;
    return ST_OK;
}

void heat_map_free(heat_map_t *map)
{
    free(map->mean);
    free(map->coverage);
    *map = (heat_map_t){0};
}
