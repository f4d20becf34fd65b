/*
 * test_dispatcher.c - rank 0's state machine, with simulated workers and a log in memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dispatcher/dispatcher.h"
#include "dispatcher/progress.h"
#include "dispatcher/protocol.h"
#include "dispatcher/transport/message_queue.h"
#include "io/base/logmsg.h"
#include "tests/support/captured_log.h"

#include <stdatomic.h>

enum { N = 200, WORKERS = 3, FAST = 2, NEVER = -1, WAIT_S = 30 };

/* What a worker does in a turn, a thousandth of a second of its time. */
static const double speed[WORKERS] = {1, 3, 20};

typedef struct {
    atomic_int times[N]; /* that a task was stored */
    atomic_bool closed;  /* the disk waits until it is open */
    int store_fails_of;
    bool done_before[N];
    int n_finishes;
    job_report_t report;
} log_t;

typedef struct {
    int64_t inbox[N];            /* [n] granted, in order */
    int n, n_sent, n_late;       /* late: after STOP */
    double worked;               /* on the first of them */
    int fails_after, asks_after; /* so many results; NEVER */
    bool doubles;                /* sends each result twice */
    bool failed, asked, stopped;
} worker_sim_t;

static log_t kept;
static worker_sim_t workers[WORKERS];
static message_queue_t to_0;
static transport_t transport;
static dispatcher_t *d;

static int64_t cost(const void *job, int64_t task)
{
    (void)job;
    return 5 + task * 13 % 31;
}

static int64_t items(const void *job, int64_t task)
{
    (void)job;
    return task + 1;
}

static bool is_done(const void *job, int64_t task)
{
    return ((const log_t *)job)->done_before[task];
}

static status_t store(void *job, int64_t task, int64_t version, const void *data,
                      size_t len)
{
    log_t *l = job;

    assert_int_equal(version, 0);
    while (atomic_load(&l->closed))
        usleep(200);
    if (task == l->store_fails_of || len < sizeof(task) ||
        memcmp(data, &task, sizeof(task)) != 0)
        return ST_EIO;
    atomic_fetch_add(&l->times[task], 1);
    return ST_OK;
}

static status_t sync_all(void *job)
{
    (void)job;
    return ST_OK;
}

static status_t finish(void *job, const job_report_t *report)
{
    log_t *l = job;

    l->n_finishes++;
    l->report = *report;
    return ST_OK;
}

static const job_ops_t ops = {.name = "fake",
                              .cost = cost,
                              .items = items,
                              .is_done = is_done,
                              .store = store,
                              .sync = sync_all,
                              .finish = finish};

static void say(int w, int tag, const void *data, size_t len)
{
    buf_t message = {0};

    assert_int_equal(buf_append(&message, data, len), ST_OK);
    assert_int_equal(message_queue_push(&to_0, w, tag, &message), ST_OK);
}

static void add_result(int w, int64_t task, buf_t *message)
{
    result_head_t head = {.task = task, .rate = 1000 * speed[w], .len = sizeof(task)};

    assert_int_equal(buf_append(message, &head, sizeof(head)), ST_OK);
    assert_int_equal(buf_append(message, &task, sizeof(task)), ST_OK);
}

static void say_result(int w, int64_t task)
{
    buf_t message = {0};

    add_result(w, task, &message);
    assert_int_equal(message_queue_push(&to_0, w, TAG_RESULT, &message), ST_OK);
}

static void say_failed(int w)
{
    int32_t why = ST_EDEVICE;

    workers[w].failed = true;
    say(w, TAG_FAILED, &why, sizeof(why));
}

/* The transport's send: workers take their messages at once. */
static status_t hear(transport_t *t, int to, int tag, buf_t *data)
{
    worker_sim_t *w = &workers[to];
    worker_stats_t stats = {.rate = speed[to]};
    int n = (int)(data->len / sizeof(int64_t));

    (void)t;
    if (tag == TAG_GRANT) {
        assert_false(w->stopped);
        assert_true(w->n + n <= N);
        memcpy(w->inbox + w->n, data->data, data->len);
        w->n += n;
    } else {
        assert_int_equal(tag, TAG_STOP);
        assert_false(w->stopped);
        w->stopped = true;
        if (w->n > 0 && !w->failed) { /* packed already: sent at the stop */
            say_result(to, w->inbox[0]);
            w->n_sent++;
            w->n_late++;
        }
        stats.n_tasks = w->n_sent;
        say(to, TAG_STOPPED, &stats, sizeof(stats));
    }
    buf_free(data);
    return ST_OK;
}

static void work_a_turn(int w)
{
    const int32_t one_signal = 1;
    worker_sim_t *s = &workers[w];
    buf_t message = {0};

    if (s->failed || s->stopped)
        return;
    if (s->n_sent == s->asks_after && !s->asked) {
        s->asked = true;
        say(w, TAG_STOP_REQUEST, &one_signal, sizeof(one_signal));
    }
    if (s->n_sent == s->fails_after) {
        say_failed(w);
        return;
    }
    s->worked += s->n > 0 ? speed[w] : 0;
    while (s->n > 0 && s->worked >= (double)cost(NULL, s->inbox[0])) {
        s->worked -= (double)cost(NULL, s->inbox[0]);
        for (int i = 0; i <= s->doubles; i++)
            add_result(w, s->inbox[0], &message);
        s->n_sent++;
        memmove(s->inbox, s->inbox + 1, (size_t)--s->n * sizeof(s->inbox[0]));
    }
    if (message.len > 0)
        assert_int_equal(message_queue_push(&to_0, w, TAG_RESULT, &message), ST_OK);
}

static int begin(void **state)
{
    (void)state;
    memset(&kept, 0, sizeof(kept));
    memset(workers, 0, sizeof(workers));
    kept.store_fails_of = NEVER;
    for (int w = 0; w < WORKERS; w++)
        workers[w].fails_after = workers[w].asks_after = NEVER;
    transport = (transport_t){.exchange = {.n_ranks = WORKERS}, .send = hear};
    log_set_level(LOG_QUIET);
    return 0;
}

static int end(void **state)
{
    (void)state;
    atomic_store(&kept.closed, false);
    dispatcher_destroy(d);
    d = NULL;
    message_queue_free(&to_0);
    log_set_level(LOG_NORMAL);
    return 0;
}

static void create(int64_t n_tasks)
{
    const job_plan_t plan = {.n_tasks = n_tasks,
                             .task_word = "tiles",
                             .item_word = "pairs"};
    const double guess[WORKERS] = {1000, 500, 9000};

    assert_int_equal(dispatcher_create(&ops, &kept, &plan, &transport, guess, -1, &d),
                     ST_OK);
}

/* Act on all messages there are. */
static void receive_all(void)
{
    message_t m;

    while (message_queue_pop(&to_0, &m))
        assert_int_equal(dispatcher_receive(d, &m), ST_OK);
}

/* Run to the end. @return the first failure of a step, which stopped it */
static status_t run(void)
{
    double until = progress_now_s() + WAIT_S;
    status_t failure = ST_OK;

    for (int turn = 0; !dispatcher_is_over(d); turn++) {
        status_t st = dispatcher_step(d);

        if (st != ST_OK && failure == ST_OK)
            dispatcher_stop(d, failure = st);
        for (int w = 0; w < WORKERS; w++)
            work_a_turn(w);
        receive_all();
        if (turn % 16 == 0)
            usleep(20); /* the log's thread has its turns too */
        assert_true(progress_now_s() < until);
    }
    return failure;
}

static status_t close_run(void)
{
    static char line[] = "a line";
    char *lines[WORKERS] = {line, line, line};

    return dispatcher_finish(d, lines);
}

static void assert_stored_once(int n)
{
    for (int task = 0; task < N; task++)
        assert_int_equal(kept.times[task], task < n && !kept.done_before[task] ? 1 : 0);
}

static int n_stored(void)
{
    int n = 0;

    for (int task = 0; task < N; task++) {
        assert_in_range(kept.times[task], 0, 1);
        n += kept.times[task];
    }
    return n;
}

static void unequal_workers_have_every_task_stored_once(void **state)
{
    double all = 0;

    (void)state;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(close_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(kept.n_finishes, 1);
    for (int task = 0; task < N; task++)
        all += (double)cost(NULL, task);
    assert_true(kept.report.cost == all);
    assert_int_equal(kept.report.items, N * (N + 1) / 2);
    assert_int_equal(kept.report.n_ranks, WORKERS);
    assert_true(kept.report.seconds >= 0);
    for (int w = 0; w < WORKERS; w++)
        assert_int_equal(dispatcher_worker_stats(d, w).n_tasks, workers[w].n_sent);
    assert_true(workers[FAST].n_sent > N / 2);
}

static void what_an_earlier_run_finished_is_not_done_again(void **state)
{
    (void)state;
    for (int task = 0; task < N; task += 3)
        kept.done_before[task] = true;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(close_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(workers[0].n_sent + workers[1].n_sent + workers[2].n_sent,
                     N - (N + 2) / 3);
    assert_int_equal(kept.n_finishes, 1);
}

static void a_run_without_tasks_makes_its_output(void **state)
{
    (void)state;
    create(0);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(close_run(), ST_OK);
    assert_int_equal(kept.n_finishes, 1);
    assert_int_equal(kept.report.items, 0);
}

static void a_failed_workers_tasks_are_done_by_the_others(void **state)
{
    (void)state;
    workers[FAST].fails_after = 20;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(close_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(workers[FAST].n_sent, 20);
    assert_int_equal(kept.n_finishes, 1);
}

static void a_worker_that_fails_at_once_gets_no_more(void **state)
{
    (void)state;
    workers[0].fails_after = workers[1].fails_after = 0;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(close_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(workers[FAST].n_sent, N);
}

static void without_a_worker_the_run_ends_with_an_error(void **state)
{
    (void)state;
    workers[0].fails_after = 2;
    workers[1].fails_after = 0;
    workers[FAST].fails_after = 30;
    create(N);
    capture_start();
    assert_int_equal(run(), ST_OK);
    capture_stop();
    assert_logged("no worker is left; ");
    assert_logged_one_line();
    assert_int_equal(close_run(), ST_EDEVICE);
    assert_int_equal(n_stored(), 32);
    assert_int_equal(kept.n_finishes, 0);
}

/* A worker may have one result more, which it sends when it is told to stop. */
static void a_run_that_is_asked_to_stop_keeps_what_came(void **state)
{
    double since;

    (void)state;
    workers[1].asks_after = 5;
    create(N);
    assert_false(dispatcher_is_stopping(d, &since));
    assert_int_equal(run(), ST_OK);
    assert_true(dispatcher_is_stopping(d, &since));
    assert_int_equal(close_run(), ST_ESTOPPED);
    assert_int_equal(n_stored(),
                     workers[0].n_sent + workers[1].n_sent + workers[2].n_sent);
    assert_true(workers[0].n_late + workers[1].n_late + workers[2].n_late > 0);
    assert_true(n_stored() < N);
    assert_int_equal(kept.n_finishes, 0);
}

static void the_first_reason_to_stop_stays(void **state)
{
    (void)state;
    create(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    dispatcher_stop(d, ST_EPEER);
    dispatcher_stop(d, ST_ESTOPPED);
    receive_all();
    assert_true(dispatcher_is_over(d));
    assert_int_equal(close_run(), ST_EPEER);
}

static void a_store_that_fails_ends_the_run(void **state)
{
    (void)state;
    kept.store_fails_of = 77;
    create(N);
    assert_int_equal(run(), ST_EIO);
    assert_int_equal(close_run(), ST_EIO);
    assert_int_equal(kept.times[77], 0);
    assert_int_equal(kept.n_finishes, 0);
}

static void a_result_that_comes_twice_is_stored_once(void **state)
{
    (void)state;
    workers[0].doubles = workers[FAST].doubles = true;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(close_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(kept.n_finishes, 1);
    assert_int_equal(kept.report.items, N * (N + 1) / 2);
}

/* The task is another worker's by then. */
static void a_late_result_of_a_failed_worker_does_no_harm(void **state)
{
    int64_t task;

    (void)state;
    create(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    assert_true(workers[FAST].n > 0);
    task = workers[FAST].inbox[0];
    say_failed(FAST);
    receive_all();
    say_result(FAST, task);
    receive_all();
    assert_int_equal(run(), ST_OK);
    assert_int_equal(close_run(), ST_OK);
    assert_stored_once(N);
    assert_int_equal(kept.n_finishes, 1);
}

static void a_lost_rank_keeps_the_output_from_being_made(void **state)
{
    (void)state;
    create(N);
    assert_int_equal(run(), ST_OK);
    assert_int_equal(dispatcher_finish(d, NULL), ST_ESTOPPED);
    assert_stored_once(N);
    assert_int_equal(kept.n_finishes, 0);
}

static void results_wait_while_the_disk_is_behind(void **state)
{
    struct {
        result_head_t head;
        int64_t payload;
    } result = {.head = {.rate = 1000}};
    buf_t big = {0};

    (void)state;
    atomic_store(&kept.closed, true);
    create(N);
    assert_int_equal(dispatcher_step(d), ST_OK);
    assert_false(dispatcher_is_full(d));
    result.head.task = result.payload = workers[0].inbox[0];
    workers[0].n = 0;
    result.head.len = (64 << 20) + 1 - sizeof(result.head);
    assert_int_equal(buf_append(&big, &result, sizeof(result)), ST_OK);
    assert_int_equal(buf_reserve(&big, (64 << 20) + 1), ST_OK);
    big.len = (64 << 20) + 1; /* only its beginning is looked at */
    assert_int_equal(message_queue_push(&to_0, 0, TAG_RESULT, &big), ST_OK);
    receive_all();
    assert_true(dispatcher_is_full(d));
    atomic_store(&kept.closed, false);
    while (dispatcher_is_full(d))
        usleep(200);
    dispatcher_stop(d, ST_ESTOPPED);
    receive_all();
    assert_int_equal(close_run(), ST_ESTOPPED);
    assert_int_equal(kept.times[result.payload], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(unequal_workers_have_every_task_stored_once),
        TEST(what_an_earlier_run_finished_is_not_done_again),
        TEST(a_run_without_tasks_makes_its_output),
        TEST(a_failed_workers_tasks_are_done_by_the_others),
        TEST(a_worker_that_fails_at_once_gets_no_more),
        TEST(without_a_worker_the_run_ends_with_an_error),
        TEST(a_run_that_is_asked_to_stop_keeps_what_came),
        TEST(the_first_reason_to_stop_stays),
        TEST(a_store_that_fails_ends_the_run),
        TEST(a_result_that_comes_twice_is_stored_once),
        TEST(a_late_result_of_a_failed_worker_does_no_harm),
        TEST(a_lost_rank_keeps_the_output_from_being_made),
        TEST(results_wait_while_the_disk_is_behind),
    };

    dispatcher_destroy(NULL);
    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
