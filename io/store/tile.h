/*
 * tile.h - the tiles of the pair matrix: units of work, messages, storage and recovery.
 *
 * The n x n matrix of pairs (only row < col is computed) is cut into squares; tiles on or
 * above the diagonal are numbered row by row from 0.  Every rank derives the same grid
 * from the sequences and the options of the job.
 *
 * Queries against references make a rectangle whose tiles are numbered likewise.  Its
 * columns are indices of the joined set (seqset.h).
 */
#pragma once

#include "io/seq/seqset.h"

#include <stdbool.h>
#include <stdint.h>

/* A grid has at least TILE_COUNT_MIN tiles if the sides allow it. */
enum { TILE_SIDE_MIN = 4, TILE_SIDE_MAX = 256, TILE_COUNT_MIN = 256 };

/* With a filter hardly any pair is aligned, a tile takes next to no time, and the fixed
 * cost per tile dominates.  Then a grid of more than TILE_COUNT_MAX tiles gets larger
 * ones, up to TILE_SIDE_FILTERED. */
enum { TILE_COUNT_MAX = 1 << 19, TILE_SIDE_FILTERED = 1024 };

/* Maximum cells of a tile: about a minute of one core, which a failure may lose. */
#define TILE_CELLS_MAX (INT64_C(1) << 38)

typedef struct {
    int64_t n;        /* sequences; of a rectangle, queries */
    int64_t side;     /* rows of a tile; below TILE_SIDE_MIN only if n is, or wider */
    int64_t col_side; /* its columns: as many, unless the grid is wider */
    int64_t n_blocks; /* rows of tiles */
    int64_t n_tiles;
    bool is_rectangle;    /* the rest is set only then */
    int64_t n_cols;       /* references */
    int64_t col_first;    /* index of the first reference in the joined set */
    int64_t n_col_blocks; /* tiles in a row of tiles */
} tile_grid_t;

typedef struct {
    int64_t row0, row1; /* rows row0 .. row1-1 */
    int64_t col0, col1;
} tile_t;

/* @return the grid of a set: the side is the largest power of two in 4..256 that gives at
 *         least TILE_COUNT_MIN tiles of at most TILE_CELLS_MAX cells, or else 4 */
tile_grid_t tile_grid(const seqset_t *set);

/* @return the grid of n sequences with a given side, as read from a file */
tile_grid_t tile_grid_of(int64_t n, int64_t side);

/* @return the grid of n queries against the references of a joined set, which start at
 *         index col_first; its side follows the same rule */
tile_grid_t tile_grid_against(const seqset_t *set, int64_t n, int64_t col_first);

/* @return the grid with its side doubled while it has more than TILE_COUNT_MAX tiles and
 *         the side is below max_side */
tile_grid_t tile_grid_coarser(tile_grid_t grid, int64_t max_side);

/* @return the grid of a rectangle whose tiles have as many pairs, but more columns, up to
 *         TILE_COLS_WIDE: of many targets of a query there are always some of a length */
enum { TILE_COLS_WIDE = 4096 };
tile_grid_t tile_grid_wider(tile_grid_t grid);

/* @return the maximum number of pairs of a tile, of a matrix that is stored its values */
static inline int64_t tile_grid_values(const tile_grid_t *grid)
{
    return grid->side * grid->col_side;
}

/* @return the number of the first tile of a row of tiles, 0 <= row <= n_blocks */
int64_t tile_row_start(const tile_grid_t *grid, int64_t row);

/* @return rows and columns of tile k, 0 <= k < n_tiles */
tile_t tile_at(const tile_grid_t *grid, int64_t k);

/* @return the number of pairs row < col of a tile */
int64_t tile_pairs(const tile_t *tile);

/* @return the number of dynamic programming cells of a tile's pairs */
int64_t tile_cells(const tile_t *tile, const seqset_t *set);
