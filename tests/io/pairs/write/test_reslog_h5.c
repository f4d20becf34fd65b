/*
 * test_reslog_h5.c - a finished log becomes an HDF5 file that has its records as chunks,
 * and stays a log that can be continued.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5util.h"
#include "io/pairs/write/reslog_h5.h"
#include "tests/io/store/reslog_fixture.h"

/* One task has a record of a few bytes and a chunk of int32 values, neither shuffled nor
 * compressed. */
enum { N_VALUES = 1000, CHUNK_AT = 3 };

static int32_t values[N_VALUES];

/* A log of all tasks; task k has the values N_VALUES * k and up. */
static reslog_t *finished_log(void)
{
    reslog_t *log = open_log();

    for (int64_t task = N_TASKS - 1; task >= 0; task--) { /* in another order */
        unsigned char record[CHUNK_AT + sizeof(values)] = "abc";

        for (int i = 0; i < N_VALUES; i++)
            values[i] = (int32_t)(N_VALUES * task + i);
        memcpy(record + CHUNK_AT, values, sizeof(values));
        assert_int_equal(reslog_append(log, task, 0, record, sizeof(record)), ST_OK);
    }
    return log;
}

static hid_t create_dataset(hid_t file)
{
    const hsize_t size = N_TASKS * N_VALUES, chunk = N_VALUES;
    hid_t space = H5Screate_simple(1, &size, NULL), data;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);

    H5Pset_chunk(creation, 1, &chunk);
    data = H5Dcreate2(file, "values", H5T_STD_I32LE, space, H5P_DEFAULT, creation,
                      H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return data;
}

/* Change a byte of what HDF5 has written behind the log. */
static void change_a_byte(const reslog_t *log, hid_t file)
{
    const off_t at = reslog_end(log);
    char byte;

    H5Fflush(file, H5F_SCOPE_GLOBAL);
    assert_int_equal(pread(reslog_fd(log), &byte, 1, at), 1);
    byte = (char)~byte;
    assert_int_equal(pwrite(reslog_fd(log), &byte, 1, at), 1);
}

/* @param changes  another program changes the file before its end */
static bool convert_changed(const reslog_t *log, bool good, bool changes)
{
    reslog_h5_t *h;
    hid_t file, data;

    h5util_init();
    file = reslog_h5_begin(log, &h);
    assert_true(file >= 0);
    assert_true(h5util_put_int(file, "answer", 42));
    data = create_dataset(file);
    assert_true(data >= 0);
    for (int64_t task = 0; task < N_TASKS; task++) {
        hsize_t origin = (hsize_t)(N_VALUES * task);

        assert_true(
            reslog_h5_put_chunk(h, data, &origin, task, CHUNK_AT, sizeof(values)));
    }
    H5Dclose(data);
    if (changes)
        change_a_byte(log, file);
    return reslog_h5_end(h, good);
}

static bool convert(const reslog_t *log, bool good)
{
    return convert_changed(log, good, false);
}

static void any_hdf5_reader_finds_the_records(void **state)
{
    static int32_t all[N_TASKS * N_VALUES];
    reslog_t *log = finished_log();
    int64_t answer = 0;
    hid_t file, data;

    (void)state;
    assert_true(convert(log, true));
    reslog_close(log);
    assert_false(reslog_is_log(path));
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_true(h5util_get_int(file, "answer", &answer));
    assert_int_equal(answer, 42);
    data = H5Dopen2(file, "values", H5P_DEFAULT);
    assert_true(H5Dread(data, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    for (int i = 0; i < N_TASKS * N_VALUES; i++)
        assert_int_equal(all[i], i);
    H5Dclose(data);
    H5Fclose(file);
}

static void no_record_is_copied(void **state)
{
    reslog_t *log = finished_log();
    int64_t end = reslog_end(log);
    size_t len;

    (void)state;
    assert_true(convert(log, true));
    free(dir_get(path, &len));
    assert_true((int64_t)len < end + (int64_t)sizeof(values));
    reslog_close(log);
}

/* The log is the same up to its end. */
static void assert_unchanged(const unsigned char *before, size_t len)
{
    size_t len_after;
    unsigned char *after = dir_get(path, &len_after);

    assert_int_equal(len_after, len);
    assert_memory_equal(after, before, len);
    free(after);
}

static void after_a_failure_it_is_the_log_that_it_was(void **state)
{
    reslog_t *log = finished_log();
    size_t len;
    unsigned char *before = dir_get(path, &len);

    (void)state;
    assert_false(convert(log, false));
    assert_unchanged(before, len);
    assert_true(convert(log, true)); /* once more */
    reslog_close(log);
    free(before);
}

static void if_the_file_has_changed_it_is_the_log_that_it_was(void **state)
{
    reslog_t *log = finished_log();
    size_t len;
    unsigned char *before = dir_get(path, &len);

    (void)state;
    assert_false(convert_changed(log, true, true));
    assert_unchanged(before, len);
    assert_true(convert(log, true)); /* once more */
    reslog_close(log);
    free(before);
}

/* As after a kill between the superblock and the rename. */
static void it_can_be_opened_as_a_log_again(void **state)
{
    reslog_t *log = finished_log();
    size_t len;
    unsigned char *before = dir_get(path, &len);

    (void)state;
    assert_true(convert(log, true));
    reslog_close(log);
    log = open_log();
    assert_int_equal(reslog_n_done(log), N_TASKS);
    assert_true(reslog_is_log(path));
    assert_unchanged(before, len);
    assert_true(convert(log, true));
    reslog_close(log);
    free(before);
}

static void another_job_leaves_it_alone(void **state)
{
    reslog_t *log = finished_log(), *other = NULL;
    size_t len;
    unsigned char *before;
    status_t st;

    (void)state;
    assert_true(convert(log, true));
    reslog_close(log);
    before = dir_get(path, &len);
    capture_start();
    st = reslog_open(path, "input=b.fa\n", N_TASKS, false, &other);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged("is of another job");
    assert_unchanged(before, len);
    free(before);
}

static void another_hdf5_file_is_no_log(void **state)
{
    reslog_t *log = NULL;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    size_t len;
    unsigned char *before;

    (void)state;
    H5Fclose(file);
    before = dir_get(path, &len);
    for (int afresh = 0; afresh < 2; afresh++) {
        status_t st;

        capture_start();
        st = reslog_open(path, JOB, N_TASKS, afresh, &log);
        capture_stop();
        assert_int_equal(st, ST_EINPUT);
        assert_logged("is not a log of ribogrid");
        assert_unchanged(before, len);
    }
    free(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(any_hdf5_reader_finds_the_records, forget),
        cmocka_unit_test_teardown(no_record_is_copied, forget),
        cmocka_unit_test_teardown(after_a_failure_it_is_the_log_that_it_was, forget),
        cmocka_unit_test_teardown(if_the_file_has_changed_it_is_the_log_that_it_was,
                                  forget),
        cmocka_unit_test_teardown(it_can_be_opened_as_a_log_again, forget),
        cmocka_unit_test_teardown(another_job_leaves_it_alone, forget),
        cmocka_unit_test_teardown(another_hdf5_file_is_no_log, forget),
    };

    return cmocka_run_group_tests(tests, log_directory, dir_remove);
}
