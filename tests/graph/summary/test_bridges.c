/*
 * test_bridges.c - sequences that chain OTUs together, in small graphs by hand.
 */
#include "tests/support/unit_test.h"

#include "graph/summary/spanning_forest.h"

#include <string.h>

enum { EVERYTHING = 1000000 };

/* Find bridges among pairs of letters: "ab bc" has two pairs. @param otus  a digit for
 * each letter from a, '-': none */
static bridges_t find(const char *pairs, const char *otus, int64_t max,
                      int64_t max_visits)
{
    const bridges_opts_t opts = {max, max_visits, NULL};
    int32_t of[26];
    bridges_otus_t o = {of, (int64_t)strlen(otus), 10};
    graph_edges_t close;
    bridges_t b;

    for (int64_t i = 0; i < o.n; i++)
        of[i] = otus[i] == '-' ? -1 : otus[i] - '0';
    assert_int_equal(graph_edges_create(0, false, false, &close), ST_OK);
    for (; *pairs != '\0'; pairs += pairs[2] == ' ' ? 3 : 2)
        assert_int_equal(graph_edges_add(&close, pairs[0] - 'a', pairs[1] - 'a'), ST_OK);
    assert_int_equal(bridges_find_in(&close, &o, &opts, &b), ST_OK);
    graph_edges_free(&close);
    return b;
}

/* Triangles abc and efg, and d, which is close to c and e. */
static const char *const chain = "ab ac bc cd de ef eg fg";

static void a_sequence_between_two_groups_is_a_bridge(void **state)
{
    bridges_t b = find(chain, "0001222", 10, EVERYTHING);

    (void)state;
    assert_int_equal(b.n_clusters, 1);
    assert_int_equal(b.n_sequences, 7);
    assert_int_equal(b.n_sources, 7);
    assert_int_equal(b.n, 3); /* d: 3 x 3 pairs; c: 2 x 4; e: 4 x 2 */
    assert_int_equal(b.all[0].sequence, 3);
    assert_true(b.all[0].betweenness == 9);
    assert_int_equal(b.all[0].n_neighbors, 2);
    assert_int_equal(b.all[0].n_otus, 3);
    assert_int_equal(b.all[1].sequence, 2);
    assert_true(b.all[1].betweenness == 8);
    assert_int_equal(b.all[1].n_neighbors, 3);
    assert_int_equal(b.all[1].n_otus, 2);
    assert_int_equal(b.all[2].sequence, 4);
    bridges_free(&b);
    b = find(chain, "0001222", 1, EVERYTHING);
    assert_int_equal(b.n, 1);
    bridges_free(&b);
}

static void a_cluster_of_one_otu_has_no_bridges(void **state)
{
    bridges_t b = find(chain, "0000000", 10, EVERYTHING);

    (void)state;
    assert_int_equal(b.n_clusters, 0);
    assert_int_equal(b.n_sequences, 0);
    assert_int_equal(b.n, 0);
    bridges_free(&b);
    b = find(chain, "000-000", 10, EVERYTHING); /* sequences without an OTU are none */
    assert_int_equal(b.n_clusters, 0);
    bridges_free(&b);
    b = find("", "0123", 10, EVERYTHING);
    assert_int_equal(b.n, 0);
    bridges_free(&b);
}

static void other_clusters_are_left_out(void **state)
{
    bridges_t b = find("ab bc de ef df gh", "01122234", 10, EVERYTHING);

    (void)state;
    assert_int_equal(b.n_clusters, 2); /* abc and gh */
    assert_int_equal(b.n_sequences, 5);
    assert_int_equal(b.n, 1);
    assert_int_equal(b.all[0].sequence, 1);
    assert_true(b.all[0].betweenness == 1);
    bridges_free(&b);
}

static void a_sequence_within_its_otu_is_no_bridge(void **state)
{
    bridges_t b = find("ab bc cd", "0001", 10, EVERYTHING);

    (void)state;
    assert_int_equal(b.n, 1); /* b has a path through it, but is close to no other OTU */
    assert_int_equal(b.all[0].sequence, 2);
    bridges_free(&b);
}

/* Of a cycle, every sequence has the same betweenness from all sources. */
static void sources_are_drawn_where_all_cost_too_much(void **state)
{
    bridges_t all = find("ab bc cd de ea", "01234", 10, EVERYTHING), b;

    (void)state;
    assert_int_equal(all.n_sources, 5);
    assert_int_equal(all.n, 5);
    assert_true(all.all[0].betweenness == 1);
    b = find("ab bc cd de ea", "01234", 10, 40); /* 15 nodes and arcs a source */
    assert_int_equal(b.n_sources, 3);
    assert_int_equal(b.n_sequences, 5);
    assert_true(b.n >= 2);
    bridges_free(&b);
    bridges_free(&all);
}

/* 1,000 diamonds one after the other have 2^1000 shortest paths. */
static void graphs_of_too_many_paths_have_none(void **state)
{
    enum { DIAMONDS = 1000, N = 3 * DIAMONDS + 1 };
    const bridges_opts_t opts = {10, INT64_C(1) << 40, NULL};
    int32_t of[N];
    bridges_otus_t otus = {of, N, 2};
    graph_edges_t close;
    bridges_t b;

    (void)state;
    for (int64_t i = 0; i < N; i++)
        of[i] = i > N / 2;
    assert_int_equal(graph_edges_create(0, false, false, &close), ST_OK);
    for (int64_t u = 0; u + 3 < N; u += 3)
        for (int64_t v = u + 1; v <= u + 2; v++) {
            assert_int_equal(graph_edges_add(&close, u, v), ST_OK);
            assert_int_equal(graph_edges_add(&close, v, u + 3), ST_OK);
        }
    assert_int_equal(bridges_find_in(&close, &otus, &opts, &b), ST_OK);
    assert_true(b.is_left_out);
    assert_int_equal(b.n, 0);
    assert_int_equal(b.n_clusters, 1);
    graph_edges_free(&close);
    bridges_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sequence_between_two_groups_is_a_bridge),
        cmocka_unit_test(a_cluster_of_one_otu_has_no_bridges),
        cmocka_unit_test(other_clusters_are_left_out),
        cmocka_unit_test(a_sequence_within_its_otu_is_no_bridge),
        cmocka_unit_test(sources_are_drawn_where_all_cost_too_much),
        cmocka_unit_test(graphs_of_too_many_paths_have_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
