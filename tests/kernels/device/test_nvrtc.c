/*
 * test_nvrtc.c - text becomes machine code for a GPU, without one.
 */
#include "tests/support/unit_test.h"

#include "kernels/device/nvrtc.h"

#include <stdio.h>
#include <string.h>

enum { SKIPPED = 77 };

static status_t compile(const char *text, int capability, size_t *bytes, char *why)
{
    buf_t cubin = {0};
    char reason[NVRTC_WHY_BYTES] = "";
    const status_t st = nvrtc_compile(text, capability, &cubin, reason);

    snprintf(why, NVRTC_WHY_BYTES, "%s", reason);
    *bytes = cubin.len;
    buf_free(&cubin);
    return st;
}

static void a_kernel_is_compiled_for_each_gpu(void **state)
{
    static const int capabilities[] = {80, 86, 90};
    char why[NVRTC_WHY_BYTES];
    size_t bytes;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(compile("#include <stdint.h>\n#include <math.h>\nextern \"C\" "
                                 "__global__ void k(int64_t *x, double *y) { *x = "
                                 "INT64_MAX; *y = HUGE_VAL; }",
                                 capabilities[i], &bytes, why),
                         ST_OK);
        assert_true(bytes > 0);
    }
}

static void an_error_is_the_first_line_of_the_compiler(void **state)
{
    char why[NVRTC_WHY_BYTES];
    size_t bytes;

    (void)state;
    assert_int_equal(compile("__global__ void k()\n{\n x = 1; }", 80, &bytes, why),
                     ST_EDEVICE);
    assert_string_equal(why, "program.cu(3): error: identifier \"x\" is undefined");
    assert_int_equal(bytes, 0);
}

static void an_unknown_gpu_is_an_error(void **state)
{
    char why[NVRTC_WHY_BYTES];
    size_t bytes;

    (void)state;
    assert_int_equal(compile("", 7, &bytes, why), ST_EDEVICE);
    assert_non_null(strstr(why, "nvrtc: error: invalid value for --gpu-architecture"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_is_compiled_for_each_gpu),
        cmocka_unit_test(an_error_is_the_first_line_of_the_compiler),
        cmocka_unit_test(an_unknown_gpu_is_an_error),
    };
    char why[NVRTC_WHY_BYTES];

    if (!nvrtc_is_there(why)) {
        printf("skipped: %s\n", why);
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
