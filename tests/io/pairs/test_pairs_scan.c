/*
 * test_pairs_scan.c - a scan returns every selected pair once, by row and then by column,
 * or the best first.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5util.h"
#include "io/pairs/pairs_scan.h"
#include "tests/io/pairs/pairs_fixture.h"

/* hits[k] is pair i, j, with its values and its CIGAR. */
static void assert_hit(pairs_scan_t *scan, const pairs_hit_t *hits, int64_t k, int64_t i,
                       int64_t j, int n_datasets)
{
    const pairs_hit_t *h = &hits[k];
    char want[TEXT_BYTES];
    const char *text;
    int64_t len;

    assert_int_equal(h->row, i);
    assert_int_equal(h->col, j);
    assert_int_equal(h->score, value_of(PAIRS_SCORE, i, j));
    assert_int_equal(h->matches, n_datasets > 1 ? value_of(PAIRS_MATCHES, i, j) : 0);
    assert_int_equal(h->columns, n_datasets > 1 ? value_of(PAIRS_COLUMNS, i, j) : 0);
    assert_int_equal(h->strand, 1);
    assert_int_equal(pairs_scan_cigar(scan, k, &text, &len), ST_OK);
    text_of(i, j, want);
    assert_int_equal(len, n_datasets == PAIRS_N_CIGAR ? strlen(want) : 0);
    assert_memory_equal(text, want, (size_t)len);
}

/* A scan returns exactly the pairs of a region that reach the identity. */
static void assert_scanned(const pairs_file_t *file, const fraction_t *id,
                           pairs_region_t r)
{
    const pairs_hit_t *hits = NULL;
    pairs_scan_t *scan = NULL;
    int64_t n = 0, at = 0;
    int n_datasets = file->n_datasets;

    assert_int_equal(pairs_scan_open_region(file, id, &r, &scan), ST_OK);
    for (int64_t i = r.row0; i < r.row1; i++)
        for (int64_t j = i + 1 > r.col0 ? i + 1 : r.col0; j < r.col1; j++) {
            if (n_datasets > 1 && !fraction_reached(id, value_of(PAIRS_MATCHES, i, j),
                                                    value_of(PAIRS_COLUMNS, i, j)))
                continue;
            if (at == n) {
                assert_int_equal(pairs_scan_next(scan, &hits, &n), ST_OK);
                assert_true(n > 0);
                at = 0;
            }
            assert_hit(scan, hits, at++, i, j, n_datasets);
        }
    assert_int_equal(at, n);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(pairs_scan_next(scan, &hits, &n), ST_OK);
        assert_int_equal(n, 0);
    }
    pairs_scan_close(scan);
}

static void every_pair_of_a_dense_file_is_returned_once(void **state)
{
    static const int64_t numbers[] = {0, 1, 2, 5, 9};
    static const int datasets[] = {PAIRS_N_SCORE, PAIRS_N_IDENTITY, PAIRS_N_CIGAR};
    fraction_t none = {0, 0};

    (void)state;
    for (int k = 0; k < 5; k++)
        for (int d = 0; d < 3; d++) {
            pairs_file_t *file;
            int64_t n = numbers[k];

            write_result(n, datasets[d]);
            file = open_result();
            assert_int_equal(file->rows.n, n);
            assert_int_equal(file->cols.n, n);
            assert_false(file->is_sparse);
            assert_int_equal(file->min_identity.denominator, 0);
            assert_scanned(file, &none, (pairs_region_t){0, n, 0, n});
            pairs_close(file);
        }
}

static void a_scan_of_a_region_returns_only_its_pairs(void **state)
{
    static const pairs_region_t regions[] = {{0, 9, 0, 9}, {3, 5, 0, 9}, {0, 9, 5, 6},
                                             {2, 3, 8, 9}, {6, 9, 0, 4}, {4, 4, 4, 4}};
    fraction_t none = {0, 0};
    pairs_file_t *file;

    (void)state;
    write_result(9, PAIRS_N_CIGAR);
    file = open_result();
    for (size_t k = 0; k < sizeof(regions) / sizeof(regions[0]); k++)
        assert_scanned(file, &none, regions[k]);
    pairs_close(file);
}

/* Pair i, j has 1 + 100 i + j matches in 7000 + 100 i + j columns. */
static void only_pairs_that_reach_the_identity_are_returned(void **state)
{
    fraction_t ids[] = {{1, 100}, {306, 7305}, {1, 1}};
    pairs_file_t *file;

    (void)state;
    write_result(9, PAIRS_N_CIGAR);
    file = open_result();
    for (int k = 0; k < 3; k++)
        assert_scanned(file, &ids[k], (pairs_region_t){0, 9, 0, 9});
    pairs_close(file);
}

/* In each row identities and scores ascend with the column. */
static void the_best_pairs_of_a_row_come_first(void **state)
{
    static const pairs_order_t orders[] = {PAIRS_BY_IDENTITY, PAIRS_BY_SCORE};
    pairs_region_t region = {2, 7, 3, 9};
    pairs_file_t *file;

    (void)state;
    write_result(9, PAIRS_N_CIGAR);
    file = open_result();
    assert_int_equal(pairs_order_default(file), PAIRS_BY_ROW);
    for (int k = 0; k < 2; k++) {
        pairs_scan_t *scan = NULL;

        assert_int_equal(pairs_scan_open_sorted(file, NULL, &region, orders[k], &scan),
                         ST_OK);
        for (int64_t i = 2; i < 7; i++) {
            int64_t n = 0, first = i < 3 ? 3 : i + 1;
            const pairs_hit_t *hits;

            assert_int_equal(pairs_scan_next(scan, &hits, &n), ST_OK);
            assert_int_equal(n, 9 - first);
            for (int64_t at = 0; at < n; at++)
                assert_hit(scan, hits, at, i, 8 - at, PAIRS_N_CIGAR);
        }
        pairs_scan_close(scan);
    }
    pairs_close(file);
}

static void a_file_of_scores_has_no_identities_to_use(void **state)
{
    fraction_t half = {1, 2};
    pairs_scan_t *scan = NULL;
    pairs_file_t *file;
    status_t st;

    (void)state;
    write_result(5, PAIRS_N_SCORE);
    file = open_result();
    capture_start();
    st = pairs_scan_open(file, &half, &scan);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_null(scan);
    assert_logged_one_line();
    assert_logged("holds only scores");
    capture_start();
    st = pairs_scan_open_sorted(file, NULL, NULL, PAIRS_BY_IDENTITY, &scan);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged("sort by score");
    assert_int_equal(pairs_scan_open_sorted(file, NULL, NULL, PAIRS_BY_SCORE, &scan),
                     ST_OK);
    pairs_scan_close(scan);
    pairs_close(file);
}

static void names_and_lengths_come_back(void **state)
{
    pairs_file_t *file;

    (void)state;
    write_result(5, PAIRS_N_SCORE);
    file = open_result();
    assert_string_equal(file->rows.names[4], "s4");
    assert_string_equal(file->cols.names[3], "s3");
    assert_int_equal(pairs_len(file, 4), BASES + 4);
    assert_int_equal(pairs_col_len(file, 3), BASES + 3);
    pairs_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_pair_of_a_dense_file_is_returned_once,
                                  results_forget),
        cmocka_unit_test_teardown(a_scan_of_a_region_returns_only_its_pairs,
                                  results_forget),
        cmocka_unit_test_teardown(only_pairs_that_reach_the_identity_are_returned,
                                  results_forget),
        cmocka_unit_test_teardown(the_best_pairs_of_a_row_come_first, results_forget),
        cmocka_unit_test_teardown(a_file_of_scores_has_no_identities_to_use,
                                  results_forget),
        cmocka_unit_test_teardown(names_and_lengths_come_back, results_forget),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
