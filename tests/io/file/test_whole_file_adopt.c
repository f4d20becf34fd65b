/*
 * test_whole_file_adopt.c - a complete file gets an output's name.
 */
#include "tests/support/unit_test.h"

#include "tests/io/file/whole_file_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

/* Give `path` to a file `other` that holds "abc". */
static status_t adopt(const char *to, bool force)
{
    int fd;
    status_t st;

    dir_put(other, "abc", 3);
    assert_true((fd = open(other, O_RDONLY)) >= 0);
    capture_start();
    st = whole_file_adopt(to, force, other, fd);
    capture_stop();
    close(fd);
    return st;
}

static void an_adopted_file_replaces_only_by_force_and_keeps_the_mode(void **state)
{
    struct stat info;

    (void)state;
    assert_int_equal(adopt(path, false), ST_OK);
    assert_content(path, "abc");
    assert_false(exists(other));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(adopt(path, false), ST_EINPUT);
    assert_logged("exists; give --force");
    assert_true(exists(other));
    assert_int_equal(adopt(path, true), ST_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_false(exists(other));
}

/* Nobody else's file is renamed. */
static void a_file_that_lost_its_name_is_not_adopted(void **state)
{
    int fd;
    status_t st;

    (void)state;
    dir_put(other, "abc", 3);
    assert_true((fd = open(other, O_RDONLY)) >= 0);
    unlink(other);
    dir_put(other, "precious", 8);
    capture_start();
    st = whole_file_adopt(path, false, other, fd);
    capture_stop();
    close(fd);
    assert_int_equal(st, ST_EIO);
    assert_logged("another program has replaced this file");
    assert_false(exists(path));
    assert_content(other, "precious");
}

/* A link leads to another file system, where the file can only be copied. */
static void an_adopted_file_reaches_another_file_system(void **state)
{
    char target[] = "/dev/shm/ribogrid-test-XXXXXX";
    int fd = mkstemp(target);
    struct stat here, there;

    (void)state;
    if (fd < 0)
        skip();
    close(fd);
    dir_put(other, "", 0);
    assert_int_equal(stat(other, &here), 0);
    assert_int_equal(stat(target, &there), 0);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(adopt(path, true), ST_OK);
    assert_content(target, "abc");
    assert_false(exists(other));
    unlink(target);
    if (here.st_dev == there.st_dev)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(an_adopted_file_replaces_only_by_force_and_keeps_the_mode),
        FILE_TEST(a_file_that_lost_its_name_is_not_adopted),
        FILE_TEST(an_adopted_file_reaches_another_file_system),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
