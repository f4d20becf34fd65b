/*
 * test_nbc_classes.c - the numbers and lineages of classes.
 */
#include "tests/support/unit_test.h"

#include "kernels/classify/nbc_model.h"

/* 0 -> 1, 2; 1 -> 3, 6; 2 -> 4, 5; 4 -> 7 */
static const int32_t parent[] = {-1, 0, 0, 1, 2, 2, 1, 4};
enum { N_TAXA = 8 };

static void classes_of_a_taxon_are_consecutive(void **state)
{
    const int32_t taxon_of[] = {5, 6, 7, -1, 3, 4, 6}, want[] = {3, 6, 4, 7, 5};
    const int32_t want_class[] = {4, 1, 3, -1, 0, 2, 1};
    int32_t class_of[7];
    nbc_classes_t c;

    (void)state;
    assert_int_equal(nbc_classes_create(parent, N_TAXA, taxon_of, 7, &c, class_of), 0);
    assert_int_equal(c.n, 5);
    assert_memory_equal(c.taxon, want, sizeof(want));
    assert_memory_equal(class_of, want_class, sizeof(want_class));
    nbc_classes_free(&c);
}

static void a_lineage_ends_with_its_taxon(void **state)
{
    const int32_t taxon_of[] = {7, 2, 0};
    const int32_t want[3][3] = {{-1, 2, 2}, {-1, -1, 4}, {-1, -1, 7}};
    int32_t class_of[3];
    nbc_classes_t c;

    (void)state;
    assert_int_equal(nbc_classes_create(parent, N_TAXA, taxon_of, 3, &c, class_of), 0);
    assert_int_equal(c.n, 3);
    assert_int_equal(c.n_ranks, 3);
    for (int rank = 1; rank <= 3; rank++)
        for (int k = 0; k < 3; k++)
            assert_int_equal(nbc_classes_at(&c, k, rank), want[rank - 1][k]);
    nbc_classes_free(&c);
}

static void there_may_be_no_classes(void **state)
{
    const int32_t taxon_of[] = {-1};
    int32_t class_of[1];
    nbc_classes_t c;

    (void)state;
    assert_int_equal(nbc_classes_create(parent, N_TAXA, taxon_of, 1, &c, class_of), 0);
    assert_int_equal(c.n, 0);
    assert_int_equal(class_of[0], -1);
    nbc_classes_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_of_a_taxon_are_consecutive),
        cmocka_unit_test(a_lineage_ends_with_its_taxon),
        cmocka_unit_test(there_may_be_no_classes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
