/*
 * test_pairs_hits.c - hits come back from records of the log; a file of hits gives the
 * same stream as matrices of the same pairs.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/pairs/pairs_scan.h"
#include "tests/io/pairs/hits_fixture.h"

static void values_of_any_size_come_back(void **state)
{
    static const int32_t some[] = {0,    1,    -1,    63,        64,        -64, -65,
                                   8191, 8192, -8193, INT32_MAX, INT32_MIN, 0};
    enum { N_SOME = sizeof(some) / sizeof(some[0]) };
    pairs_hits_t in = {0}, out = {0};
    buf_t record = {0};

    (void)state;
    for (int i = 0; i < N_SOME; i++) {
        pairs_entry_t e = {.hit = {some[i], some[(i + 1) % N_SOME], -(some[i] / 2),
                                   some[(i + 5) % N_SOME], some[i], i % 2 ? 1 : -1}};

        assert_int_equal(buf_append(&in.entries, &e, sizeof(e)), ST_OK);
    }
    assert_int_equal(pairs_hits_pack(&in, &record), ST_OK);
    assert_int_equal(pairs_hits_unpack(record.data, record.len, &out), ST_OK);
    assert_int_equal(out.entries.len, in.entries.len);
    for (int i = 0; i < N_SOME; i++)
        assert_memory_equal(&pairs_hits_at(&out, i)->hit, &pairs_hits_at(&in, i)->hit,
                            sizeof(pairs_hit_t));
    pairs_hits_free(&in);
    pairs_hits_free(&out);
    buf_free(&record);
}

static void a_record_returns_its_hits(void **state)
{
    tile_grid_t grid = tile_grid_of(9, 4);
    pairs_hits_t in = {.n_dropped = {3, 0, 5, 7}, .n_without_identity = 11};
    pairs_hits_t out = {.n_dropped = {1}};
    buf_t record = {0};

    (void)state;
    gather(&grid, 1, PAIRS_N_CIGAR, &any, &in);
    assert_int_equal(pairs_hits_n(&in), 16);
    assert_int_equal(pairs_hits_pack(&in, &record), ST_OK);
    for (int times = 1; times <= 2; times++) {
        const pairs_entry_t *e;

        assert_int_equal(pairs_hits_unpack(record.data, record.len, &out), ST_OK);
        assert_int_equal(pairs_hits_n(&out), 16 * times);
        assert_int_equal(out.text.len, in.text.len * (size_t)times);
        e = pairs_hits_at(&out, 16 * times - 1);
        assert_int_equal(e->hit.row, 3);
        assert_int_equal(e->hit.col, 7);
        assert_int_equal(e->hit.columns, 7307);
        assert_int_equal(e->text_len, 0); /* 3 + 7 is a multiple of 5 */
        e--;
        assert_memory_equal(out.text.data + e->text_at, "4003M3D", 7);
    }
    assert_int_equal(out.n_dropped[0], 7);
    assert_int_equal(out.n_dropped[3], 14);
    assert_int_equal(out.n_without_identity, 22);
    assert_int_equal(pairs_hits_bytes(record.data, record.len),
                     16 * 20 + (int64_t)in.text.len + 16 * 8);
    for (size_t len = 0; len < record.len; len++) /* a torn record is refused */
        assert_int_equal(pairs_hits_unpack(record.data, len, &out), ST_EINPUT);
    pairs_hits_free(&in);
    pairs_hits_free(&out);
    buf_free(&record);
}

/* Scan a region to its end: hits and CIGARs as bytes. */
static void read_all(const pairs_file_t *file, const fraction_t *id,
                     const pairs_region_t *region, pairs_order_t order, buf_t *out)
{
    const pairs_hit_t *hits;
    pairs_scan_t *scan = NULL;
    int64_t n = 1;

    out->len = 0;
    assert_int_equal(pairs_scan_open_sorted(file, id, region, order, &scan), ST_OK);
    while (n > 0) {
        assert_int_equal(pairs_scan_next(scan, &hits, &n), ST_OK);
        for (int64_t k = 0; k < n; k++) {
            const char *text;
            int64_t len;

            assert_int_equal(pairs_scan_cigar(scan, k, &text, &len), ST_OK);
            assert_int_equal(buf_append(out, &hits[k], sizeof(*hits)), ST_OK);
            assert_int_equal(buf_append(out, text, (size_t)len), ST_OK);
        }
    }
    pairs_scan_close(scan);
}

static void assert_same_stream(int64_t n, int n_datasets, fraction_t id,
                               pairs_order_t order)
{
    static const pairs_region_t regions[] = {{0, 9, 0, 9}, {3, 5, 0, 9}, {0, 9, 5, 6}};
    seqset_t *set = numbered_set(n);
    tile_grid_t grid = tile_grid(set);
    pairs_head_t head = head_of(n_datasets);
    pairs_file_t *file;
    buf_t dense = {0}, sparse = {0};

    for (int r = 0; r < (n == 9 ? 3 : 1); r++) {
        const pairs_region_t *region = n == 9 ? &regions[r] : NULL;

        write_result(n, n_datasets);
        file = open_result();
        read_all(file, &id, region, order, &dense);
        pairs_close(file);
        unlink(log_path);
        head.min_identity = id;
        write_hits(set, &grid, &head);
        file = open_result();
        assert_true(file->is_sparse);
        assert_int_equal(file->n_datasets, n_datasets);
        assert_int_equal(file->min_identity.denominator, id.denominator);
        for (int filtered = 0; filtered < 2; filtered++) {
            read_all(file, filtered ? &id : NULL, region, order, &sparse);
            assert_int_equal(sparse.len, dense.len);
            if (dense.len > 0)
                assert_memory_equal(sparse.data, dense.data, dense.len);
        }
        pairs_close(file);
    }
    buf_free(&dense);
    buf_free(&sparse);
    seqset_destroy(set);
}

/* Pair i, j has 1 + 100 i + j matches in 7000 + 100 i + j columns. */
static void hits_and_matrices_give_the_same_stream(void **state)
{
    static const int64_t numbers[] = {0, 1, 2, 5, 9};
    static const fraction_t ids[] = {{0, 0}, {0, 1}, {102, 2435}, {1, 1}};

    (void)state;
    for (int k = 0; k < 5; k++)
        for (int p = 0; p < 4; p++) {
            assert_same_stream(numbers[k], PAIRS_N_IDENTITY, ids[p], PAIRS_BY_ROW);
            assert_same_stream(numbers[k], PAIRS_N_CIGAR, ids[p], PAIRS_BY_ROW);
        }
}

/* A sorted scan of a matrix returns a row at a time, one of hits a block. */
static void hits_and_matrices_are_sorted_alike(void **state)
{
    static const fraction_t ids[] = {{0, 1}, {102, 2435}};

    (void)state;
    for (int p = 0; p < 2; p++) {
        assert_same_stream(9, PAIRS_N_IDENTITY, ids[p], PAIRS_BY_IDENTITY);
        assert_same_stream(9, PAIRS_N_CIGAR, ids[p], PAIRS_BY_SCORE);
    }
}

/* Of six tiles the first stage drops 0 + 1 + 2 + 0 + 1 + 2 pairs, the third one each;
 * 0 + 1 + 2 + 3 + 4 + 5 pairs have no identity. */
static void dropped_aligned_and_kept_pairs_are_counted(void **state)
{
    pairs_counts_t counts;
    pairs_file_t *file = write_nine(any, &counts);

    (void)state;
    assert_int_equal(counts.n_pairs, 36);
    assert_int_equal(counts.n_dropped[0], 6);
    assert_int_equal(counts.n_dropped[1], 0);
    assert_int_equal(counts.n_dropped[2], 6);
    assert_int_equal(counts.n_aligned, 24);
    assert_int_equal(counts.n_kept, 36);
    assert_int_equal(counts.n_without_identity, 15);
    assert_int_equal(file->n_hits, 36);
    assert_int_equal(file->row_start[1], 8);
    assert_int_equal(file->row_start[9], 36);
    pairs_close(file);
}

static void an_identity_below_the_minimum_of_the_file_is_refused(void **state)
{
    fraction_t min_id = {1, 100}, same = {1, 100}, less = {1, 101};
    pairs_scan_t *scan = NULL;
    pairs_counts_t counts;
    pairs_file_t *file = write_nine(min_id, &counts);
    status_t st;

    (void)state;
    assert_int_equal(pairs_scan_open(file, &same, &scan), ST_OK);
    pairs_scan_close(scan);
    capture_start();
    st = pairs_scan_open(file, &less, &scan);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged("of at least 1/100");
    pairs_close(file);
}

/* 3 queries, their reverse complements and 6 references; the last two columns are best.
 */
static void references_have_names_and_columns_of_their_own(void **state)
{
    seqset_t *set = numbered_set(12);
    tile_grid_t grid = tile_grid_against(set, 3, 6);
    pairs_head_t head = head_of(PAIRS_N_CIGAR);
    pairs_file_t *file;
    pairs_scan_t *scan;
    const pairs_hit_t *hits;
    pairs_counts_t counts;
    int64_t n;

    (void)state;
    head.has_strand = true;
    head.top = 2;
    counts = write_hits(set, &grid, &head);
    seqset_destroy(set);
    assert_int_equal(counts.n_pairs, 2 * 3 * 6);
    assert_int_equal(counts.n_kept, 6);
    file = open_result();
    assert_true(file->is_against);
    assert_true(file->has_strand);
    assert_int_equal(file->rows.n, 3);
    assert_int_equal(file->cols.n, 6);
    assert_string_equal(file->rows.names[2], "s2");
    assert_string_equal(file->cols.names[0], "s6");
    assert_int_equal(pairs_col_len(file, 5), BASES + 11);
    assert_int_equal(pairs_scan_open(file, NULL, &scan), ST_OK);
    assert_int_equal(pairs_scan_next(scan, &hits, &n), ST_OK);
    assert_int_equal(n, 6);
    assert_int_equal(hits[2].row, 1);
    assert_int_equal(hits[2].col, 4);
    assert_int_equal(hits[2].columns, 7110);
    assert_int_equal(hits[2].strand, -1);
    assert_int_equal(hits[3].strand, 1);
    pairs_scan_close(scan);
    assert_int_equal(file->top, 2);
    assert_int_equal(pairs_order_default(file), PAIRS_BY_IDENTITY);
    pairs_close(file);
}

static void damaged_files_are_refused(void **state)
{
    static const int32_t beyond[] = {-1, 9};
    pairs_counts_t counts;

    (void)state;
    for (int k = 0; k < 2; k++) {
        const pairs_hit_t *hits;
        pairs_file_t *file;
        pairs_scan_t *scan;
        status_t st;
        int64_t n;

        pairs_close(write_nine(any, &counts));
        damage(k == 0 ? "hits/row" : "hits/col", 7, beyond[k]);
        file = open_result();
        assert_int_equal(pairs_scan_open(file, NULL, &scan), ST_OK);
        capture_start();
        st = pairs_scan_next(scan, &hits, &n);
        capture_stop();
        assert_int_equal(st, ST_EINPUT);
        assert_logged("names a sequence that does not exist");
        pairs_scan_close(scan);
        pairs_close(file);
    }
    damage("hits/row_start", 4, -5);
    assert_not_opened("/hits/row_start falls after row 4");
    damage("hits/row_start", 9, 35);
    assert_not_opened("/hits/row_start does not go from 0 to the number of hits");
}

static void a_file_without_one_of_its_datasets_is_refused(void **state)
{
    static const char *const datasets[] = {"hits/row", "hits/columns",
                                           "hits/cigar_offset", "hits/row_start", "hits"};
    pairs_counts_t counts;

    (void)state;
    for (size_t k = 0; k < sizeof(datasets) / sizeof(datasets[0]); k++) {
        hid_t file;

        pairs_close(write_nine(any, &counts));
        file = H5Fopen(result, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(H5Ldelete(file, datasets[k], H5P_DEFAULT) >= 0);
        H5Fclose(file);
        assert_not_opened("is missing");
    }
    pairs_close(write_nine(any, &counts));
    {
        hid_t file = H5Fopen(result, H5F_ACC_RDWR, H5P_DEFAULT);

        assert_true(H5Adelete(file, "layout") >= 0);
        assert_true(h5text_put(file, "layout", "columns"));
        H5Fclose(file);
    }
    assert_not_opened("its layout is unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_any_size_come_back),
        cmocka_unit_test(a_record_returns_its_hits),
        cmocka_unit_test_teardown(hits_and_matrices_are_sorted_alike, results_forget),
        cmocka_unit_test_teardown(hits_and_matrices_give_the_same_stream, results_forget),
        cmocka_unit_test_teardown(dropped_aligned_and_kept_pairs_are_counted,
                                  results_forget),
        cmocka_unit_test_teardown(an_identity_below_the_minimum_of_the_file_is_refused,
                                  results_forget),
        cmocka_unit_test_teardown(references_have_names_and_columns_of_their_own,
                                  results_forget),
        cmocka_unit_test_teardown(damaged_files_are_refused, results_forget),
        cmocka_unit_test_teardown(a_file_without_one_of_its_datasets_is_refused,
                                  results_forget),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
