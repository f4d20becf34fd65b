/*
 * test_opticlust.c - OptiClust is reproducible and stops where no move or merge helps.
 */
#include "tests/support/unit_test.h"

#include <stdio.h>

#include "graph/cluster/cluster_methods.h"
#include "tests/graph/cluster/graph_case.h"

static void label_from(const int32_t *from, int n_threads, int64_t n, const edge_t *edges,
                       int64_t n_edges, uint64_t seed, int64_t n_starts, int32_t *label)
{
    adjacency_t *g = NULL;
    pool_t *pool = NULL;

    assert_int_equal(pool_create(n_threads, &pool), ST_OK);
    assert_int_equal(adjacency_create(n, edges, n_edges, &g), ST_OK);
    assert_int_equal(opticlust_cluster(g, from, seed, n_starts, pool, label), ST_OK);
    adjacency_destroy(g);
    pool_destroy(pool);
}

static void label_with(int n_threads, int64_t n, const edge_t *edges, int64_t n_edges,
                       uint64_t seed, int64_t n_starts, int32_t *label)
{
    label_from(NULL, n_threads, n, edges, n_edges, seed, n_starts, label);
}

static void label_edges(int64_t n, const edge_t *edges, int64_t n_edges, uint64_t seed,
                        int32_t *label)
{
    label_with(1, n, edges, n_edges, seed, 1, label);
}

static void two_cliques_are_two_clusters_for_any_seed(void **state)
{
    const edge_t edges[] = {{0, 2, 1, 1}, {0, 4, 1, 1}, {2, 4, 1, 1},
                            {1, 3, 1, 1}, {1, 5, 1, 1}, {3, 5, 1, 1}};
    int32_t label[7];

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        label_edges(7, edges, 6, seed, label);
        assert_labels(label, 7, "0 1 0 1 0 1 6");
    }
}

/* If every pair is close, the coefficient is 0 unless there is a single cluster. */
static void a_complete_graph_is_one_cluster(void **state)
{
    const edge_t edges[] = {{0, 1, 1, 1}, {0, 2, 1, 1}, {1, 2, 1, 1}};
    int32_t label[3];

    (void)state;
    label_edges(2, edges, 1, 1, label);
    assert_labels(label, 2, "0 0");
    label_edges(3, edges, 3, 1, label);
    assert_labels(label, 3, "0 0 0");
}

/* The path 0-1-2 and a distant 3. All three together: tp 2, fp 1, fn 0, tn 3, so MCC =
 * 6 / sqrt(3 * 2 * 4 * 3) = 0.707; two of them: tp 1, fp 0, fn 1, tn 4, so 4 /
 * sqrt(1 * 2 * 4 * 5) = 0.632. */
static void a_path_of_three_is_one_cluster_despite_a_distant_pair(void **state)
{
    const edge_t edges[] = {{0, 1, 1, 1}, {1, 2, 1, 1}};
    int32_t label[4];

    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        label_edges(4, edges, 2, seed, label);
        assert_labels(label, 4, "0 0 0 3");
    }
}

static void sequences_without_neighbours_are_clusters_of_one(void **state)
{
    int32_t label[3];

    (void)state;
    label_edges(3, NULL, 0, 1, label);
    assert_labels(label, 3, "0 1 2");
    label_edges(0, NULL, 0, 1, label);
}

static double value_of(const graph_case_t *g, const int32_t *label)
{
    int64_t size[CASE_NODES_MAX] = {0};
    mcc_t counts = mcc_count(g->n, label, size, g->edges, g->n_edges);

    return mcc_value(&counts);
}

/* @return the coefficient, computed from scratch, after node i moves to the cluster of j,
 * or to one of its own (i = j) */
static double value_after(const graph_case_t *g, const int32_t *label, int32_t i,
                          int32_t j)
{
    int32_t moved[CASE_NODES_MAX], free_label = 0;
    bool used[CASE_NODES_MAX] = {false};

    for (int64_t k = 0; k < g->n; k++)
        if (k != i)
            used[label[k]] = true;
    while (used[free_label])
        free_label++;
    memcpy(moved, label, (size_t)g->n * sizeof(*moved));
    moved[i] = i == j ? free_label : label[j];
    return value_of(g, moved);
}

static void no_move_of_a_sequence_improves_the_result(void **state)
{
    rng_t rng = rng_seed(1);
    int32_t label[CASE_NODES_MAX], again[CASE_NODES_MAX];

    (void)state;
    for (int round = 0; round < 40; round++) {
        graph_case_t *g = graph_case_random(&rng, 2 + (int64_t)rng_below(&rng, 40),
                                            rng_below(&rng, 40));
        double value;

        label_edges(g->n, g->edges, g->n_edges, (uint64_t)round, label);
        label_edges(g->n, g->edges, g->n_edges, (uint64_t)round, again);
        assert_same_labels(again, label, g->n);
        value = value_of(g, label);
        for (int32_t i = 0; i < g->n; i++) {
            assert_true(label[i] <= i && label[label[i]] == label[i]);
            for (int32_t j = 0; j < g->n; j++)
                assert_true(value_after(g, label, i, j) <= value + 1e-12);
        }
        free(g);
    }
}

/* @return the coefficient after merging the clusters of i and j */
static double value_merged(const graph_case_t *g, const int32_t *label, int32_t i,
                           int32_t j)
{
    int32_t merged[CASE_NODES_MAX];

    for (int64_t k = 0; k < g->n; k++)
        merged[k] = label[k] == label[j] ? label[i] : label[k];
    return value_of(g, merged);
}

/* Points around sixteen centres, with edges between close points.  In such graphs merging
 * two clusters may help where moving a single sequence does not. */
static graph_case_t *points(rng_t *rng)
{
    graph_case_t *g = graph_case_random(rng, CASE_NODES_MAX, 0);
    int64_t x[CASE_NODES_MAX], y[CASE_NODES_MAX];

    for (int32_t i = 0; i < g->n; i++) {
        x[i] = (int64_t)rng_below(rng, i < 16 ? 1000 : 80) + (i < 16 ? 0 : x[i % 16]);
        y[i] = (int64_t)rng_below(rng, i < 16 ? 1000 : 80) + (i < 16 ? 0 : y[i % 16]);
        for (int32_t j = 0; j < i; j++)
            if ((x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]) < 1000)
                g->edges[g->n_edges++] = (edge_t){j, i, 1, 1};
    }
    graph_case_index(g);
    return g;
}

static void no_merge_of_two_clusters_improves_the_result(void **state)
{
    rng_t rng = rng_seed(1);
    int32_t label[CASE_NODES_MAX];

    (void)state;
    for (int round = 0; round < 40; round++) {
        graph_case_t *g = points(&rng);
        double value;

        label_edges(g->n, g->edges, g->n_edges, (uint64_t)round, label);
        value = value_of(g, label);
        for (int32_t i = 0; i < g->n; i++)
            for (int32_t j = 0; j < i; j++)
                if (label[i] == i && label[j] == j)
                    assert_true(value_merged(g, label, i, j) <= value + 1e-12);
        free(g);
    }
}

static void more_starts_are_never_worse_and_threads_do_not_matter(void **state)
{
    rng_t rng = rng_seed(2);
    int32_t label[CASE_NODES_MAX], four[CASE_NODES_MAX];
    int n_gains = 0;

    (void)state;
    for (int round = 0; round < 40; round++) {
        graph_case_t *g = graph_case_random(&rng, 60, 5 + rng_below(&rng, 30));
        double value = -1;

        for (int64_t n_starts = 1; n_starts <= 16; n_starts *= 2) {
            double before = value;

            label_with(1, g->n, g->edges, g->n_edges, 7, n_starts, label);
            label_with(4, g->n, g->edges, g->n_edges, 7, n_starts, four);
            assert_same_labels(four, label, g->n);
            value = value_of(g, label);
            assert_true(value >= before);
            n_gains += n_starts > 1 && value > before;
        }
        free(g);
    }
    assert_true(n_gains > 20); /* starts have different results */
}

/* Name each of random clusters by one of its members; nodes that have 0 are alone. */
static void random_clusters(rng_t *rng, int64_t n, uint64_t n_clusters, int32_t *from)
{
    int32_t member[CASE_NODES_MAX];

    memset(member, 0xff, sizeof(member));
    for (int32_t i = 0; i < n; i++) {
        const uint64_t k = rng_below(rng, n_clusters);

        from[i] = -1;
        if (k == 0)
            continue;
        if (member[k] < 0)
            member[k] = i;
        from[i] = member[k];
    }
}

static void clusters_to_begin_with_only_improve(void **state)
{
    rng_t rng = rng_seed(3);
    int32_t from[CASE_NODES_MAX], alone[CASE_NODES_MAX], label[CASE_NODES_MAX];
    int32_t again[CASE_NODES_MAX];

    (void)state;
    for (int round = 0; round < 60; round++) {
        graph_case_t *g = points(&rng);

        random_clusters(&rng, g->n, 1 + rng_below(&rng, 40), from);
        for (int32_t i = 0; i < g->n; i++)
            alone[i] = from[i] < 0 ? i : from[i];
        label_from(from, 1, g->n, g->edges, g->n_edges, 1, 3, label);
        assert_true(value_of(g, label) >= value_of(g, alone) - 1e-12);
        for (int32_t i = 0; i < g->n; i++)
            for (int32_t j = 0; j < g->n; j++)
                assert_true(value_after(g, label, i, j) <= value_of(g, label) + 1e-12);
        label_from(label, 1, g->n, g->edges, g->n_edges, 2, 3, again);
        assert_same_labels(again, label, g->n); /* nothing improves it */
        free(g);
    }
}

/* Fresh clusters are those of all nodes alone, however they are given. */
static void nodes_may_begin_alone(void **state)
{
    rng_t rng = rng_seed(4);
    int32_t from[CASE_NODES_MAX], fresh[CASE_NODES_MAX], label[CASE_NODES_MAX];

    (void)state;
    for (int round = 0; round < 20; round++) {
        graph_case_t *g = graph_case_random(&rng, 60, 5 + rng_below(&rng, 30));

        for (int32_t i = 0; i < g->n; i++)
            from[i] = i % 2 == 0 ? i : -1;
        label_with(1, g->n, g->edges, g->n_edges, 7, 2, fresh);
        label_from(from, 1, g->n, g->edges, g->n_edges, 7, 2, label);
        assert_same_labels(label, fresh, g->n);
        free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_cliques_are_two_clusters_for_any_seed),
        cmocka_unit_test(a_complete_graph_is_one_cluster),
        cmocka_unit_test(a_path_of_three_is_one_cluster_despite_a_distant_pair),
        cmocka_unit_test(sequences_without_neighbours_are_clusters_of_one),
        cmocka_unit_test(no_move_of_a_sequence_improves_the_result),
        cmocka_unit_test(no_merge_of_two_clusters_improves_the_result),
        cmocka_unit_test(more_starts_are_never_worse_and_threads_do_not_matter),
        cmocka_unit_test(clusters_to_begin_with_only_improve),
        cmocka_unit_test(nodes_may_begin_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
