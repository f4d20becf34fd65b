/*
 * test_memfd_stream.c - objects pass through a file in memory, and a failure is said
 * once.
 */
#include "tests/support/unit_test.h"

#include "io/file/memfd_stream.h"
#include "tests/support/captured_log.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static int descriptor;

static void create(void)
{
    assert_int_equal(memfd_stream_create("a list", &descriptor), ST_OK);
    assert_true(descriptor >= 0);
}

typedef struct {
    int64_t n;
    int32_t *numbers;
} list_t;

static int64_t n_numbers(const void *list)
{
    return ((const list_t *)list)->n;
}

static const array_t rows[] = {ARRAY_VALUE(list_t, n, ARRAY_INT64),
                               ARRAY_OF(list_t, numbers, ARRAY_INT32, n_numbers),
                               ARRAYS_END};
static const arrays_t list_arrays = {"a list", sizeof(list_t), rows, NULL};

static void what_is_written_is_read(void **state)
{
    int32_t numbers[3] = {1, -2, 3};
    const list_t list = {3, numbers};
    list_t got = {0, NULL};

    (void)state;
    create();
    assert_int_equal(memfd_stream_put_object(descriptor, &list_arrays, &list), ST_OK);
    assert_int_equal(memfd_stream_get_object(descriptor, &list_arrays, &got), ST_OK);
    assert_int_equal(got.n, 3);
    assert_memory_equal(got.numbers, numbers, sizeof(numbers));
    arrays_free(&list_arrays, &got);
}

static void the_next_object_replaces_it(void **state)
{
    int32_t numbers[3] = {1, -2, 3};
    list_t got = {0, NULL};

    (void)state;
    create();
    for (int64_t n = 3; n > 0; n--) {
        const list_t list = {n, numbers};

        assert_int_equal(memfd_stream_put_object(descriptor, &list_arrays, &list), ST_OK);
        assert_int_equal(memfd_stream_put_object(descriptor, &list_arrays, &list), ST_OK);
        assert_int_equal(memfd_stream_get_object(descriptor, &list_arrays, &got), ST_OK);
        assert_int_equal(got.n, n);
        arrays_free(&list_arrays, &got);
        assert_int_equal(lseek(descriptor, 0, SEEK_END), 0);
    }
}

static void more_than_was_written_cannot_be_read(void **state)
{
    int32_t numbers[3] = {1, -2, 3};
    const list_t list = {3, numbers};
    list_t got = {0, NULL};

    (void)state;
    create();
    assert_int_equal(memfd_stream_put_object(descriptor, &list_arrays, &list), ST_OK);
    assert_int_equal(ftruncate(descriptor, lseek(descriptor, 0, SEEK_END) - 1), 0);
    capture_start();
    assert_int_equal(memfd_stream_get_object(descriptor, &list_arrays, &got), ST_ENOMEM);
    capture_stop();
    assert_null(got.numbers);
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
    (void)memfd_stream_put(&c, values, sizeof(values));
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
        cmocka_unit_test(the_next_object_replaces_it),
        cmocka_unit_test(more_than_was_written_cannot_be_read),
        cmocka_unit_test(the_callers_failure_comes_first),
        cmocka_unit_test(a_limit_on_files_is_named),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
