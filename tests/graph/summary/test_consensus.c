/*
 * test_consensus.c - the consensus lineage of hits, worked by hand.
 */
#include "tests/support/unit_test.h"

#include "graph/summary/composition.h"
#include "tests/support/captured_log.h"

static const fraction_t majority = {51, 100};

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

static int taxonomy_release(void **state)
{
    taxonomy_destroy(made);
    return dir_remove(state);
}

/* @param hits  names separated by blanks */
static void assert_consensus(fraction_t min, const char *hits, const char *want,
                             int64_t want_count)
{
    int32_t taxa[32], found;
    int64_t n = 0;
    char name[16];
    int len = 0;
    buf_t text = {0};

    for (; sscanf(hits, "%15s%n", name, &len) == 1; hits += len)
        taxa[n++] = taxonomy_find(made, name);
    found = consensus_of(made, &min, taxa, n);
    assert_int_equal(taxonomy_append(made, found, ";", &text), ST_OK);
    assert_int_equal(buf_append(&text, "", 1), ST_OK);
    assert_string_equal((char *)text.data, want);
    assert_int_equal(consensus_count(made, taxa, n, found), want_count);
    buf_free(&text);
}

static void one_hit_is_its_own_consensus(void **state)
{
    (void)state;
    assert_consensus(majority, "lacto", "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus",
                     1);
    assert_consensus(majority, "class", "Bacteria;Bacilli", 1);
}

static void without_hits_there_is_no_consensus(void **state)
{
    (void)state;
    assert_consensus(majority, "", "", 0);
}

static void a_tie_ends_the_lineage(void **state)
{
    (void)state;
    assert_consensus(majority, "lacto pedio", "Bacteria;Bacilli;Lactobacillaceae", 2);
    assert_consensus(majority, "lacto methano", "", 2);
}

/* 3 of 5 is 0.6: it reaches 0.51 and 0.6, but not 0.601. */
static void an_equal_fraction_is_enough(void **state)
{
    const char *hits = "pedio lacto lacto bacil lacto";

    (void)state;
    assert_consensus(majority, hits, "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus",
                     3);
    assert_consensus((fraction_t){3, 5}, hits,
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 3);
    assert_consensus((fraction_t){601, 1000}, hits, "Bacteria;Bacilli;Lactobacillaceae",
                     4);
    assert_consensus((fraction_t){4, 5}, hits, "Bacteria;Bacilli;Lactobacillaceae", 4);
    assert_consensus((fraction_t){1, 1}, hits, "Bacteria;Bacilli", 5);
}

/* In floating point, 0.58 * 50 = 28.999999999999996. */
static void fractions_are_compared_exactly(void **state)
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

/* Lactobacillus below another class is another taxon: only 2 of 4 hits share it. */
static void a_name_counts_with_the_names_above_it(void **state)
{
    (void)state;
    assert_consensus(majority, "lacto gamma gamma lacto", "Bacteria", 4);
}

/* One of three hits ends at its class: 2 of 3 remain below it. */
static void a_lineage_that_ends_shares_no_name_below(void **state)
{
    (void)state;
    assert_consensus(majority, "class lacto lacto",
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 2);
    assert_consensus((fraction_t){7, 10}, "class lacto lacto", "Bacteria;Bacilli", 3);
    assert_consensus(majority, "class class lacto", "Bacteria;Bacilli", 3);
}

static void the_order_of_hits_does_not_matter(void **state)
{
    (void)state;
    assert_consensus(majority, "methano lacto pedio lacto lacto bacil lacto",
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 4);
    assert_consensus(majority, "lacto lacto methano bacil pedio lacto lacto",
                     "Bacteria;Bacilli;Lactobacillaceae;Lactobacillus", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_hit_is_its_own_consensus),
        cmocka_unit_test(without_hits_there_is_no_consensus),
        cmocka_unit_test(a_tie_ends_the_lineage),
        cmocka_unit_test(an_equal_fraction_is_enough),
        cmocka_unit_test(fractions_are_compared_exactly),
        cmocka_unit_test(a_name_counts_with_the_names_above_it),
        cmocka_unit_test(a_lineage_that_ends_shares_no_name_below),
        cmocka_unit_test(the_order_of_hits_does_not_matter),
    };

    return cmocka_run_group_tests(tests, taxonomy_make, taxonomy_release);
}
