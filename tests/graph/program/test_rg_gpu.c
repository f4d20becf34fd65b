/*
 * test_rg_gpu.c - graph programs on a GPU that is not there: kernels run on the CPU
 * (cuda_stub.c), and compute what the interpreter does.
 */
#include "tests/support/unit_test.h"

#include "tests/graph/program/gpu_program_case.h"

enum { NODES = 300, CAPABILITY = 90 };

static gpu_program_case_t on_stub(void)
{
    return (gpu_program_case_t){.gpu = {.kind = DEVICE_CUDA,
                                        .n_cores = 1,
                                        .capability = CAPABILITY},
                                .n_nodes = NODES,
                                .share = 1,
                                .n_shares = program_step()};
}

static void need_a_compiler(void)
{
    if (system("${CXX:-c++} --version >/dev/null 2>&1") != 0)
        skip();
}

static void shipped_programs_are_the_same(void **state)
{
    gpu_program_case_t c = on_stub();

    (void)state;
    need_a_compiler();
    gpu_program_shipped(&c);
    assert_int_equal(c.n_failed, 0);
}

static void every_part_of_the_language_is_the_same(void **state)
{
    gpu_program_case_t c = on_stub();

    (void)state;
    need_a_compiler();
    gpu_program_of_texts(&c);
    assert_int_equal(c.n_failed, 0);
}

static void errors_are_the_same(void **state)
{
    gpu_program_case_t c = on_stub();

    (void)state;
    need_a_compiler();
    gpu_program_failures(&c);
    assert_int_equal(c.n_failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_programs_are_the_same),
        cmocka_unit_test(every_part_of_the_language_is_the_same),
        cmocka_unit_test(errors_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
