/*
 * test_rank_choices.c - equal devices take equal algorithms.
 */
#include "tests/support/unit_test.h"

#include "cnn/solve/cnn_trainer.h"
#include "tests/support/thread_gang.h"

static const struct {
    const char *kernel, *device, *mine, *expected;
} ranks[] = {
    {"cudnn", "H200", "0\tfirst\n1\tsecond\n", "0\tfirst\n1\tsecond\n"},
    {"cudnn", "H200", NULL, "0\tfirst\n1\tsecond\n"},
    {"cudnn", "H100", NULL, NULL},
    {"native", "H200", NULL, NULL},
    {"cudnn", "H200", NULL, "0\tfirst\n1\tsecond\n"},
};

enum { N_RANKS = 5 };

static status_t agree(void *ctx, gang_t *gang)
{
    buf_t *got = ctx;
    const int r = gang->rank;

    return rank_choices_agree(gang, ranks[r].kernel, ranks[r].device, ranks[r].mine,
                              &got[r]);
}

static void equal_devices_take_the_choices_of_rank_0(void **state)
{
    buf_t got[N_RANKS] = {{0}};

    (void)state;
    assert_int_equal(thread_gang_run(N_RANKS, agree, got), ST_OK);
    for (int r = 0; r < N_RANKS; r++) {
        assert_int_equal(got[r].len > 0, ranks[r].expected != NULL);
        if (got[r].len > 0)
            assert_string_equal((const char *)got[r].data, ranks[r].expected);
        buf_free(&got[r]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_devices_take_the_choices_of_rank_0),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
