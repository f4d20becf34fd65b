/*
 * test_input_guard.c - an input is known by its device and inode, whatever its path.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file/input_guard.h"
#include "tests/support/captured_log.h"

static char input[PATH_BYTES], other[PATH_BYTES];

static int put_files(void **state)
{
    (void)state;
    input_guard_clear();
    dir_file("input", input);
    dir_file("other", other);
    dir_put(input, "x", 1);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    input_guard_clear();
    unlink(input);
    unlink(other);
    return 0;
}

static void assert_refused(const char *path, const char *as)
{
    char message[3 * PATH_BYTES];

    capture_start();
    assert_int_equal(input_guard_check(path), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    snprintf(message, sizeof(message),
             "%s is an input of this command (%s); give another", path, as);
    assert_logged(message);
}

static void an_input_is_refused_under_each_of_its_names(void **state)
{
    char third[PATH_BYTES];

    (void)state;
    assert_int_equal(input_guard_add(input), ST_OK);
    assert_refused(input, input);
    assert_int_equal(symlink("input", other), 0);
    assert_refused(other, input);
    unlink(other);
    assert_int_equal(link(input, other), 0);
    assert_refused(other, input);
    dir_file("./input", third);
    assert_refused(third, input);
}

static void other_files_and_free_names_are_no_inputs(void **state)
{
    (void)state;
    assert_int_equal(input_guard_check(input), ST_OK);
    assert_int_equal(input_guard_add(input), ST_OK);
    assert_int_equal(input_guard_check(other), ST_OK);
    dir_put(other, "x", 1);
    assert_int_equal(input_guard_check(other), ST_OK);
}

static void a_missing_input_and_a_device_are_left_out(void **state)
{
    (void)state;
    assert_int_equal(input_guard_add(other), ST_OK);
    assert_int_equal(input_guard_add("/dev/null"), ST_OK);
    dir_put(other, "x", 1);
    assert_int_equal(input_guard_check(other), ST_OK);
    assert_int_equal(input_guard_check("/dev/null"), ST_OK);
}

static void stdin_and_stdout_are_files_as_well(void **state)
{
    int before_in = dup(STDIN_FILENO), before_out = dup(STDOUT_FILENO);
    int file = open(input, O_RDWR);
    status_t st;

    (void)state;
    dup2(file, STDIN_FILENO);
    assert_int_equal(input_guard_add("-"), ST_OK);
    dup2(before_in, STDIN_FILENO);
    assert_refused(input, "stdin");
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    capture_start();
    st = input_guard_check_stdout();
    capture_stop();
    dup2(before_out, STDOUT_FILENO);
    close(file);
    close(before_in);
    close(before_out);
    assert_int_equal(st, ST_EINPUT);
    assert_logged("stdout is an input of this command (stdin)");
}

int main(void)
{
#define GUARD_TEST(name) cmocka_unit_test_setup_teardown(name, put_files, remove_files)
    const struct CMUnitTest tests[] = {
        GUARD_TEST(an_input_is_refused_under_each_of_its_names),
        GUARD_TEST(other_files_and_free_names_are_no_inputs),
        GUARD_TEST(a_missing_input_and_a_device_are_left_out),
        GUARD_TEST(stdin_and_stdout_are_files_as_well),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
