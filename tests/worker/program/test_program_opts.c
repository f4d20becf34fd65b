/*
 * test_program_opts.c - options of the job "graph run", and values of params.
 */
#include "tests/support/unit_test.h"

#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"
#include "worker/program/program_opts.h"

#define TEXT                                                                     \
    "param int k; param real x = 1; param bool is_on; param node source = none;" \
    "output attribute int depth;"

static program_opts_t opts;
static char why[JOB_OPTS_WHY_BYTES];
static int slot[4]; /* of the params */

static void start(void)
{
    opts = program_opts_defaults();
    opts.program = "p.rg";
    opts.graph.input = "g.txt";
    opts.graph.common.output = "out.h5";
    why[0] = '\0';
}

static void assert_why(const char *expected)
{
    if (strstr(why, expected) == NULL)
        fail_msg("'%s' does not contain '%s'", why, expected);
}

static void assert_refused(const char *expected)
{
    assert_int_equal(program_opts_settle(&opts.graph.common, why), ST_EUSAGE);
    assert_why(expected);
}

static void input_and_output_are_needed(void **state)
{
    (void)state;
    start();
    opts.graph.input = NULL;
    assert_refused("give GRAPH");
    start();
    opts.graph.common.output = NULL;
    assert_refused("-o");
    start();
    opts.graph.symmetrize = opts.graph.read.is_directed = true;
    assert_refused("--directed or --symmetrize");
}

/* Take "K=V,..." of the program above. @param g  or NULL */
static status_t take(const char *params, const csr_t *g, program_params_t *out)
{
    rg_program_t program;
    status_t st;
    int n = 0;

    start();
    opts.params = params;
    *out = (program_params_t){0};
    assert_int_equal(rg_parse("p.rg", TEXT, strlen(TEXT), &program), ST_OK);
    for (const rg_symbol_t *s = program.symbols; s != NULL; s = s->next)
        if (s->kind == SYMBOL_PARAM)
            slot[n++] = s->slot;
    st = program_params_take(&opts, &program, g, NULL, why, out);
    rg_free(&program);
    return st;
}

static void values_have_the_types_of_their_params(void **state)
{
    csr_t g = made_graph_of("3-5 5-9", false);
    program_params_t p;

    (void)state;
    assert_int_equal(take("k=-7,x=0.5,is_on=true,source=9", &g, &p), ST_OK);
    assert_int_equal(p.value[slot[0]].i, -7);
    assert_true(p.value[slot[1]].r == 0.5);
    assert_int_equal(p.value[slot[2]].i, 1);
    assert_int_equal(p.value[slot[3]].i, 2); /* the third node */
    for (int i = 0; i < 4; i++)
        assert_true(p.is_given[slot[i]]);
    assert_memory_equal(p.text.data, "k=-7\nx=0.5\nis_on=true\nsource=9\n", p.text.len);
    program_params_free(&p);
    assert_int_equal(take("source=max-degree", &g, &p), ST_OK);
    assert_int_equal(p.value[slot[3]].i, 1);
    assert_false(p.is_given[slot[0]]);
    assert_memory_equal(p.text.data, "source=5\n", p.text.len); /* the node's id */
    program_params_free(&p);
    csr_free(&g);
}

static void wrong_values_are_refused(void **state)
{
    static const struct {
        const char *params, *why;
    } rows[] = {{"k=1.5", "type int; give a whole number"},
                {"x=one", "type real; give a number"},
                {"x=inf", "type real; give a number"},
                {"is_on=1", "give true or false"},
                {"sourc=3", "no such param; did you mean source?"},
                {"depth=3", "p.rg has no such param"},
                {"k=1,k=2", "given twice"},
                {"k", "give NAME=VALUE"}};
    program_params_t p;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(take(rows[i].params, NULL, &p), ST_EUSAGE);
        assert_why(rows[i].why);
        program_params_free(&p);
    }
}

static void a_node_must_be_in_the_graph(void **state)
{
    csr_t g = made_graph_of("3-5 5-9", false);
    program_params_t p;

    (void)state;
    assert_int_equal(take("source=4", NULL, &p), ST_OK); /* not looked up yet */
    program_params_free(&p);
    capture_start();
    assert_int_equal(take("source=4", &g, &p), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    program_params_free(&p);
    csr_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_and_output_are_needed),
        cmocka_unit_test(values_have_the_types_of_their_params),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(a_node_must_be_in_the_graph),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
