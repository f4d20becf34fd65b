/*
 * tile.h - the tiles of the pair matrix: units of work, messages, storage and recovery.
 *
 * The n x n matrix of pairs (row < col is computed) is cut into squares; tiles on or
 * above the diagonal are numbered row by row from 0.  The side is a function of the
 * sequences alone, so that every rank and every run cuts alike.
 *
 * Queries against references make a rectangle, whose tiles are numbered likewise.  Its
 * columns are counted as the joined set counts references (seqset_join.h).
 */
#ifndef RIBOGRID_IO_STORE_TILE_H
#define RIBOGRID_IO_STORE_TILE_H

#include "io/seq/seqset.h"

#include <stdbool.h>
#include <stdint.h>

enum { TILE_SIDE_MIN = 4, TILE_SIDE_MAX = 256, TILE_COUNT_WANTED = 256 };

/* Where hardly any pair is aligned, a tile takes next to no time, and what is done for
 * each counts: more tiles than this are made fewer, up to this side. */
enum { TILE_COUNT_ENOUGH = 1 << 19, TILE_SIDE_FILTERED = 1024 };

/* A costlier tile than this would be lost or late for too long: about a minute of a core.
 */
#define TILE_CELLS_MAX (INT64_C(1) << 38)

typedef struct {
    int64_t n; /* sequences */
    int64_t
        side; /* rows and columns of a tile; less than TILE_SIDE_MIN only where n is */
    int64_t n_blocks; /* tiles along a side of the matrix; of a rectangle, its rows */
    int64_t n_tiles;
    bool is_rectangle;    /* and then: */
    int64_t n_cols;       /* references; n is the number of queries */
    int64_t col_first;    /* the joined set's index of the first reference */
    int64_t n_col_blocks; /* tiles along a row */
} tile_grid_t;

typedef struct {
    int64_t row0, row1; /* rows row0 .. row1-1 */
    int64_t col0, col1;
} tile_t;

/* @return the grid of a set: the largest side of a power of two in 4..256 that leaves at
 *         least TILE_COUNT_WANTED tiles of at most TILE_CELLS_MAX cells, or else 4 */
tile_grid_t tile_grid(const seqset_t *set);

/* @return the grid of n sequences with a given side, as read from a file */
tile_grid_t tile_grid_of(int64_t n, int64_t side);

/* @return the grid of n queries against the references of a joined set, which start at
 *         col_first: its side goes by the same rule */
tile_grid_t tile_grid_against(const seqset_t *set, int64_t n, int64_t col_first);

/* @return a grid whose side is doubled while it has more than TILE_COUNT_ENOUGH tiles and
 *         the side is below `most` */
tile_grid_t tile_grid_coarser(tile_grid_t grid, int64_t most);

/* @return the number of the first tile of a row of tiles, 0 <= row <= n_blocks */
int64_t tile_row_start(const tile_grid_t *grid, int64_t row);

/* @return rows and columns of tile k, 0 <= k < n_tiles */
tile_t tile_at(const tile_grid_t *grid, int64_t k);

/* @return the pairs row < col of a tile */
int64_t tile_pairs(const tile_t *tile);

/* @return the dynamic programming cells of a tile's pairs */
int64_t tile_cells(const tile_t *tile, const seqset_t *set);

#endif
