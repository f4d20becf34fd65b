/*
 * test_class_naming.c - limits of names, and how they are learned from reads of absent
 * taxa.
 */
#include "tests/support/unit_test.h"

#include "worker/classify/class_naming.h"

enum { N_RANKS = 3 };

/* Names of three ranks; a rate of a quarter. */
typedef struct {
    class_rule_t rules[N_RANKS];
    int32_t limit[N_RANKS];
    class_naming_t naming;
} made_t;

static void make(made_t *m)
{
    *m = (made_t){.limit = {5000, 6000, 7000}};
    m->naming = (class_naming_t){.rules = m->rules,
                                 .limit = m->limit,
                                 .rate = 0.25,
                                 .n_ranks = N_RANKS};
}

/* The lowest rank of each lineage has the last limit. */
static void the_lowest_rank_that_reaches_its_limit_is_named(void **state)
{
    made_t m;

    (void)state;
    make(&m);
    assert_int_equal(class_naming_count(&m.naming, (uint16_t[]){9000, 8000, 7000}, 3), 3);
    assert_int_equal(class_naming_count(&m.naming, (uint16_t[]){9000, 8000, 6999}, 3), 2);
    assert_int_equal(class_naming_count(&m.naming, (uint16_t[]){9000, 5999, 5999}, 3), 1);
    assert_int_equal(class_naming_count(&m.naming, (uint16_t[]){4999, 4999, 4999}, 3), 0);
    assert_int_equal(class_naming_count(&m.naming, (uint16_t[]){9000, 6999, 0}, 2), 1);
    assert_int_equal(class_naming_count(&m.naming, (uint16_t[]){0, 0, 0}, 0), 0);
}

/* Put n reads of an absent taxon behind those of *at: supports of step, 2 step, ... */
static void add(class_absent_t *absent, int *at, int rank, int n, int step)
{
    for (int i = 0; i < n; i++)
        absent[(*at)++] =
            (class_absent_t){.rank = rank, .support = (uint16_t)((i + 1) * step)};
}

/* Of 40 reads without their genus nine may get a name, those above 3100: with one more,
 * ten of 41 are less than a quarter.  Rank 2 has too few, rank 1 as many as it needs,
 * four of which may. */
static void no_more_reads_of_absent_taxa_than_the_rate_are_named(void **state)
{
    class_absent_t absent[100];
    made_t m;
    int n = 0, n_named = 0;

    (void)state;
    make(&m);
    add(absent, &n, 1, CLASS_ABSENT_MIN, 10);
    add(absent, &n, 3, 40, 100);
    add(absent, &n, 2, CLASS_ABSENT_MIN - 1, 1);
    assert_true(class_naming_calibrate(&m.naming, absent, n));
    assert_int_equal(m.limit[2], 3101);
    assert_int_equal(m.limit[1], 3101);
    assert_int_equal(m.limit[0], 161);
    for (int i = 0; i < n; i++)
        n_named += absent[i].rank == 3 && absent[i].support >= m.limit[2];
    assert_int_equal(n_named, 9);
}

static void equal_supports_are_named_together_or_not_at_all(void **state)
{
    class_absent_t absent[40];
    made_t m;

    (void)state;
    make(&m);
    for (int i = 0; i < 40; i++)
        absent[i] = (class_absent_t){.rank = 3, .support = i < 10 ? 10000 : 100};
    assert_true(class_naming_calibrate(&m.naming, absent, 40));
    assert_int_equal(m.limit[2], 10001);
    m.naming.rate = 1;
    assert_true(class_naming_calibrate(&m.naming, absent, 40));
    assert_int_equal(m.limit[2], 0);
}

static void too_few_reads_change_nothing(void **state)
{
    class_absent_t absent[2 * CLASS_ABSENT_MIN];
    made_t m;
    int n = 0;

    (void)state;
    make(&m);
    add(absent, &n, 3, CLASS_ABSENT_MIN - 1, 100);
    add(absent, &n, 1, CLASS_ABSENT_MIN, 100);
    assert_false(class_naming_calibrate(&m.naming, absent, n));
    assert_false(class_naming_calibrate(&m.naming, absent, 0));
    assert_memory_equal(m.limit, ((int32_t[]){5000, 6000, 7000}), sizeof(m.limit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_rank_that_reaches_its_limit_is_named),
        cmocka_unit_test(no_more_reads_of_absent_taxa_than_the_rate_are_named),
        cmocka_unit_test(equal_supports_are_named_together_or_not_at_all),
        cmocka_unit_test(too_few_reads_change_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
