/*
 * test_kernel_list.c - kernels are found by name and kind of device; other names are
 * refused with those that there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/device/kernel_list.h"
#include "tests/support/captured_log.h"

static kernel_list_t three(void)
{
    kernel_list_t list = {0};

    kernel_list_add(&list, "fast", DEVICE_CUDA);
    kernel_list_add(&list, "fast", DEVICE_CPU);
    kernel_list_add(&list, "plain", DEVICE_CPU);
    return list;
}

static void a_kernel_belongs_to_its_kind_of_device(void **state)
{
    const kernel_list_t list = three();

    (void)state;
    assert_true(kernel_list_has(&list, "fast", DEVICE_CUDA));
    assert_true(kernel_list_has(&list, "plain", DEVICE_CPU));
    assert_false(kernel_list_has(&list, "plain", DEVICE_CUDA));
    assert_false(kernel_list_has(&list, "fas", DEVICE_CPU));
}

static void another_name_is_refused_with_those_of_the_device(void **state)
{
    const kernel_list_t list = three();

    (void)state;
    capture_start();
    assert_int_equal(kernel_list_refuse(&list, "slow", DEVICE_CPU), ST_EUSAGE);
    capture_stop();
    assert_logged_one_line();
    assert_logged("--kernel slow: no such kernel for this device; choose from: auto fast "
                  "plain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_belongs_to_its_kind_of_device),
        cmocka_unit_test(another_name_is_refused_with_those_of_the_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
