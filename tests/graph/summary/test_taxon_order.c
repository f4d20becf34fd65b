/*
 * test_taxon_order.c - unit tests of ordering sequences by lineage.
 */
#include "tests/support/unit_test.h"

#include "graph/summary/heat_map.h"
#include "tests/support/captured_log.h"

/* @param given, want  orders as letters; sequence 0 is named a, and so on */
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

/* x, y and z are in the table only: B;Y with two sequences is larger than B;X with one.
 */
static void only_sequences_of_the_set_count(void **state)
{
    (void)state;
    assert_order("a\tB;X\nb\tB;Y\nc\tB;Y\nx\tB;X\ny\tB;X\nz\tB;X\n", "abc", "bca");
}

static void shorter_lineages_follow_and_missing_ones_are_last(void **state)
{
    (void)state;
    assert_order("b\tB\nc\tB;X\nd\tA\n", "abcd", "cbda");
}

static void within_a_lineage_the_order_is_kept(void **state)
{
    (void)state;
    assert_order("a\tB;X\nb\tB;X\nc\tB;X\nd\tC\n", "cadb", "cabd");
    assert_order("x\tB\n", "dbca", "dbca");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_larger_taxon_comes_first_then_the_name),
        cmocka_unit_test(only_sequences_of_the_set_count),
        cmocka_unit_test(shorter_lineages_follow_and_missing_ones_are_last),
        cmocka_unit_test(within_a_lineage_the_order_is_kept),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
