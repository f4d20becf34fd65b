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
        cmocka_unit_test_teardown(hits_are_sorted_by_tile, results_forget),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
