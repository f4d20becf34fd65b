/*
 * test_plan_arena.c - lifetimes and offsets: no two tensors overlap that live at the same
 * time, and little memory lies idle.
 */
#include "tests/support/unit_test.h"

#include <stdint.h>
#include <stdio.h>

#include "cnn/net/cnn_net.h"
#include "cnn/plan/plan_summary.h"
#include "kernels/cnn/common/cnn_backend.h"
#include "tests/cnn/plan/plan_case.h"

/* A chain: step s reads tensor s - 1 and writes tensor s; step 3 reads tensor 0, too. */
static void tensors_take_the_smallest_gap_that_holds_them(void **state)
{
    enum { N = 5 };
    static const int64_t sizes[N] = {64, 256, 64, 128, 64}; /* of 4 bytes */
    cnn_tensor_t tensors[N] = {{.name = ""}};
    cnn_step_t steps[N] = {{.op = CNN_RELU}};
    cnn_program_t p = {.tensors = tensors, .n_tensors = N, .steps = steps, .n_steps = N};

    (void)state;
    for (int i = 0; i < N; i++) {
        tensors[i] = (cnn_tensor_t){.size = {sizes[i], 1, 1, 1},
                                    .type = CNN_F32,
                                    .role = CNN_ACTIVATION};
        steps[i] = (cnn_step_t){.op = CNN_RELU,
                                .n_reads = i > 0,
                                .reads = {i - 1, 0},
                                .n_writes = 1,
                                .writes = {i}};
    }
    steps[3].n_reads = 2;
    assert_int_equal(plan_arena_place(&p), ST_OK);
    assert_int_equal(tensors[0].first_step, 0);
    assert_int_equal(tensors[0].last_step, 3);
    assert_int_equal(tensors[4].last_step, 4);
    /* by size: tensor 1 (steps 1-2) at 0, 3 (3-4) at 0, then 0 (0-3) behind both, 2 (2-3)
     * behind that, because 1 ends there, and 4 (4) behind 3 */
    assert_int_equal(tensors[1].offset, 0);
    assert_int_equal(tensors[3].offset, 0);
    assert_int_equal(tensors[0].offset, 1024);
    assert_int_equal(tensors[2].offset, 1280);
    assert_int_equal(tensors[4].offset, 512);
    assert_int_equal(p.arena_bytes, 1536);
    assert_int_equal(plan_arena_live(&p, 2), 1024 + 256 + 256);
}

static void assert_arena(const char *name, const cnn_program_t *p)
{
    const size_t shared = plan_summary_of(p).shared_bytes;
    size_t peak = 0;
    buf_t why = {0};

    if (!cnn_program_check(p, &why))
        fail_msg("%s: %.*s", name, (int)why.len, (const char *)why.data);
    for (int s = 0; s < p->n_steps; s++)
        if (plan_arena_live(p, s) > peak)
            peak = plan_arena_live(p, s);
    assert_true(shared >= peak);
    if ((double)shared > 1.1 * (double)peak)
        fail_msg("%s: %zu bytes for %zu", name, shared, peak);
}

static void arenas_of_shipped_nets_are_tight(void **state)
{
    (void)state;
    for (int i = 0; net_shipped[i].name != NULL; i++)
        for (int64_t n = 1; n <= 128; n *= 128)
            for (int purpose = CNN_PLAN_TRAINING; purpose <= CNN_PLAN_INFERENCE;
                 purpose++) {
                plan_case_t c = plan_case_shipped(net_shipped[i].name, n, CNN_PLAN_FP32,
                                                  (cnn_plan_purpose_t)purpose);

                assert_arena(net_shipped[i].name, c.program);
                plan_case_free(&c);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_take_the_smallest_gap_that_holds_them),
        cmocka_unit_test(arenas_of_shipped_nets_are_tight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
