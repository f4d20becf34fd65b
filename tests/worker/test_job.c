/*
 * test_job.c - what every job does: checks of its outputs, finished ones, checkpoints and
 * its end.
 */
#include "tests/support/unit_test.h"

#include "tests/support/captured_log.h"
#include "worker/exchange.h"
#include "worker/job_output.h"

#include <unistd.h>

enum { N_TASKS = 3 };

static char output[PATH_BYTES], part[PATH_BYTES], extra[PATH_BYTES];
static job_opts_t opts;
static const char *text; /* of the job */
static bool has_extra;
static double checkpoint_bytes;
static job_kind_t kind;
static status_t result; /* of write_result */

static void outputs(const job_opts_t *o, job_outputs_t *out)
{
    (void)o;
    out->is_text = true;
    out->format = "plain";
    out->extra[1] = has_extra ? extra : NULL;
}

static status_t begin(job_t *job, exchange_t *x)
{
    (void)x;
    job->plan = (job_plan_t){.kind = kind,
                             .n_tasks = N_TASKS,
                             .checkpoint_bytes = checkpoint_bytes};
    return ST_OK;
}

static status_t describe(job_t *job)
{
    return buf_printf(&job->text, "%s\n", text);
}

static const char *check_record(job_t *job, int64_t task, int64_t version,
                                const buf_t *record)
{
    (void)job;
    (void)task;
    (void)version;
    return record->len == 1 ? NULL : "has not one byte";
}

static status_t opened(job_t *job)
{
    (void)job;
    return ST_OK;
}

static status_t write_result(job_t *job, const job_report_t *report)
{
    FILE *file;
    status_t st;

    (void)report;
    if (result != ST_OK)
        return result;
    file = fopen(output, "w");
    assert_non_null(file);
    st = job_output_label(job, file);
    assert_int_equal(fclose(file), 0);
    return st;
}

static void do_nothing(job_t *job)
{
    (void)job;
}

static const job_ops_t ops = {.name = "fake",
                              .size = sizeof(job_t),
                              .outputs = outputs,
                              .begin = begin,
                              .describe = describe,
                              .check_record = check_record,
                              .opened = opened,
                              .release = do_nothing,
                              .write_result = write_result,
                              .free = do_nothing};

static int setup(void **state)
{
    (void)state;
    dir_file("out.txt", output);
    dir_file("out.txt.part", part);
    dir_file("extra.txt", extra);
    opts = (job_opts_t){.output = output};
    text = "input=a";
    has_extra = false;
    checkpoint_bytes = 0;
    kind = JOB_FREE;
    result = ST_OK;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    unlink(output);
    unlink(part);
    unlink(extra);
    return 0;
}

static job_t *begun(void)
{
    exchange_t x = exchange_alone();
    job_t *job = NULL;

    assert_int_equal(job_create(&ops, &opts, &job), ST_OK);
    assert_int_equal(job_begin(job, &x), ST_OK);
    return job;
}

static job_t *opened_job(void)
{
    job_t *job = begun();

    assert_int_equal(job_open(job), ST_OK);
    return job;
}

static void complete(job_t *job)
{
    for (int64_t task = 0; task < N_TASKS; task++)
        assert_int_equal(job_store(job, task, 0, "x", 1), ST_OK);
}

/* @return what job_begin says, whose messages are captured */
static status_t begin_again(void)
{
    exchange_t x = exchange_alone();
    job_t *job;
    status_t st;

    capture_start();
    assert_int_equal(job_create(&ops, &opts, &job), ST_OK);
    st = job_begin(job, &x);
    if (st == ST_OK)
        st = job_open(job);
    job_destroy(job);
    capture_stop();
    return st;
}

static double seconds_between(double bytes)
{
    double s;
    job_t *job;

    checkpoint_bytes = bytes;
    job = begun();
    s = job->plan.checkpoint_s;
    job_destroy(job);
    return s;
}

static void checkpoints_are_as_frequent_as_their_size_allows_within_a_minute(void **state)
{
    (void)state;
    assert_true(seconds_between(0) == 0.2);
    assert_true(seconds_between(12e6) == 3);
    assert_true(seconds_between(1.1e9) == 60); /* VGG-A's */
}

static void a_job_without_results_leaves_no_log(void **state)
{
    job_t *job = opened_job();

    (void)state;
    assert_int_equal(access(part, F_OK), 0);
    job_destroy(job);
    assert_int_not_equal(access(part, F_OK), 0);
}

static void an_unfinished_run_is_continued_or_refused(void **state)
{
    job_t *job = opened_job();

    (void)state;
    assert_int_equal(job_store(job, 1, 0, "x", 1), ST_OK);
    job_destroy(job);
    assert_int_equal(begin_again(), ST_EINPUT);
    assert_logged("holds an unfinished run; give --resume to continue it");
    opts.resume = true;
    job = opened_job();
    assert_true(job_is_done(job, 1));
    assert_false(job_is_done(job, 2));
    job_destroy(job);
    text = "input=b";
    assert_int_equal(begin_again(), ST_EINPUT);
}

static void an_impossible_record_is_refused(void **state)
{
    job_t *job = opened_job();

    (void)state;
    assert_int_equal(job_store(job, 2, 0, "too long", 8), ST_OK);
    job_destroy(job);
    opts.resume = true;
    assert_int_equal(begin_again(), ST_EINPUT);
    assert_logged("the record of task 2 is impossible: it has not one byte");
}

static void free_tasks_have_no_versions(void **state)
{
    job_t *job = opened_job();

    (void)state;
    assert_int_equal(job_store(job, 0, 1, "x", 1), ST_OK);
    job_destroy(job);
    opts.resume = true;
    assert_int_equal(begin_again(), ST_EINPUT);
    assert_logged("it has a version");
}

static void finish(void)
{
    const job_report_t report = {.n_ranks = 1};
    job_t *job = opened_job();

    complete(job);
    assert_int_equal(job_finish(job, &report), ST_OK);
    assert_int_not_equal(access(part, F_OK), 0);
    job_destroy(job);
}

/* Where the file system keeps labels. */
static void a_finished_text_is_that_of_its_job(void **state)
{
    (void)state;
    finish();
    assert_int_equal(begin_again(), ST_EINPUT);
    opts.resume = true;
    if (begin_again() == ST_EINPUT)
        skip();
    assert_logged("is already finished: nothing to do");
    text = "input=b";
    assert_int_equal(begin_again(), ST_EINPUT);
    assert_int_not_equal(access(part, F_OK), 0);
}

static void a_finished_result_is_not_computed_again_for_another_file(void **state)
{
    (void)state;
    finish();
    has_extra = opts.resume = true;
    assert_int_equal(begin_again(), ST_EINPUT);
    assert_logged("does not; give --force to compute both");
}

static void a_result_that_cannot_be_written_stays_in_the_log(void **state)
{
    const job_report_t report = {.n_ranks = 1};
    job_t *job = opened_job();

    (void)state;
    complete(job);
    result = ST_EIO;
    capture_start();
    assert_int_equal(job_finish(job, &report), ST_EIO);
    capture_stop();
    assert_logged("is complete: give --resume to write the result again");
    result = ST_EINPUT; /* another try would end in the same way */
    capture_start();
    assert_int_equal(job_finish(job, &report), ST_EINPUT);
    capture_stop();
    assert_logged_nothing();
    job_destroy(job);
    assert_int_equal(access(part, F_OK), 0);
}

static void a_cancel_lasts_until_the_next_prepare(void **state)
{
    job_t *job = begun();

    (void)state;
    assert_false(job_is_cancelled(job));
    job_cancel(job);
    assert_true(job_is_cancelled(job));
    job_destroy(job);
}

static void more_copies_than_ranks_are_refused(void **state)
{
    (void)state;
    opts.redundancy = 2;
    assert_int_equal(begin_again(), ST_EUSAGE);
    assert_logged(
        "--redundancy 2: there is only 1 rank; start more, or give --recompute");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(checkpoints_are_as_frequent_as_their_size_allows_within_a_minute),
        TEST(a_job_without_results_leaves_no_log),
        TEST(an_unfinished_run_is_continued_or_refused),
        TEST(an_impossible_record_is_refused),
        TEST(free_tasks_have_no_versions),
        TEST(a_finished_text_is_that_of_its_job),
        TEST(a_finished_result_is_not_computed_again_for_another_file),
        TEST(a_result_that_cannot_be_written_stays_in_the_log),
        TEST(a_cancel_lasts_until_the_next_prepare),
        TEST(more_copies_than_ranks_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
