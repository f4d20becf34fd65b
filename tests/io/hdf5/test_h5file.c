/*
 * test_h5file.c - what HDF5 could not write, or what the file does not hold, is noticed
 * at the end, and nothing else is.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5util.h"
#include "tests/support/captured_log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { N = 5000 };

static char path[PATH_BYTES];
static int32_t values[N];
static int fd;
static h5file_t *f;
static hid_t file;

static int make(void **state)
{
    int failed = dir_make(state);

    dir_file("x.h5", path);
    h5util_init();
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < N; i++)
        values[i] = 7 * i + 1;
    return failed;
}

static int begin(void **state)
{
    (void)state;
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    file = h5file_create(fd, &f);
    return file >= 0 ? 0 : -1;
}

static int forget(void **state)
{
    (void)state;
    return close(fd) == 0 ? unlink(path) : -1;
}

/* No file may have more bytes. @return the limit before */
static struct rlimit limit_files(rlim_t bytes)
{
    struct rlimit before, now;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    now = before;
    now.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
    return before;
}

/* HDF5 holds chunks that are not full, and writes them when the dataset is closed. */
static hid_t written_dataset(const char *name)
{
    const h5util_shape_t shape = {.rank = 1, .size = {N}, .chunk = {N}};
    hid_t data = h5util_create(file, name, H5T_STD_I32LE, &shape);

    assert_true(H5Dwrite(data, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >=
                0);
    return data;
}

static void assert_file_has(const char *name)
{
    int32_t there[N];
    hid_t again = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
          data = H5Dopen2(again, name, H5P_DEFAULT);

    assert_true(H5Dread(data, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, there) >=
                0);
    assert_memory_equal(there, values, sizeof(values));
    H5Dclose(data);
    H5Fclose(again);
}

static void a_file_is_complete_when_it_ends(void **state)
{
    (void)state;
    assert_true(h5util_close(written_dataset("x"), true));
    assert_true(h5file_end(f, true));
    assert_file_has("x");
}

static void a_write_that_failed_once_fails_the_close(void **state)
{
    hid_t data = written_dataset("x");
    struct rlimit before = limit_files(0);

    (void)state;
    assert_false(h5util_close(data, true));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(h5file_end(f, true));
    assert_int_equal(errno, EFBIG);
}

static void a_close_whose_result_nobody_reads_fails_the_file(void **state)
{
    hid_t data = written_dataset("x");
    struct rlimit before = limit_files(0);

    (void)state;
    H5Dclose(data);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(h5util_close(written_dataset("y"), true));
    assert_false(h5file_end(f, true));
    assert_int_equal(errno, EFBIG);
    assert_string_equal(h5util_cause(), strerror(EFBIG));
}

static void an_object_that_is_still_open_fails_the_file(void **state)
{
    hid_t data = written_dataset("x");

    (void)state;
    assert_false(h5file_end(f, true));
    H5Dclose(data);
}

/* Change the last byte that is not 0. */
static void change_a_byte(void)
{
    off_t at = lseek(fd, 0, SEEK_END);
    char byte = 0;

    while (byte == 0)
        assert_int_equal(pread(fd, &byte, 1, --at), 1);
    byte = (char)(byte ^ 4);
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

static void a_byte_that_is_not_what_was_written_fails_the_file(void **state)
{
    (void)state;
    assert_true(h5util_close(written_dataset("x"), true));
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    change_a_byte();
    assert_false(h5file_end(f, true));
    assert_int_equal(errno, EBADMSG);
    assert_string_equal(h5util_cause(), "it does not hold what was written to it");
}

static void what_is_written_again_or_removed_counts_once(void **state)
{
    char name[2] = "a";
    hid_t data;

    (void)state;
    for (int k = 0; k < 20; k++) { /* of those that stay, the first half twice */
        name[0] = (char)('a' + k);
        data = written_dataset(name);
        H5Dflush(data);
        assert_true(
            H5Dwrite(data, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        assert_true(h5util_close(data, true));
        assert_true(h5util_put_int(file, name, k));
        H5Fflush(file, H5F_SCOPE_GLOBAL);
        if (k % 3 == 0 || k > 15)
            assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    }
    assert_true(h5file_end(f, true));
    assert_file_has("b");
    assert_file_has("o");
}

static void without_success_nothing_stays(void **state)
{
    size_t len;

    (void)state;
    assert_true(h5util_close(written_dataset("x"), true));
    assert_false(h5file_end(f, false));
    free(dir_get(path, &len));
    assert_int_equal(len, 0);
}

static void a_file_that_cannot_be_created_has_a_reason(void **state)
{
    h5file_t *none;

    (void)state;
    assert_true(h5file_create(-1, &none) < 0);
    assert_false(h5file_end(none, true));
    assert_int_equal(errno, EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_complete_when_it_ends, begin, forget),
        cmocka_unit_test_setup_teardown(a_write_that_failed_once_fails_the_close, begin,
                                        forget),
        cmocka_unit_test_setup_teardown(a_close_whose_result_nobody_reads_fails_the_file,
                                        begin, forget),
        cmocka_unit_test_setup_teardown(an_object_that_is_still_open_fails_the_file,
                                        begin, forget),
        cmocka_unit_test_setup_teardown(
            a_byte_that_is_not_what_was_written_fails_the_file, begin, forget),
        cmocka_unit_test_setup_teardown(what_is_written_again_or_removed_counts_once,
                                        begin, forget),
        cmocka_unit_test_setup_teardown(without_success_nothing_stays, begin, forget),
        cmocka_unit_test(a_file_that_cannot_be_created_has_a_reason),
    };

    return cmocka_run_group_tests(tests, make, dir_remove);
}
