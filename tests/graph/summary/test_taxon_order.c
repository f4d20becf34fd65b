/*
 * test_taxon_order.c - sequences by lineage.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/summary/taxon_order.h"
#include "tests/support/captured_log.h"

/* Sequence i has the name of its letter, a = 0. */
static void assert_order(const char *table, const char *given, const char *want)
{
    char path[PATH_BYTES];
    int32_t taxa[26], order[26];
    int64_t n = (int64_t)strlen(given);
    taxonomy_t *t = NULL;

    dir_file("table", path);
    dir_put(path, table, strlen(table));
    assert_int_equal(taxonomy_read(path, &t), ST_OK);
    unlink(path);
    for (int64_t i = 0; i < n; i++) {
        taxa[i] = taxonomy_find(t, (char[]){(char)('a' + i), '\0'});
        order[i] = given[i] - 'a';
    }
    assert_int_equal(taxon_order_sort(t, taxa, n, order), ST_OK);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(order[i] + 'a', want[i]);
    taxonomy_destroy(t);
}

static void the_larger_taxon_comes_first_then_the_name(void **state)
{
    (void)state;
    assert_order("a\tB;X\nb\tA;Z\nc\tB;Y\nd\tB;Y\n", "abcd", "cdab");
    assert_order("a\tB;Y\nb\tB;X\n", "ab", "ba");
}

/* e and f alone share a name; sizes are those of the sequences, not of the table. */
static void names_that_no_sequence_has_do_not_count(void **state)
{
    (void)state;
    assert_order("a\tB;X\nb\tB;Y\nc\tB;Y\nx\tB;X\ny\tB;X\nz\tB;X\n", "abc", "bca");
}

static void a_lineage_that_ends_comes_behind_and_none_last(void **state)
{
    (void)state;
    assert_order("b\tB\nc\tB;X\nd\tA\n", "abcd", "cbda");
}

static void within_a_lineage_the_order_stays(void **state)
{
    (void)state;
    assert_order("a\tB;X\nb\tB;X\nc\tB;X\nd\tC\n", "cadb", "cabd");
    assert_order("x\tB\n", "dbca", "dbca");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_larger_taxon_comes_first_then_the_name),
        cmocka_unit_test(names_that_no_sequence_has_do_not_count),
        cmocka_unit_test(a_lineage_that_ends_comes_behind_and_none_last),
        cmocka_unit_test(within_a_lineage_the_order_stays),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
