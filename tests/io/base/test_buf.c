/*
 * test_buf.c - unit tests of the growable array of bytes.
 */
#include "tests/support/unit_test.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/base/buf.h"
#include "tests/support/captured_log.h"

static void a_zeroed_buffer_is_empty_and_may_be_freed(void **state)
{
    buf_t buf = {0};

    (void)state;
    buf_free(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.len, 0);
    assert_int_equal(buf.capacity, 0);
}

static void appending_nothing_to_an_empty_buffer_succeeds(void **state)
{
    buf_t buf = {0};

    (void)state;
    assert_int_equal(buf_append(&buf, NULL, 0), ST_OK);
    assert_int_equal(buf.len, 0);
    buf_free(&buf);
}

static void bytes_stay_in_order_while_it_grows(void **state)
{
    buf_t buf = {0};

    (void)state;
    for (int i = 0; i < 100000; i++) {
        unsigned char three[3] = {(unsigned char)i, (unsigned char)(i >> 8),
                                  (unsigned char)(i >> 16)};

        assert_int_equal(buf_append(&buf, three, 3), ST_OK);
        assert_true(buf.capacity >= buf.len);
    }
    assert_int_equal(buf.len, 300000);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(buf.data[3 * i] | buf.data[3 * i + 1] << 8 |
                             buf.data[3 * i + 2] << 16,
                         i);
    buf_free(&buf);
}

static void reserved_bytes_are_writable_but_not_in_use(void **state)
{
    buf_t buf = {0};

    (void)state;
    assert_int_equal(buf_append(&buf, "ab", 2), ST_OK);
    assert_int_equal(buf_reserve(&buf, 5000), ST_OK);
    assert_int_equal(buf.len, 2);
    assert_true(buf.capacity >= 5002);
    memset(buf.data + 2, 'x', 5000);
    assert_memory_equal(buf.data, "abx", 3);
    buf_free(&buf);
}

/* @return where the mapping that has an address ends */
static uintptr_t mapping_end(const void *address)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    uintptr_t begin = 0, end = 0;
    char line[512];

    if (maps == NULL)
        skip();
    while ((begin > (uintptr_t)address || end <= (uintptr_t)address) &&
           fgets(line, sizeof(line), maps) != NULL)
        assert_int_equal(sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end), 2);
    fclose(maps);
    return end;
}

/* So that the system can move it when it grows. */
static void a_large_buffer_is_one_mapping(void **state)
{
    buf_t buf = {0};

    (void)state;
    assert_int_equal(buf_reserve(&buf, 5 << 20), ST_OK);
    assert_true(mapping_end(buf.data) >= (uintptr_t)buf.data + buf.capacity);
    buf_free(&buf);
}

static void pages_are_of_their_own_and_fit(void **state)
{
    const size_t sizes[] = {0, 1, 4096, (2 << 20) - 1, 2 << 20, (6 << 20) + 5};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        char *data = buf_alloc_pages(sizes[i]);

        assert_non_null(data);
        assert_int_equal((uintptr_t)data % (sizes[i] < 2 << 20 ? 4096 : 2 << 20), 0);
        memset(data, 1, sizes[i] + 1);
        free(data);
    }
}

static void text_follows_text_without_a_nul(void **state)
{
    buf_t buf = {0};

    (void)state;
    assert_int_equal(buf_printf(&buf, "%d-%s", 42, "GATTACA"), ST_OK);
    assert_int_equal(buf_printf(&buf, "%s", ""), ST_OK);
    assert_int_equal(buf_printf(&buf, "%c", '!'), ST_OK);
    assert_int_equal(buf.len, 11);
    assert_memory_equal(buf.data, "42-GATTACA!", 11);
    buf_free(&buf);
}

static void text_longer_than_the_buffer_fits(void **state)
{
    buf_t buf = {0};

    (void)state;
    assert_int_equal(buf_printf(&buf, "%1000d", 7), ST_OK);
    assert_int_equal(buf.len, 1000);
    assert_int_equal(buf.data[998], ' ');
    assert_int_equal(buf.data[999], '7');
    buf_free(&buf);
}

static void a_freed_buffer_can_be_reused(void **state)
{
    buf_t buf = {0};

    (void)state;
    assert_int_equal(buf_append(&buf, "abc", 3), ST_OK);
    buf_free(&buf);
    assert_int_equal(buf_append(&buf, "de", 2), ST_OK);
    assert_int_equal(buf.len, 2);
    assert_memory_equal(buf.data, "de", 2);
    buf_free(&buf);
}

static void an_impossible_size_is_refused_and_the_bytes_stay(void **state)
{
    status_t st;
    buf_t buf = {0};

    (void)state;
    assert_int_equal(buf_append(&buf, "abc", 3), ST_OK);
    capture_start();
    st = buf_reserve(&buf, SIZE_MAX - 1);
    capture_stop();
    assert_int_equal(st, ST_ENOMEM);
    assert_logged_one_line();
    assert_logged("out of memory");
    assert_int_equal(buf.len, 3);
    assert_memory_equal(buf.data, "abc", 3);
    buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zeroed_buffer_is_empty_and_may_be_freed),
        cmocka_unit_test(appending_nothing_to_an_empty_buffer_succeeds),
        cmocka_unit_test(bytes_stay_in_order_while_it_grows),
        cmocka_unit_test(reserved_bytes_are_writable_but_not_in_use),
        cmocka_unit_test(a_large_buffer_is_one_mapping),
        cmocka_unit_test(pages_are_of_their_own_and_fit),
        cmocka_unit_test(text_follows_text_without_a_nul),
        cmocka_unit_test(text_longer_than_the_buffer_fits),
        cmocka_unit_test(a_freed_buffer_can_be_reused),
        cmocka_unit_test(an_impossible_size_is_refused_and_the_bytes_stay),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
