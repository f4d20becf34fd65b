/*
 * test_tile.c - the side of the tiles, their numbers, and the sums of their pairs and
 * cells.
 *
 * Sets here have offsets but no bases: a grid depends on lengths only.
 */
#include "tests/support/unit_test.h"

#include "io/store/tile.h"

#include <stdlib.h>

static seqset_t set_of(int64_t n, int64_t len)
{
    seqset_t set = {.n = n, .offset = malloc(((size_t)n + 1) * sizeof(*set.offset))};

    assert_non_null(set.offset);
    for (int64_t i = 0; i <= n; i++)
        set.offset[i] = i * len;
    return set;
}

static void assert_side(int64_t n, int64_t len, int64_t side)
{
    seqset_t set = set_of(n, len);
    tile_grid_t grid = tile_grid(&set);

    free(set.offset);
    if (grid.side != side)
        fail_msg("%lld sequences of %lld have side %lld, not %lld", (long long)n,
                 (long long)len, (long long)grid.side, (long long)side);
    assert_int_equal(grid.n, n);
}

static void fewer_than_four_sequences_make_one_tile_as_large_as_the_matrix(void **state)
{
    seqset_t none = set_of(0, 1500), three = set_of(3, 1500);

    (void)state;
    for (int64_t n = 0; n <= 4; n++)
        assert_side(n, 1500, n);
    assert_int_equal(tile_grid(&none).n_blocks, 0);
    assert_int_equal(tile_grid(&none).n_tiles, 0);
    assert_int_equal(tile_grid(&three).n_blocks, 1);
    assert_int_equal(tile_grid(&three).n_tiles, 1);
    free(none.offset);
    free(three.offset);
}

/* 22 blocks make 22 * 23 / 2 = 253 tiles, too few; 23 make 276. */
static void a_side_is_used_from_23_blocks_on(void **state)
{
    (void)state;
    assert_side(5, 1500, 4);
    assert_side(22 * 8, 1500, 4);
    assert_side(22 * 8 + 1, 1500, 8);
    assert_side(22 * 16, 1500, 8);
    assert_side(22 * 16 + 1, 1500, 16);
    assert_side(22 * 32, 1500, 16);
    assert_side(22 * 32 + 1, 1500, 32);
    assert_side(22 * 64, 1500, 32);
    assert_side(22 * 64 + 1, 1500, 64);
    assert_side(22 * 128, 1500, 64);
    assert_side(22 * 128 + 1, 1500, 128);
    assert_side(22 * 256, 1500, 128);
    assert_side(22 * 256 + 1, 1500, 256);
    assert_side(23 * 4, 1500, 4);
    assert_side(1000000, 1500, 256);
}

/* Two blocks of side * len bases have at most 2^38 cells if side * len <= 2^19 = 524288.
 */
static void long_sequences_make_tiles_smaller(void **state)
{
    (void)state;
    assert_side(6000, 2048, 256);
    assert_side(6000, 2049, 128);
    assert_side(6000, 4096, 128);
    assert_side(6000, 4097, 64);
    assert_side(6000, 65536, 8);
    assert_side(6000, 65537, 4);
    assert_side(6000, 1000000000, 4);
}

static void empty_sequences_do_no_harm(void **state)
{
    (void)state;
    assert_side(6000, 0, 256);
    assert_side(10, 0, 4);
}

/* All sequences have one base, except two that fill up two blocks of 256 to 2^19 bases.
 */
static void the_two_longest_blocks_decide(void **state)
{
    seqset_t set = set_of(6000, 1);

    (void)state;
    for (int64_t i = 1; i <= set.n; i++)
        set.offset[i] += 524288 - 256 + (i > 256 ? 524288 - 256 : 0);
    assert_int_equal(tile_grid(&set).side, 256);
    for (int64_t i = 257; i <= set.n; i++)
        set.offset[i]++;
    assert_int_equal(tile_grid(&set).side, 128);
    free(set.offset);
}

static int64_t min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void assert_tiles_in_rows(int64_t n, int64_t side)
{
    tile_grid_t grid = tile_grid_of(n, side);
    int64_t k = 0, pairs = 0;

    for (int64_t row = 0; row < n; row += side)
        for (int64_t col = row; col < n; col += side) {
            tile_t tile = tile_at(&grid, k++);

            assert_int_equal(tile.row0, row);
            assert_int_equal(tile.row1, min(row + side, n));
            assert_int_equal(tile.col0, col);
            assert_int_equal(tile.col1, min(col + side, n));
            pairs += tile_pairs(&tile);
        }
    assert_int_equal(grid.n_tiles, k);
    assert_int_equal(pairs, n * (n - 1) / 2);
}

static void tiles_are_numbered_row_by_row_and_hold_every_pair_once(void **state)
{
    const int64_t sides[] = {1, 2, 3, 4, 5, 8, 16, 64, 256};

    (void)state;
    for (size_t s = 0; s < sizeof(sides) / sizeof(sides[0]); s++)
        for (int64_t n = 0; n <= 70; n++)
            assert_tiles_in_rows(n, sides[s]);
    assert_tiles_in_rows(3001, 4);
    assert_tiles_in_rows(1001, 1);
    assert_tiles_in_rows(5633, 256);
}

static void assert_row_ends(const tile_grid_t *grid, int64_t row)
{
    int64_t first = row * grid->n_blocks - row * (row - 1) / 2;
    tile_t left = tile_at(grid, first);
    tile_t right = tile_at(grid, first + grid->n_blocks - row - 1);

    assert_int_equal(left.row0, row * grid->side);
    assert_int_equal(left.col0, row * grid->side);
    assert_int_equal(right.row0, row * grid->side);
    assert_int_equal(right.col0, (grid->n_blocks - 1) * grid->side);
    assert_int_equal(right.col1, grid->n);
}

static void ten_million_sequences_have_the_right_tiles_at_both_ends_of_each_row(
    void **state)
{
    tile_grid_t grid = tile_grid_of(10000000, 256);
    tile_t last = tile_at(&grid, 762978515);

    (void)state;
    assert_int_equal(grid.n_blocks, 39063);
    assert_int_equal(grid.n_tiles, 762978516); /* 39063 * 39064 / 2 */
    assert_int_equal(last.row0, 9999872);      /* 39062 * 256 */
    assert_int_equal(last.col0, 9999872);
    assert_int_equal(last.col1, 10000000);
    assert_int_equal(tile_pairs(&last), 128 * 127 / 2);
    for (int64_t row = 0; row < grid.n_blocks; row++)
        assert_row_ends(&grid, row);
}

/* There are more than 2^53 tiles, where doubles cannot hold odd numbers. */
static void rounding_never_shifts_a_tile(void **state)
{
    tile_grid_t grid = tile_grid_of(1000000000, 4);

    (void)state;
    assert_int_equal(grid.n_blocks, 250000000);
    assert_int_equal(grid.n_tiles, 31250000125000000);
    for (int64_t row = 0; row < 1000; row++)
        assert_row_ends(&grid, row);
    for (int64_t row = 0; row < grid.n_blocks; row += 249989)
        assert_row_ends(&grid, row);
    for (int64_t row = grid.n_blocks - 1000; row < grid.n_blocks; row++)
        assert_row_ends(&grid, row);
}

static void the_cells_of_all_tiles_are_those_of_all_pairs(void **state)
{
    seqset_t set = set_of(61, 0);
    int64_t want = 0, got = 0;
    tile_grid_t grid = tile_grid_of(61, 8);

    (void)state;
    for (int64_t i = 0; i < 61; i++)
        set.offset[i + 1] = set.offset[i] + 1 + i * 7 % 13;
    for (int64_t i = 0; i < 61; i++)
        for (int64_t j = i + 1; j < 61; j++)
            want += seqset_len(&set, i) * seqset_len(&set, j);
    for (int64_t k = 0; k < grid.n_tiles; k++) {
        tile_t tile = tile_at(&grid, k);

        got += tile_cells(&tile, &set);
    }
    assert_int_equal(got, want);
    free(set.offset);
}

static void the_cells_of_a_tile_are_sums_of_products_of_lengths(void **state)
{
    int64_t offset[] = {0, 2, 5, 10, 17}; /* lengths 2, 3, 5, 7 */
    seqset_t set = {.n = 4, .offset = offset};
    tile_t diagonal = {.row0 = 0, .row1 = 3, .col0 = 0, .col1 = 3};
    tile_t off_diagonal = {.row0 = 0, .row1 = 2, .col0 = 2, .col1 = 4};
    tile_t one = {.row0 = 3, .row1 = 4, .col0 = 3, .col1 = 4};

    (void)state;
    assert_int_equal(tile_cells(&diagonal, &set), 2 * 3 + 2 * 5 + 3 * 5);
    assert_int_equal(tile_cells(&off_diagonal, &set), 2 * 5 + 2 * 7 + 3 * 5 + 3 * 7);
    assert_int_equal(tile_cells(&one, &set), 0);
    assert_int_equal(tile_pairs(&diagonal), 3);
    assert_int_equal(tile_pairs(&off_diagonal), 4);
    assert_int_equal(tile_pairs(&one), 0);
}

/* Check a grid of n queries, their reverse complements, and then references. */
static void check_rectangle(tile_grid_t grid, const seqset_t *set, int64_t n)
{
    int64_t first = 2 * n, k = 0, pairs = 0;

    for (int64_t row = 0; row < n; row += grid.side) {
        assert_int_equal(tile_row_start(&grid, row / grid.side), k);
        for (int64_t col = first; col < set->n; col += grid.col_side) {
            tile_t tile = tile_at(&grid, k++);

            assert_int_equal(tile.row0, row);
            assert_int_equal(tile.row1, min(row + grid.side, n));
            assert_int_equal(tile.col0, col);
            assert_int_equal(tile.col1, min(col + grid.col_side, set->n));
            assert_int_equal(tile_cells(&tile, set), 100 * tile_pairs(&tile));
            assert_true(tile_pairs(&tile) <= tile_grid_values(&grid));
            pairs += tile_pairs(&tile);
        }
    }
    assert_int_equal(grid.n_tiles, k);
    assert_int_equal(tile_row_start(&grid, grid.n_blocks), k);
    assert_int_equal(pairs, n * (set->n - first));
}

static void tiles_of_a_rectangle_are_numbered_row_by_row(void **state)
{
    static const int64_t sizes[][2] = {{0, 9}, {9, 0}, {1, 1}, {4, 4}, {5, 3}, {70, 301}};

    (void)state;
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        int64_t n = sizes[s][0];
        seqset_t set = set_of(2 * n + sizes[s][1], 10);
        tile_grid_t grid = tile_grid_against(&set, n, 2 * n);

        assert_int_equal(grid.side, grid.col_side);
        check_rectangle(grid, &set, n);
        check_rectangle(tile_grid_wider(grid), &set, n);
        free(set.offset);
    }
}

/* As many pairs, in tiles of fewer rows. */
static void wider_tiles_have_fewer_rows(void **state)
{
    static const int64_t cases[][4] = {{500, 20000, 4, 4096},
                                       {1, 70000, 16, 4096},
                                       {40, 2000, 1, 256}};

    (void)state;
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        const int64_t n = cases[k][0];
        seqset_t set = set_of(n + cases[k][1], 500);
        tile_grid_t grid = tile_grid_against(&set, n, n), wide = tile_grid_wider(grid);

        assert_int_equal(wide.side, cases[k][2]);
        assert_int_equal(wide.col_side, cases[k][3]);
        assert_int_equal(tile_grid_values(&wide), tile_grid_values(&grid));
        free(set.offset);
    }
}

static int64_t side_against(int64_t n, int64_t n_references, int64_t len)
{
    seqset_t set = set_of(n + n_references, len);
    tile_grid_t grid = tile_grid_against(&set, n, n);

    free(set.offset);
    return grid.side;
}

/* 16 x 16 tiles are enough; blocks of rows and columns may have 2^19 bases each. */
static void the_side_of_a_rectangle_follows_the_same_rule(void **state)
{
    (void)state;
    assert_int_equal(side_against(16 * 256, 16 * 256, 1500), 256);
    assert_int_equal(side_against(15 * 256, 16 * 256, 1500), 128);
    assert_int_equal(side_against(1, 256 * 256, 1500), 256);
    assert_int_equal(side_against(1, 255 * 256, 1500), 128);
    assert_int_equal(side_against(2, 2, 1500), 4);
    assert_int_equal(side_against(16 * 256, 16 * 256, 2048), 256);
    assert_int_equal(side_against(16 * 256, 16 * 256, 2049), 128);
}

/* 1023 blocks make 523776 tiles, fewer than 2^19 = 524288; 1024 make 524800. */
static void a_grid_of_too_many_tiles_gets_larger_ones(void **state)
{
    tile_grid_t few = tile_grid_of(1023 * 256, 256);
    tile_grid_t million = tile_grid_coarser(tile_grid_of(1000000, 256), 1024);
    tile_grid_t flat = {.n = 1024 * 256, .is_rectangle = true, .n_cols = 2048 * 256};

    (void)state;
    assert_int_equal(tile_grid_coarser(few, 1024).n_tiles, few.n_tiles);
    assert_int_equal(tile_grid_coarser(tile_grid_of(1024 * 256, 256), 1024).side, 512);
    assert_int_equal(million.side, 1024);
    assert_int_equal(million.n_tiles, 977 * 978 / 2);
    assert_int_equal(tile_grid_coarser(million, 1024).side, 1024);
    assert_int_equal(tile_grid_coarser(tile_grid_of(10000000, 64), 512).side, 512);
    flat.side = flat.col_side = 256;
    flat.n_blocks = 1024;
    flat.n_col_blocks = 2048;
    flat.n_tiles = INT64_C(1024) * 2048;
    flat = tile_grid_coarser(flat, 1024);
    assert_int_equal(flat.side, 512);
    assert_int_equal(flat.col_side, 512);
    assert_int_equal(flat.n_blocks, 512);
    assert_int_equal(flat.n_col_blocks, 1024);
    assert_int_equal(flat.n_tiles, TILE_COUNT_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_than_four_sequences_make_one_tile_as_large_as_the_matrix),
        cmocka_unit_test(a_side_is_used_from_23_blocks_on),
        cmocka_unit_test(long_sequences_make_tiles_smaller),
        cmocka_unit_test(empty_sequences_do_no_harm),
        cmocka_unit_test(the_two_longest_blocks_decide),
        cmocka_unit_test(tiles_are_numbered_row_by_row_and_hold_every_pair_once),
        cmocka_unit_test(
            ten_million_sequences_have_the_right_tiles_at_both_ends_of_each_row),
        cmocka_unit_test(rounding_never_shifts_a_tile),
        cmocka_unit_test(the_cells_of_all_tiles_are_those_of_all_pairs),
        cmocka_unit_test(the_cells_of_a_tile_are_sums_of_products_of_lengths),
        cmocka_unit_test(wider_tiles_have_fewer_rows),
        cmocka_unit_test(tiles_of_a_rectangle_are_numbered_row_by_row),
        cmocka_unit_test(the_side_of_a_rectangle_follows_the_same_rule),
        cmocka_unit_test(a_grid_of_too_many_tiles_gets_larger_ones),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
