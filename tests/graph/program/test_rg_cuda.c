/*
 * test_rg_cuda.c - which loops of a program become kernels, and that NVRTC compiles them:
 * those of shipped programs, of each part of the language, and of random programs.  What
 * they compute: gpu_rg_cuda.c.
 */
#include "tests/support/unit_test.h"

#include "graph/program/rg_emit.h"
#include "graph/program/rg_gpu.h"
#include "kernels/device/nvrtc.h"
#include "tests/graph/program/program_case.h"
#include "tests/graph/program/program_texts.h"

enum { CAPABILITY = 80, SKIPPED = 77 };

static void assert_compiles(const char *name, const char *text)
{
    rg_program_t p = rg_parsed(text);
    char why[NVRTC_WHY_BYTES] = "";
    buf_t source = {0}, cubin = {0};

    assert_int_equal(rg_emit_cuda(&p, &source), ST_OK);
    assert_int_equal(buf_append(&source, "", 1), ST_OK);
    if (nvrtc_compile((const char *)source.data, CAPABILITY, &cubin, why) != ST_OK)
        fail_msg("%s: %s", name, why);
    assert_true(cubin.len > 0);
    buf_free(&source);
    buf_free(&cubin);
    rg_free(&p);
}

static void kernels_of_shipped_programs_are_compiled(void **state)
{
    (void)state;
    for (int i = 0; rg_shipped[i].name != NULL; i++)
        if (i % program_step() == 0)
            assert_compiles(rg_shipped[i].name, rg_shipped[i].text);
}

static void kernels_of_every_part_of_the_language_are_compiled(void **state)
{
    (void)state;
    for (int i = 0; i < PROGRAM_TEXTS; i += program_step())
        assert_compiles("a text", program_texts[i]);
}

static void assert_described(const char *text, const char *want)
{
    rg_program_t p = rg_parsed(text);
    buf_t got = {0};

    assert_int_equal(rg_gpu_describe(&p, &got), ST_OK);
    assert_string_equal(got.data, want);
    buf_free(&got);
    rg_free(&p);
}

#define X "output attribute int x;\n"

static void loops_over_nodes_and_collections_are_kernels(void **state)
{
    (void)state;
    assert_described(X "foreach (v in nodes) { v.x = 1; }", "the GPU computes line 2");
    assert_described(X "set s;\nforeach (v in s) {\nforeach (u in v.out) { u.x += 1; } }",
                     "the GPU computes line 3");
    assert_described(X
                     "int i = sum(v in nodes: v.id);\nwhile (\nany(v in nodes: v.x < i)) "
                     "{ foreach (v in nodes) { v.x = i; } }",
                     "the GPU computes line 2, 4, 4");
}

static void what_has_an_order_is_the_hosts(void **state)
{
    (void)state;
    assert_described(X "int i;\nforeach (v in nodes) { v.x = 2; }\n"
                       "foreach (v in nodes) { critical { i = v.id; } }",
                     "the GPU computes line 3; the host line 4");
    assert_described(X "foreach (v in nodes) { delete node v; }",
                     "the GPU computes nothing; the host line 2");
    assert_described(X "node v = max(u in nodes: u);\n"
                       "foreach (u in v.out) { u.x += 1; }\n"
                       "foreach (u in v.in) { u.x += 1; }",
                     "the GPU computes line 2; the host line 3, 4");
}

/* An inner loop of a kernel is shared by the threads of a block. */
static void iterations_with_loops_inside_are_those_of_blocks(void **state)
{
    rg_program_t p = rg_parsed(
        X "foreach (v in nodes) { v.x = 1; }\nforeach (v in nodes) { v.x = "
          "count(u in v.out); }\nforeach (v in nodes) { while (v.x < 5) { v.x += "
          "1; } }");

    (void)state;
    assert_int_equal(p.n_kernels, 3);
    assert_false(p.kernels->is_nested);
    assert_true(p.kernels->next->is_nested);
    assert_false(p.kernels->next->next->is_nested);
    rg_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_over_nodes_and_collections_are_kernels),
        cmocka_unit_test(what_has_an_order_is_the_hosts),
        cmocka_unit_test(iterations_with_loops_inside_are_those_of_blocks),
        cmocka_unit_test(kernels_of_shipped_programs_are_compiled),
        cmocka_unit_test(kernels_of_every_part_of_the_language_are_compiled),
    };
    char why[NVRTC_WHY_BYTES];

    if (!nvrtc_is_there(why)) {
        printf("skipped: %s\n", why);
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
