/*
 * test_pairs_read.c - sequences, abundances, members and samples come back; damaged ones
 * are refused.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5util.h"
#include "tests/io/pairs/pairs_fixture.h"

static char record_a[] = "a", record_b[] = "b", record_c[] = "c", record_d[] = "d";
static char soil[] = "soil", sea[] = "sea";
static char *records[] = {record_a, record_b, record_c, record_d}, *names[] = {soil, sea};
static int32_t equals[] = {0, 1, 0, 2}, samples_of[] = {0, 1, 1};
static int64_t row_start[] = {0, 2, 2, 3}, counts[] = {5, 1, 7};
static const int64_t sizes[] = {6, 1, 7};

/* Three sequences of four records and two samples; the second sequence is in neither. */
static void write_members_and_samples(void)
{
    pairs_members_t members = {4, records, equals};
    pairs_samples_t samples = {2, names, row_start, samples_of, counts};
    pairs_head_t head = head_of(PAIRS_N_SCORE);
    seqset_t *set = numbered_set(3);

    head.sizes = sizes;
    head.members = &members;
    head.samples = &samples;
    write_as(&head, set);
    seqset_destroy(set);
}

static void members_and_samples_come_back(void **state)
{
    pairs_file_t *file;
    pairs_members_t m;
    pairs_samples_t s;

    (void)state;
    write_members_and_samples();
    file = open_result();
    assert_memory_equal(file->sizes, sizes, sizeof(sizes));
    assert_int_equal(pairs_read_members(file, &m), ST_OK);
    assert_int_equal(m.n, 4);
    assert_string_equal(m.name[3], "d");
    assert_memory_equal(m.sequence, equals, sizeof(equals));
    pairs_members_free(&m);
    assert_int_equal(pairs_read_samples(file, &s), ST_OK);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.name[0], "soil");
    assert_string_equal(s.name[1], "sea");
    assert_memory_equal(s.row_start, row_start, sizeof(row_start));
    assert_memory_equal(s.sample, samples_of, sizeof(samples_of));
    assert_memory_equal(s.count, counts, sizeof(counts));
    pairs_samples_free(&s);
    pairs_close(file);
}

static void without_members_the_sequences_are_their_own(void **state)
{
    pairs_file_t *file;
    pairs_members_t m;
    pairs_samples_t s;

    (void)state;
    for (int64_t n = 0; n < 4; n += 3) {
        write_result(n, PAIRS_N_SCORE);
        file = open_result();
        assert_null(file->sizes);
        assert_int_equal(pairs_read_members(file, &m), ST_OK);
        assert_int_equal(m.n, n);
        for (int64_t i = 0; i < n; i++) {
            assert_string_equal(m.name[i], file->rows.names[i]);
            assert_int_equal(m.sequence[i], i);
        }
        pairs_members_free(&m);
        assert_int_equal(pairs_read_samples(file, &s), ST_OK);
        assert_int_equal(s.n, 0);
        assert_int_equal(s.row_start[n], 0);
        pairs_samples_free(&s);
        pairs_close(file);
    }
}

static void sequences_come_back_as_a_set(void **state)
{
    seqset_t *want = numbered_set(9), *got = NULL;
    pairs_file_t *file;

    (void)state;
    write_set(want, PAIRS_N_SCORE);
    file = open_result();
    assert_int_equal(pairs_read_sequences(file, &got), ST_OK);
    assert_int_equal(seqset_digest(got), seqset_digest(want));
    seqset_destroy(got);
    seqset_destroy(want);
    pairs_close(file);
}

static void assert_refused(status_t st, const char *want)
{
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(want);
}

/* Replace a dataset by three values. */
static void replace(const char *name, const int32_t *values)
{
    hid_t file = H5Fopen(result, H5F_ACC_RDWR, H5P_DEFAULT);

    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    assert_true(
        h5util_put_array(file, name, H5T_STD_I32LE, H5T_NATIVE_INT32, values, 3, 0));
    H5Fclose(file);
}

static void damaged_datasets_are_refused(void **state)
{
    static const int32_t beyond[] = {0, 2, 1}, negative[] = {-1, 0, 0};
    pairs_file_t *file;
    pairs_members_t m;
    pairs_samples_t s;
    seqset_t *set;

    (void)state;
    write_members_and_samples();
    replace("samples/sample", beyond);
    replace("members/sequence", negative); /* fewer than the names */
    replace("sequences/letters", negative);
    file = open_result();
    capture_start();
    assert_refused(pairs_read_samples(file, &s),
                   "/samples/sample names a sample that does not exist");
    capture_start();
    assert_refused(pairs_read_members(file, &m),
                   "/members/sequence has 3 values instead of 4");
    capture_start();
    assert_refused(pairs_read_sequences(file, &set),
                   "/sequences/letters does not hold numbers of the expected type");
    pairs_close(file);
    write_members_and_samples();
    replace("sequences/lengths", beyond);
    file = open_result();
    capture_start();
    assert_refused(pairs_read_sequences(file, &set),
                   "/sequences/offset does not fit the length of sequence 1");
    pairs_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(members_and_samples_come_back, results_forget),
        cmocka_unit_test_teardown(without_members_the_sequences_are_their_own,
                                  results_forget),
        cmocka_unit_test_teardown(sequences_come_back_as_a_set, results_forget),
        cmocka_unit_test_teardown(damaged_datasets_are_refused, results_forget),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
