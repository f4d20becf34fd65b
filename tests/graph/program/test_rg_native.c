/*
 * test_rg_native.c - compiled programs compute what the interpreter does, on any number
 * of threads, and fail at the same place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/program/rg_native.h"
#include "tests/graph/program/program_case.h"
#include "tests/support/made_graph.h"

/* More nodes than a piece has, so that several pieces run. */
enum { MANY = 9000, ITERATIONS = 20000 };

/* A program that is compiled, if there is a compiler. */
typedef struct {
    rg_program_t program;
    rg_native_t *native;
} compiled_t;

static void compile(const char *name, const char *text, compiled_t *c)
{
    status_t st;

    if (rg_parse(name, text, strlen(text), &c->program) != ST_OK)
        fail_msg("%s is no program", name);
    st = rg_native_create(&c->program, true, &c->native);
    if (st == ST_EDEVICE && system("cc --version >/dev/null 2>&1") != 0)
        skip();
    if (st != ST_OK)
        fail_msg("%s: it is not compiled: %s", name, text);
}

static void release(compiled_t *c)
{
    rg_native_destroy(c->native);
    rg_free(&c->program);
}

/* Node params are the first node. */
static rg_input_t input_of(const rg_program_t *p, const csr_t *g)
{
    static rg_value_t param[PROGRAM_CASE_VALUES];
    static bool is_given[PROGRAM_CASE_VALUES];

    assert_true(p->n_values < PROGRAM_CASE_VALUES);
    memset(is_given, 0, sizeof(is_given));
    for (const rg_symbol_t *s = p->symbols; s != NULL; s = s->next)
        if (s->kind == SYMBOL_PARAM && s->type == RG_NODE)
            is_given[s->slot] = true;
    return (rg_input_t){g, param, is_given, ITERATIONS, INT32_MAX};
}

static size_t bytes_of(rg_type_t type)
{
    return type == RG_BOOL ? 1 : type == RG_NODE ? 4 : 8;
}

/* Of programs that change it. */
static void assert_same_graph(const csr_t *got, const csr_t *want)
{
    const size_t n = (size_t)want->n_nodes, m = (size_t)want->n_arcs;

    assert_int_equal(got->n_nodes, n);
    assert_int_equal(got->n_arcs, m);
    assert_true((got->weight != NULL) == (want->weight != NULL));
    assert_true((got->value != NULL) == (want->value != NULL));
    if (m == 0)
        return;
    assert_memory_equal(got->first, want->first, (n + 1) * sizeof(*want->first));
    assert_memory_equal(got->to, want->to, m * sizeof(*want->to));
    assert_memory_equal(got->id, want->id, n * sizeof(*want->id));
    if (want->weight != NULL)
        assert_memory_equal(got->weight, want->weight, m * sizeof(*want->weight));
    if (want->value != NULL)
        assert_memory_equal(got->value, want->value, m * sizeof(*want->value));
}

static void compare(const compiled_t *c, const csr_t *g, int n_threads)
{
    const rg_input_t input = input_of(&c->program, g);
    int64_t n_nodes = g->n_nodes;
    rg_result_t want, got;
    pool_t *pool;

    assert_int_equal(pool_create(n_threads, &pool), ST_OK);
    assert_int_equal(rg_run(&c->program, &input, &want), ST_OK);
    assert_int_equal(rg_native_run(c->native, &input, pool, &got), ST_OK);
    assert_int_equal(got.n_columns, want.n_columns);
    assert_same_graph(&got.graph, &want.graph);
    if (want.graph.first != NULL)
        n_nodes = want.graph.n_nodes;
    for (int k = 0; k < want.n_columns; k++)
        if (memcmp(got.column[k].values, want.column[k].values,
                   (size_t)n_nodes * bytes_of(want.column[k].symbol->type)) != 0)
            fail_msg("%s, %d nodes, %d threads: %s differs", c->program.path,
                     (int)g->n_nodes, n_threads, want.column[k].symbol->name);
    assert_int_equal(got.n_iterations, want.n_iterations);
    assert_int_equal(got.n_visited, want.n_visited);
    rg_result_free(&want);
    rg_result_free(&got);
    pool_destroy(pool);
}

static void compare_on(const compiled_t *c, const made_graph_t *graphs, int n)
{
    for (int i = 0; i < n; i++) {
        csr_t g = made_graph(&graphs[i]);

        compare(c, &g, 1);
        compare(c, &g, 3);
        csr_free(&g);
    }
}

static void compare_on_graphs(const compiled_t *c)
{
    static const made_graph_t graphs[] = {
        {.shape = MADE_RMAT, .weights = MADE_VALUES, .n = MANY, .seed = 1},
        {.shape = MADE_SPARSE, .n = MANY, .is_directed = true, .seed = 2},
        {.shape = MADE_GRID, .weights = MADE_SMALL_WEIGHTS, .n = 400, .seed = 3},
        {.shape = MADE_ISOLATED, .n = 70, .seed = 4}};

    compare_on(c, graphs, sizeof(graphs) / sizeof(graphs[0]));
}

/* Symbols 0 to 2. */
static void compare_on_automata(const compiled_t *c)
{
    static const made_graph_t graphs[] = {
        {.shape = MADE_CYCLE, .weights = MADE_SMALL_WEIGHTS, .n = 40, .seed = 1},
        {.shape = MADE_GRID, .weights = MADE_SMALL_WEIGHTS, .n = 30, .seed = 2},
        {.shape = MADE_SPARSE,
         .weights = MADE_SMALL_WEIGHTS,
         .n = 60,
         .is_directed = true,
         .seed = 3}};

    compare_on(c, graphs, sizeof(graphs) / sizeof(graphs[0]));
}

static void shipped_programs_are_the_same(void **state)
{
    (void)state;
    for (int i = 0; rg_shipped[i].name != NULL; i++) {
        compiled_t c;

        compile(rg_shipped[i].name, rg_shipped[i].text, &c);
        if (c.program.used[RG_EDGE_ATTRIBUTES].line != 0)
            compare_on_automata(&c);
        else
            compare_on_graphs(&c);
        release(&c);
    }
}

/* Each part of the language, in serial code, in pieces, and nested. */
static void every_part_of_the_language_is_the_same(void **state)
{
    static const char *const texts[] = {
        "output attribute int x = 7 / 2 - -7 / 2 * 10 + -7 % 4 * (9223372036854775807 + "
        "2); output attribute real y = 1.0 / 3 - 0.1 * sqrt(2.5) + min(2, 2.5) + abs(-3);"
        "output attribute bool z = !(1 < 2 && 2.5 >= 3 || none != none) == true;",

        "output attribute int x; output attribute real y; output attribute node p;"
        "foreach (v in nodes) { v.x = v.degree * 3 + v.in_degree + abs(v.id - 500) % 17;"
        "v.y = sum(e in v.edges where e.weight > 0.25: e.weight * 0.1) + min(u in v.in: "
        "real(u.id)); v.p = max(u in v.out where u < v: u); if (v.y > 1e300) { v.y = -1; "
        "} else if (v.y > 20) { v.y = sum(u in v.out: 1.0 / u.id); } }",

        "output attribute int x; output attribute int c; set s; set t; int n; int low = "
        "100; int high; real r = 3; bool a = true; bool o; node last;"
        "foreach (v in nodes where v.id % 3 != 0) { s.add(v); n += v.degree; low min= "
        "v.id; high max= v.id; r min= 1.0 / v.id; a &= v.id > 5; o |= v.id == 9; last "
        "max= v; }"
        "foreach (v in s) { foreach (u in v.out) { u.x += v.id; u.c max= v.degree; "
        "t.add(u); } }"
        "foreach (v in t) { s.remove(v); }"
        "for (v in s) { n = n * 31 + v.id; } swap s, t; swap x, c;"
        "foreach (v in nodes) { v.x += n + low * 2 + high * 3 + int(r * 1e6) + (a ? 1 : "
        "2) + (o ? 4 : 8) + (v in s ? s.size : t.size) + last.id; }",

        "output attribute real y; attribute real z = 0.125; real total = sum(v in nodes: "
        "1.0 / v.id); int k = count(v in nodes where v.degree > 3) + sum(v in nodes: "
        "v.id) + min(v in nodes: v.id) + max(v in nodes: v.degree * v.id); real m = "
        "min(v in nodes: 1.0 / v.id) + max(v in nodes: -0.5 / v.id); node q = min(v in "
        "nodes where v.id > 20: v); bool b = any(v in nodes: v.degree == 2) && all(v in "
        "nodes: v.id > 2); set s; foreach (v in nodes where v.degree > 1) { s.add(v); } "
        "total += sum(v in s: 0.1 * v.id) + real(count(v in s)) + (b ? 1 : 0);"
        "foreach (v in nodes) { v.z = total / (k + v.id) + m; } swap y, z;"
        "foreach (v in nodes where v != q) { int i; int f = 1; while (i < v.degree && i "
        "< 20) { i += 1; f = f * 3 % 1000; if (f == 9) { v.y += 0.5; } } v.y += f; }",

        "output attribute int x; output attribute real y; multiset m; oset o; omultiset "
        "r; queue q; edge attribute int w = 2; edge attribute real z; edge attribute "
        "bool "
        "b; edge attribute node p; int n; foreach (v in nodes) { foreach (u in v.out) { "
        "m.add(u); } foreach (e in v.edges) { e.w += v.id; e.z = e.weight * 0.3; e.b = "
        "e.to > v; e.p = v; } } foreach (v in m) { n += v.id; v.x += 1; } for (v in "
        "nodes "
        "where v.degree > 3) { o.add(v); r.add(v); q.add(v); for (u in v.out where u.id "
        "% "
        "3 == 0) { o.add(u); r.add(u); q.add(u); } } foreach (v in nodes where v.id % 5 "
        "!= 0) { m.remove(v); } for (v in o where v.id % 7 == 0) { r.remove(v); } real t "
        "= sum(v in m: 1.0 / v.id) + sum(v in o where v.id > 9: 0.1 * v.id) + sum(v in "
        "r: 0.3 / v.id); int k; while (q.size > 0 && k < 50) { n = n * 31 + q.first.id; "
        "q.pop(); k += 1; } n += count(v in m) + sum(v in q: v.degree) + max(v in r: "
        "v.id) "
        "+ (any(v in m: m.count(v) == 3) ? 7 : 9); foreach (v in nodes) { foreach (e in "
        "v.edges) { e.w += n; } } foreach (v in nodes) { v.x += n + m.count(v) + "
        "r.count(v) + m.size + o.size + r.size + q.size + sum(e in v.edges where e.b: "
        "e.w "
        "+ e.p.id); v.y = t + sum(e in v.edges: e.z) + (v in o ? 1 : 2) + (v in r ? 4 : "
        "8); }",

        "output attribute int x = -1; attribute int y; set s; set t; node hub = max(v in "
        "nodes where v.degree > 0: v); if (hub == none) { hub = min(v in nodes: v); } "
        "inBFS (v from hub where v.id % 4 != 0; level) { v.x = level; barrier; foreach "
        "(u "
        "in v.out) { u.y += v.x; } } s.add(hub); int k; while (s.size > 0 && k < 4; "
        "dynamic_update(s)) { k += 1; foreach (v in s) { v.y += k; foreach (u in v.out) "
        "{ s.add(u); t.add(u); } } } foreach (v in t; clear) { v.y = v.y * 3 + 1; } "
        "foreach (v in nodes) { v.x = v.x * 100 + v.y + t.size; barrier; v.y = sum(u in "
        "v.out: u.x); barrier; v.x = v.y; }",

        "output attribute int x; output attribute int y = 5; queue q; oset o; set s; int "
        "n; "
        "int k = 3; real r; foreach (v in nodes where v.degree > 1) { s.add(v); } while "
        "(k "
        "> 0) { k += -1; x = scan(v in nodes where v.id % 3 != k: v.degree + v.x + "
        "count(u "
        "in v.out where u > v)); } y = scan(v in s: v.x); q = sort(v in nodes where v.id "
        "% 2 == 0: sum(u in v.out: 1.0 / u.id) - 0.01); o = sort(u in q: -u.degree + "
        "min(w in u.out: w.id) % 5); for (v in q) { n = n * 31 + v.id; } x = scan(v in "
        "o: "
        "v.x + sum(u in nodes where u.id < 100: u.id)); foreach (v in s) { int d = "
        "v.degree; foreach (u in v.out where u != v) { critical { if (u.y < n) { u.y = "
        "n; "
        "n = n * 3 + d; r += 1.0 / d; q.add(u); } } } } foreach (v in nodes) { v.x += n "
        "+ "
        "q.first.id + int(r * 1e6); }",

        "output attribute int x = 1; output attribute node p; attribute real y = 0.5; "
        "edge "
        "attribute int w = 4; set s; multiset m; omultiset o; node last; int n; bool b; "
        "foreach (v in nodes) { foreach (e in v.edges) { e.w += v.id; } if (v.degree == "
        "0) "
        "{ delete node v; } foreach (u in v.out where u.id % 5 == 0) { new edge (u, v, "
        "v.id % 7); delete edge (v, u); } m.add(v); if (v.id % 4 == 0) { s.add(v); } "
        "last max= v; } for (v in s) { o.add(v); new node t; last = t; t.x = v.id; new "
        "edge "
        "(t, v); new edge (v, t, 0.25); o.add(t); m.add(t); } int k; while "
        "(k "
        "< 3) { k += 1; commit; foreach (v in nodes) { v.x += count(u in v.out) + 3 * "
        "count(u in v.in) + v.in_degree + sum(e in v.edges: e.w); v.p = max(u in v.in: "
        "u); critical { if (v.id % 50 == k) { new node t; new edge (t, v); } } } foreach "
        "(v in nodes where v.id % 11 == k) { delete node v; } if (k == 2) { rebalance; "
        "b = last == none; n += sum(v in o: v.id) + count(v in m); } n += sum(v in "
        "nodes: "
        "v.x) + nodes.size + s.size + (b ? 1 : 0); } foreach (v in nodes) { v.x += n + "
        "m.count(v) + sum(e in v.edges: int(e.weight * 4)) + (last != none ? last.id : "
        "0); }",

        "output attribute int x; node hub = max(v in nodes: v); foreach (u in hub.out) { "
        "u.x += 1; foreach (w in u.out) { w.x += arc(w, hub) ? 10 : 100; } }"
        "for (v in hub.in) { foreach (u in nodes where u < v) { u.x += v.id; } }"
        "int i; while (i < 5) { i += 1; if (i % 2 == 0) { foreach (v in nodes) { int k = "
        "i; for (u in v.out) { k = k * 7 + u.id; } v.x = v.x * 3 + k; } } }",

        "output attribute int x; node hub = max(v in nodes where v.degree > 0: v); "
        "int n = hub == none ? 0 : sum(u in hub.out: count(v in nodes where v < u)); "
        "foreach (v in nodes) { v.x = n; }"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char name[16];
        compiled_t c;

        snprintf(name, sizeof(name), "text %d", (int)i);
        compile(name, texts[i], &c);
        compare_on_graphs(&c);
        release(&c);
    }
}

static void assert_fails_alike(const char *text)
{
    csr_t g = made_graph(&(made_graph_t){.shape = MADE_RMAT, .n = MANY, .seed = 1});
    compiled_t c;
    rg_input_t input;
    char first[CAPTURE_BYTES];
    rg_result_t r;
    pool_t *pool;

    compile("p.rg", text, &c);
    input = input_of(&c.program, &g);
    assert_int_equal(pool_create(3, &pool), ST_OK);
    capture_start();
    assert_int_equal(rg_run(&c.program, &input, &r), ST_EINPUT);
    capture_stop();
    strcpy(first, logged);
    capture_start();
    assert_int_equal(rg_native_run(c.native, &input, pool, &r), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_string_equal(logged, first);
    pool_destroy(pool);
    release(&c);
    csr_free(&g);
}

static void errors_are_the_same(void **state)
{
#define X "output attribute int x;\n"
    (void)state;
    assert_fails_alike(X "int i = 5 / (1 - 1);");
    assert_fails_alike(X "node n;\nn.x = 2;");
    assert_fails_alike(X "set s;\ns.add(none);");
    assert_fails_alike(X "int i = int(-1e19);");
    assert_fails_alike(X "\nwhile (true) { }");
    assert_fails_alike(X "param int k;");
    assert_fails_alike(
        X "foreach (v in nodes) {\nnew edge (v, v, 1.0 / (v.id - 30005)); }");
    assert_fails_alike(X "queue q;\nwhile (true) { node n; q.add(n); }");
    assert_fails_alike(X "int i = sum(v in nodes: 5 % (v.id - 30110));");
    assert_fails_alike(X "foreach (v in nodes) { while (v.id > 25003) { } }");
    assert_fails_alike(X "foreach (v in nodes) {\nif (v.id > 30003) { v.x = 1 / 0; }\nif "
                         "(v.id > 20003) { v.x = int(infinity); }\nif (v.id > 25003) { "
                         "node n; v.x = n.id; } }");
#undef X
}

static void without_a_compiler_there_is_a_reason(void **state)
{
    const char *compiler = getenv("CC");
    char *old = compiler != NULL ? strdup(compiler) : NULL;
    rg_program_t p = rg_parsed("output attribute int x;");
    rg_native_t *native;

    (void)state;
    setenv("CC", "/no/such/compiler", 1);
    capture_start();
    assert_int_equal(rg_native_create(&p, false, &native), ST_EDEVICE);
    capture_stop();
    assert_logged_one_line();
    assert_logged("/no/such/compiler: it cannot be run");
    capture_start();
    assert_int_equal(rg_native_create(&p, true, &native), ST_EDEVICE);
    capture_stop();
    assert_string_equal(logged, "");
    setenv("CC", "false", 1);
    assert_int_equal(rg_native_create(&p, true, &native), ST_EDEVICE);
    if (old != NULL)
        setenv("CC", old, 1);
    else
        unsetenv("CC");
    free(old);
    rg_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_programs_are_the_same),
        cmocka_unit_test(every_part_of_the_language_is_the_same),
        cmocka_unit_test(errors_are_the_same),
        cmocka_unit_test(without_a_compiler_there_is_a_reason),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
