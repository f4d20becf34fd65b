/*
 * heat_map.c - averages identities cell by cell, in one scan of the pairs; which OTUs a
 * map shows.
 */
#include "graph/summary/heat_map.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdbool.h>
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
    int64_t n_rows = file->rows.n, n_hits = 0;
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

/* ---- the largest OTUs ---- */

typedef struct {
    int64_t otu, n_members;
} candidate_t;

static int by_members(const void *a, const void *b)
{
    const candidate_t *x = a, *y = b;

    if (x->n_members != y->n_members)
        return x->n_members > y->n_members ? -1 : 1;
    return (x->otu > y->otu) - (x->otu < y->otu);
}

/* @return the number of OTUs to show, from the first one; their blocks fill the less of
 *         the map the more they are */
static int64_t n_to_show(const candidate_t *sorted, int64_t n_otus, int64_t min_sequences)
{
    double filled = 0, side = 0;
    int64_t k = 0;

    for (; k < n_otus; k++) {
        const double members = (double)sorted[k].n_members;

        if (side >= (double)min_sequences &&
            MAP_BLOCKS_FILL * (filled + members * members) <
                (side + members) * (side + members))
            break;
        filled += members * members;
        side += members;
    }
    return k;
}

/* List the blocks as their OTUs first occur in the order. @param block_of  [n_otus] -1:
 * to be shown, -2: not */
static void place_blocks(const otu_table_t *t, const int32_t *order, int64_t *block_of,
                         map_blocks_t *b)
{
    for (int64_t k = 0; k < t->n; k++) {
        const int32_t otu = t->otu[order[k]];

        if (otu < 0 || block_of[otu] != -1)
            continue;
        b->blocks[b->n_blocks] =
            (map_block_t){otu, b->n,
                          b->n + t->member_start[otu + 1] - t->member_start[otu]};
        b->n = b->blocks[b->n_blocks].end;
        block_of[otu] = b->n_blocks++;
    }
}

static void place_sequences(const otu_table_t *t, const int32_t *order,
                            const int64_t *block_of, int64_t *next, map_blocks_t *b)
{
    for (int64_t k = 0; k < b->n_blocks; k++)
        next[k] = b->blocks[k].begin;
    for (int64_t k = 0; k < t->n; k++) {
        const int32_t otu = t->otu[order[k]];

        if (otu >= 0 && block_of[otu] >= 0)
            b->order[next[block_of[otu]]++] = order[k];
    }
}

status_t map_blocks_make(const otu_table_t *t, const int32_t *order,
                         int64_t min_sequences, map_blocks_t *out)
{
    const size_t count = (size_t)t->n_otus + 1;
    map_blocks_t b = {.order = malloc(((size_t)t->n + 1) * sizeof(*b.order)),
                      .blocks = malloc(count * sizeof(*b.blocks))};
    candidate_t *sorted = malloc(count * sizeof(*sorted));
    int64_t *block_of = malloc(count * sizeof(*block_of));
    int64_t *next = malloc(count * sizeof(*next)), n_shown;
    const bool has_memory = b.order != NULL && b.blocks != NULL && sorted != NULL &&
                            block_of != NULL && next != NULL;

    for (int64_t k = 0; has_memory && k < t->n_otus; k++)
        sorted[k] = (candidate_t){k, t->member_start[k + 1] - t->member_start[k]};
    if (has_memory) {
        qsort(sorted, (size_t)t->n_otus, sizeof(*sorted), by_members);
        n_shown = n_to_show(sorted, t->n_otus, min_sequences);
        for (int64_t k = 0; k < t->n_otus; k++)
            block_of[sorted[k].otu] = k < n_shown ? -1 : -2;
        place_blocks(t, order, block_of, &b);
        place_sequences(t, order, block_of, next, &b);
    }
    free(sorted);
    free(block_of);
    free(next);
    if (!has_memory) {
        map_blocks_free(&b);
        return log_nomem("blocks of a heat map");
    }
    *out = b;
    return ST_OK;
}

void map_blocks_free(map_blocks_t *b)
{
    free(b->order);
    free(b->blocks);
    *b = (map_blocks_t){0};
}
