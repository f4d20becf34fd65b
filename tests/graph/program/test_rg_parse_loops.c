/*
 * test_rg_parse_loops.c - statements that are written in terms of others: dynamic_update,
 * clear, barrier and inBFS.
 */
#include "tests/support/unit_test.h"

#include "tests/graph/program/program_case.h"

#define HEAD                                                              \
    "output attribute int x = -1; attribute int y; set s; set t; bool b;" \
    "node n = min(v in nodes: v);\n"

static void a_set_is_updated_at_the_end_of_an_iteration(void **state)
{
    (void)state;
    assert_rg_ints(HEAD
                   "s.add(n); int k; while (s.size > 0; dynamic_update(s)) { foreach "
                   "(v in s where v.x < 0) { v.x = k; foreach (u in v.out) { "
                   "s.add(u); } } k += 1; }",
                   0, 1, 1, 2);
    assert_rg_ints(HEAD
                   "int k; s.add(n); while (k < 2; dynamic_update(s)) { k += 1; if "
                   "(k == 1) { foreach (v in nodes where v.id > 2) { s.add(v); } } } "
                   "while (k < 3; dynamic_update(s)) { k += 1; } foreach (v in "
                   "nodes) { v.x = s.size * 10 + k; }",
                   3, 3, 3, 3);
    assert_rg_ints(
        "output attribute int x; queue q; for (v in nodes) { q.add(v); } int k; "
        "while (k < 1; dynamic_update(q)) { k += 1; for (v in q) { q.add(v); "
        "q.add(v); } } int i; for (v in q) { i = i * 3 + v.id; v.x = i; }",
        4, 44, 408, 3688); /* of 1 1 2 2 3 3 4 4 */
}

static void an_updated_set_can_only_be_added_to(void **state)
{
#define LOOP HEAD "while (b; dynamic_update(s)) {\n"
    (void)state;
    assert_rg_refused(LOOP "s.remove(n); }", "p.rg:3:1: 's' can only be added to here");
    assert_rg_refused(LOOP "s.clear(); }", "'s' can only be added to here");
    assert_rg_refused(LOOP "swap t, s; }", "p.rg:3:1: 's' can only be added to here");
    assert_rg_refused(LOOP "while (b;\ndynamic_update(s)) { } }",
                      "p.rg:4:1: dynamic_update takes a set that no loop around updates");
    assert_rg_refused(LOOP "foreach (v in s; clear) { } }", "p.rg:3:18: clear needs a");
    assert_rg_refused(HEAD "while (b; dynamic_update(n)) { }",
                      "dynamic_update takes a set");
    assert_rg_refused(HEAD "while (b; update(s)) { }", "'update' in while; write");
#undef LOOP
}

static void a_set_is_cleared_behind_its_loop(void **state)
{
    (void)state;
    assert_rg_ints(HEAD "foreach (v in nodes where v.id > 2) { s.add(v); t.add(v); } "
                        "foreach (v in s; clear) { v.x = 5; } foreach (v in t where v.id "
                        "> 3; clear) { v.x = 6; } foreach (v in nodes) { v.x += s.size * "
                        "10 + t.size; }",
                   -1, -1, 5, 6);
    assert_rg_refused(HEAD "foreach (v in nodes; clear) { }",
                      "clear needs a foreach over");
    assert_rg_refused(
        HEAD "foreach (v in nodes) { foreach (u in s; clear) { } }",
        "race: iterations of the foreach in line 2 may change the same 's'");
}

/* What is a race in one loop is none where all iterations have reached the barrier. */
static void a_barrier_divides_iterations(void **state)
{
#define BODY(X)                                                 \
    HEAD "foreach (v in nodes where v.id < 4) { v.y = v.id; " X \
         " v.x = sum(u in v.out: u.y); }"
    (void)state;
    assert_rg_refused(BODY(""), "race: this changes 'y', which other iterations read");
    assert_rg_ints(BODY("barrier;"), 5, 3, 3, -1);
    assert_rg_ints(HEAD "foreach (v in nodes) { int k = 1; v.x = k; barrier; int k = 2; "
                        "v.x += k; barrier; v.x += 0; }",
                   3, 3, 3, 3);
    assert_rg_refused(HEAD "foreach (v in nodes) { int k; barrier;\nv.x = k; }",
                      "p.rg:3:7: 'k' is not declared");
    assert_rg_refused(HEAD "foreach (v in nodes) { if (b) {\nbarrier; } }",
                      "p.rg:3:1: a barrier divides the block of a foreach");
    assert_rg_refused(HEAD "barrier;", "a barrier divides the block of a foreach");
#undef BODY
}

static void a_search_goes_level_by_level(void **state)
{
    (void)state;
    assert_rg_ints(HEAD "inBFS (v from n; level) { v.x = level; }", 0, 1, 1, 2);
    assert_rg_ints(HEAD "inBFS (v from n where v.id != 2; level) { v.x = level; }", 0, -1,
                   1, 2);
    assert_rg_ints(HEAD
                   "foreach (v in nodes) { v.y = v.id; } inBFS (v from n) { v.x = "
                   "v.y; barrier; foreach (u in v.out where u != v) { u.y += v.x; } } "
                   "for (w in nodes where w.id == 2) { inBFS (v from w) { v.x += "
                   "100; } }",
                   1, 103, 104, 107);
    assert_rg_refused(HEAD "foreach (w in nodes) {\ninBFS (v from w) { } }",
                      "p.rg:3:1: inBFS stands outside of foreach");
    assert_rg_refused(HEAD "inBFS (v from n; level) {\nlevel = 3; }",
                      "p.rg:3:1: this cannot be changed");
    assert_rg_refused(HEAD "inBFS (v from n) { b = true; }", "race: all iterations of");
    assert_rg_refused(HEAD "inBFS (v in n) { }", "'in' in inBFS; write 'from' before it");
    assert_rg_fails(HEAD "node m;\ninBFS (v from m) { }", "p.rg:3:15: this node is none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_is_updated_at_the_end_of_an_iteration),
        cmocka_unit_test(an_updated_set_can_only_be_added_to),
        cmocka_unit_test(a_set_is_cleared_behind_its_loop),
        cmocka_unit_test(a_barrier_divides_iterations),
        cmocka_unit_test(a_search_goes_level_by_level),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
