/*
 * test_consensus.c - the lineage that hits agree on, worked by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/summary/consensus.h"
#include "tests/support/captured_log.h"

static const fraction_t half_and_more = {51, 100};

static taxonomy_t *made;

/* Two genera of one family, another family, and a lineage that ends at its class. */
static int taxonomy_make(void **state)
{
    static const char table[] = "lacto\tBacteria;Bacilli;Lactobacillaceae;Lactobacillus\n"
                                "pedio\tBacteria;Bacilli;Lactobacillaceae;Pediococcus\n"
                                "bacil\tBacteria;Bacilli;Bacillaceae;Bacillus\n"
                                "class\tBacteria;Bacilli\n"
                                "gamma\tBacteria;Gammaproteobacteria;X;Lactobacillus\n"
                                "methano\tArchaea;Methanobacteria\n";
    char path[PATH_BYTES];

    if (dir_make(state) != 0)
        return -1;
    dir_file("table", path);
    dir_put(path, table, sizeof(table) - 1);
    if (taxonomy_read(path, &made) != ST_OK)
        return -1;
    return unlink(path);
}

static int taxonomy_forget(void **state)
{
    taxonomy_destroy(made);
    return dir_remove(state);
}

/* Hits by name, a blank behind each. */
static void assert_consensus(fraction_t least, const char *hits, const char *want,
                             int64_t want_count)
{
    int32_t taxa[32], found;
    int64_t n = 0;
    char name[16];
    int len = 0;
    buf_t text = {0};

    for (; sscanf(hits, "%15s%n", name, &len) == 1; hits += len)
        taxa[n++] = taxonomy_find(made, name);
    found = consensus_of(made, &least, taxa, n);
    assert_int_equal(taxonomy_append(made, found, ";", &text), ST_OK);
    assert_int_equal(buf_append(&text, "", 1), ST_OK);
    assert_string_equal((char *)text.data, want);
    assert_int_equal(consensus_count(made, taxa, n, found), want_count);
    buf_free(&text);
}

static void one_hit_is_its_own_consensus(void **state)
{
    (void)state;
    assert_consensus(half_and_more, "lacto",
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 1);
    assert_consensus(half_and_more, "class", "Bacteria;Bacilli", 1);
}

static void no_hit_has_none(void **state)
{
    (void)state;
    assert_consensus(half_and_more, "", "", 0);
}

static void a_tie_ends_the_lineage(void **state)
{
    (void)state;
    assert_consensus(half_and_more, "lacto pedio", "Bacteria;Bacilli;Lactobacillaceae",
                     2);
    assert_consensus(half_and_more, "lacto methano", "", 2);
}

/* 3 of 5 are 0.6: enough for 0.51 and for 0.6 itself, not for 0.601. */
static void the_part_itself_is_enough(void **state)
{
    const char *hits = "pedio lacto lacto bacil lacto";

    (void)state;
    assert_consensus(half_and_more, hits,
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 3);
    assert_consensus((fraction_t){3, 5}, hits,
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 3);
    assert_consensus((fraction_t){601, 1000}, hits, "Bacteria;Bacilli;Lactobacillaceae",
                     4);
    assert_consensus((fraction_t){4, 5}, hits, "Bacteria;Bacilli;Lactobacillaceae", 4);
    assert_consensus((fraction_t){1, 1}, hits, "Bacteria;Bacilli", 5);
}

/* 51 of 100, as floats have it, is 0.51 * 100 = 51.0; 29 of 50 is 0.58 * 50 =
 * 28.999999999999996. */
static void a_part_is_no_float(void **state)
{
    int32_t taxa[50];

    (void)state;
    for (int i = 0; i < 50; i++)
        taxa[i] = taxonomy_find(made, i < 29 ? "lacto" : "methano");
    assert_int_equal(consensus_of(made, &(fraction_t){29, 50}, taxa, 50), taxa[0]);
    assert_int_equal(consensus_of(made, &(fraction_t){580000001, 1000000000}, taxa, 50),
                     TAXONOMY_ROOT);
    taxa[28] = taxa[49];
    assert_int_equal(consensus_of(made, &(fraction_t){29, 50}, taxa, 50), TAXONOMY_ROOT);
}

/* Lactobacillus below another class is another taxon: 2 of 4 share one. */
static void a_name_counts_with_the_names_above_it(void **state)
{
    (void)state;
    assert_consensus(half_and_more, "lacto gamma gamma lacto", "Bacteria", 4);
}

/* Of three hits one ends at its class: below it, 2 of 3 are left. */
static void a_lineage_that_ends_shares_no_name_below(void **state)
{
    (void)state;
    assert_consensus(half_and_more, "class lacto lacto",
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 2);
    assert_consensus((fraction_t){7, 10}, "class lacto lacto", "Bacteria;Bacilli", 3);
    assert_consensus(half_and_more, "class class lacto", "Bacteria;Bacilli", 3);
}

static void the_order_of_hits_does_not_matter(void **state)
{
    (void)state;
    assert_consensus(half_and_more, "methano lacto pedio lacto lacto bacil lacto",
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 4);
    assert_consensus(half_and_more, "lacto lacto methano bacil pedio lacto lacto",
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_hit_is_its_own_consensus),
        cmocka_unit_test(no_hit_has_none),
        cmocka_unit_test(a_tie_ends_the_lineage),
        cmocka_unit_test(the_part_itself_is_enough),
        cmocka_unit_test(a_part_is_no_float),
        cmocka_unit_test(a_name_counts_with_the_names_above_it),
        cmocka_unit_test(a_lineage_that_ends_shares_no_name_below),
        cmocka_unit_test(the_order_of_hits_does_not_matter),
    };

    return cmocka_run_group_tests(tests, taxonomy_make, taxonomy_forget);
}
