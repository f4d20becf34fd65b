/*
 * tile.c - the side of the tiles, their numbers, their pairs and cells.
 */
#include "io/store/tile.h"

#include <math.h>

tile_grid_t tile_grid_of(int64_t n, int64_t side)
{
    int64_t n_blocks = side > 0 ? (n + side - 1) / side : 0;

    return (tile_grid_t){.n = n,
                         .side = side,
                         .col_side = side,
                         .n_blocks = n_blocks,
                         .n_tiles = n_blocks * (n_blocks + 1) / 2};
}

/* @return bases of the block of sequences that starts at `first`, cut off at `end` */
static double block_bases(const seqset_t *set, int64_t first, int64_t side, int64_t end)
{
    int64_t block_end = first + side < end ? first + side : end;

    return (double)(set->offset[block_end] - set->offset[first]);
}

/* @return an upper bound on the cells of a tile: the product of the two longest blocks,
 *         or half the square of the longest one if that is more */
static double max_cells(const tile_grid_t *grid, const seqset_t *set)
{
    double first = 0, second = 0;

    for (int64_t row = 0; row < grid->n; row += grid->side) {
        double bases = block_bases(set, row, grid->side, grid->n);

        if (bases > first) {
            second = first;
            first = bases;
        } else if (bases > second) {
            second = bases;
        }
    }
    return fmax(first * second, first * first / 2);
}

/* The same for queries against references. */
static double max_cells_against(const tile_grid_t *grid, const seqset_t *set)
{
    int64_t end = grid->col_first + grid->n_cols;
    double rows = 0, cols = 0;

    for (int64_t row = 0; row < grid->n; row += grid->side)
        rows = fmax(rows, block_bases(set, row, grid->side, grid->n));
    for (int64_t col = grid->col_first; col < end; col += grid->col_side)
        cols = fmax(cols, block_bases(set, col, grid->col_side, end));
    return rows * cols;
}

tile_grid_t tile_grid(const seqset_t *set)
{
    if (set->n < TILE_SIDE_MIN)
        return tile_grid_of(set->n, set->n); /* a chunk may not exceed its dataset */
    for (int64_t side = TILE_SIDE_MAX; side > TILE_SIDE_MIN; side /= 2) {
        tile_grid_t grid = tile_grid_of(set->n, side);

        if (grid.n_tiles >= TILE_COUNT_MIN &&
            max_cells(&grid, set) <= (double)TILE_CELLS_MAX)
            return grid;
    }
    return tile_grid_of(set->n, TILE_SIDE_MIN);
}

/* Set the sides of a rectangle's tiles, and count them. */
static void cut_rectangle(tile_grid_t *grid, int64_t side, int64_t col_side)
{
    grid->side = side;
    grid->col_side = col_side;
    grid->n_blocks = (grid->n + side - 1) / side;
    grid->n_col_blocks = (grid->n_cols + col_side - 1) / col_side;
    grid->n_tiles = grid->n_blocks * grid->n_col_blocks;
}

tile_grid_t tile_grid_against(const seqset_t *set, int64_t n, int64_t col_first)
{
    tile_grid_t grid = {.n = n,
                        .is_rectangle = true,
                        .n_cols = set->n - col_first,
                        .col_first = col_first};

    for (int64_t side = TILE_SIDE_MAX;; side /= 2) {
        cut_rectangle(&grid, side, side);
        if (side == TILE_SIDE_MIN ||
            (grid.n_tiles >= TILE_COUNT_MIN &&
             max_cells_against(&grid, set) <= (double)TILE_CELLS_MAX))
            return grid;
    }
}

tile_grid_t tile_grid_coarser(tile_grid_t grid, int64_t max_side)
{
    while (grid.n_tiles > TILE_COUNT_MAX && grid.side < max_side)
        if (grid.is_rectangle)
            cut_rectangle(&grid, 2 * grid.side, 2 * grid.col_side);
        else
            grid = tile_grid_of(grid.n, 2 * grid.side);
    return grid;
}

tile_grid_t tile_grid_wider(tile_grid_t grid)
{
    while (grid.side > 1 && grid.col_side < TILE_COLS_WIDE && grid.col_side < grid.n_cols)
        cut_rectangle(&grid, grid.side / 2, 2 * grid.col_side);
    return grid;
}

int64_t tile_row_start(const tile_grid_t *grid, int64_t row)
{
    return grid->is_rectangle ? row * grid->n_col_blocks
                              : row * grid->n_blocks - row * (row - 1) / 2;
}

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static tile_t rectangle_at(const tile_grid_t *grid, int64_t k)
{
    int64_t row = k / grid->n_col_blocks * grid->side;
    int64_t col = k % grid->n_col_blocks * grid->col_side + grid->col_first;

    return (tile_t){row, min(row + grid->side, grid->n), col,
                    min(col + grid->col_side, grid->col_first + grid->n_cols)};
}

tile_t tile_at(const tile_grid_t *grid, int64_t k)
{
    double b = (double)grid->n_blocks + 0.5;
    int64_t row = (int64_t)(b - sqrt(fmax(0.0, b * b - 2.0 * (double)k)));
    int64_t col;

    if (grid->is_rectangle)
        return rectangle_at(grid, k);
    while (row > 0 && tile_row_start(grid, row) > k) /* rounding */
        row--;
    while (row + 1 < grid->n_blocks && tile_row_start(grid, row + 1) <= k)
        row++;
    col = (row + k - tile_row_start(grid, row)) * grid->side;
    row *= grid->side;
    return (tile_t){row, min(row + grid->side, grid->n), col,
                    min(col + grid->side, grid->n)};
}

int64_t tile_pairs(const tile_t *tile)
{
    int64_t rows = tile->row1 - tile->row0, cols = tile->col1 - tile->col0;

    return tile->row0 == tile->col0 ? rows * (rows - 1) / 2 : rows * cols;
}

int64_t tile_cells(const tile_t *tile, const seqset_t *set)
{
    int64_t rows = set->offset[tile->row1] - set->offset[tile->row0];
    int64_t cols = set->offset[tile->col1] - set->offset[tile->col0];
    int64_t squares = 0;

    if (tile->row0 != tile->col0)
        return rows * cols;
    for (int64_t i = tile->row0; i < tile->row1; i++)
        squares += seqset_len(set, i) * seqset_len(set, i);
    return (rows * rows - squares) / 2;
}
