/*
 * test_keeper.c - a rank that keeps a shard of the log: what it stores, what it reports,
 * and when it ends.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/keeper.h"
#include "io/base/clock.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { N = 50, RANKS = 6, SHARDS = 2, WAIT_S = 20 };

/* Rank 3 keeps shard 1, of ranks 3 to 5. */
static job_t job;
static atomic_int times[N]; /* how often a task was stored */
static int64_t fails_of;
static keeper_t *k;

/* What rank 0 has received. */
static stored_t stored[N];
static int n_stored, n_unstored, n_stopped;
static stopped_t stopped;

static status_t note_result(job_t *j, int64_t task, int64_t version, const void *data,
                            size_t len)
{
    (void)j;
    if (task == fails_of || version != 0 || len != sizeof(task) ||
        memcmp(data, &task, sizeof(task)) != 0)
        return ST_EIO;
    atomic_fetch_add(&times[task], 1);
    return ST_OK;
}

static const job_ops_t ops = {.note_result = note_result};

static status_t send_to_0(transport_t *t, int to, int tag, buf_t *data)
{
    (void)t;
    assert_int_equal(to, 0);
    assert_int_equal(n_stopped, 0); /* which is the last */
    if (tag == TAG_STORED) {
        memcpy(stored + n_stored, data->data, data->len);
        n_stored += (int)(data->len / sizeof(stored[0]));
    } else if (tag == TAG_UNSTORED) {
        assert_int_equal(*(const int32_t *)(void *)data->data, ST_EIO);
        n_unstored++;
    } else {
        assert_int_equal(tag, TAG_STOPPED);
        memcpy(&stopped, data->data, sizeof(stopped));
        n_stopped++;
    }
    buf_free(data);
    return ST_OK;
}

static transport_t transport = {.exchange = {.rank = 3, .n_ranks = RANKS},
                                .send = send_to_0};

static int begin(void **state)
{
    (void)state;
    memset(times, 0, sizeof(times));
    fails_of = -1;
    n_stored = n_unstored = n_stopped = 0;
    job = (job_t){.ops = &ops, .shard = 1, .plan = {.n_shards = SHARDS}};
    return keeper_create(&job, &transport, &k);
}

static int end(void **state)
{
    (void)state;
    keeper_destroy(k);
    return 0;
}

static void receive(int source, int tag, buf_t data)
{
    message_t m = {.source = source, .tag = tag, .data = data};

    assert_int_equal(keeper_receive(k, &m), ST_OK);
    assert_null(m.data.data);
}

/* Results of tasks from..to-1 in one message. */
static void receive_results(int source, int64_t from, int64_t to)
{
    buf_t data = {0};

    for (int64_t task = from; task < to; task++) {
        const result_head_t head = {.task = task,
                                    .rate = 10.0 * source,
                                    .len = sizeof(task)};

        assert_int_equal(buf_append(&data, &head, sizeof(head)), ST_OK);
        assert_int_equal(buf_append(&data, &task, sizeof(task)), ST_OK);
    }
    receive(source, TAG_RESULT, data);
}

static bool have_stored(int n)
{
    return n_stored == n;
}

static bool have_stopped(int n)
{
    return n_stopped == n;
}

static bool have_failed(int n)
{
    return n_unstored == n;
}

static void step_until(bool (*is)(int n), int n)
{
    const double until = clock_now_s() + WAIT_S;

    while (!is(n)) {
        assert_int_equal(keeper_step(k), ST_OK);
        assert_true(clock_now_s() < until);
        usleep(200);
    }
}

static void all_last_but(int without)
{
    for (int rank = 3; rank < RANKS; rank++)
        if (rank != without)
            receive(rank, TAG_LAST, (buf_t){0});
}

static void results_are_stored_and_reported_with_their_workers(void **state)
{
    (void)state;
    receive_results(4, 0, 1);
    receive_results(5, 1, 20);
    step_until(have_stored, 20);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(times[i], 1);
        assert_int_equal(stored[i].task, i);
        assert_int_equal(stored[i].worker, i == 0 ? 4 : 5);
        assert_true(stored[i].rate == (i == 0 ? 40.0 : 50.0));
    }
}

static void it_ends_when_all_of_its_ranks_have(void **state)
{
    const stopped_t mine = {.stats = {.n_tasks = 7}};

    (void)state;
    keeper_stop(k, &mine, clock_now_s() + WAIT_S);
    all_last_but(5);
    for (int i = 0; i < 20; i++)
        assert_int_equal(keeper_step(k), ST_OK);
    assert_int_equal(n_stopped, 0);
    receive_results(5, 0, 10);
    receive(5, TAG_LAST, (buf_t){0});
    step_until(have_stopped, 1);
    assert_int_equal(n_stored, 10);
    assert_int_equal(stopped.stats.n_tasks, 7);
    assert_int_equal(keeper_step(k), ST_OK);
}

static void a_rank_that_does_not_stop_is_not_waited_for(void **state)
{
    const stopped_t mine = {.in_collective = 0};

    (void)state;
    all_last_but(4);
    keeper_stop(k, &mine, clock_now_s() + 0.05);
    step_until(have_stopped, 1);
    receive_results(4, 0, 1);
    assert_false(keeper_is_full(k));
    assert_int_equal(keeper_step(k), ST_OK);
    assert_int_equal(times[0], 0);
}

static void a_log_that_fails_is_reported_once(void **state)
{
    const stopped_t mine = {.in_collective = 0};

    (void)state;
    fails_of = 2;
    receive_results(3, 0, 5);
    step_until(have_failed, 1);
    keeper_stop(k, &mine, clock_now_s() + WAIT_S);
    all_last_but(-1);
    step_until(have_stopped, 1);
    assert_int_equal(n_unstored, 1);
    assert_int_equal(n_stored, 2);
}

static void ranks_are_divided_among_shards_in_order(void **state)
{
    (void)state;
    for (int n_ranks = 1; n_ranks < 300; n_ranks += 7)
        for (int n_shards = 1; n_shards <= n_ranks; n_shards += 3)
            for (int rank = 0; rank < n_ranks; rank++) {
                const int shard = job_shard_of(rank, n_ranks, n_shards);

                assert_in_range(shard, 0, n_shards - 1);
                assert_true(job_keeper_of(shard, n_ranks, n_shards) <= rank);
                assert_true(job_keeper_of(shard + 1, n_ranks, n_shards) > rank);
            }
    assert_int_equal(job_default_shards(127), 1);
    assert_int_equal(job_default_shards(128), 2);
    assert_int_equal(job_default_shards(4096), 64);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(results_are_stored_and_reported_with_their_workers),
        TEST(it_ends_when_all_of_its_ranks_have),
        TEST(a_rank_that_does_not_stop_is_not_waited_for),
        TEST(a_log_that_fails_is_reported_once),
        TEST(ranks_are_divided_among_shards_in_order),
    };

    keeper_destroy(NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
