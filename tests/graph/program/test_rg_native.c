/*
 * test_rg_native.c - compiled programs compute what the interpreter does, on any number
 * of threads, and fail at the same place.
 */
#include "tests/support/unit_test.h"

#include "graph/program/rg_native.h"
#include "tests/graph/program/program_case.h"
#include "tests/graph/program/program_texts.h"
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

static void every_part_of_the_language_is_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < PROGRAM_TEXTS; i++) {
        char name[16];
        compiled_t c;

        snprintf(name, sizeof(name), "text %d", i);
        compile(name, program_texts[i], &c);
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
    (void)state;
    for (int i = 0; i < PROGRAM_FAILURES; i++)
        assert_fails_alike(program_failures[i]);
    assert_fails_alike("output attribute int x; param int k;");
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
