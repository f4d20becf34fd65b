#include "io/tile.h"

#include <math.h>

tile_grid_t tile_grid_of(int64_t n, int64_t side)
{
    int64_t n_blocks = side > 0 ? (n + side - 1) / side : 0;

    return (tile_grid_t){.n = n,
                         .side = side,
                         .n_blocks = n_blocks,
                         .n_tiles = n_blocks * (n_blocks + 1) / 2};
}

/* Upper bound on the cells of the costliest tile: the product of the two longest blocks,
 * or half the square of the longest, whichever is more. */
static double costliest(const tile_grid_t *grid, const seqset_t *set)
{
    double first = 0, second = 0;

    for (int64_t row = 0; row < grid->n; row += grid->side) {
        int64_t end = row + grid->side < grid->n ? row + grid->side : grid->n;
        double letters = (double)(set->offset[end] - set->offset[row]);

        if (letters > first) {
            second = first;
            first = letters;
        } else if (letters > second) {
            second = letters;
        }
    }
    return fmax(first * second, first * first / 2);
}

tile_grid_t tile_grid(const seqset_t *set)
{
    if (set->n < TILE_SIDE_MIN)
        return tile_grid_of(set->n, set->n); /* a chunk may not exceed its dataset */
    for (int64_t side = TILE_SIDE_MAX; side > TILE_SIDE_MIN; side /= 2) {
        tile_grid_t grid = tile_grid_of(set->n, side);

        if (grid.n_tiles >= TILE_COUNT_WANTED &&
            costliest(&grid, set) <= (double)TILE_CELLS_MAX)
            return grid;
    }
    return tile_grid_of(set->n, TILE_SIDE_MIN);
}

/* The number of the first tile of a row of tiles. */
static int64_t row_start(const tile_grid_t *grid, int64_t row)
{
    return row * grid->n_blocks - row * (row - 1) / 2;
}

tile_t tile_at(const tile_grid_t *grid, int64_t k)
{
    double b = (double)grid->n_blocks + 0.5;
    int64_t row = (int64_t)(b - sqrt(fmax(0.0, b * b - 2.0 * (double)k)));
    int64_t col;
    tile_t t;

    while (row > 0 && row_start(grid, row) > k) /* the root may be off by rounding */
        row--;
    while (row + 1 < grid->n_blocks && row_start(grid, row + 1) <= k)
        row++;
    col = row + k - row_start(grid, row);
    t.row0 = row * grid->side;
    t.col0 = col * grid->side;
    t.row1 = t.row0 + grid->side < grid->n ? t.row0 + grid->side : grid->n;
    t.col1 = t.col0 + grid->side < grid->n ? t.col0 + grid->side : grid->n;
    return t;
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
