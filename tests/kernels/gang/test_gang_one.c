/*
 * test_gang_one.c - the gang of one rank: operations are copies, and a cancel ends them.
 */
#include "tests/support/unit_test.h"

#include "tests/kernels/gang/gang_case.h"

static void one_rank_has_every_operation(void **state)
{
    gang_t *g;

    (void)state;
    assert_int_equal(gang_one_create(&g), ST_OK);
    assert_int_equal(g->n_ranks, 1);
    assert_int_equal(g->memory, GANG_HOST);
    assert_int_equal(gang_case_run(g), 0);
    g->destroy(g);
}

static void a_cancelled_gang_does_nothing(void **state)
{
    int64_t in = 5, out = 0;
    gang_t *g;

    (void)state;
    assert_int_equal(gang_one_create(&g), ST_OK);
    g->cancel(g);
    assert_int_equal(g->allreduce(g, &in, &out, 1, GANG_INT64, GANG_SUM), ST_ESTOPPED);
    assert_int_equal(g->barrier(g), ST_ESTOPPED);
    assert_int_equal(out, 0);
    g->destroy(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_rank_has_every_operation),
        cmocka_unit_test(a_cancelled_gang_does_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
