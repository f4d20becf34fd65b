/*
 * test_rg_races.c - what the iterations of a foreach may do, and what is a race.
 */
#include "tests/support/unit_test.h"

#include "tests/graph/program/program_case.h"

#define HEAD                                                                     \
    "output attribute int x; attribute int y; attribute real z; set s; set t;\n" \
    "int i; real r; bool b; node n;\n"

/* Assert that a text after the declarations is a program. */
static void assert_taken(const char *text)
{
    rg_program_t p = rg_parsed(text);

    rg_free(&p);
}

static void an_iteration_owns_its_node(void **state)
{
    (void)state;
    assert_taken(HEAD "foreach (v in nodes) { v.x = v.x + v.y; v.z += 0.5; }");
    assert_taken(HEAD "foreach (v in s) { v.x = sum(u in v.out: u.y); }");
    assert_rg_refused(HEAD "foreach (v in nodes) { n.x = 1; }",
                      "p.rg:3:24: race: iterations of the foreach in line 3 may change "
                      "the same 'x'");
    assert_rg_refused(HEAD "foreach (v in nodes) {\nv.x = sum(u in v.out: u.x); }",
                      "p.rg:4:1: race: this changes 'x', which other iterations read in "
                      "line 4");
}

/* Arcs may lead twice to the same node, and in nested loops iterations share nodes. */
static void nodes_of_arcs_and_of_nested_loops_have_no_owner(void **state)
{
    (void)state;
    assert_rg_refused(HEAD "foreach (u in n.out) { u.x = 1; }", "race: iterations of");
    assert_rg_refused(HEAD "foreach (v in nodes) { foreach (u in nodes) { u.x = 1; } }",
                      "race: iterations of");
    assert_rg_refused(HEAD "foreach (v in nodes) { foreach (u in v.out) { v.x = 1; } }",
                      "race: iterations of");
    assert_taken(HEAD "foreach (v in nodes) { for (u in v.out) { v.x = u.y; } }");
    assert_taken(HEAD "for (u in n.out) { u.x = 1; }");
}

static void reductions_take_any_order(void **state)
{
    (void)state;
    assert_taken(HEAD "foreach (v in nodes) { foreach (u in v.out) { u.x += v.id; "
                      "u.y max= 3; i min= 1; b |= true; r min= 2.5; } }");
    assert_rg_refused(HEAD "foreach (v in nodes) { foreach (u in v.out) { u.z += 1.5; } "
                           "}",
                      "race: real numbers are rounded in the order");
    assert_rg_refused(HEAD "foreach (v in nodes) { r += 1.5; }", "race: real numbers");
    assert_rg_refused(HEAD "foreach (v in nodes) { i += 1;\ni max= 5; }",
                      "p.rg:4:1: race: 'i' is changed by max= here and by += in line 3");
    assert_rg_refused(HEAD "foreach (v in nodes) { n.x += 1; v.y = v.x; }",
                      "race: this changes 'x', which iterations read");
    assert_rg_refused(HEAD "foreach (v in nodes) { i += 1; v.y = i; }",
                      "race: this changes 'i', which iterations read");
    assert_rg_refused(HEAD "foreach (v in nodes) { v.x = 1; n.x += 1; }",
                      "race: this changes 'x', which other iterations change");
    assert_taken(HEAD "foreach (v in nodes) { foreach (u in v.out) { v.x += u.y; } "
                      "v.x += 1; v.z = v.x; }");
}

static void variables_belong_to_where_they_are_declared(void **state)
{
    (void)state;
    assert_taken(HEAD "foreach (v in nodes) { int k = v.degree; k = k + 1; v.x = k; }");
    assert_rg_refused(HEAD "foreach (v in nodes) { i = v.degree; }",
                      "race: all iterations of the foreach in line 3 change 'i'");
    assert_rg_refused(HEAD "foreach (v in nodes) { int k; foreach (u in v.out) { k = 1; "
                           "} }",
                      "race: all iterations of the foreach in line 3 change 'k'");
    assert_taken(HEAD "foreach (v in nodes) { int k; foreach (u in v.out) { k += 1; } "
                      "v.x = k; }");
    assert_taken(HEAD "foreach (v in nodes) { real q; for (u in v.out) { q += u.y; } "
                      "v.z += q; }");
}

static void sets_are_read_or_changed(void **state)
{
    (void)state;
    assert_taken(HEAD "foreach (v in s) { t.add(v); if (v in s) { i += s.size; } }");
    assert_rg_refused(HEAD "foreach (v in s) { s.add(v); }",
                      "p.rg:3:20: race: this changes 's', which iterations read");
    assert_rg_refused(HEAD "foreach (v in nodes) { t.remove(v); i += t.size; }",
                      "race: this changes 't', which iterations read");
    assert_rg_refused(HEAD "foreach (v in nodes) { t.remove(v); t.add(n); }",
                      "race: this changes 't', which iterations remove from");
    assert_rg_refused(HEAD "foreach (v in nodes) { t.clear(); }", "race: iterations of");
    assert_rg_refused(HEAD "foreach (v in nodes) { swap x, y; }", "race: iterations of");
}

static void sequences_have_no_order_in_a_foreach(void **state)
{
    (void)state;
    assert_rg_refused(HEAD "queue q; foreach (v in nodes) {\nq.add(v); }",
                      "p.rg:4:1: race: elements of the queue 'q' would have the order");
    assert_rg_refused(HEAD "oset o; foreach (v in nodes) { o.remove(v); }", "race: ");
    assert_taken(HEAD
                 "multiset m; foreach (v in nodes) { foreach (u in v.out) { m.add(u); "
                 "} }");
    assert_taken(HEAD "oset o; foreach (v in o) { v.x = o.first.y; }");
    assert_rg_refused(HEAD "multiset m; foreach (v in m) { v.x = 1; }",
                      "race: iterations of the foreach in line 3 may change the same");
    assert_rg_refused(HEAD "multiset m; foreach (v in nodes) { v.x = m.count(n); "
                           "m.add(v); }",
                      "race: this changes 'm', which iterations read");
}

static void edges_belong_to_their_node(void **state)
{
#define EDGES HEAD "edge attribute int w;\n"
    (void)state;
    assert_taken(EDGES
                 "foreach (v in nodes) { foreach (e in v.edges) { e.w = e.w + 1; } }");
    assert_taken(EDGES "foreach (v in nodes) { for (e in v.edges) { e.w = v.id; } }");
    assert_taken(EDGES "foreach (e in n.edges) { e.w = 1; }");
    assert_rg_refused(EDGES
                      "foreach (v in nodes) { foreach (e in n.edges) {\ne.w = 1; } }",
                      "p.rg:5:1: race: iterations of the foreach in line 4 may change");
    assert_rg_refused(EDGES "foreach (v in nodes) { foreach (u in v.out) { foreach (e in "
                            "u.edges) { e.w = 1; } } }",
                      "race: iterations of the foreach");
    assert_rg_refused(EDGES "foreach (v in nodes) { foreach (e in v.edges) {\ne.w = "
                            "sum(d in n.edges: d.w); } }",
                      "p.rg:5:1: race: this changes 'w', which other iterations read");
    assert_taken(EDGES "foreach (v in nodes) { foreach (u in v.out) { foreach (e in "
                       "u.edges) { e.w += 1; } } }");
#undef EDGES
}

static void a_scan_reads_its_own_node(void **state)
{
    (void)state;
    assert_taken(HEAD "x = scan(v in nodes: v.x + sum(u in v.out: u.y));");
    assert_rg_refused(HEAD "x = scan(v in nodes:\nsum(u in v.out: u.x));",
                      "p.rg:3:1: race: this changes 'x', which other iterations read in "
                      "line 4");
}

static void what_a_critical_block_changes_is_used_in_such_blocks(void **state)
{
    (void)state;
    assert_taken(HEAD
                 "foreach (v in nodes) { int k = v.y; critical { i = i * 2 + k; r += "
                 "0.5; n.x = v.x + i; s.add(v); if (v in s) { s.clear(); } } }");
    assert_taken(HEAD "foreach (v in nodes) { v.y = 3; foreach (u in v.out) { critical { "
                      "u.x = u.x + v.y; } } }");
    assert_taken(HEAD "queue q; foreach (v in nodes) { critical { q.add(v); } }");
    assert_rg_refused(
        HEAD "foreach (v in nodes) { critical { i = i + 1; }\nv.x = i; }",
        "p.rg:3:35: race: this changes 'i', which iterations use outside of "
        "critical in line 4");
    assert_rg_refused(HEAD "foreach (v in nodes where v.x < 0) { critical { n.x = 1; } }",
                      "outside of critical in line 3");
    assert_rg_refused(HEAD "foreach (v in s) { critical { s.clear(); } }",
                      "outside of critical");
    assert_rg_refused(HEAD "foreach (v in nodes) { v.x = 1; critical { i = n.x; } }",
                      "race: this changes 'x', which other iterations read");
    assert_rg_refused(HEAD "foreach (v in nodes) { t.add(n); critical { i = t.size; } }",
                      "race: this changes 't', which iterations read");
    assert_rg_refused(HEAD "foreach (v in nodes) { n.x += 1; critical { v.y = v.x; } }",
                      "race: this changes 'x', which iterations read");
    assert_rg_refused(HEAD
                      "foreach (v in nodes) { critical { foreach (u in nodes) { i = 1; "
                      "} } }",
                      "race: all iterations of the foreach in line 3 change 'i'");
    assert_rg_refused(HEAD "critical { i = 1; }",
                      "p.rg:3:1: critical stands in a foreach");
}

static void a_set_stays_while_a_loop_goes_through_it(void **state)
{
    (void)state;
    assert_rg_refused(HEAD "for (v in s) { if (b) { s.add(n); } }",
                      "p.rg:3:25: this changes 's' while the loop in line 3");
    assert_rg_refused(HEAD "for (v in s) { while (b) { swap t, s; } }", "changes 's'");
    assert_taken(HEAD "for (v in s) { t.add(v); t.clear(); }");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_iteration_owns_its_node),
        cmocka_unit_test(nodes_of_arcs_and_of_nested_loops_have_no_owner),
        cmocka_unit_test(reductions_take_any_order),
        cmocka_unit_test(variables_belong_to_where_they_are_declared),
        cmocka_unit_test(sets_are_read_or_changed),
        cmocka_unit_test(sequences_have_no_order_in_a_foreach),
        cmocka_unit_test(edges_belong_to_their_node),
        cmocka_unit_test(a_scan_reads_its_own_node),
        cmocka_unit_test(what_a_critical_block_changes_is_used_in_such_blocks),
        cmocka_unit_test(a_set_stays_while_a_loop_goes_through_it),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
