/*
 * test_memory_limit.c - the lowest limit counts, and what needs more is refused.
 */
#include "tests/support/unit_test.h"

#include "io/base/memory_limit.h"
#include "tests/support/captured_log.h"

#include <sys/resource.h>

enum { LIMIT = 100 << 20 };

/* @return memory_limit() under a limit of the process */
static int64_t limit_under(__rlimit_resource_t resource)
{
    struct rlimit before, low;
    int64_t bytes;

    assert_int_equal(getrlimit(resource, &before), 0);
    low = before;
    low.rlim_cur = LIMIT;
    assert_int_equal(setrlimit(resource, &low), 0);
    bytes = memory_limit();
    assert_int_equal(setrlimit(resource, &before), 0);
    return bytes;
}

static void limits_of_the_process_count(void **state)
{
    (void)state;
    assert_true(memory_limit() > LIMIT);
    assert_int_equal(limit_under(RLIMIT_AS), LIMIT);
    assert_int_equal(limit_under(RLIMIT_DATA), LIMIT);
}

static void only_what_needs_more_is_refused(void **state)
{
    const int64_t has = memory_limit();
    status_t st;

    (void)state;
    capture_start();
    st = memory_limit_check((double)has, "give less", "%d nodes", 7);
    capture_stop();
    assert_int_equal(st, ST_OK);
    assert_logged_nothing();
    capture_start();
    st = memory_limit_check(0x1p60 + (double)has, "give less", "%d nodes", 7);
    capture_stop();
    assert_int_equal(st, ST_ENOMEM);
    assert_logged_one_line();
    assert_logged("memory for 7 nodes: ");
    assert_logged(", and this process may use ");
    assert_logged("; give less");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_of_the_process_count),
        cmocka_unit_test(only_what_needs_more_is_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
