/*
 * simulated_run.c - rank 0 as in run.c, with simulated workers and a simulated clock.
 */
#include "dispatcher/simulate/simulated_run.h"

#include "dispatcher/dispatcher.h"
#include "dispatcher/protocol.h"
#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REAL_WAIT_US = 200 };

/* The model of the disk. */
typedef struct {
    double *done_at; /* [n_tasks] when each result is stored, in order of arrival */
    bool *has;       /* [n_tasks] a task's result; further ones are not stored */
    int64_t n_put;
    double free_at;
} disk_t;

typedef struct {
    const simulated_run_opts_t *opts;
    transport_t *t;
    dispatcher_t *d;
    disk_t disk;
    double wait_s; /* of the next wait when idle */
    double last_result;
    simulated_run_t sums;
} sim_t;

static void put(sim_t *s, int64_t task)
{
    double now = transport_simulated_now(s->t);

    if (s->disk.has[task])
        return;
    s->disk.has[task] = true;
    s->last_result = now;
    s->disk.free_at = fmax(s->disk.free_at, now) + s->opts->transport.store_s;
    s->disk.done_at[s->disk.n_put++] = s->disk.free_at;
    s->sums.n_results++;
    s->sums.n_stored++;
    s->sums.store_s += s->opts->transport.store_s;
}

/* Another rank has stored results. */
static void note_stored(sim_t *s, const buf_t *report)
{
    const stored_t *stored = (const stored_t *)(const void *)report->data;

    for (size_t i = 0; i < report->len / sizeof(*stored); i++) {
        s->sums.n_results += !s->disk.has[stored[i].task];
        s->disk.has[stored[i].task] = true;
        s->last_result = transport_simulated_now(s->t);
    }
}

/* @return when the disk will have stored enough for rank 0 to take the next message */
static double when_not_full(const sim_t *s)
{
    size_t each = sizeof(result_head_t) + s->opts->transport.result_bytes;
    int64_t max_waiting = (int64_t)(DISPATCHER_BACKLOG_BYTES / each);

    return s->disk.n_put > max_waiting ? s->disk.done_at[s->disk.n_put - max_waiting - 1]
                                       : 0;
}

/* Wait and look again, as run.c does. */
static void wait_until(sim_t *s, double when)
{
    double now = transport_simulated_now(s->t);

    if (s->opts->min_wait_s <= 0)
        transport_simulated_wait(s->t, fmax(0, when - now));
    else
        for (; now < when; now = transport_simulated_now(s->t)) {
            transport_simulated_wait(s->t, s->wait_s);
            s->wait_s = fmin(s->wait_s * 2, s->opts->max_wait_s);
        }
}

/* One turn of run.c's loop. */
static status_t turn(sim_t *s, bool *got)
{
    double began, received;
    message_t m;
    status_t st;
    buf_t stored = {0}; /* what a report says */
    int64_t task = -1;  /* whose result it is */

    transport_simulated_begin(s->t);
    began = transport_simulated_now(s->t);
    st = s->t->receive(s->t, &m, got);
    received = transport_simulated_now(s->t) - began;
    if (st == ST_OK && *got) {
        if (m.tag == TAG_RESULT)
            memcpy(&task, m.data.data, sizeof(task)); /* the first of result_head_t */
        if (m.tag == TAG_STORED)
            st = buf_append(&stored, m.data.data, m.data.len);
        if (st == ST_OK)
            st = dispatcher_receive(s->d, &m);
    }
    if (st == ST_OK)
        st = dispatcher_step(s->d);
    s->sums.dispatch_s += transport_simulated_end(s->t) - received;
    s->sums.receive_s += received;
    if (!*got)
        return st;
    s->wait_s = s->opts->min_wait_s;
    s->sums.n_messages++;
    s->sums.receive_s += s->opts->message_s;
    transport_simulated_wait(s->t, s->opts->message_s);
    if (task >= 0)
        put(s, task);
    note_stored(s, &stored);
    buf_free(&stored);
    return st;
}

/* Rank 0 has nothing to do until a message arrives.  If none will, the storer's thread is
 * still working, in real time. */
static status_t idle(sim_t *s)
{
    double next, now = transport_simulated_now(s->t);
    status_t st = transport_simulated_next(s->t, &next);

    if (st == ST_OK && next < INFINITY)
        wait_until(s, next);
    else if (st == ST_OK && now < s->disk.free_at)
        wait_until(s, s->disk.free_at);
    else
        usleep(REAL_WAIT_US);
    return st;
}

static status_t loop(sim_t *s)
{
    status_t st = ST_OK;

    while (st == ST_OK && !dispatcher_is_over(s->d)) {
        double now = transport_simulated_now(s->t), until = when_not_full(s);
        bool got = false;

        while (dispatcher_is_full(s->d)) /* the real disk: no simulated time passes */
            usleep(REAL_WAIT_US);
        if (until > now) {
            wait_until(s, until);
            s->sums.wait_s += transport_simulated_now(s->t) - now;
        }
        if ((st = transport_simulated_advance(s->t)) == ST_OK)
            st = turn(s, &got);
        if (st == ST_OK && !got)
            st = idle(s);
    }
    return st;
}

static void sum_up(sim_t *s)
{
    double cost = 0, power = 0;

    s->sums.seconds = fmax(s->last_result, s->disk.free_at);
    s->sums.link_s = transport_simulated_link_s(s->t);
    for (int w = 0; w < s->opts->transport.n_ranks; w++) {
        worker_stats_t stats = dispatcher_worker_stats(s->d, w);

        cost += stats.cost;
        power += s->opts->transport.rate[w];
        s->sums.n_unused += stats.n_tasks == 0;
    }
    s->sums.utilization = s->sums.seconds > 0 ? cost / (power * s->sums.seconds) : 1;
}

status_t simulated_run(const simulated_run_opts_t *opts, job_t *job, simulated_run_t *out)
{
    const size_t n_tasks = (size_t)job->plan.n_tasks;
    sim_t s = {.opts = opts, .wait_s = opts->min_wait_s};
    char **lines = calloc((size_t)opts->transport.n_ranks, sizeof(*lines));
    status_t st = ST_ENOMEM;

    s.disk.done_at = malloc((n_tasks + 1) * sizeof(*s.disk.done_at));
    s.disk.has = calloc(n_tasks + 1, sizeof(*s.disk.has));
    if (lines == NULL || s.disk.done_at == NULL || s.disk.has == NULL) {
        st = log_nomem("a simulated run");
        goto done;
    }
    if ((st = transport_simulated_create(&opts->transport, &s.t)) != ST_OK ||
        (st = dispatcher_create(&(dispatcher_opts_t){.job = job,
                                                     .transport = s.t,
                                                     .guess = opts->transport.guess,
                                                     .saved = -1,
                                                     .clock = opts->transport.clock},
                                &s.d)) != ST_OK)
        goto done;
    st = loop(&s);
    if (st == ST_OK)
        sum_up(&s);
    else
        dispatcher_stop(s.d, st);
    st = dispatcher_finish(s.d, lines);
    if (st == ST_OK)
        *out = s.sums;
done:
    dispatcher_destroy(s.d);
    if (s.t != NULL)
        s.t->destroy(s.t);
    free(s.disk.done_at);
    free(s.disk.has);
    free(lines);
    return st;
}
