/*
 * test_part_graph.c - how the nodes of a graph are cut into ranges.
 */
#include "tests/support/unit_test.h"

#include "kernels/graph/part/part_graph.h"

#include <stdlib.h>

static void blocks_are_powers_of_two_and_not_too_many(void **state)
{
    (void)state;
    assert_int_equal(part_graph_block(1), 64);
    assert_int_equal(part_graph_n_blocks(1), 1);
    assert_int_equal(part_graph_n_blocks(64), 1);
    assert_int_equal(part_graph_n_blocks(65), 2);
    assert_int_equal(part_graph_block(64 * 4096), 64);
    assert_int_equal(part_graph_block(64 * 4096 + 1), 128);
    assert_int_equal(part_graph_block(INT32_MAX), 1 << 19);
    assert_int_equal(part_graph_n_blocks(INT32_MAX), 4096);
}

/* @return [n + 1] rows whose node u has degree(u) arcs */
static int64_t *rows_of(int64_t n, int64_t (*degree)(int64_t u))
{
    int64_t *first = calloc((size_t)n + 1, sizeof(*first));

    assert_non_null(first);
    for (int64_t u = 0; u < n; u++)
        first[u + 1] = first[u] + degree(u);
    return first;
}

static int64_t same_degree(int64_t u)
{
    (void)u;
    return 5;
}

/* One node has most arcs. */
static int64_t one_hub(int64_t u)
{
    return u == 700 ? 100000 : 1;
}

static int64_t falling(int64_t u)
{
    return 10000 / (u + 1);
}

static void every_node_is_in_one_range(void **state)
{
    int64_t (*const degrees[])(int64_t) = {same_degree, one_hub, falling};
    const int64_t sizes[] = {1, 63, 64, 65, 200, 1000, 5000};
    int64_t cut[10];

    (void)state;
    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            int64_t *first = rows_of(sizes[i], degrees[d]);

            for (int n_ranks = 1; n_ranks <= 9; n_ranks++) {
                part_graph_t p = {.n_ranks = n_ranks, .cut = cut};

                part_graph_cut(first, sizes[i], n_ranks, cut);
                assert_int_equal(cut[0], 0);
                assert_int_equal(cut[n_ranks], sizes[i]);
                for (int r = 0; r < n_ranks; r++) {
                    assert_true(cut[r] <= cut[r + 1]);
                    assert_true(cut[r] % part_graph_block(sizes[i]) == 0 ||
                                cut[r] == sizes[i]);
                    for (int64_t u = cut[r]; u < cut[r + 1]; u++)
                        assert_int_equal(part_graph_holder(&p, u), r);
                }
            }
            free(first);
        }
}

/* 1280 nodes of 5 arcs are 20 blocks. */
static void ranges_have_the_same_number_of_arcs(void **state)
{
    int64_t *first = rows_of(1280, same_degree), cut[6];

    (void)state;
    part_graph_cut(first, 1280, 5, cut);
    for (int r = 0; r <= 5; r++)
        assert_int_equal(cut[r], 256 * r);
    free(first);
    first = rows_of(1280, falling); /* half of the arcs are in the first block */
    part_graph_cut(first, 1280, 2, cut);
    assert_int_equal(cut[1], 64);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_powers_of_two_and_not_too_many),
        cmocka_unit_test(every_node_is_in_one_range),
        cmocka_unit_test(ranges_have_the_same_number_of_arcs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
