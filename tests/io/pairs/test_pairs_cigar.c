/*
 * test_pairs_cigar.c - the CIGARs of a result file are where its offsets point.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5util.h"
#include "tests/io/pairs/pairs_fixture.h"

static void assert_text(const pairs_file_t *file, int64_t i, int64_t j)
{
    char want[TEXT_BYTES];
    int32_t len;
    int64_t begin;
    buf_t text = {0};

    text_of(i, j, want);
    assert_int_equal(pairs_read(file, PAIRS_CIGAR_LENGTH, i, i + 1, j, j + 1, &len),
                     ST_OK);
    assert_int_equal(pairs_read_cigar_offsets(file, i, i + 1, j, j + 1, &begin), ST_OK);
    assert_int_equal(len, strlen(want));
    assert_int_equal(pairs_read_cigar_text(file, begin, begin + len, &text), ST_OK);
    assert_int_equal(text.len, len);
    assert_memory_equal(text.len > 0 ? (char *)text.data : "", want, (size_t)len);
    buf_free(&text);
}

/* 2 sequences have one chunk of text; 9 have several tiles, the first with two chunks. */
static void every_cigar_comes_back(void **state)
{
    (void)state;
    for (int64_t n = 2; n <= 9; n += 7) {
        pairs_file_t *file;

        write_result(n, PAIRS_N_CIGAR);
        file = open_result();
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                assert_text(file, i, j);
        pairs_close(file);
    }
}

static void reading_beyond_the_end_of_the_text_is_refused(void **state)
{
    static const int64_t ranges[][2] = {{-1, 1},
                                        {2, 1},
                                        {0, INT64_C(1) << 40},
                                        {INT64_C(1) << 40, INT64_C(1) << 41}};
    pairs_file_t *file;
    buf_t text = {0};

    (void)state;
    write_result(5, PAIRS_N_CIGAR);
    file = open_result();
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        status_t st;

        capture_start();
        st = pairs_read_cigar_text(file, ranges[i][0], ranges[i][1], &text);
        capture_stop();
        assert_int_equal(st, ST_EINPUT);
        assert_logged_one_line();
        assert_logged("a CIGAR lies beyond the end of /cigar");
    }
    buf_free(&text);
    pairs_close(file);
}

static void a_file_without_one_of_its_cigar_datasets_is_refused(void **state)
{
    static const char *const datasets[] = {"cigar", "cigar_offset"};

    (void)state;
    for (size_t i = 0; i < sizeof(datasets) / sizeof(datasets[0]); i++) {
        hid_t file;

        write_result(3, PAIRS_N_CIGAR);
        file = H5Fopen(result, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        assert_true(H5Ldelete(file, datasets[i], H5P_DEFAULT) >= 0);
        H5Fclose(file);
        assert_not_opened(i == 0 ? "/cigar is missing" : "/cigar_offset is missing");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_cigar_comes_back, results_forget),
        cmocka_unit_test_teardown(reading_beyond_the_end_of_the_text_is_refused,
                                  results_forget),
        cmocka_unit_test_teardown(a_file_without_one_of_its_cigar_datasets_is_refused,
                                  results_forget),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
