/*
 * test_class_align.c - tests of what is read from the best hits of a read.
 */
#include "tests/support/unit_test.h"

#include "tests/support/random_set.h"
#include "worker/classify/class_align.h"

enum { FIRST_REF = 3 };

static pairs_hit_t hit_of(int32_t ref, int32_t matches)
{
    return (pairs_hit_t){.col = FIRST_REF + ref, .matches = matches, .columns = 100};
}

/* Two genera (taxa 2 and 3) of one family (1), and a family (4) as its own class. */
static void rivals_are_outside_the_taxon(void **state)
{
    int32_t taxa[] = {2, 3, 4}, lineage[] = {1, 1, 4, 2, 3, -1};
    const nbc_classes_t classes = {3, 2, taxa, lineage};
    const int32_t class_of[] = {-1, 0, 0, -1, 1, 0, 0, 0, 0, 2};
    const nbc_model_t model = {.classes = &classes, .class_of = class_of};
    const pairs_hit_t hits[] = {hit_of(4, 99), hit_of(5, 97), hit_of(9, 90),
                                hit_of(1, 80)};
    class_rivals_t r = class_align_rivals(&model, hits, 4, FIRST_REF, 0, 2);

    (void)state;
    assert_ptr_equal(r.own, &hits[1]);
    assert_ptr_equal(r.rival, &hits[0]);
    r = class_align_rivals(&model, hits, 4, FIRST_REF, 0, 1);
    assert_ptr_equal(r.own, &hits[0]);
    assert_ptr_equal(r.rival, &hits[2]);
    r = class_align_rivals(&model, hits, 1, FIRST_REF, 0, 1);
    assert_ptr_equal(r.own, &hits[0]);
    assert_null(r.rival);
    assert_true(class_rival_identity(r.own) == 0.99);
    assert_true(class_rival_identity(r.rival) == 0);
}

/* Reads of 60 bases among genes of 150 are amplicons, of 140 they are genes. */
static void short_reads_count_the_ends_of_the_query(void **state)
{
    seqset_t *set = NULL;

    (void)state;
    assert_int_equal(random_set_spell("A60 A150 A150", &set), ST_OK);
    assert_int_equal(class_align_ends(set, 1), ENDS_QUERY);
    seqset_destroy(set);
    assert_int_equal(random_set_spell("A120 A150 A150", &set), ST_OK);
    assert_int_equal(class_align_ends(set, 1), ENDS_FREE);
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rivals_are_outside_the_taxon),
        cmocka_unit_test(short_reads_count_the_ends_of_the_query),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
