/*
 * test_pairs_check.c - pairs, hits and CIGARs that no alignment has are refused where
 * they are read, in one line.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5text.h"
#include "io/pairs/pairs_scan.h"
#include "tests/io/pairs/hits_fixture.h"

/* Read all pairs and CIGARs of the result. */
static status_t scan_all(void)
{
    pairs_file_t *file = NULL;
    pairs_scan_t *scan = NULL;
    const pairs_hit_t *hits;
    int64_t n = 1;
    status_t st = pairs_open(result, &file);

    if (st == ST_OK)
        st = pairs_scan_open(file, NULL, &scan);
    while (st == ST_OK && n > 0 && (st = pairs_scan_next(scan, &hits, &n)) == ST_OK)
        for (int64_t k = 0; st == ST_OK && k < n; k++) {
            const char *text;
            int64_t len;

            st = pairs_scan_cigar(scan, k, &text, &len);
        }
    pairs_scan_close(scan);
    pairs_close(file);
    return st;
}

static void assert_refused(const char *want)
{
    status_t st;

    capture_start();
    st = scan_all();
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(want);
    assert_logged("; give a file that `ribogrid align` wrote");
}

/* A dense file of 9 with one value replaced is refused. */
static void assert_dense_refused(const char *name, int64_t row, int64_t col,
                                 int64_t value, const char *want)
{
    write_result(9, PAIRS_N_CIGAR);
    assert_int_equal(scan_all(), ST_OK);
    damage(name, 9 * row + col, value);
    assert_refused(want);
    unlink(log_path);
}

/* The same for a file of hits: 36, of which the first 8 are of row 1. */
static void assert_hits_refused(const char *name, int64_t at, int64_t value,
                                const char *want)
{
    pairs_counts_t counts;

    pairs_close(write_nine(any, &counts));
    assert_int_equal(scan_all(), ST_OK);
    damage(name, at, value);
    assert_refused(want);
    unlink(log_path);
}

/* Sequences 3 and 5 (s2, s4) have 4002 and 4004 bases. */
static void impossible_numbers_are_refused(void **state)
{
    static const char pair[] = "pair 3, 5 (s2, s4) has 205 matches in ";

    (void)state;
    assert_dense_refused("matches", 2, 4, -1, "has -1 matches in 7204 columns");
    assert_dense_refused("matches", 2, 4, 7205, "has 7205 matches in 7204 columns");
    assert_dense_refused("matches", 2, 4, 4003, "impossible for 4002 and 4004 bases");
    assert_dense_refused("matches", 2, 4, INT32_MIN,
                         "pair 3, 5 (s2, s4) has -2147483648");
    assert_dense_refused("columns", 2, 4, 204, pair);
    assert_dense_refused("columns", 2, 4, 8007, pair);
    assert_dense_refused("columns", 2, 4, INT32_MAX, pair);
    assert_dense_refused("columns", 2, 4, -1, pair);
    assert_dense_refused("score", 2, 4, INT32_MIN, "(s2, s4) was never computed");
    assert_hits_refused("hits/matches", 0, -1, "pair 1, 2 (s0, s1) has -1 matches");
    assert_hits_refused("hits/matches", 0, 7002, "pair 1, 2 (s0, s1) has 7002 matches");
    assert_hits_refused("hits/columns", 0, 8002, "impossible for 4000 and 4001 bases");
    assert_hits_refused("hits/columns", 35, INT32_MAX, "pair 8, 9 (s7, s8)");
}

static void values_at_their_limits_are_accepted(void **state)
{
    (void)state;
    write_result(9, PAIRS_N_CIGAR);
    damage("columns", 9 * 2 + 4, 4002 + 4004);
    damage("matches", 9 * 2 + 4, 4002);
    damage("columns", 9 * 3 + 4, 0);
    damage("matches", 9 * 3 + 4, 0);
    damage("score", 9 * 3 + 4, INT32_MIN + 1);
    damage("matches", 9 * 4 + 2, -5); /* below the diagonal */
    assert_int_equal(scan_all(), ST_OK);
}

/* "letters of the longer sequence less mismatches and gaps". */
static void only_definition_3_may_count_more_matches_than_the_shorter_has(void **state)
{
    hid_t file;

    (void)state;
    write_result(9, PAIRS_N_CIGAR);
    damage("matches", 9 * 2 + 4, 4004);
    file = H5Fopen(result, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(h5text_put(file, "identity_definition", "3"));
    H5Fclose(file);
    assert_int_equal(scan_all(), ST_OK);
}

static void hits_out_of_order_or_range_are_refused(void **state)
{
    (void)state;
    assert_hits_refused("hits/row", 7, -1, "names a sequence that does not exist");
    assert_hits_refused("hits/col", 7, 9, "names a sequence that does not exist");
    assert_hits_refused("hits/col", 7, INT32_MAX,
                        "column 2147483648) names a sequence that does not exist");
    assert_hits_refused("hits/row", 7, 1, "is not where /hits/row_start has its row");
    assert_hits_refused("hits/row_start", 1, 7, "hit 8 (row 1, column 9) is not where");
    assert_hits_refused("hits/col", 8, 1,
                        "hit 9 (row 2, column 2) is not of row < column");
    assert_hits_refused("hits/col", 8, 0,
                        "hit 9 (row 2, column 1) is not of row < column");
    assert_hits_refused("hits/col", 3, 3,
                        "hit 4 (row 1, column 4) does not come after the one before it");
    assert_hits_refused("hits/col", 3, 2, "does not come after the one before it");
}

static void a_hit_below_the_minimum_identity_is_refused(void **state)
{
    const fraction_t min_id = {1, 100};
    pairs_counts_t counts;

    (void)state;
    pairs_close(write_nine(min_id, &counts));
    assert_int_equal(scan_all(), ST_OK);
    damage("hits/matches", 0, 70);
    assert_refused("has an identity below the file's minimum");
    unlink(log_path);
    assert_hits_refused("hits/matches", 0, 7001, "matches"); /* more than bases */
    pairs_close(write_nine(any, &counts));
    damage("hits/matches", 0, 0);
    damage("hits/columns", 0, 0);
    assert_refused("below the file's minimum");
}

/* A file with strands: 3 queries, 6 references. */
static void a_strand_other_than_1_and_minus_1_is_refused(void **state)
{
    seqset_t *set = numbered_set(12);
    tile_grid_t grid = tile_grid_against(set, 3, 6);
    pairs_head_t head = head_of(PAIRS_N_CIGAR);

    (void)state;
    head.has_strand = true;
    write_hits(set, &grid, &head);
    seqset_destroy(set);
    assert_int_equal(scan_all(), ST_OK);
    damage("hits/strand", 4, 0);
    assert_refused("hit 5 (row 1, column 5) has a strand other than 1 and -1");
}

/* Before, negative lengths and falling offsets made `view` print bytes of the heap. */
static void cigars_out_of_their_place_are_refused(void **state)
{
    static const char beyond[] = "has a CIGAR beyond the end of /cigar";
    static const int64_t begins[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 40};

    (void)state;
    for (int k = 0; k < 4; k++) {
        assert_dense_refused("cigar_offset", 0, 2, begins[k], beyond);
        assert_hits_refused("hits/cigar_offset", 1, begins[k], beyond);
    }
    assert_dense_refused("cigar_length", 0, 2, -4, beyond);
    assert_dense_refused("cigar_length", 0, 2, INT32_MAX, beyond);
    assert_hits_refused("hits/cigar_offset", 2, 0, beyond); /* falls */
}

static void texts_that_are_no_cigars_of_the_pair_are_refused(void **state)
{
    static const char fits[] = "has a CIGAR that does not fit its sequences";
    static const char malformed[] = "pair 1, 2 (s0, s1) has a malformed CIGAR";

    (void)state;
    assert_dense_refused("cigar", 0, 0, '2', fits); /* 2I1D... */
    assert_dense_refused("cigar", 0, 0, '0', malformed);
    assert_dense_refused("cigar", 0, 0, '\n', malformed);
    assert_dense_refused("cigar", 0, 1, 'S', malformed);
    assert_dense_refused("cigar", 0, 1, '1', fits); /* 111D... */
    assert_hits_refused("cigar", 1, 0, malformed);
    assert_dense_refused("cigar_length", 0, 1, 4, fits);
    assert_dense_refused("cigar_length", 0, 2, 8, "pair 1, 3 (s0, s2) has a malformed");
}

static void set_number(const char *name, int64_t value)
{
    hid_t file = H5Fopen(result, H5F_ACC_RDWR, H5P_DEFAULT);

    H5Adelete(file, name);
    assert_true(h5util_put_int(file, name, value));
    H5Fclose(file);
}

static void abundances_and_lengths_out_of_range_are_refused(void **state)
{
    static const int64_t sizes[] = {1, 2, 3};
    pairs_head_t head = head_of(PAIRS_N_SCORE);
    seqset_t *set = numbered_set(3);

    (void)state;
    head.sizes = sizes;
    for (int k = 0; k < 5; k++) {
        static const int64_t wrong[] = {0, -1, INT64_MAX, INT64_C(1) << 62, INT64_MIN};

        write_as(&head, set);
        assert_int_equal(scan_all(), ST_OK);
        damage("sequences/size", 1, wrong[k]);
        assert_refused("/sequences/size: the abundance of sequence 2");
    }
    seqset_destroy(set);
    write_result(3, PAIRS_N_SCORE);
    damage("sequences/lengths", 2, -7);
    assert_refused("/sequences/lengths: sequence 3 has -7 bases");
}

static void unknown_texts_of_attributes_are_refused(void **state)
{
    static const char *const names[] = {"ends", "cigar_style", "layout",
                                        "identity_definition"};

    (void)state;
    write_result(3, PAIRS_N_CIGAR);
    for (int k = 0; k < 4; k++) {
        hid_t file;

        set_number(names[k], 1);
        assert_refused("is not a text");
        assert_logged(names[k]);
        file = H5Fopen(result, H5F_ACC_RDWR, H5P_DEFAULT);
        H5Adelete(file, names[k]);
        H5Fclose(file);
        assert_int_equal(scan_all(), ST_OK);
    }
    set_number("format_version", 0);
    assert_refused("not a ribogrid result");
}

#define TEST(f) cmocka_unit_test_teardown(f, results_forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(impossible_numbers_are_refused),
        TEST(values_at_their_limits_are_accepted),
        TEST(only_definition_3_may_count_more_matches_than_the_shorter_has),
        TEST(hits_out_of_order_or_range_are_refused),
        TEST(a_hit_below_the_minimum_identity_is_refused),
        TEST(a_strand_other_than_1_and_minus_1_is_refused),
        TEST(cigars_out_of_their_place_are_refused),
        TEST(texts_that_are_no_cigars_of_the_pair_are_refused),
        TEST(abundances_and_lengths_out_of_range_are_refused),
        TEST(unknown_texts_of_attributes_are_refused),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
