/*
 * test_name_table.c - unit tests of the table that numbers names.
 */
#include "tests/support/unit_test.h"

#include "io/base/name_table.h"

#include <stdio.h>
#include <string.h>

static int64_t number_of(name_table_t *t, const char *name, bool *is_new)
{
    int64_t number = -1;

    assert_int_equal(name_table_add(t, name, strlen(name), &number, is_new), ST_OK);
    return number;
}

static void names_are_numbered_in_the_order_they_are_added(void **state)
{
    name_table_t t = {0};
    bool is_new;

    (void)state;
    assert_int_equal(name_table_find(&t, "soil", 4), -1);
    assert_int_equal(number_of(&t, "soil", &is_new), 0);
    assert_true(is_new);
    assert_int_equal(number_of(&t, "sea", &is_new), 1);
    assert_true(is_new);
    assert_int_equal(number_of(&t, "soil", &is_new), 0);
    assert_false(is_new);
    assert_int_equal(t.n, 2);
    assert_string_equal(name_table_at(&t, 1), "sea");
    name_table_free(&t);
    assert_int_equal(t.n, 0);
}

/* Names are compared by their given length, whatever bytes follow. */
static void a_prefix_is_another_name(void **state)
{
    name_table_t t = {0};

    (void)state;
    assert_int_equal(number_of(&t, "seal", NULL), 0);
    assert_int_equal(name_table_find(&t, "sealion", 3), -1);
    assert_int_equal(name_table_find(&t, "sealion", 4), 0);
    assert_int_equal(name_table_find(&t, "sealion", 7), -1);
    assert_int_equal(name_table_find(&t, "", 0), -1);
    name_table_free(&t);
}

static void many_names_are_found_again(void **state)
{
    enum { N = 20000 };
    name_table_t t = {0};
    char name[32];

    (void)state;
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof(name), "name%d", i);
        assert_int_equal(number_of(&t, name, NULL), i);
    }
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof(name), "name%d", i);
        assert_int_equal(name_table_find(&t, name, strlen(name)), i);
        assert_string_equal(name_table_at(&t, i), name);
    }
    assert_int_equal(name_table_find(&t, "name20000", 9), -1);
    name_table_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_numbered_in_the_order_they_are_added),
        cmocka_unit_test(a_prefix_is_another_name),
        cmocka_unit_test(many_names_are_found_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
