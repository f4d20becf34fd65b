/*
 * test_gang_relay.c - a gang passes from rank to rank: each begins with the last
 * checkpoint, and what a rank may send follows from that.
 */
#include "tests/support/unit_test.h"

#include "dispatcher/gang_relay.h"
#include "io/base/logmsg.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 3, TASKS = 2, STEPS = 9 };

/* What was sent last, and how many states before. */
typedef struct {
    int rank, tag, n_states;
    int64_t version;
    gang_orders_t orders;
} sent_t;

static sent_t sent;

static status_t take(transport_t *t, int to, int tag, buf_t *data)
{
    (void)t;
    sent.n_states += tag == TAG_STATE;
    sent.rank = to;
    sent.tag = tag;
    if (tag == TAG_BEGIN)
        memcpy(&sent.version, data->data, sizeof(sent.version));
    if (tag == TAG_ORDERS)
        memcpy(&sent.orders, data->data, sizeof(sent.orders));
    buf_free(data);
    return ST_OK;
}

static bool is_over(const job_t *job, int64_t k)
{
    (void)job;
    return k == STEPS;
}

static const char *check_record(job_t *job, int64_t task, int64_t version,
                                const buf_t *record)
{
    (void)job;
    (void)task;
    (void)version;
    (void)record;
    return NULL;
}

static const job_ops_t ops = {.name = "fake",
                              .is_over = is_over,
                              .check_record = check_record};
static transport_t transport = {.exchange = {.n_ranks = RANKS, .has_no_gangs = true},
                                .send = take};
static job_t job;
static storer_t *storer;
static gang_watch_t watch;
static gang_relay_t *g;

static int begin(void **state)
{
    const double guess[RANKS] = {-1, 5, 5};
    char path[64];

    (void)state;
    log_set_level(LOG_QUIET);
    sent = (sent_t){.rank = -1};
    job = (job_t){.ops = &ops,
                  .plan = {.kind = JOB_GANG, .n_tasks = TASKS, .n_steps = STEPS}};
    snprintf(path, sizeof(path), "/tmp/ribogrid_relay.%d.part", (int)getpid());
    assert_int_equal(reslog_open(path, "job=fake\n", TASKS, true, &job.log), ST_OK);
    assert_int_equal(storer_create(&job, job_store, job_sync, &storer), ST_OK);
    gang_watch_begin(&watch, &job.plan, 1, -1);
    assert_int_equal(gang_relay_create(&(dispatcher_opts_t){.job = &job,
                                                            .transport = &transport,
                                                            .guess = guess,
                                                            .saved = -1},
                                       storer, &watch, &g),
                     ST_OK);
    return 0;
}

static int end(void **state)
{
    (void)state;
    gang_relay_destroy(g);
    (void)storer_stop(storer, false);
    storer_destroy(storer);
    reslog_remove(job.log);
    reslog_close(job.log);
    log_set_level(LOG_NORMAL);
    return 0;
}

/* Until the next rank has been found. */
static status_t step(void)
{
    status_t st = gang_relay_step(g);

    return st == ST_OK ? gang_relay_step(g) : st;
}

static bool takes(int rank, int64_t task, int64_t version)
{
    const result_head_t head = {.task = task, .version = version};

    return gang_relay_note_record(g, rank, &head) == NULL;
}

static bool ends(int rank, int64_t n_steps, bool over)
{
    const worker_finish_t finish = {.n_steps = n_steps, .is_over = over};

    return gang_relay_note_end(g, rank, &finish) == NULL;
}

static void the_first_rank_with_a_device_begins(void **state)
{
    (void)state;
    assert_int_equal(step(), ST_OK);
    assert_int_equal(sent.tag, TAG_BEGIN);
    assert_int_equal(sent.rank, 1);
    assert_int_equal(sent.version, -1);
    assert_int_equal(sent.n_states, 0);
}

static void checkpoints_come_in_their_order(void **state)
{
    (void)state;
    assert_false(takes(1, 0, 3)); /* not yet */
    assert_int_equal(step(), ST_OK);
    assert_false(takes(2, 0, 3));
    assert_false(takes(1, 1, 3));
    assert_true(takes(1, 0, 3));
    assert_false(takes(1, 0, 3));
    assert_false(takes(1, 1, 4));
    assert_true(takes(1, 1, 3));
    assert_false(takes(1, 0, 3));
    assert_false(takes(1, 0, STEPS + 1));
}

static void steps_only_grow(void **state)
{
    (void)state;
    assert_int_equal(step(), ST_OK);
    assert_null(gang_relay_note_steps(g, 1, 4));
    assert_non_null(gang_relay_note_steps(g, 1, 3));
    assert_non_null(gang_relay_note_steps(g, 1, STEPS + 1));
    assert_non_null(gang_relay_note_steps(g, 2, 5));
    assert_int_equal(gang_relay_n_steps(g), 4);
}

static void it_ends_with_a_checkpoint(void **state)
{
    (void)state;
    assert_int_equal(step(), ST_OK);
    assert_true(takes(1, 0, STEPS));
    assert_false(ends(1, STEPS, true)); /* half of it is there */
    assert_true(takes(1, 1, STEPS));
    assert_false(ends(2, STEPS, true));
    assert_false(ends(1, STEPS - 1, true));
    assert_false(ends(1, STEPS, false));
    assert_true(ends(1, STEPS, true));
}

static void it_stops_only_if_it_was_ordered_to(void **state)
{
    (void)state;
    assert_int_equal(step(), ST_OK);
    assert_true(takes(1, 0, 3) && takes(1, 1, 3));
    assert_false(ends(1, 3, false));
    watch.stop = true;
    assert_int_equal(gang_relay_step(g), ST_OK);
    assert_int_equal(sent.tag, TAG_ORDERS);
    assert_int_equal(sent.orders.stop, 1);
    assert_true(ends(1, 3, false));
}

static void the_next_rank_goes_on_from_the_last_checkpoint(void **state)
{
    (void)state;
    assert_int_equal(step(), ST_OK);
    for (int64_t task = 0; task < TASKS; task++)
        assert_int_equal(job_store(&job, task, 3, "state", 5), ST_OK);
    assert_int_equal(job_store(&job, 0, 6, "state", 5), ST_OK); /* not complete */
    gang_relay_leave(g, 1);
    assert_false(takes(1, 1, 6));
    assert_int_equal(step(), ST_OK);
    assert_int_equal(sent.tag, TAG_BEGIN);
    assert_int_equal(sent.rank, 2);
    assert_int_equal(sent.version, 3);
    assert_int_equal(sent.n_states, TASKS);
    assert_int_equal(watch.complete, 3);
    assert_false(takes(2, 0, 3));
    assert_true(takes(2, 0, 6));
}

static void without_ranks_it_ends(void **state)
{
    (void)state;
    assert_int_equal(step(), ST_OK);
    gang_relay_leave(g, 2);
    gang_relay_leave(g, 1);
    assert_int_equal(step(), ST_EDEVICE); /* rank 0 has no device */
}

/* It passes the gang on with a checkpoint, and gets it back later. */
static void a_rank_that_is_asked_passes_it_on(void **state)
{
    (void)state;
    assert_int_equal(step(), ST_OK);
    gang_relay_ask(g, 2, true, 0); /* it does not run it */
    assert_int_equal(gang_relay_step(g), ST_OK);
    assert_int_equal(sent.tag, TAG_BEGIN);
    gang_relay_ask(g, 1, true, 0);
    assert_int_equal(gang_relay_step(g), ST_OK);
    assert_int_equal(sent.orders.stop, 1);
    gang_relay_ask(g, 1, false, 0);
    assert_int_equal(gang_relay_step(g), ST_OK);
    assert_int_equal(sent.orders.stop, 0);
    for (int64_t task = 0; task < TASKS; task++) {
        assert_true(takes(1, task, 3));
        assert_int_equal(job_store(&job, task, 3, "state", 5), ST_OK);
    }
    assert_true(ends(1, 3, false)); /* the first order was under way */
    gang_relay_pass(g);
    assert_int_equal(step(), ST_OK);
    assert_int_equal(sent.rank, 2);
    assert_int_equal(sent.version, 3);
    gang_relay_pass(g);
    assert_int_equal(step(), ST_OK);
    assert_int_equal(sent.rank, 1);
    assert_true(gang_relay_is_at(g, 1));
}

static void a_stop_between_two_ranks_stops(void **state)
{
    (void)state;
    assert_int_equal(step(), ST_OK);
    gang_relay_leave(g, 1);
    watch.stop = true;
    assert_int_equal(gang_relay_step(g), ST_ESTOPPED);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_first_rank_with_a_device_begins),
        CASE(checkpoints_come_in_their_order),
        CASE(steps_only_grow),
        CASE(it_ends_with_a_checkpoint),
        CASE(it_stops_only_if_it_was_ordered_to),
        CASE(the_next_rank_goes_on_from_the_last_checkpoint),
        CASE(without_ranks_it_ends),
        CASE(a_rank_that_is_asked_passes_it_on),
        CASE(a_stop_between_two_ranks_stops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
