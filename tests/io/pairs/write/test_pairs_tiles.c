/*
 * test_pairs_tiles.c - tiles of a result file come back as the records that a run makes.
 */
#include "tests/support/unit_test.h"

#include "io/pairs/write/pairs_tiles.h"

#include "tests/io/pairs/hits_fixture.h"

enum { N = 10 };

/* Read tiles first .. end-1, and return the k-th record. */
static buf_t record_of(const buf_t *tiles, int64_t k)
{
    size_t at = 0;
    int64_t len = 0;

    for (int64_t i = 0; i <= k; i++) {
        at += (size_t)len;
        assert_true(at + sizeof(len) <= tiles->len);
        memcpy(&len, tiles->data + at, sizeof(len));
        at += sizeof(len);
    }
    assert_true(at + (size_t)len <= tiles->len);
    return (buf_t){.data = tiles->data + at, .len = (size_t)len};
}

/* @return behind the tiles of a row that have pairs of the first N sequences alone */
static int64_t end_of(const tile_grid_t *grid, int64_t row)
{
    int64_t k = tile_row_start(grid, row);

    while (k < tile_row_start(grid, row + 1) && tile_at(grid, k).col1 <= N)
        k++;
    return k;
}

/* Check all tiles of a grid that the file has. @param same  chunks are those of the file
 */
static void assert_tiles(const pairs_file_t *file, const tile_grid_t *grid, bool same)
{
    const int n_datasets = file->n_datasets;

    for (int64_t row = 0; row < grid->n_blocks; row++) {
        const int64_t first = tile_row_start(grid, row), end = end_of(grid, row);
        buf_t tiles = {0};

        if (first == end)
            continue;
        assert_int_equal(pairs_tiles_read(file, grid, first, end, &tiles), ST_OK);
        for (int64_t k = first; k < end; k++) {
            buf_t want = {0}, got = record_of(&tiles, k - first);
            bool equal = false;

            pack_tile(grid, k, n_datasets, &want);
            assert_int_equal(pairs_equal_tiles(grid, n_datasets,
                                               n_datasets == PAIRS_N_CIGAR, &want, &got,
                                               &equal),
                             ST_OK);
            assert_true(equal);
            if (same) {
                assert_int_equal(got.len, want.len);
                assert_memory_equal(got.data, want.data, want.len);
            }
            buf_free(&want);
        }
        buf_free(&tiles);
    }
}

static void tiles_are_those_of_a_run_over_more_sequences(void **state)
{
    static const int n_datasets[] = {PAIRS_N_SCORE, PAIRS_N_IDENTITY, PAIRS_N_CIGAR};

    (void)state;
    for (int i = 0; i < 3; i++) {
        const tile_grid_t grids[] = {tile_grid_of(13, 4), tile_grid_of(N, 4),
                                     tile_grid_of(13, 8), tile_grid_of(N, 8),
                                     tile_grid_of(N, 2)};
        pairs_file_t *file;

        write_result(N, n_datasets[i]);
        file = open_result();
        assert_int_equal(file->grid.side, 4);
        for (size_t g = 0; g < sizeof(grids) / sizeof(grids[0]); g++)
            assert_tiles(file, &grids[g], g == 0);
        pairs_close(file);
    }
}

/* Unpack all tiles of a file. @return ST_OK, or what is wrong with one */
static status_t unpack_all(const pairs_file_t *file, const pairs_tiles_check_t *check,
                           bool is_compared)
{
    const tile_grid_t *grid = &file->grid;
    int32_t values[3 * 16 * 16];
    status_t st = ST_OK;

    for (int64_t row = 0; st == ST_OK && row < grid->n_blocks; row++) {
        buf_t tiles = {0};
        size_t at = 0;

        assert_int_equal(pairs_tiles_read_numbers(file, tile_row_start(grid, row),
                                                  tile_row_start(grid, row + 1), &tiles),
                         ST_OK);
        for (int64_t k = tile_row_start(grid, row);
             st == ST_OK && k < tile_row_start(grid, row + 1); k++) {
            const tile_t t = tile_at(grid, k);
            const int64_t side = grid->side;

            st = pairs_tiles_next_numbers(check, &tiles, side, &t, &at, values);
            for (int64_t i = t.row0; is_compared && i < t.row1; i++)
                for (int64_t j = t.col0; j < t.col1; j++) {
                    const int64_t p = (i - t.row0) * side + j - t.col0;

                    assert_int_equal(values[p], value_of(PAIRS_MATCHES, i, j));
                    assert_int_equal(values[side * side + p],
                                     value_of(PAIRS_COLUMNS, i, j));
                }
        }
        assert_true(st != ST_OK || at == tiles.len);
        buf_free(&tiles);
    }
    return st;
}

static void numbers_come_back_without_the_file(void **state)
{
    static const int n_datasets[] = {PAIRS_N_IDENTITY, PAIRS_N_CIGAR};

    (void)state;
    for (int i = 0; i < 2; i++) {
        pairs_file_t *file;
        pairs_tiles_check_t check = {.path = result};
        int32_t short_ones[N] = {0};

        write_result(N, n_datasets[i]);
        file = open_result();
        check.lengths = file->rows.lengths;
        assert_int_equal(unpack_all(file, &check, true), ST_OK);

        check.lengths = short_ones; /* no two sequences have these columns */
        capture_start();
        assert_int_equal(unpack_all(file, &check, false), ST_EINPUT);
        capture_stop();
        assert_logged("its pairs are damaged at row 1, column 1; align again");
        assert_logged_one_line();
        pairs_close(file);
    }
}

/* Cut and changed: it is refused, or has the same numbers of values. */
static void damaged_numbers_are_refused(void **state)
{
    pairs_file_t *file;
    pairs_tiles_check_t check = {.path = result};
    int32_t values[3 * 16 * 16];
    buf_t tiles = {0};
    tile_t tile;

    (void)state;
    write_result(N, PAIRS_N_IDENTITY);
    file = open_result();
    tile = tile_at(&file->grid, 0);
    check.lengths = file->rows.lengths;
    assert_int_equal(pairs_tiles_read_numbers(file, 0, 1, &tiles), ST_OK);
    capture_start();
    for (size_t len = 0; len < tiles.len; len++) {
        const buf_t cut = {tiles.data, len, len};
        size_t at = 0;

        assert_int_equal(pairs_tiles_next_numbers(&check, &cut, file->grid.side, &tile,
                                                  &at, values),
                         ST_EINPUT);
    }
    for (size_t k = 0; k < tiles.len; k++) {
        size_t at = 0;

        tiles.data[k] ^= 0xc3;
        (void)!pairs_tiles_next_numbers(&check, &tiles, file->grid.side, &tile, &at,
                                        values);
        assert_true(at <= tiles.len);
        tiles.data[k] ^= 0xc3;
    }
    capture_stop();
    buf_free(&tiles);
    pairs_close(file);
}

static void hits_are_sorted_by_tile(void **state)
{
    const tile_grid_t grids[] = {tile_grid_of(13, 4), tile_grid_of(13, 8),
                                 tile_grid_of(N, 8)};
    seqset_t *set = numbered_set(N);
    const tile_grid_t own = tile_grid(set);
    pairs_head_t head = head_of(PAIRS_N_CIGAR);
    pairs_file_t *file;

    (void)state;
    write_hits(set, &own, &head);
    file = open_result();
    for (size_t g = 0; g < sizeof(grids) / sizeof(grids[0]); g++)
        for (int64_t row = 0; row < grids[g].n_blocks; row++) {
            const int64_t first = tile_row_start(&grids[g], row);
            const int64_t end = end_of(&grids[g], row);
            buf_t tiles = {0};

            if (first < end)
                assert_int_equal(pairs_tiles_read(file, &grids[g], first, end, &tiles),
                                 ST_OK);
            for (int64_t k = first; k < end; k++) {
                pairs_hits_t hits = {.n_without_identity = 0};
                buf_t want = {0}, got = record_of(&tiles, k - first);
                bool equal = false;

                gather(&grids[g], k, PAIRS_N_CIGAR, &any, &hits);
                assert_int_equal(pairs_hits_pack(&hits, &want), ST_OK);
                assert_int_equal(pairs_equal_hits(&want, &got, &equal), ST_OK);
                assert_true(equal);
                buf_free(&want);
                pairs_hits_free(&hits);
            }
            buf_free(&tiles);
        }
    pairs_close(file);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(tiles_are_those_of_a_run_over_more_sequences,
                                  results_forget),
        cmocka_unit_test_teardown(numbers_come_back_without_the_file, results_forget),
        cmocka_unit_test_teardown(damaged_numbers_are_refused, results_forget),
        cmocka_unit_test_teardown(hits_are_sorted_by_tile, results_forget),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
