/*
 * test_pairs_record.c - records of tiles are checked, and the pairs that have no identity
 * counted.
 */
#include "tests/support/unit_test.h"

#include "io/pairs/write/pairs_write.h"
#include "tests/io/pairs/pairs_fixture.h"

enum { N = 10, SIDE = 4, TILE = 0 /* on the diagonal: 6 pairs */ };

static tile_grid_t grid;
static pairs_record_job_t job;

static int set_up(void **state)
{
    (void)state;
    grid = tile_grid_of(N, SIDE);
    job = (pairs_record_job_t){.set = numbered_set(N),
                               .grid = &grid,
                               .n_datasets = PAIRS_N_IDENTITY,
                               .min_score = -100,
                               .max_score = 100};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    seqset_destroy((seqset_t *)job.set);
    return 0;
}

/* Make a record of which the first `n_without` pairs have no identity. */
static buf_t make_record(int64_t counted, int n_without)
{
    static const int32_t of_pair[PAIRS_N_IDENTITY] = {-3, 1, 2};
    int32_t values[SIDE * SIDE], scratch[SIDE * SIDE];
    buf_t record = {0};

    assert_int_equal(buf_append(&record, &counted, sizeof(counted)), ST_OK);
    for (int d = 0; d < PAIRS_N_IDENTITY; d++) {
        int n_left = n_without;

        for (int at = 0; at < SIDE * SIDE; at++)
            if (at / SIDE >= at % SIDE)
                values[at] = pairs_fill[d];
            else
                values[at] = d != PAIRS_SCORE && n_left-- > 0 ? 0 : of_pair[d];
        assert_int_equal(tile_pack_append(values, SIDE * SIDE, scratch, &record), ST_OK);
    }
    return record;
}

static void a_record_counts_its_pairs_without_identity(void **state)
{
    (void)state;
    for (int n = 0; n <= 6; n++)
        for (int64_t counted = -1; counted <= 7; counted++) {
            buf_t record = make_record(counted, n);
            const char *why = pairs_record_check(&job, TILE, &record);

            assert_int_equal(why == NULL, counted == n);
            assert_null(pairs_record_count(&job, TILE, &record));
            assert_null(pairs_record_check(&job, TILE, &record));
            assert_memory_equal(record.data, &(int64_t){n}, sizeof(int64_t));
            buf_free(&record);
        }
}

static void values_that_sequences_cannot_have_are_not_counted(void **state)
{
    buf_t record = make_record(0, 2);

    (void)state;
    job.min_score = 0;
    assert_string_equal(pairs_record_count(&job, TILE, &record),
                        "has numbers that its sequences cannot have");
    record.len--;
    assert_string_equal(pairs_record_count(&job, TILE, &record),
                        "has not the length of its parts");
    record.len = 4;
    assert_string_equal(pairs_record_count(&job, TILE, &record),
                        "has not the length of its parts");
    buf_free(&record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_record_counts_its_pairs_without_identity,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_that_sequences_cannot_have_are_not_counted,
                                        set_up, tear_down),
    };

    return cmocka_run_group_tests_name("pairs_record", tests, NULL, NULL);
}
