/* test_cnn_engine.c - the choice of a CNN backend by device and name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/cnn/engine/cnn_engine.h"
#include "tests/support/captured_log.h"
#include "tests/support/layer_case.h"

static device_t cpu;
static layer_program_t program;

static cnn_context_t context_of(cnn_type_t type)
{
    cpu = device_cpu();
    layer_case_program(&layer_cases[0], type, CNN_STRICT, &program);
    return (cnn_context_t){.device = &cpu, .program = &program.one.program};
}

static void the_first_of_the_device_is_chosen(void **state)
{
    cnn_context_t context = context_of(CNN_F32);
    const cnn_backend_t *backend = NULL, *const *b = cnn_backends();

    (void)state;
    while ((*b)->kind != DEVICE_CPU)
        b++;
    assert_int_equal(cnn_engine_choose(&context, NULL, &backend), ST_OK);
    assert_ptr_equal(backend, *b);
}

static void serial_runs_what_others_do_not(void **state)
{
    cnn_context_t context = context_of(CNN_F64);
    const cnn_backend_t *backend = NULL;

    (void)state;
    assert_int_equal(cnn_engine_choose(&context, NULL, &backend), ST_OK);
    assert_string_equal(backend->name, "serial");
}

static void a_backend_is_found_by_its_name(void **state)
{
    cnn_context_t context = context_of(CNN_F32);

    (void)state;
    for (const cnn_backend_t *const *b = cnn_backends(); *b != NULL; b++) {
        const cnn_backend_t *backend = NULL;

        if ((*b)->kind != DEVICE_CPU)
            continue;
        assert_int_equal(cnn_engine_choose(&context, (*b)->name, &backend), ST_OK);
        assert_ptr_equal(backend, *b);
    }
}

static void an_unknown_name_is_refused_with_a_list(void **state)
{
    cnn_context_t context = context_of(CNN_F32);
    const cnn_backend_t *backend = NULL;
    status_t st;

    (void)state;
    capture_start();
    st = cnn_engine_choose(&context, "cereal", &backend);
    capture_stop();
    assert_int_equal(st, ST_EUSAGE);
    assert_null(backend);
    assert_non_null(strstr(logged, "--kernel cereal: no such kernel"));
    assert_non_null(strstr(logged, " serial"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_of_the_device_is_chosen),
        cmocka_unit_test(serial_runs_what_others_do_not),
        cmocka_unit_test(a_backend_is_found_by_its_name),
        cmocka_unit_test(an_unknown_name_is_refused_with_a_list),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
