/*
 * test_job_shards.c - how many ranks keep the log, and what a rank does that does not see
 * its file.
 */
#include "tests/support/unit_test.h"

#include "tests/support/captured_log.h"
#include "worker/job_shards.h"

#include <string.h>

static job_opts_t opts;
static job_t job;

/* Every rank does as this one. */
static status_t allgather(exchange_t *x, const void *in, size_t len, void *out)
{
    for (int i = 0; i < x->n_ranks; i++)
        memcpy((char *)out + (size_t)i * len, in, len);
    return ST_OK;
}

static status_t broadcast(exchange_t *x, void *data, size_t len)
{
    (void)x;
    (void)data;
    (void)len;
    return ST_OK;
}

static exchange_t x = {.broadcast = broadcast, .allgather = allgather};

static int begin(void **state)
{
    (void)state;
    opts = job_opts_defaults();
    opts.output = "out.h5";
    job = (job_t){.opts = &opts};
    x.rank = 0;
    return 0;
}

static int shards_of(int n_ranks)
{
    x.n_ranks = n_ranks;
    assert_int_equal(job_shards_settle(&job, &x), ST_OK);
    return job.plan.n_shards;
}

static void one_of_64_ranks_keeps_a_shard_from_128_on(void **state)
{
    (void)state;
    assert_int_equal(shards_of(1), 1);
    assert_int_equal(shards_of(127), 1);
    assert_int_equal(shards_of(128), 2);
    assert_int_equal(shards_of(4096), 64);
    opts.log_shards = 1;
    assert_int_equal(shards_of(4096), 1);
    opts.log_shards = 5;
    assert_int_equal(shards_of(8), 5);
}

static void rank_0_keeps_what_it_needs_before_the_end(void **state)
{
    (void)state;
    job.plan.kind = JOB_GANG;
    assert_int_equal(shards_of(4096), 1);
    job.plan.kind = JOB_FREE;
    job.plan.is_watched = true;
    assert_int_equal(shards_of(4096), 1);
    job.plan.is_watched = false;
    opts.recompute_percent = 1;
    assert_int_equal(shards_of(4096), 1);
    opts.recompute_percent = 0;
    opts.output = "-";
    assert_int_equal(shards_of(4096), 1);
    opts.log_shards = 2;
    capture_start();
    assert_int_equal(job_shards_settle(&job, &x), ST_EUSAGE);
    capture_stop();
    assert_logged_one_line();
    assert_logged("--log-shards 2: no log is kept");
}

/* Rank 64 of 128 keeps shard 1. */
static status_t open_as_keeper(void)
{
    status_t st;

    x.n_ranks = 128;
    assert_int_equal(job_shards_settle(&job, &x), ST_OK);
    x.rank = 64;
    if (opts.log_shards > 0)
        capture_start();
    st = job_open_shards(&job, &x);
    if (opts.log_shards > 0)
        capture_stop();
    return st;
}

static void without_a_shared_folder_rank_0_keeps_the_only_log(void **state)
{
    char path[] = "/nowhere/out.h5.part";

    (void)state;
    job.part_path = path;
    assert_int_equal(open_as_keeper(), ST_OK);
    assert_int_equal(job.plan.n_shards, 1);
    assert_int_equal(job.shard, 0);
    assert_null(job.log);
}

static void shards_that_were_required_are_an_error_then(void **state)
{
    char path[] = "/nowhere/out.h5.part";

    (void)state;
    job.part_path = path;
    opts.log_shards = 2;
    assert_int_equal(open_as_keeper(), ST_EIO);
    assert_logged_one_line();
    assert_logged("/nowhere/out.h5.part.1: cannot open: ");
    assert_logged("all nodes have to share the folder");
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_of_64_ranks_keeps_a_shard_from_128_on),
        TEST(rank_0_keeps_what_it_needs_before_the_end),
        TEST(without_a_shared_folder_rank_0_keeps_the_only_log),
        TEST(shards_that_were_required_are_an_error_then),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
