/*
 * test_class_taxa.c - trees of taxa that are made of lineages.
 */
#include "tests/support/unit_test.h"

#include "io/modelfile/class_taxa.h"

static void lineages_share_the_taxa_above_them(void **state)
{
    static const char *const lineages[] = {"B;X;G1", "A;X", "B;X;G2", "B;X"};
    /* The root, then taxa as they occur: B, X of B, G1, A, X of A, G2. */
    static const char *const names[] = {"", "B", "X", "G1", "A", "X", "G2"};
    static const int32_t parents[] = {-1, 0, 1, 2, 0, 4, 2};
    class_taxa_t taxa;
    int32_t taxon_of[4];

    (void)state;
    assert_int_equal(class_taxa_of_lineages(lineages, 4, &taxa, taxon_of), ST_OK);
    assert_int_equal(taxa.n, 7);
    for (int32_t t = 0; t < taxa.n; t++) {
        assert_string_equal(class_taxa_name(&taxa, t), names[t]);
        assert_int_equal(taxa.parent[t], parents[t]);
    }
    assert_int_equal(taxon_of[0], 3);
    assert_int_equal(taxon_of[1], 5);
    assert_int_equal(taxon_of[2], 6);
    assert_int_equal(taxon_of[3], 2);
    assert_int_equal(class_taxa_n_ranks(&taxa), 3);
    class_taxa_free(&taxa);
}

static void no_lineages_leave_the_root(void **state)
{
    class_taxa_t taxa;

    (void)state;
    assert_int_equal(class_taxa_of_lineages(NULL, 0, &taxa, NULL), ST_OK);
    assert_int_equal(taxa.n, 1);
    assert_int_equal(taxa.parent[0], -1);
    class_taxa_free(&taxa);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lineages_share_the_taxa_above_them),
        cmocka_unit_test(no_lineages_leave_the_root),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
