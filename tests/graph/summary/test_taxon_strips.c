/*
 * test_taxon_strips.c - unit tests of the strips of phyla beside a heat map.
 */
#include "tests/support/unit_test.h"

#include "graph/summary/heat_map.h"
#include "tests/support/captured_log.h"

/*
 * Check the strips of an order, as "name:length name:length ".
 *
 * @param order  the sequences, each a letter: sequence 0 is a, with the lineage of name
 * "a"
 */
static void assert_strips(const char *table, const char *order, const char *want,
                          int want_phyla)
{
    char path[PATH_BYTES], got[256] = "", strip[64];
    int32_t taxa[26], sequences[26];
    int64_t n = (int64_t)strlen(order);
    taxon_strips_t s;
    taxonomy_t *t = NULL;

    dir_file("table", path);
    dir_put(path, table, strlen(table));
    assert_int_equal(taxonomy_read(path, &t), ST_OK);
    unlink(path);
    for (int64_t i = 0; i < n; i++) {
        taxa[i] = taxonomy_find(t, (char[]){(char)('a' + i), '\0'});
        sequences[i] = order[i] - 'a';
    }
    assert_int_equal(taxon_strips_make(t, taxa, sequences, n, &s), ST_OK);
    for (int i = 0; i < s.n_strips; i++) {
        assert_int_equal(s.strips[i].begin, i == 0 ? 0 : s.strips[i - 1].end);
        snprintf(strip, sizeof(strip), "%s:%d ", s.strips[i].name,
                 (int)(s.strips[i].end - s.strips[i].begin));
        strcat(got, strip);
    }
    assert_string_equal(got, want);
    assert_int_equal(s.n_phyla, want_phyla);
    taxon_strips_free(&s);
    taxonomy_destroy(t);
}

static void neighbours_of_one_phylum_share_a_strip(void **state)
{
    const char *table = "a\tB;X;1\nb\tB;X;2\nc\tB;Y\nd\tB;X\n";

    (void)state;
    assert_strips(table, "abdc", "X:3 Y:1 ", 2);
    assert_strips(table, "abcd", "X:2 Y:1 X:1 ", 3);
}

static void a_lineage_above_the_phyla_has_a_strip_but_is_no_phylum(void **state)
{
    (void)state;
    assert_strips("a\tB;X\nb\tB\n", "abc", "X:1 B:1 no lineage:1 ", 1);
}

static void rank_prefixes_are_removed(void **state)
{
    (void)state;
    /* a rank without a name ends the lineage */
    assert_strips("a\tk__B; p__X\nb\tk__B; p__\nc\tk__B\n", "abc", "X:1 B:2 ", 1);
}

static void phyla_are_one_rank_lower_below_a_common_root(void **state)
{
    (void)state;
    assert_strips("a\tRoot;B;X\nb\tRoot;B;Y\n", "ab", "X:1 Y:1 ", 2);
}

static void an_empty_order_has_no_strips(void **state)
{
    (void)state;
    assert_strips("a\tB;X\n", "", "", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_of_one_phylum_share_a_strip),
        cmocka_unit_test(a_lineage_above_the_phyla_has_a_strip_but_is_no_phylum),
        cmocka_unit_test(rank_prefixes_are_removed),
        cmocka_unit_test(phyla_are_one_rank_lower_below_a_common_root),
        cmocka_unit_test(an_empty_order_has_no_strips),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
