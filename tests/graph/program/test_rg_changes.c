/*
 * test_rg_changes.c - rows that are merged equal those that csr_build makes of the edges
 * that stay and those added.
 */
#include "tests/support/unit_test.h"

#include "graph/program/rg_changes.h"
#include "io/graphfile/csr_build.h"
#include "tests/support/made_graph.h"

#include <stdlib.h>
#include <string.h>

/* Commit; arcs that were there before keep their order. */
static void commit(rg_changes_t *c)
{
    int64_t *origin, last = -1;

    assert_int_equal(rg_changes_commit(c, &origin), ST_OK);
    for (int64_t a = 0; a < c->graph.n_arcs; a++)
        if (origin[a] >= 0) {
            assert_true(origin[a] > last);
            last = origin[a];
        }
    free(origin);
}

static void note(rg_arcs_t *arcs, int64_t from, int64_t to, double weight)
{
    assert_int_equal(rg_changes_note(arcs, from, to, weight), ST_OK);
}

static void add_edge(graph_edges_t *e, int64_t from, int64_t to, double weight)
{
    assert_int_equal(graph_edges_add(e, from, to), ST_OK);
    e->value[e->n - 1] = weight;
}

static void assert_same(const csr_t *got, const csr_t *want)
{
    assert_int_equal(got->n_nodes, want->n_nodes);
    assert_int_equal(got->n_arcs, want->n_arcs);
    assert_memory_equal(got->first, want->first,
                        (size_t)(want->n_nodes + 1) * sizeof(*want->first));
    assert_memory_equal(got->to, want->to, (size_t)want->n_arcs * sizeof(*want->to));
    assert_memory_equal(got->value, want->value,
                        (size_t)want->n_arcs * sizeof(*want->value));
}

/* Every third pair loses its arcs; then as many arcs are added, in another order. */
static void rows_are_those_of_a_graph_built_anew(void **state)
{
    csr_t g = made_graph(&(made_graph_t){.shape = MADE_RMAT,
                                         .weights = MADE_VALUES,
                                         .n = 300,
                                         .is_directed = true,
                                         .seed = 1});
    rg_changes_t c = {0};
    graph_edges_t edges;
    csr_t want;

    (void)state;
    assert_int_equal(graph_edges_create(16, false, true, &edges), ST_OK);
    assert_int_equal(rg_changes_create(&g, &c), ST_OK);
    edges.is_directed = true;
    edges.n_declared = g.n_nodes;
    for (int64_t u = 0; u < g.n_nodes; u++)
        for (int64_t a = g.first[u]; a < g.first[u + 1]; a++)
            if ((u + g.to[a]) % 3 != 0)
                add_edge(&edges, u, g.to[a], g.value[a]);
    for (int64_t u = g.n_nodes - 1; u >= 0; u--)
        for (int64_t v = 0; v < g.n_nodes; v++)
            if ((u + v) % 3 == 0)
                note(&c.deleted, u, v, 0);
    for (int64_t k = 0; k < 500; k++) {
        const int64_t u = k * k % g.n_nodes, v = k * 7 % g.n_nodes;

        add_edge(&edges, u, v, (double)k);
        note(&c.added, (499 - k) * (499 - k) % g.n_nodes, (499 - k) * 7 % g.n_nodes,
             (double)(499 - k));
    }
    assert_int_equal(csr_build(&edges, &(csr_options_t){.symmetrize = false}, NULL,
                               &want),
                     ST_OK);
    commit(&c);
    assert_same(&c.graph, &want);
    graph_edges_free(&edges);
    csr_free(&want);
    csr_free(&g);
    rg_changes_free(&c);
}

static void nodes_come_last_and_go(void **state)
{
    csr_t g = made_graph_of("3-5:2 5-3:4 5-9:6", true);
    rg_changes_t c = {0};
    int32_t *map;
    csr_t out;

    (void)state;
    assert_int_equal(rg_changes_create(&g, &c), ST_OK);
    for (int k = 0; k < 300; k++) {
        assert_int_equal(rg_changes_reserve(&c), ST_OK);
        assert_int_equal(rg_changes_new_node(&c), 3 + k);
    }
    assert_int_equal(c.graph.id[302], 309);
    note(&c.added, 302, 0, 1);
    note(&c.added, 302, 1, 1);
    rg_changes_delete_node(&c, 1);
    commit(&c);
    assert_int_equal(c.graph.n_arcs, 1);
    assert_int_equal(rg_changes_renumber(&c, &map), ST_OK);
    assert_int_equal(map[1], -1);
    assert_int_equal(map[302], 301);
    out = rg_changes_take(&c);
    assert_int_equal(out.n_nodes, 302);
    assert_int_equal(out.n_arcs, 1);
    assert_int_equal(out.id[1], 9);
    assert_int_equal(csr_degree(&out, 301), 1);
    assert_int_equal(out.to[0], 0);
    assert_non_null(out.weight); /* the graph had some */
    csr_free(&out);
    csr_free(&g);
    free(map);
    rg_changes_free(&c);
}

static void weights_are_integers_if_they_can_be(void **state)
{
    static const struct {
        double weight;
        bool is_int;
    } all[] = {{3, true}, {0.5, false}, {-1, false}, {3e9, false}, {0, true}};

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        csr_t g = made_graph_of("1-2 2-3", true), out;
        rg_changes_t c = {0};

        assert_int_equal(rg_changes_create(&g, &c), ST_OK);
        note(&c.added, 0, 0, all[i].weight);
        commit(&c);
        out = rg_changes_take(&c);
        assert_true((out.weight != NULL) == all[i].is_int);
        assert_true((out.value != NULL) != all[i].is_int);
        if (all[i].is_int) {
            assert_int_equal(out.weight[0], all[i].weight);
            assert_int_equal(out.weight[2], 1);
        }
        csr_free(&out);
        csr_free(&g);
        rg_changes_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_a_graph_built_anew),
        cmocka_unit_test(nodes_come_last_and_go),
        cmocka_unit_test(weights_are_integers_if_they_can_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
