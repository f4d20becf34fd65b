/*
 * dispatcher_fixture.h - rank 0's state machine with simulated workers, and a job that
 * counts what is stored.
 *
 * begin and end are each test's setup and teardown.
 */
#pragma once

#include "dispatcher/dispatcher.h"
#include "dispatcher/protocol.h"
#include "dispatcher/transport/transport.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

#include <stdatomic.h>
#include <unistd.h>

enum { N = 200, WORKERS = 3, FAST = 2, NEVER = -1, WAIT_S = 30 };

/* Cost that a worker computes in a turn, which is a thousandth of a second of its time.
 */
static const double speed_at_start[WORKERS] = {1, 3, 20};
static double speed[WORKERS];

typedef struct {
    job_t base;
    atomic_int times[N]; /* how often a task was stored */
    atomic_bool closed;  /* stores wait until it is open */
    int store_fails_of;
    bool done_before[N];
    int n_finishes;
    job_report_t report;
} kept_t;

typedef struct {
    int64_t inbox[N];      /* [n] granted, in order */
    int n, n_sent, n_late; /* late: after STOP */
    double worked;         /* on the first of them */
    /* counts of results after which something happens, or NEVER */
    int fails_after, signalled_after, loses_device_after, hangs_after;
    bool finds_bad_input; /* fails because of that */
    int n_hangs;          /* HANGS received */
    bool ignores_hangs;   /* its thread never ends */
    int n_checks[3];      /* CHECK received, by job_how_t; they are answered at once */
    bool lies;            /* its results are wrong, but not those of checks */
    bool doubles;         /* sends each result twice */
    bool is_kept;         /* another rank stores its results, and reports them */
    bool drops;           /* grants, until rank 0 knows of the lost device */
    int n_ends;           /* EXIT and LEAVE received */
    bool failed, signalled, has_lost_device, stopped;
} worker_sim_t;

static kept_t kept;
static worker_sim_t workers[WORKERS];
static message_queue_t to_0;
static transport_t transport;
static dispatcher_t *d;
static job_plan_t *const plan = &kept.base.plan;
static job_opts_t job_opts = {.resume = true};
static double clock_s; /* of the workers: a turn is a thousandth of a second */

static inline int64_t cost(const job_t *job, int64_t task)
{
    (void)job;
    return 5 + task * 13 % 31;
}

static inline int64_t items(const job_t *job, int64_t task)
{
    (void)job;
    return task + 1;
}

static inline status_t note_result(job_t *job, int64_t task, int64_t version,
                                   const void *data, size_t len)
{
    kept_t *l = (kept_t *)job;

    assert_int_equal(version, 0);
    while (atomic_load(&l->closed))
        usleep(200);
    if (task == l->store_fails_of || len < sizeof(task) ||
        memcmp(data, &task, sizeof(task)) != 0)
        return ST_EIO;
    atomic_fetch_add(&l->times[task], 1);
    return ST_OK;
}

static inline status_t write_result(job_t *job, const job_report_t *report)
{
    kept_t *l = (kept_t *)job;

    l->n_finishes++;
    l->report = *report;
    return ST_OK;
}

static inline status_t equal(const job_t *job, const buf_t *a, const buf_t *b, bool *out)
{
    (void)job;
    *out = a->len == b->len && memcmp(a->data, b->data, a->len) == 0;
    return ST_OK;
}

static inline const char *check_record(job_t *job, int64_t task, int64_t version,
                                       const buf_t *record)
{
    (void)job;
    (void)version;
    return memcmp(record->data, &task, sizeof(task)) == 0 ? NULL : "is another's";
}

static const job_ops_t ops = {.name = "fake",
                              .check_record = check_record,
                              .equal = equal,
                              .cost = cost,
                              .items = items,
                              .note_result = note_result,
                              .write_result = write_result};

static inline void send_to_0(int w, int tag, const void *data, size_t len)
{
    buf_t message = {0};

    assert_int_equal(buf_append(&message, data, len), ST_OK);
    assert_int_equal(message_queue_push(&to_0, w, tag, &message), ST_OK);
}

static inline void add_result_of(int w, int64_t task, job_how_t how, buf_t *message)
{
    result_head_t head = {.task = task,
                          .version = how,
                          .rate = 1000 * speed[w],
                          .len = sizeof(task)};
    int64_t result = workers[w].lies && how == JOB_DEFAULT ? ~task : task;

    assert_int_equal(buf_append(message, &head, sizeof(head)), ST_OK);
    assert_int_equal(buf_append(message, &result, sizeof(result)), ST_OK);
}

static inline void add_result(int w, int64_t task, buf_t *message)
{
    add_result_of(w, task, JOB_DEFAULT, message);
}

static inline void add_stored(int w, int64_t task, buf_t *message)
{
    const stored_t stored = {task, w, 1000 * speed[w]};

    assert_int_equal(buf_append(message, &stored, sizeof(stored)), ST_OK);
}

static inline void send_result(int w, int64_t task)
{
    buf_t message = {0};

    add_result(w, task, &message);
    assert_int_equal(message_queue_push(&to_0, w, TAG_RESULT, &message), ST_OK);
}

static inline void send_failed(int w)
{
    int32_t why = workers[w].finds_bad_input ? ST_EINPUT : ST_EDEVICE;

    workers[w].failed = true;
    send_to_0(w, TAG_FAILED, &why, sizeof(why));
}

static inline void lose_device(int w);

static inline void answer_checks(int w, const buf_t *data)
{
    buf_t message = {0};
    worker_check_t check;

    for (size_t at = 0; at < data->len; at += sizeof(check)) {
        memcpy(&check, data->data + at, sizeof(check));
        workers[w].n_checks[check.how]++;
        add_result_of(w, check.task, (job_how_t)check.how, &message);
    }
    assert_int_equal(message_queue_push(&to_0, w, TAG_RESULT, &message), ST_OK);
}

/* The transport's send: workers receive their messages at once. */
static inline status_t receive_at_worker(transport_t *t, int to, int tag, buf_t *data)
{
    worker_sim_t *w = &workers[to];
    stopped_t stopped = {.stats = {.rate = speed[to]}};
    int n = (int)(data->len / sizeof(int64_t));

    (void)t;
    if (tag == TAG_GRANT && n == 0) {
        assert_true(w->drops);
        w->drops = false;
    } else if (tag == TAG_GRANT && !w->drops) {
        assert_false(w->stopped);
        assert_true(w->n + n <= N);
        memcpy(w->inbox + w->n, data->data, data->len);
        w->n += n;
    } else if (tag == TAG_CHECK) {
        if (!w->failed && !w->drops)
            answer_checks(to, data);
    } else if (tag == TAG_HANGS) {
        assert_false(w->has_lost_device);
        w->n_hangs++;
        if (!w->ignores_hangs)
            lose_device(to);
    } else if (tag == TAG_EXIT || tag == TAG_LEAVE) {
        assert_true(w->stopped);
        w->n_ends++;
    } else if (tag != TAG_GRANT) {
        assert_int_equal(tag, TAG_STOP);
        assert_false(w->stopped);
        w->stopped = true;
        if (w->n > 0 && !w->failed) { /* already packed: sent at the stop */
            send_result(to, w->inbox[0]);
            w->n_sent++;
            w->n_late++;
        }
        stopped.stats.n_tasks = w->n_sent;
        send_to_0(to, TAG_STOPPED, &stopped, sizeof(stopped));
    }
    buf_free(data);
    return ST_OK;
}

static inline void dismiss(transport_t *t, int rank)
{
    (void)t;
    assert_true(workers[rank].stopped);
}

static inline void send_order(int w, lent_order_t what)
{
    const retreat_order_t order = {.order = (int32_t)what};

    send_to_0(w, TAG_RETREAT, &order, sizeof(order));
}

/* The CPU continues, more slowly; another grant may be on its way. */
static inline void lose_device(int w)
{
    double guess = 100 * speed[w];

    workers[w].has_lost_device = workers[w].drops = true;
    workers[w].n = 0;
    workers[w].worked = 0;
    speed[w] /= 5;
    send_to_0(w, TAG_LOST, &guess, sizeof(guess));
}

/* The transport's drop, where ranks are not trusted. */
static inline void drop(transport_t *t, int w, const char *why)
{
    (void)t;
    if (workers[w].failed)
        return;
    workers[w].failed = true;
    log_error("worker %d %s", w, why);
    send_to_0(w, TRANSPORT_GONE, NULL, 0);
}

static inline void work(int w)
{
    const int32_t one_signal = 1;
    worker_sim_t *s = &workers[w];
    buf_t message = {0};

    if (s->failed || s->stopped || (s->n_sent == s->hangs_after && !s->has_lost_device))
        return;
    if (s->n_sent == s->signalled_after && !s->signalled) {
        s->signalled = true;
        send_to_0(w, TAG_STOP_REQUEST, &one_signal, sizeof(one_signal));
    }
    if (s->n_sent == s->fails_after) {
        send_failed(w);
        return;
    }
    if (s->n_sent >= s->loses_device_after && s->loses_device_after != NEVER &&
        !s->has_lost_device)
        lose_device(w);
    s->worked += s->n > 0 ? speed[w] : 0;
    while (s->n > 0 && s->worked >= (double)cost(NULL, s->inbox[0])) {
        s->worked -= (double)cost(NULL, s->inbox[0]);
        for (int i = 0; i <= s->doubles; i++)
            (s->is_kept ? add_stored : add_result)(w, s->inbox[0], &message);
        s->n_sent++;
        memmove(s->inbox, s->inbox + 1, (size_t)--s->n * sizeof(s->inbox[0]));
    }
    if (message.len > 0)
        assert_int_equal(message_queue_push(&to_0, w,
                                            s->is_kept ? TAG_STORED : TAG_RESULT,
                                            &message),
                         ST_OK);
}

static inline int begin(void **state)
{
    (void)state;
    memset(&kept, 0, sizeof(kept));
    memset(workers, 0, sizeof(workers));
    memcpy(speed, speed_at_start, sizeof(speed));
    kept.base.ops = &ops;
    kept.base.opts = &job_opts;
    *plan = (job_plan_t){.task_word = "tiles", .item_word = "pairs"};
    clock_s = 0;
    kept.store_fails_of = NEVER;
    for (int w = 0; w < WORKERS; w++)
        workers[w].fails_after = workers[w].signalled_after =
            workers[w].loses_device_after = workers[w].hangs_after = NEVER;
    transport = (transport_t){.exchange = {.n_ranks = WORKERS},
                              .send = receive_at_worker,
                              .dismiss = dismiss};
    log_set_level(LOG_QUIET);
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    atomic_store(&kept.closed, false);
    dispatcher_destroy(d);
    d = NULL;
    message_queue_free(&to_0);
    if (kept.base.log != NULL)
        reslog_remove(kept.base.log);
    reslog_close(kept.base.log);
    log_set_level(LOG_NORMAL);
    return 0;
}

static inline double simulated_clock(void)
{
    return clock_s;
}

/* With what is done before. */
static inline void open_log(void)
{
    char path[64];

    snprintf(path, sizeof(path), "/tmp/ribogrid_dispatcher.%d.part", (int)getpid());
    assert_int_equal(reslog_open(path, "job=fake\n", N, true, &kept.base.log), ST_OK);
    for (int64_t task = 0; task < N; task++)
        if (kept.done_before[task])
            assert_int_equal(reslog_append(kept.base.log, task, 0, &task, sizeof(task)),
                             ST_OK);
}

static inline void create(int64_t n_tasks)
{
    const double guess[WORKERS] = {1000, 500, 9000};
    const dispatcher_opts_t opts = {.job = &kept.base,
                                    .transport = &transport,
                                    .guess = guess,
                                    .saved = -1,
                                    .clock = simulated_clock};

    plan->n_tasks = n_tasks;
    open_log();
    assert_int_equal(dispatcher_create(&opts, &d), ST_OK);
}

/* Act on all messages that have arrived. */
static inline void receive_all(void)
{
    message_t m;

    while (message_queue_pop(&to_0, &m))
        assert_int_equal(dispatcher_receive(d, &m), ST_OK);
}

/* Run to the end. @return the first failure of a step, which stopped it */
static inline status_t run(void)
{
    double until = clock_now_s() + WAIT_S;
    status_t failure = ST_OK;

    for (int turn = 0; !dispatcher_is_over(d); turn++) {
        status_t st = dispatcher_step(d);

        if (st != ST_OK && failure == ST_OK)
            dispatcher_stop(d, failure = st);
        for (int w = 0; w < WORKERS; w++)
            work(w);
        clock_s += 0.001;
        receive_all();
        if (turn % 16 == 0)
            usleep(20); /* let the storer's thread run, too */
        assert_true(clock_now_s() < until);
    }
    return failure;
}

static inline status_t finish_run(void)
{
    static char line[] = "a line";
    char *lines[WORKERS] = {line, line, line};

    return dispatcher_finish(d, lines);
}

static inline void assert_stored_once(int n)
{
    for (int task = 0; task < N; task++)
        assert_int_equal(kept.times[task], task < n && !kept.done_before[task] ? 1 : 0);
}

static inline int n_stored(void)
{
    int n = 0;

    for (int task = 0; task < N; task++) {
        assert_in_range(kept.times[task], 0, 1);
        n += kept.times[task];
    }
    return n;
}
