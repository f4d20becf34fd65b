/*
 * test_device_cpu.c - the description of this machine's CPU is plausible.
 */
#include "tests/support/unit_test.h"

#include "kernels/device/device.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

static void the_cpu_has_a_name_and_no_uuid(void **state)
{
    device_t cpu = device_cpu();

    (void)state;
    assert_int_equal(cpu.kind, DEVICE_CPU);
    assert_in_range(strlen(cpu.name), 1, DEVICE_NAME_BYTES - 1);
    assert_int_equal(strcspn(cpu.name, "\n"), strlen(cpu.name));
    assert_string_equal(cpu.uuid, "");
    assert_int_equal(cpu.capability, 0);
}

static void the_cpu_has_no_more_cores_than_the_machine(void **state)
{
    device_t cpu = device_cpu();

    (void)state;
    assert_in_range(cpu.n_cores, 1, sysconf(_SC_NPROCESSORS_CONF));
}

static void the_affinity_mask_limits_the_cores(void **state)
{
    cpu_set_t before, one;
    int first = 0;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    assert_int_equal(device_cpu().n_cores, 1);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
    assert_int_equal(device_cpu().n_cores, CPU_COUNT(&before));
}

static void memory_is_at_most_what_the_machine_has(void **state)
{
    device_t cpu = device_cpu();
    int64_t all = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

    (void)state;
    assert_true(cpu.memory_bytes > 1 << 20);
    assert_true(cpu.memory_bytes <= all);
}

static void every_simd_level_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(device_simd_name(SIMD_NONE), "none");
    assert_string_equal(device_simd_name(SIMD_AVX2), "avx2");
    assert_string_equal(device_simd_name(SIMD_AVX512), "avx512");
    assert_in_range(device_cpu().simd, SIMD_NONE, SIMD_AVX512);
}

static void absent_gpus_are_explained(void **state)
{
    device_t gpus[DEVICES_MAX];
    int n = device_list_cuda(gpus);

    (void)state;
    assert_in_range(n, 0, DEVICES_MAX);
    assert_non_null(device_cuda_absence());
    assert_true(strlen(device_cuda_absence()) > 0);
    for (int i = 0; i < n; i++)
        assert_int_equal(gpus[i].kind, DEVICE_CUDA);
}

static void an_option_allows_kinds_of_devices(void **state)
{
    const unsigned cpu = DEVICE_BIT(DEVICE_CPU), gpu = DEVICE_BIT(DEVICE_CUDA);

    (void)state;
    assert_int_equal(device_option_kinds("auto"), cpu | gpu);
    assert_int_equal(device_option_kinds("cpu"), cpu);
    assert_int_equal(device_option_kinds("cuda"), gpu);
    assert_int_equal(device_option_kinds("cuda:1"), gpu);
    assert_int_equal(device_option_kinds("cudas"), 0);
    assert_int_equal(device_option_kinds("gpu"), 0);
    for (int kind = 0; kind < DEVICE_N_KINDS; kind++)
        assert_int_equal(device_option_kinds(device_kind_name[kind]), DEVICE_BIT(kind));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cpu_has_a_name_and_no_uuid),
        cmocka_unit_test(the_cpu_has_no_more_cores_than_the_machine),
        cmocka_unit_test(the_affinity_mask_limits_the_cores),
        cmocka_unit_test(memory_is_at_most_what_the_machine_has),
        cmocka_unit_test(every_simd_level_has_a_name),
        cmocka_unit_test(absent_gpus_are_explained),
        cmocka_unit_test(an_option_allows_kinds_of_devices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
