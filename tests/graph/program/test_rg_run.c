/*
 * test_rg_run.c - the interpreter: values by hand, errors while a program runs, and
 * shipped programs beside the algorithms of kernels/graph/serial.
 */
#include "tests/support/unit_test.h"

#include "tests/graph/program/program_case.h"

/* Assert the value of an expression, the same for all nodes. */
static void assert_int(const char *expression, int64_t want)
{
    char text[512];

    snprintf(text, sizeof(text), "set s; output attribute int x = %s;", expression);
    assert_rg_ints(text, want, want, want, want);
}

static void integers_are_modulo_2_64(void **state)
{
    (void)state;
    assert_int("7 / 2 - -7 / 2 * 10 + -7 % 4", 3 + 30 - 3);
    assert_int("9223372036854775807 + 1", INT64_MIN);
    assert_int("(-9223372036854775807 - 1) / -1", INT64_MIN);
    assert_int("(-9223372036854775807 - 1) % -1", 0);
    assert_int("abs(-9223372036854775807 - 1)", INT64_MIN);
    assert_int("9223372036854775807 * 3", INT64_MAX - 2);
}

static void real_numbers_are_doubles(void **state)
{
    (void)state;
    assert_int("int(0.1 + 0.2 == 0.3 ? 1.5 : -2.9)", -2);
    assert_int("1.0 / 0 == infinity && -1 / 0.0 < -1e308 ? 1 : 0", 1);
    assert_int("int(sqrt(2) * 1000)", 1414);
    assert_int("infinity - infinity == infinity - infinity ? 1 : 0", 0);
    assert_int("int(min(2.5, 3)) + max(2, -3) * 10", 22);
}

static void and_and_or_stop_early(void **state)
{
    (void)state;
    assert_int("false && 1 / 0 == 1 ? 1 : 2", 2);
    assert_int("true || 1 / 0 == 1 ? 1 : 2", 1);
    assert_int("true ? 3 : 1 / 0", 3);
}

static void nodes_have_members_and_ranges(void **state)
{
    static const char head[] = "output attribute int x; foreach (v in nodes) { v.x = ";
    static const struct {
        const char *value;
        int64_t want[4];
    } all[] = {{"v.degree * 10 + v.in_degree", {20, 21, 13, 1}},
               {"v.id", {1, 2, 3, 4}},
               {"sum(u in v.out: u.id)", {5, 7, 3, 0}},
               {"sum(u in v.in: u.id)", {0, 1, 6, 2}},
               {"int(sum(e in v.edges: e.weight))", {7, 10, 7, 0}},
               {"sum(e in v.edges where e.weight > 1: e.to.id)", {5, 4, 3, 0}},
               {"count(u in v.out where u in s)", {0, 0, 0, 0}},
               {"count(u in nodes where arc(v, u) && arc(u, v))", {0, 0, 1, 0}},
               {"min(u in v.out: u.id)", {2, 3, 3, INT64_MAX}},
               {"max(u in v.out: u.id)", {3, 4, 3, INT64_MIN}},
               {"min(u in v.out: u) == none ? 1 : 0", {0, 0, 0, 1}},
               {"any(u in v.out: u == v) ? 1 : 0", {0, 0, 1, 0}},
               {"all(u in v.out: u != v) ? 1 : 0", {1, 1, 0, 1}}};
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        snprintf(text, sizeof(text), "set s; %s%s; }", head, all[i].value);
        assert_rg_ints(text, all[i].want[0], all[i].want[1], all[i].want[2],
                       all[i].want[3]);
    }
}

static void assignments_combine(void **state)
{
    (void)state;
    assert_rg_ints(
        "output attribute int x = 5; foreach (v in nodes) { foreach (u in v.out) "
        "{ u.x min= v.id; } }",
        5, 1, 1, 2);
    assert_rg_ints(
        "output attribute int x; attribute node p = none; foreach (v in nodes) { "
        "foreach (u in v.out) { u.p max= v; } } foreach (v in nodes where v.p != "
        "none) { v.x = v.p.id; }",
        0, 1, 3, 2);
    assert_rg_ints(
        "output attribute int x; attribute node p; foreach (v in nodes) { foreach "
        "(u in v.out) { u.p min= v; u.p min= none; } } foreach (v in nodes where "
        "v.p != none) { v.x = v.p.id; }",
        0, 1, 1, 2);
    assert_rg_ints(
        "output attribute int x; bool b; bool c = true; foreach (v in nodes) { b "
        "|= v.id == 3; c &= v.id != 3; } foreach (v in nodes) { v.x = b && !c ? 1 "
        ": 0; }",
        1, 1, 1, 1);
}

static void sets_go_in_ascending_order(void **state)
{
    (void)state;
    assert_rg_ints("output attribute int x; set s; set t; int n; node last;"
                   "foreach (v in nodes where v.id != 2) { s.add(v); s.add(v); }"
                   "for (v in s) { n = n * 10 + v.id; }"
                   "swap s, t; foreach (v in nodes) { v.x = n + t.size - s.size; }",
                   137, 137, 137, 137);
    assert_rg_ints(
        "output attribute int x; set s; foreach (v in nodes) { s.add(v); }"
        "foreach (v in nodes where v.degree < 2) { s.remove(v); }"
        "foreach (v in s) { v.x = 1; } s.clear(); foreach (v in s) { v.x = 2; }",
        1, 1, 0, 0);
}

/* 1 2 3 4 are added, then 4 3 2 1; what is removed is the first of its kind. */
static void collections_have_their_order(void **state)
{
    static const struct {
        const char *kind;
        int64_t want; /* ids in the order of the loop, and their number, after 2 is
                       * removed, or the first one is taken */
    } all[] = {{"set", 1343},
               {"multiset", 11233447},
               {"oset", 1343},
               {"omultiset", 13443217},
               {"queue", 23443217}};
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const bool is_queue = strcmp(all[i].kind, "queue") == 0;

        snprintf(
            text, sizeof(text),
            "output attribute int x; %s c; %s d; int n; for (v in nodes) { c.add(v); "
            "} int k = 4; while (k > 0) { for (v in nodes where v.id == k) { "
            "c.add(v); } k += -1; } for (v in nodes where v.id == 2) { c.%s; } for "
            "(v in c) { n = n * 10 + v.id; } swap c, d; foreach (v in nodes) { v.x = "
            "n * 10 + d.size + c.size; }",
            all[i].kind, all[i].kind, is_queue ? "pop()" : "remove(v)");
        assert_rg_ints(text, all[i].want, all[i].want, all[i].want, all[i].want);
    }
}

static void collections_are_counted_and_taken_from(void **state)
{
    (void)state;
    assert_rg_ints(
        "output attribute int x; multiset m; foreach (v in nodes) { foreach (u "
        "in v.out) { m.add(u); } } foreach (v in nodes where v.id == 3) { "
        "m.remove(v); m.remove(v); } foreach (v in nodes) { v.x = m.count(v) * "
        "10 + (v in m ? 1 : 0); }",
        0, 11, 11, 11);
    assert_rg_ints("output attribute int x = -1; queue q; int n; for (v in nodes where "
                   "v.id == 1) { q.add(v); v.x = 0; } while (q.size > 0) { node v = "
                   "q.first; q.pop(); n += 1; v.x = n; for (u in v.out where u.x < 0) { "
                   "u.x = 0; q.add(u); } } q.pop(); if (q.first == none) { n = 0; }",
                   1, 2, 3, 4);
}

/* Weights 5 2 | 1 9 | 7. */
static void edges_have_attributes(void **state)
{
    (void)state;
    assert_rg_ints("output attribute int x; edge attribute int w = 3; edge attribute int "
                   "k; foreach (v in nodes) { foreach (e in v.edges) { e.w += "
                   "int(e.weight); e.k = v.id; } } swap w, k; foreach (v in nodes) { v.x "
                   "= sum(e in v.edges where e.w == v.id: e.k * 100 + e.to.id); }",
                   1305, 1607, 1003, 0);
}

/* Degrees 2 2 1 0. */
static void a_scan_adds_up_what_comes_before(void **state)
{
    (void)state;
    assert_rg_ints("output attribute int x = 9; x = scan(v in nodes: v.degree);", 0, 2, 4,
                   5);
    assert_rg_ints(
        "output attribute int x = 9; x = scan(v in nodes where v.id != 2: v.x + "
        "v.id);",
        0, 9, 10, 22);
    assert_rg_ints(
        "output attribute int x = 9; oset o; o = sort(v in nodes where v.id > 1: "
        "-v.id); x = scan(v in o: count(u in nodes where u.id <= v.id));",
        9, 7, 4, 0);
}

static void a_sort_has_the_order_of_keys(void **state)
{
    (void)state;
    assert_rg_ints(
        "output attribute int x; queue q; int n; q = sort(v in nodes: "
        "-v.degree); for (v in q) { n = n * 10 + v.id; } q = sort(v in q where "
        "v.id > 1: 1.0 / v.degree); for (v in q) { n = n * 10 + v.id; } foreach "
        "(v in nodes) { v.x = n; }",
        1234234, 1234234, 1234234, 1234234);
}

/* An iteration sees what those before it did. */
static void critical_blocks_keep_the_order(void **state)
{
    (void)state;
    assert_rg_ints(
        "output attribute int x; int n; real r; queue q; foreach (v in nodes) { "
        "foreach (u in v.out where u != v) { int k = u.id; critical { if (u.x "
        "== 0 && v.x == 0) { n += 1; u.x = n; v.x = n; q.add(v); r += 0.5; } "
        "} } } foreach (v in nodes) { v.x = v.x * 100 + q.size * 10 + int(2 * "
        "r); }",
        111, 111, 11, 11);
}

static void attributes_are_swapped(void **state)
{
    (void)state;
    assert_rg_ints(
        "output attribute int x = 1; attribute int y; foreach (v in nodes) { v.y "
        "= v.id; } swap x, y; foreach (v in nodes) { v.x += v.y * 10; }",
        11, 12, 13, 14);
}

static void blocks_are_chosen(void **state)
{
    (void)state;
    assert_rg_ints(
        "output attribute int x; foreach (v in nodes) { if (v.id == 1) { v.x = 7; "
        "} else if (v.id == 2) { v.x = 8; } else { int k; while (k < v.id) { k += "
        "2; v.x += 1; } } }",
        7, 8, 2, 2);
}

static void errors_have_their_place(void **state)
{
#define X "output attribute int x;\n"
    (void)state;
    assert_rg_fails(X "int i = 5 / (1 - 1);", "p.rg:2:11: an integer is divided by 0");
    assert_rg_fails(X "int i = 5 % 0;", "p.rg:2:11: an integer is divided by 0");
    assert_rg_fails(X "node n; n.x = 2;", "p.rg:2:9: this node is none");
    assert_rg_fails(X "node n; for (v in n.out) { }", "p.rg:2:19: this node is none");
    assert_rg_fails(X "set s; s.add(none);", "p.rg:2:14: this node is none");
    assert_rg_fails(X "int i = int(-1e19);", "p.rg:2:9: this real number has no integer");
    assert_rg_fails(X "int i = int(infinity - infinity);", "p.rg:2:9: this real number");
    assert_rg_fails(X "\nwhile (true) { }",
                    "p.rg:3:1: this loop has not ended after 1000");
    assert_rg_fails(X "param node n;",
                    "p.rg:2:12: the param 'n' has no value; give --set n=");
#undef X
}

/* 1,000 iterations are allowed, as rg_try says. */
static void a_loop_may_last_as_long_as_allowed(void **state)
{
    (void)state;
    assert_int("0", 0);
    assert_rg_ints(
        "output attribute int x; int n; while (n < 1000) { n += 1; } foreach (v in "
        "nodes) { v.x = n; }",
        1000, 1000, 1000, 1000);
    assert_rg_fails("output attribute int x; int n; while (n < 1001) { n += 1; }",
                    "after 1000 iterations");
}

/* ---- shipped programs ---- */

typedef struct {
    const char *program;
    graph_algorithm_t algorithm;
    made_weights_t weights;
    bool is_directed; /* the program also takes directed graphs */
} shipped_case_t;

static double value_of(graph_type_t type, const void *values, int64_t u)
{
    switch (type) {
    case GRAPH_REAL:
        return ((const double *)values)[u];
    case GRAPH_FLAG:
        return ((const uint8_t *)values)[u];
    case GRAPH_INT64:
        return (double)((const int64_t *)values)[u];
    default:
        return ((const int32_t *)values)[u];
    }
}

/* Run a shipped program from the first node. */
static void run_shipped(const char *name, const csr_t *g, rg_program_t *p, rg_result_t *r)
{
    rg_value_t param[64] = {{0}};
    bool is_given[64] = {false};
    const rg_input_t input = {g, param, is_given, 1000000, INT32_MAX};
    buf_t text = {0};

    assert_int_equal(rg_read(name, &text, p), ST_OK);
    assert_true(p->n_values < 64);
    for (const rg_symbol_t *s = p->symbols; s != NULL; s = s->next)
        is_given[s->slot] |= s->kind == SYMBOL_PARAM && s->type == RG_NODE;
    assert_int_equal(rg_run(p, &input, r), ST_OK);
    buf_free(&text);
}

static void compare(const shipped_case_t *c, const made_graph_t *what)
{
    csr_t g = made_graph(what);
    const graph_info_t *info = graph_info_on(c->algorithm, &g);
    graph_spec_t spec = made_graph_spec(c->algorithm);
    const graph_run_t run = {0};
    const device_t device = device_cpu();
    const graph_context_t context = {.device = &device,
                                     .graph = &g,
                                     .spec = &spec,
                                     .run = &run};
    const int32_t source = 0;
    const graph_task_t task = {&source, info->has_sources, 0};
    graph_result_t want;
    rg_program_t p;
    rg_result_t got;

    if (g.n_nodes > 0) {
        assert_int_equal(made_graph_compute(&serial_graph_backend, &context, &task,
                                            &want),
                         ST_OK);
        run_shipped(c->program, &g, &p, &got);
        assert_int_equal(got.n_columns, info->n_columns);
        for (int k = 0; k < info->n_columns; k++)
            for (int64_t u = 0; u < g.n_nodes; u++) {
                const double a = value_of(info->columns[k].type, want.column[k], u);
                const double b = value_of(rg_column_type(got.column[k].symbol->type),
                                          got.column[k].values, u);

                if (memcmp(&a, &b, sizeof(a)) != 0)
                    fail_msg(
                        "%s, shape %d, weights %d: %s of node %d is %.17g, not %.17g",
                        c->program, what->shape, what->weights, info->columns[k].name,
                        (int)u, b, a);
            }
        rg_result_free(&got);
        rg_free(&p);
        graph_result_free(&want);
    }
    csr_free(&g);
}

/* Bit for bit, real numbers too: the sums have the same shape. */
static void shipped_programs_equal_the_algorithms(void **state)
{
    static const shipped_case_t all[] = {
        {"bfs", GRAPH_BFS, MADE_NO_WEIGHTS, true},
        {"sssp", GRAPH_SSSP, MADE_NO_WEIGHTS, true},
        {"sssp", GRAPH_SSSP, MADE_SMALL_WEIGHTS, true},
        {"sssp", GRAPH_SSSP, MADE_VALUES, true},
        {"sssp", GRAPH_SSSP, MADE_WIDE_VALUES, true},
        {"pagerank", GRAPH_PAGERANK, MADE_NO_WEIGHTS, true},
        {"components", GRAPH_COMPONENTS, MADE_NO_WEIGHTS, true},
        {"triangles", GRAPH_TRIANGLES, MADE_NO_WEIGHTS, false},
        {"mis", GRAPH_MIS, MADE_NO_WEIGHTS, false},
        {"coloring", GRAPH_COLORING, MADE_NO_WEIGHTS, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        for (int shape = 0; shape < MADE_N_SHAPES; shape++)
            for (int directed = 0; directed <= all[i].is_directed; directed++)
                compare(&all[i], &(made_graph_t){.shape = (made_shape_t)shape,
                                                 .weights = all[i].weights,
                                                 .n = 150,
                                                 .is_directed = directed,
                                                 .seed = 3});
}

static void a_graph_without_nodes_has_empty_columns(void **state)
{
    static const char *const names[] = {"pagerank", "components", "triangles", "mis",
                                        "coloring"};
    csr_t g = made_graph(&(made_graph_t){.shape = MADE_EMPTY});

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        rg_program_t p;
        rg_result_t r;

        run_shipped(names[i], &g, &p, &r);
        assert_int_equal(r.n_columns, 1);
        rg_result_free(&r);
        rg_free(&p);
    }
    csr_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_modulo_2_64),
        cmocka_unit_test(real_numbers_are_doubles),
        cmocka_unit_test(and_and_or_stop_early),
        cmocka_unit_test(nodes_have_members_and_ranges),
        cmocka_unit_test(assignments_combine),
        cmocka_unit_test(sets_go_in_ascending_order),
        cmocka_unit_test(collections_have_their_order),
        cmocka_unit_test(collections_are_counted_and_taken_from),
        cmocka_unit_test(edges_have_attributes),
        cmocka_unit_test(a_scan_adds_up_what_comes_before),
        cmocka_unit_test(a_sort_has_the_order_of_keys),
        cmocka_unit_test(critical_blocks_keep_the_order),
        cmocka_unit_test(attributes_are_swapped),
        cmocka_unit_test(blocks_are_chosen),
        cmocka_unit_test(errors_have_their_place),
        cmocka_unit_test(a_loop_may_last_as_long_as_allowed),
        cmocka_unit_test(shipped_programs_equal_the_algorithms),
        cmocka_unit_test(a_graph_without_nodes_has_empty_columns),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
