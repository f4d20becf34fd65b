/*
 * test_rg_alter.c - programs that change their graph: attributes, collections and
 * variables follow.
 */
#include "tests/support/unit_test.h"

#include "tests/graph/program/program_case.h"

/* Run a program on the graph of program_case_graph, and compare its first column. */
static void assert_column(const char *text, const int64_t *want, int64_t n)
{
    csr_t g = program_case_graph();
    rg_program_t p = rg_parsed(text);
    rg_result_t r;

    assert_int_equal(rg_try(&p, &g, &r), ST_OK);
    assert_int_equal(r.graph.first != NULL ? r.graph.n_nodes : g.n_nodes, n);
    for (int64_t u = 0; u < n; u++)
        if (((int64_t *)r.column[0].values)[u] != want[u])
            fail_msg("%s: node %d has %lld, not %lld", text, (int)u,
                     (long long)((int64_t *)r.column[0].values)[u], (long long)want[u]);
    rg_result_free(&r);
    rg_free(&p);
    csr_free(&g);
}

#define WANT(...) \
    (const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)
#define X "output attribute int x = 3; node a = min(v in nodes: v);\n"

static void a_new_node_is_there_at_once(void **state)
{
    (void)state;
    assert_column(
        X "new node u; u.x += nodes.size; new node w; w.x = w.id * 10 + u.degree; "
          "for (v in nodes) { new node t; t.x = v.x; }",
        WANT(3, 3, 3, 3, 8, 60, 3, 3, 3, 3, 8, 60));
    assert_column(X
                  "set s; s.add(a); int k; while (k < 150) { new node u; s.add(u); u.x = "
                  "k; k += 1; } foreach (v in nodes where v in s && v.id < 145) { delete "
                  "node v; }",
                  WANT(3, 3, 3, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149));
}

static void edges_are_there_when_they_are_committed(void **state)
{
    (void)state;
    assert_column(X "new edge (a, a); int d = a.degree; commit; a.x = d * 10 + a.degree;",
                  WANT(23, 3, 3, 3));
    assert_column(X
                  "foreach (v in nodes) { foreach (u in v.out) { new edge (u, v, v.id); "
                  "} delete edge (v, v); } commit; foreach (v in nodes) { v.x = sum(e in "
                  "v.edges: e.to.id * 10 + int(e.weight)); }",
                  WANT(25 + 32, 11 + 31 + 49, 11 + 22 + 33, 22));
    assert_column(
        X "edge attribute int k = 7; foreach (v in nodes) { foreach (e in v.edges) "
          "{ e.k = e.to.id; } } for (v in nodes) { new edge (v, a); } delete edge "
          "(a, a); commit; foreach (v in nodes) { v.x = sum(e in v.edges: e.k) + "
          "v.in_degree * 100 + count(u in v.in) * 1000; }",
        WANT(4412, 1114, 3310, 1107));
}

/* What is named in other nodes, edges, sets and variables has other numbers. */
static void values_follow_their_nodes(void **state)
{
    (void)state;
    assert_column(
        X "attribute node next = none; edge attribute node p; queue q; multiset m; "
          "node b; node c; for (v in nodes) { v.x = v.id; v.next = "
          "max(u in v.out: u); q.add(v); q.add(v); m.add(v); m.add(v); for (e in "
          "v.edges) { e.p = e.to; } if (v.id == 2) { b = v; } c = v; } delete node "
          "b; commit; b.x = 50; int d = c.in_degree; rebalance; if (b == none) { "
          "c.x += 100 + d; } int n; for (v in q) { n = n * 10 + v.id; } for (v in "
          "m) { n = n * 10 + v.id; } foreach (v in nodes where v.next != none) { "
          "v.x += v.next.id * 1000 + sum(e in v.edges: e.p.id) * 10000; } a.x += n "
          "* 1000000;",
        WANT(1 + 3000 + 30000 + INT64_C(113344113344) * 1000000, 3 + 3000 + 30000, 104));
    assert_column(
        X "node b = max(v in nodes: v); param node p = b; delete node a; rebalance; "
          "b.x = p.id; new node u; delete node u; new edge (u, b); new edge (b, b);",
        WANT(3, 3, 4));
}

static void a_graph_that_is_not_changed_is_not_returned(void **state)
{
    csr_t g = program_case_graph();
    rg_program_t p = rg_parsed(X "if (false) { new node u; } commit; rebalance;");
    rg_result_t r;

    (void)state;
    assert_int_equal(rg_try(&p, &g, &r), ST_OK);
    assert_null(r.graph.first);
    rg_result_free(&r);
    rg_free(&p);
    p = rg_parsed(X "new edge (a, a, 2);");
    assert_int_equal(rg_try(&p, &g, &r), ST_OK);
    assert_memory_equal(r.graph.id, g.id, 3 * sizeof(*g.id));
    assert_int_equal(r.graph.n_arcs, 6);
    assert_false(r.graph.is_symmetric);
    rg_result_free(&r);
    rg_free(&p);
    p = rg_parsed(X "delete node a; new node u;");
    assert_int_equal(rg_try(&p, &g, &r), ST_OK);
    assert_int_equal(r.graph.id[3], 5);
    rg_result_free(&r);
    rg_free(&p);
    csr_free(&g);
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    assert_rg_refused(X "foreach (v in nodes) {\nnew node u; }",
                      "p.rg:3:1: race: new nodes would be numbered in the order of");
    assert_rg_refused(
        X "foreach (v in nodes) { critical { new node u; }\nv.x = nodes.size; }",
        "race: this changes 'nodes', which iterations use outside of");
    assert_rg_refused(X "for (v in nodes) {\ncommit; }",
                      "p.rg:3:1: commit and rebalance stand outside of for and foreach");
    assert_rg_refused(X "inBFS (v from a) { rebalance; }", "stand outside of for and");
    assert_rg_refused(X "new nodes u;",
                      "p.rg:2:5: 'nodes' in new; write 'node' before it");
    assert_rg_refused(X "new edge (a, 3);", "the target must have the type node");
    assert_rg_refused(X "delete edge (a, a, 1.0);",
                      "',' in an edge; write ')' before it");
    assert_rg_fails(X "node n;\nnew edge (a, n);", "p.rg:3:14: this node is none");
    assert_rg_fails(X "new edge (a, a,\n1.0 / 0);",
                    "p.rg:2:1: this weight is not finite");
    assert_rg_fails(X "int k; while (true) {\nnew node u; }",
                    "p.rg:3:1: this makes more than 1000 nodes or elements");
    assert_rg_fails(X "queue q; while (true) { for (v in nodes) {\nq.add(v); } }",
                    "p.rg:3:1: this makes more than 1000 nodes or elements");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_node_is_there_at_once),
        cmocka_unit_test(edges_are_there_when_they_are_committed),
        cmocka_unit_test(values_follow_their_nodes),
        cmocka_unit_test(a_graph_that_is_not_changed_is_not_returned),
        cmocka_unit_test(what_cannot_be_done_is_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
