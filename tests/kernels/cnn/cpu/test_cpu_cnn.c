/*
 * test_cpu_cnn.c - the CNN backend `cpu` against `serial`, and with several numbers of
 * threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/cnn/common/cnn_backend.h"
#include "tests/support/layer_case.h"
#include "tests/support/pool_fixture.h"

#include <string.h>

static bool takes(const layer_case_t *c)
{
    layer_program_t p;
    cnn_context_t context = {.device = &cpu, .program = &p.one.program};

    layer_case_program(c, CNN_F32, CNN_STRICT, &p);
    return cpu_cnn_backend.takes(&context);
}

/* Sums of up to some thousand products round in the 6th digit. */
static void all_layers_are_those_of_serial(void **state)
{
    const cnn_context_t where = {.device = &cpu, .pool = pool};
    int n_different = 0;

    (void)state;
    for (int i = 0; i < n_layer_cases; i++)
        if (takes(&layer_cases[i]))
            n_different += !layer_case_compare(&layer_cases[i], &cpu_cnn_backend, &where,
                                               CNN_F32, CNN_STRICT, 1e-5);
    assert_int_equal(n_different, 0);
}

static void only_casts_are_left_out(void **state)
{
    (void)state;
    for (int i = 0; i < n_layer_cases; i++)
        assert_int_equal(takes(&layer_cases[i]), layer_cases[i].op != CNN_CAST);
}

/* Run a case with a number of threads; the caller frees the results. */
static void run(const layer_case_t *c, int n_threads, layer_program_t *p,
                one_step_values_t *out)
{
    one_step_values_t in;
    pool_t *threads = NULL;

    assert_int_equal(pool_create(n_threads, &threads), ST_OK);
    layer_case_program(c, CNN_F32, CNN_STRICT, p);
    layer_case_values(c, p, &in);
    one_step_values_create(&p->one, out);
    assert_int_equal(one_step_run(&p->one, &cpu_cnn_backend,
                                  &(cnn_context_t){.device = &cpu, .pool = threads},
                                  &layer_iteration, &in, out),
                     ST_OK);
    one_step_values_free(&in);
    pool_destroy(threads);
}

static void any_number_of_threads_gives_the_same_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < n_layer_cases; i++) {
        one_step_values_t one, more;
        layer_program_t p;

        if (!takes(&layer_cases[i]))
            continue;
        run(&layer_cases[i], 1, &p, &one);
        run(&layer_cases[i], 3, &p, &more);
        for (int t = 0; t < p.one.program.n_tensors; t++)
            assert_memory_equal(one.of[t], more.of[t],
                                (size_t)cnn_tensor_n(&p.one.tensors[t]) * sizeof(double));
        one_step_values_free(&one);
        one_step_values_free(&more);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_layers_are_those_of_serial),
        cmocka_unit_test(only_casts_are_left_out),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, pool_fixture_start, pool_fixture_stop);
}
