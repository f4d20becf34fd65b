/*
 * test_device_limit.c - what does not fit is refused by a line that names what does.
 */
#include "tests/support/unit_test.h"

#include "cnn/memory/device_limit.h"
#include "kernels/cnn/common/cnn_scratch.h"
#include "tests/cnn/plan/plan_case.h"
#include "tests/support/captured_log.h"

static device_t cpu;
static size_t applied; /* the last limit; 0: none */

static device_place_t on_cpu(void)
{
    cpu = device_cpu();
    return (device_place_t){.device = &cpu,
                            .kernel = "cpu",
                            .n_threads = 2,
                            .host_bytes = (int64_t)1 << 40};
}

/* @return what applying a limit to LeNet gives, and to its test if n is 2 */
static status_t apply(int64_t bytes, const device_place_t *place, int n, size_t *arena)
{
    plan_case_t c[2] = {plan_case_shipped("lenet", 64, CNN_PLAN_FP32, CNN_PLAN_TRAINING),
                        plan_case_shipped("lenet", 64, CNN_PLAN_FP32,
                                          CNN_PLAN_INFERENCE)};
    cnn_program_t *programs[2] = {c[0].program, c[1].program};
    const device_limit_t limit = {bytes, SWAP_PLAN, SWAP_REMATERIALIZE_AUTO};
    status_t st;

    applied = 0;
    capture_start();
    st = device_limit_apply(&limit, place, programs, n, &applied);
    capture_stop();
    *arena = programs[0]->arena_bytes + (n > 1 ? programs[1]->arena_bytes : 0);
    for (int i = 0; i < 2; i++) {
        c[i].program = programs[i];
        plan_case_free(&c[i]);
    }
    return st;
}

/* @return the limit that the last message advises, in bytes */
static int64_t advised(void)
{
    int64_t number;
    char unit;

    assert_int_equal(sscanf(strstr(logged, "give --device-memory ") + 21, "%ld%c",
                            &number, &unit),
                     2);
    return number * (unit == 'M' ? 1048576 : 1024);
}

static void the_limit_that_a_message_names_works_and_a_smaller_one_does_not(void **state)
{
    const device_place_t place = on_cpu();
    size_t arena;

    (void)state;
    for (int n = 1; n <= 2; n++) {
        assert_int_equal(apply(1000, &place, n, &arena), ST_EUSAGE);
        assert_logged("--device-memory 1K: batches of 64 images need at least ");
        assert_logged_one_line();
        assert_int_equal(apply(advised(), &place, n, &arena), ST_OK);
        assert_int_equal(apply(1000, &place, n, &arena), ST_EUSAGE);
        assert_int_equal(apply(advised() - 1024 * 1024, &place, n, &arena), ST_EUSAGE);
    }
}

static void arenas_and_scratch_memory_are_within_the_limit(void **state)
{
    const device_place_t place = on_cpu();
    const int64_t limit = 12 << 20;
    plan_case_t c = plan_case_shipped("lenet", 64, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const cnn_context_t context = {.device = &cpu, .program = c.program};
    const size_t scratch = cpu_cnn_backend.scratch(&context, 2);
    size_t arena;

    (void)state;
    assert_true(c.program->arena_bytes + scratch > (size_t)limit);
    assert_int_equal(apply(limit, &place, 1, &arena), ST_OK);
    assert_true(arena + scratch <= (size_t)limit);
    plan_case_free(&c);
}

static void all_stays_in_memory_without_a_limit_and_for_ranks(void **state)
{
    device_place_t place = on_cpu();
    plan_case_t c = plan_case_shipped("lenet", 64, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    size_t arena;

    (void)state;
    assert_int_equal(apply(0, &place, 1, &arena), ST_OK);
    assert_int_equal(arena, c.program->arena_bytes);
    place.is_whole = true;
    assert_int_equal(apply((int64_t)arena, &place, 1, &arena), ST_EUSAGE);
    assert_logged("ranks that train together keep all in memory, ");
    assert_int_equal(apply((int64_t)arena * 4, &place, 1, &arena), ST_OK);
    assert_int_equal(arena, c.program->arena_bytes);
    plan_case_free(&c);
}

static void the_hosts_memory_is_checked(void **state)
{
    device_place_t place = on_cpu();
    size_t arena;

    (void)state;
    place.host_bytes = 1 << 20;
    assert_int_equal(apply(12 << 20, &place, 1, &arena), ST_ENOMEM);
    assert_logged("of the host's memory, and this rank may use 1 MiB");
    assert_int_equal(apply(0, &place, 1, &arena), ST_ENOMEM);
}

static void a_limit_above_the_cards_memory_is_refused(void **state)
{
    const device_t gpu = {.kind = DEVICE_CUDA, .name = "a GPU", .memory_bytes = 1 << 30};
    const device_place_t place = {.device = &gpu, .host_bytes = (int64_t)1 << 40};
    size_t arena;

    (void)state;
    assert_int_equal(apply((int64_t)1 << 31, &place, 1, &arena), ST_EUSAGE);
    assert_logged("--device-memory 2048M: a GPU has 1 GiB; give less");
}

/* Without the reserve for libraries, an eighth. */
static void what_is_free_on_a_gpu_is_the_limit_where_a_network_takes_more(void **state)
{
    const device_t gpu = {.kind = DEVICE_CUDA,
                          .name = "a GPU",
                          .memory_bytes = (int64_t)1 << 34};
    device_place_t place = {.device = &gpu, .host_bytes = (int64_t)1 << 40};
    plan_case_t c = plan_case_shipped("lenet", 64, CNN_PLAN_FP32, CNN_PLAN_TRAINING);
    const size_t scratch = cnn_scratch_bytes(c.program, 0);
    size_t arena;

    (void)state;
    assert_int_equal(apply(0, &place, 1, &arena), ST_OK); /* unknown: all is free */
    assert_int_equal(arena, c.program->arena_bytes);
    assert_int_equal(applied, 0);
    place.free_bytes = (int64_t)(scratch + c.program->arena_bytes - 1000000) / 7 * 8;
    assert_int_equal(apply(0, &place, 1, &arena), ST_OK);
    assert_true(arena < c.program->arena_bytes && arena + scratch <= applied);
    assert_true(applied <= (size_t)place.free_bytes / 8 * 7 + 8);
    place.free_bytes = (int64_t)scratch;
    assert_int_equal(apply(0, &place, 1, &arena), ST_ENOMEM);
    assert_logged("a GPU has ");
    assert_logged(" of the host's memory; give a smaller --batch");
    assert_logged_one_line();
    plan_case_free(&c);
}

static void without_a_limit_the_test_counts_too(void **state)
{
    device_place_t place = on_cpu();
    size_t one, both;

    (void)state;
    assert_int_equal(apply(0, &place, 2, &both), ST_OK);
    assert_int_equal(apply(0, &place, 1, &one), ST_OK);
    place.host_bytes = (int64_t)(one + both) / 2 + (1 << 20);
    assert_int_equal(apply(0, &place, 2, &both), ST_ENOMEM);
    assert_logged("give a smaller --batch");
}

static void sizes_are_rounded_up(void **state)
{
    char text[DEVICE_LIMIT_TEXT_BYTES];

    (void)state;
    assert_string_equal(device_limit_text(1, text), "1K");
    assert_string_equal(device_limit_text(1025, text), "2K");
    assert_string_equal(device_limit_text(((size_t)17 << 20) + 1, text), "18M");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_that_a_message_names_works_and_a_smaller_one_does_not),
        cmocka_unit_test(arenas_and_scratch_memory_are_within_the_limit),
        cmocka_unit_test(all_stays_in_memory_without_a_limit_and_for_ranks),
        cmocka_unit_test(the_hosts_memory_is_checked),
        cmocka_unit_test(a_limit_above_the_cards_memory_is_refused),
        cmocka_unit_test(what_is_free_on_a_gpu_is_the_limit_where_a_network_takes_more),
        cmocka_unit_test(without_a_limit_the_test_counts_too),
        cmocka_unit_test(sizes_are_rounded_up),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
