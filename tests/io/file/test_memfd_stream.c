/*
 * test_memfd_stream.c - arrays pass through a file in memory, and a failure is said once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file/memfd_stream.h"
#include "tests/support/captured_log.h"

#include <signal.h>
#include <sys/resource.h>

static int descriptor;

static void create(void)
{
    assert_int_equal(memfd_stream_create("a list", &descriptor), ST_OK);
    assert_true(descriptor >= 0);
}

static void what_is_written_is_read(void **state)
{
    int32_t numbers[3] = {1, -2, 3}, got[3] = {0};
    char a[] = "a", bc[] = "bc", text[5] = "";
    char *const names[] = {a, bc};
    memfd_stream_t c;

    (void)state;
    create();
    assert_int_equal(memfd_stream_texts_bytes(names, 2), 5);
    assert_int_equal(memfd_stream_texts_bytes(NULL, 2), 0);
    c = memfd_stream_write(dup(descriptor), "a list");
    assert_int_equal(memfd_stream_pass(&c, numbers, 3, sizeof(*numbers)), ST_OK);
    assert_int_equal(memfd_stream_put(&c, NULL, 7, 8), ST_OK);
    assert_int_equal(memfd_stream_put_texts(&c, names, 2), ST_OK);
    assert_int_equal(memfd_stream_put_texts(&c, NULL, 2), ST_OK);
    assert_int_equal(memfd_stream_end(&c, ST_OK), ST_OK);
    c = memfd_stream_read(descriptor, "a list");
    assert_int_equal(memfd_stream_pass(&c, got, 3, sizeof(*got)), ST_OK);
    assert_int_equal(memfd_stream_get(&c, text, 5, 1), ST_OK);
    assert_int_equal(memfd_stream_end(&c, ST_OK), ST_OK);
    assert_memory_equal(got, numbers, sizeof(got));
    assert_memory_equal(text, "a\0bc", 5);
}

static void more_than_was_written_cannot_be_read(void **state)
{
    char text[3] = "";
    memfd_stream_t c;

    (void)state;
    create();
    c = memfd_stream_write(dup(descriptor), "a list");
    assert_int_equal(memfd_stream_put(&c, "ab", 2, 1), ST_OK);
    assert_int_equal(memfd_stream_end(&c, ST_OK), ST_OK);
    c = memfd_stream_read(descriptor, "a list");
    capture_start();
    assert_int_equal(memfd_stream_get(&c, text, 3, 1), ST_ENOMEM);
    assert_int_equal(memfd_stream_get(&c, text, 1, 1), ST_ENOMEM); /* says nothing more */
    assert_int_equal(memfd_stream_end(&c, ST_OK), ST_ENOMEM);
    capture_stop();
    assert_logged_one_line();
    assert_logged("a list");
}

static void the_callers_failure_comes_first(void **state)
{
    memfd_stream_t c;

    (void)state;
    create();
    c = memfd_stream_write(descriptor, "a list");
    assert_int_equal(memfd_stream_end(&c, ST_EINPUT), ST_EINPUT);
}

/* The message needs less than the limit, and the values more. */
static void a_limit_on_files_is_named(void **state)
{
    static const char values[8192];
    struct rlimit before, limit;
    memfd_stream_t c;
    status_t st;

    (void)state;
    create();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){4096, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    c = memfd_stream_write(descriptor, "a list");
    capture_start();
    setrlimit(RLIMIT_FSIZE, &limit);
    (void)memfd_stream_put(&c, values, sizeof(values), 1);
    st = memfd_stream_end(&c, ST_OK);
    setrlimit(RLIMIT_FSIZE, &before);
    capture_stop();
    assert_int_equal(st, ST_EIO);
    assert_logged_one_line();
    assert_logged("a list");
    assert_logged("ulimit -f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(more_than_was_written_cannot_be_read),
        cmocka_unit_test(the_callers_failure_comes_first),
        cmocka_unit_test(a_limit_on_files_is_named),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
