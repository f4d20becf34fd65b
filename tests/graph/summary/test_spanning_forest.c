/*
 * test_spanning_forest.c - the order of leaves: by hand, and its invariants.
 */
#include "tests/support/unit_test.h"

#include "graph/summary/spanning_forest.h"
#include "io/base/rng.h"
#include "kernels/graph/common/disjoint_sets.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    int32_t row, col, matches, columns;
} pair_t;

static void assert_order(int64_t n, const pair_t *pairs, int n_pairs, const int32_t *want)
{
    spanning_forest_t *f = NULL;
    int32_t *order = malloc((size_t)(n + 1) * sizeof(*order));

    assert_int_equal(spanning_forest_create(n, &f), ST_OK);
    for (int k = 0; k < n_pairs; k++)
        spanning_forest_add(f, pairs[k].row, pairs[k].col, pairs[k].matches,
                            pairs[k].columns);
    spanning_forest_order(f, order);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(order[i], want[i]);
    free(order);
    spanning_forest_destroy(f);
}

static void sequences_without_pairs_keep_their_order(void **state)
{
    (void)state;
    assert_order(0, NULL, 0, NULL);
    assert_order(3, NULL, 0, (int32_t[]){0, 1, 2});
}

/* 2-4 are joined at 9/10, 0-3 at 8/10 and both groups at 5/10; 0 is the lowest. */
static void similar_sequences_are_neighbours(void **state)
{
    const pair_t pairs[] = {
        {0, 2, 3, 10}, {0, 3, 8, 10}, {1, 2, 1, 10}, {2, 4, 9, 10}, {3, 4, 5, 10}};

    (void)state;
    assert_order(5, pairs, 5, (int32_t[]){0, 3, 2, 4, 1});
}

/* 1-2-3 come before 0-4, which are never joined with them. */
static void larger_groups_come_first(void **state)
{
    const pair_t pairs[] = {{0, 4, 1, 1}, {1, 2, 5, 10}, {2, 3, 6, 10}};

    (void)state;
    assert_order(5, pairs, 3, (int32_t[]){2, 3, 1, 0, 4});
}

/* An identity of 0 is an identity, so it joins, too. */
static void an_identity_of_zero_joins_last(void **state)
{
    const pair_t pairs[] = {{0, 1, 0, 7}, {1, 2, 7, 7}};

    (void)state;
    assert_order(3, pairs, 2, (int32_t[]){1, 2, 0});
}

/* 1399/1400 is below 1400/1401 by only 5e-7. */
static void slightly_different_identities_are_distinguished(void **state)
{
    const pair_t pairs[] = {{0, 1, 1399, 1400}, {1, 2, 1400, 1401}};

    (void)state;
    assert_order(3, pairs, 2, (int32_t[]){1, 2, 0});
}

enum { MANY = 1700, COLUMNS = 1000 }; /* more pairs than one batch */

static int32_t many_matches(int64_t i, int64_t j)
{
    rng_t rng = rng_seed((uint64_t)(i * MANY + j));

    return (int32_t)(rng_next(&rng) % COLUMNS);
}

/* At any cutoff the members of a connected component are consecutive in the order. */
static void components_at_any_cutoff_are_consecutive(void **state)
{
    spanning_forest_t *f = NULL;
    int32_t *order = malloc(MANY * sizeof(*order));
    disjoint_sets_t sets = {0};
    const int32_t cutoffs[] = {999, 998, 997, 996, 995, 990};

    (void)state;
    assert_int_equal(spanning_forest_create(MANY, &f), ST_OK);
    for (int32_t i = 0; i < MANY; i++)
        for (int32_t j = i + 1; j < MANY; j++)
            spanning_forest_add(f, i, j, many_matches(i, j), COLUMNS);
    spanning_forest_order(f, order);
    for (size_t c = 0; c < sizeof(cutoffs) / sizeof(cutoffs[0]); c++) {
        int n_sets = MANY, n_runs = 1;

        assert_int_equal(disjoint_sets_make(MANY, &sets), ST_OK);
        for (int32_t i = 0; i < MANY; i++)
            for (int32_t j = i + 1; j < MANY; j++)
                if (many_matches(i, j) >= cutoffs[c])
                    n_sets -= disjoint_sets_join(&sets, i, j);
        for (int64_t k = 1; k < MANY; k++)
            n_runs += disjoint_sets_root(&sets, order[k]) !=
                      disjoint_sets_root(&sets, order[k - 1]);
        assert_int_equal(n_runs, n_sets);
        disjoint_sets_free(&sets);
    }
    free(order);
    spanning_forest_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_without_pairs_keep_their_order),
        cmocka_unit_test(similar_sequences_are_neighbours),
        cmocka_unit_test(larger_groups_come_first),
        cmocka_unit_test(an_identity_of_zero_joins_last),
        cmocka_unit_test(slightly_different_identities_are_distinguished),
        cmocka_unit_test(components_at_any_cutoff_are_consecutive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
