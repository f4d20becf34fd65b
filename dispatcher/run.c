/*
 * run.c - a run on one rank: messages between the dispatcher and the worker, until the
 * end.
 */
#include "dispatcher/run.h"

#include "dispatcher/protocol.h"
#include "dispatcher/run_state.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/fault/fault.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static status_t send_to_0(run_t *r, tag_t tag, const void *data, size_t len)
{
    return message_send(r->t, 0, tag, data, len);
}

/* Send the results that the worker has finished. @param busy  set if there were any */
static status_t send_results(run_t *r, bool *busy)
{
    double rate = worker_stats(r->worker).rate;
    worker_result_t result;
    buf_t message = {0};
    status_t st = ST_OK;

    while (st == ST_OK && worker_take(r->worker, &result)) {
        buf_t *data = &result.data;
        result_head_t head = {.task = result.task,
                              .version = result.version,
                              .rate = rate,
                              .len = data->len - sizeof(head)};

        memcpy(data->data, &head, sizeof(head));
        *busy = true;
        if (message.len + data->len <= RESULTS_BYTES && message.len > 0) {
            st = buf_append(&message, data->data, data->len);
            buf_free(data);
            continue;
        }
        if (message.len > 0)
            st = r->t->send(r->t, r->to, TAG_RESULT, &message);
        message = *data;
    }
    if (st == ST_OK && message.len > 0)
        return r->t->send(r->t, r->to, TAG_RESULT, &message);
    buf_free(&message);
    return st;
}

/* Stop the worker, then send its last results and what it did; a rank that keeps a shard
 * does so when it has the last results of others. */
static status_t stop_worker(run_t *r)
{
    const double since = clock_now_s();
    stopped_t stopped = {.stats = r->before};
    buf_t empty = {0};
    bool busy = false;
    status_t st;

    if (r->worker == NULL)
        return send_to_0(r, TAG_STOPPED, &stopped, sizeof(stopped));
    /* A collective that the transport has begun completes only with the other ranks,
     * which have stopped, too: its thread will not end. */
    if (r->gang.is_open)
        worker_stop(r->worker, 0);
    else
        r->stuck = !worker_stop(r->worker, RUN_STOP_SECONDS);
    stopped = (stopped_t){.stats = run_relay_stats(r), .in_collective = r->gang.is_open};
    if ((st = send_results(r, &busy)) == ST_OK && r->to != 0)
        st = r->t->send(r->t, r->to, TAG_LAST, &empty);
    if (st != ST_OK || r->keeper == NULL)
        return st == ST_OK ? send_to_0(r, TAG_STOPPED, &stopped, sizeof(stopped)) : st;
    keeper_stop(r->keeper, &stopped, since + RUN_STOP_SECONDS + 1);
    return ST_OK;
}

/* Tasks for the worker; none: rank 0 knows that the device was lost. */
static status_t on_grant(run_t *r, const message_t *m)
{
    if (m->data.len == 0) {
        worker_resume(r->worker);
        r->loss_sent = false;
        return ST_OK;
    }
    return worker_give(r->worker, (const int64_t *)(const void *)m->data.data,
                       (int)(m->data.len / sizeof(int64_t)));
}

static bool is_for_dispatcher(int tag)
{
    return tag == TAG_RESULT || tag == TAG_STORED || tag == TAG_UNSTORED ||
           tag == TAG_COPIED || tag == TAG_LOST || tag == TAG_FINISHED ||
           tag == TAG_FAILED || tag == TAG_STOP_REQUEST || tag == TAG_STOPPING ||
           tag == TAG_STEPS || tag == TAG_RETREAT || tag == TAG_STOPPED ||
           tag == TRANSPORT_GONE;
}

/* Refuse what a rank must not send that is not trusted. @return whether that was so */
static bool refuse(run_t *r, message_t *m)
{
    const char *why = r->t->drop != NULL && m->source != r->t->exchange.rank
                          ? message_refusal(r->job, m, r->t->exchange.rank == 0)
                          : NULL;

    if (why == NULL)
        return false;
    r->t->drop(r->t, m->source, why);
    buf_free(&m->data);
    return true;
}

static status_t on_message(run_t *r, message_t *m)
{
    exit_t end;
    status_t st = ST_OK;

    if (refuse(r, m))
        return ST_OK;
    run_lost_note_answer(r, m);
    if (m->tag == TRANSPORT_GONE)
        r->ranks[m->source].is_leaving = true;
    if (r->keeper != NULL &&
        (m->tag == TAG_RESULT || m->tag == TAG_LAST || m->tag == TAG_COPY))
        return keeper_receive(r->keeper, m);
    if (is_for_dispatcher(m->tag))
        return dispatcher_receive(r->dispatcher, m);
    switch ((tag_t)m->tag) {
    case TAG_GRANT:
        st = on_grant(r, m);
        break;
    case TAG_CHECK:
        st = worker_check(r->worker, (const worker_check_t *)(const void *)m->data.data,
                          (int)(m->data.len / sizeof(worker_check_t)));
        break;
    case TAG_STATE:
    case TAG_BEGIN:
    case TAG_ORDERS:
        st = run_relay_receive(r, m);
        break;
    case TAG_HANGS:
        worker_give_up_device(r->worker);
        break;
    case TAG_STOP:
        log_phases_begin(); /* of the end */
        st = send_to_0(r, TAG_STOPPING, NULL, 0);
        if (st == ST_OK)
            st = stop_worker(r);
        log_phase("worker");
        break;
    case TAG_EXIT:
        memcpy(&end, m->data.data, sizeof(end));
        r->result = (status_t)end.status;
        r->is_incomplete = end.incomplete != 0;
        if (fault_now(FAULT_SUSPEND))
            raise(SIGSTOP);
        st = send_to_0(r, TAG_LEAVING, NULL, 0);
        break;
    case TAG_LEAVING:
        r->ranks[m->source].is_leaving = true;
        break;
    case TAG_LEAVE:
        r->over = true;
        break;
    default:
        break;
    }
    buf_free(&m->data);
    return st;
}

/* Send signals that this process has received since. */
static status_t send_stop_request(run_t *r)
{
    int32_t n = run_lost_signals();

    run_lost_look(r);
    if (n == r->n_signals_sent || (r->has_lost && r->job->plan.kind == JOB_GANG))
        return ST_OK; /* a gang that has lost a rank reaches no further checkpoint */
    r->n_signals_sent = n;
    return send_to_0(r, TAG_STOP_REQUEST, &n, sizeof(n));
}

/* Send what the worker has finished, and how it is. */
static status_t report_worker(run_t *r, bool *busy)
{
    worker_finish_t finish;
    double rate;
    bool lost, finished;
    int32_t state;
    status_t st;

    if (r->worker == NULL)
        return ST_OK;
    lost = worker_has_lost_device(r->worker, &rate);
    finished = worker_is_finished(r->worker, &finish);
    state = worker_state(r->worker);
    st = send_results(r, busy); /* all that were delivered before the above */
    if (st == ST_OK && r->gang.is_relayed)
        st = run_relay_report(r);
    if (st == ST_OK && lost && !r->loss_sent) {
        r->loss_sent = true;
        st = send_to_0(r, TAG_LOST, &rate, sizeof(rate));
    }
    if (st == ST_OK && finished && !r->finish_sent) {
        r->finish_sent = true;
        st = send_to_0(r, TAG_FINISHED, &finish, sizeof(finish));
    }
    if (st == ST_OK && state != ST_OK && !r->failure_sent) {
        r->failure_sent = true;
        st = send_to_0(r, TAG_FAILED, &state, sizeof(state));
    }
    return st;
}

/* What a rank did, for the result file. */
static char *rank_line(const run_t *r, int rank)
{
    worker_stats_t s = dispatcher_worker_stats(r->dispatcher, rank);
    const rank_info_t *info = &r->ranks[rank];
    const char *unit = r->job->plan.kind == JOB_GANG ? "steps" : r->job->plan.task_word;
    char *line, cost[64] = "";

    if (r->job->plan.cost_word != NULL)
        snprintf(cost, sizeof(cost), " %s=%.6g", r->job->plan.cost_word, s.cost);
    if (asprintf(&line,
                 "rank=%d host=%s device=\"%s\" kernel=%s threads=%d %s=%lld%s "
                 "busy_seconds=%.3f%s%s",
                 rank, info->host, info->device, info->kernel, info->n_threads, unit,
                 (long long)s.n_tasks, cost, s.busy_s,
                 s.n_lost_devices > 0 ? " device_lost=1" : "",
                 dispatcher_has_stopped(r->dispatcher, rank) ? "" : " silent=1") < 0)
        return NULL;
    log_verbose("%s", line);
    return line;
}

/* Rank 0, after the workers have stopped: make the output. */
static status_t make_output(run_t *r)
{
    int n = r->t->exchange.n_ranks;
    char **lines = calloc((size_t)n, sizeof(*lines));
    status_t st = lines != NULL ? ST_OK : log_nomem("the report");

    for (int i = 0; st == ST_OK && i < n; i++)
        if ((lines[i] = rank_line(r, i)) == NULL)
            st = log_nomem("the report");
    log_phase("other ranks");
    run_lost_begin_output(r);
    if (st == ST_OK)
        st = dispatcher_finish(r->dispatcher, lines);
    run_lost_end_output();
    for (int i = 0; lines != NULL && i < n; i++)
        free(lines[i]);
    free(lines);
    return st;
}

static status_t send_to_others(run_t *r, tag_t tag, const void *data, size_t len)
{
    status_t st = ST_OK;

    for (int i = 1; st == ST_OK && i < r->t->exchange.n_ranks; i++)
        st = message_send(r->t, i, tag, data, len);
    return st;
}

/* Rank 0, after all workers have stopped: make the output, then tell all ranks. */
static status_t end_run(run_t *r)
{
    exit_t end = {.incomplete = dispatcher_is_incomplete(r->dispatcher)};

    r->has_ended = true;
    r->result = make_output(r);
    r->is_incomplete = end.incomplete;
    r->ranks[0].is_leaving = true;
    r->ended_s = clock_now_s();
    end.status = r->result;
    return send_to_others(r, TAG_EXIT, &end, sizeof(end));
}

/* Whether rank 0 has the rank's answer that it waits for: the last one before the output,
 * or the one after it. */
static bool is_there(const run_t *r, int rank)
{
    return r->has_ended ? r->ranks[rank].is_leaving
                        : dispatcher_has_stopped(r->dispatcher, rank);
}

/* Rank 0, when a rank does not stop: make the output from what the log has, which may be
 * everything, unless it was made.  The other ranks wait until the launcher ends them:
 * some may be in no state to end with the rest. */
static void end_without_silent(run_t *r)
{
    for (int i = 0; i < r->t->exchange.n_ranks; i++)
        if (!is_there(r, i))
            log_warn("rank %d on %s does not stop; ending without it", i,
                     r->ranks[i].host);
    r->t->has_silent_rank = true;
    if (!r->has_ended)
        r->result = make_output(r);
    r->over = true;
}

/* @return whether a rank does not stop, or with --task-timeout does not even answer; all
 * answer at once that they know of the output */
static bool is_silent(const run_t *r)
{
    const double timeout_s = r->job->plan.task_timeout_s;
    double since = r->ended_s, waited_s;

    if (!r->has_ended && !dispatcher_is_stopping(r->dispatcher, &since))
        return false;
    waited_s = clock_now_s() - since;
    for (int i = 0; i < r->t->exchange.n_ranks; i++)
        if (!is_there(r, i) && (waited_s > 2 * RUN_STOP_SECONDS ||
                                (timeout_s > 0 && waited_s > timeout_s &&
                                 (r->has_ended || !r->ranks[i].has_answered))))
            return true;
    return false;
}

/* Rank 0, after the output: leave when all ranks know of it.  One that is suspended by
 * then would keep the others waiting for ever. */
static status_t step_end(run_t *r)
{
    for (int i = 0; i < r->t->exchange.n_ranks; i++)
        if (!is_there(r, i)) {
            if (is_silent(r))
                end_without_silent(r);
            return ST_OK;
        }
    r->over = true;
    return send_to_others(r, TAG_LEAVE, NULL, 0);
}

/* Rank 0's part of the loop.  An error of the dispatcher stops all ranks in order. */
static status_t step_dispatcher(run_t *r)
{
    status_t st = dispatcher_step(r->dispatcher);
    bool done;

    if (r->job->plan.kind == JOB_GANG && !r->gang.is_relayed) {
        worker_orders_t orders =
            dispatcher_direct_gang(r->dispatcher, worker_stats(r->worker).n_tasks);

        worker_order(r->worker, &orders);
    }
    if (st != ST_OK)
        dispatcher_stop(r->dispatcher, st);
    if (dispatcher_is_over(r->dispatcher)) {
        st = dispatcher_gather(r->dispatcher, &done);
        return st != ST_OK || done ? end_run(r) : ST_OK;
    }
    if (is_silent(r))
        end_without_silent(r);
    return ST_OK;
}

/* Everything that can be done now. @param busy  set if there may be more at once */
static status_t turn(run_t *r, bool *busy)
{
    bool leads = r->dispatcher != NULL, got = false, is_sending = false;
    status_t st = run_gang_poll(r, busy);
    message_t m;
    double since;

    if (st == ST_OK)
        st = report_worker(r, busy);
    if (st == ST_OK)
        st = send_stop_request(r);
    if (st == ST_OK)
        st = run_lent_look(r);
    if (st == ST_OK && !(leads && dispatcher_is_full(r->dispatcher)) &&
        !(r->keeper != NULL && keeper_is_full(r->keeper))) {
        st = r->t->receive(r->t, &m, &got);
        is_sending = r->t->is_sending;
    }
    if (st == ST_OK && got)
        st = on_message(r, &m);
    if (st == ST_OK && r->keeper != NULL)
        st = keeper_step(r->keeper);
    if (st == ST_OK && leads)
        st = r->has_ended ? step_end(r) : step_dispatcher(r);
    if (st != ST_OK && leads && !dispatcher_is_stopping(r->dispatcher, &since)) {
        dispatcher_stop(r->dispatcher, st); /* the other ranks stop in order */
        st = ST_OK;
    }
    *busy = *busy || got || is_sending;
    return st;
}

static status_t loop(run_t *r)
{
    int wait_us = RUN_WAIT_MIN_US;
    status_t st = ST_OK;

    while (st == ST_OK && !r->over) {
        bool busy = false;

        st = turn(r, &busy);
        if (busy) {
            wait_us = RUN_WAIT_MIN_US;
            sched_yield();
        } else {
            notifier_wait(&r->notifier, wait_us);
            wait_us = wait_us * 2 < RUN_WAIT_MAX_US ? wait_us * 2 : RUN_WAIT_MAX_US;
        }
    }
    return st == ST_OK ? r->result : st;
}

status_t run_job(job_t *job, transport_t *t)
{
    run_t r = {.job = job, .t = t, .binding = job->opts->binding};
    status_t st;

    notifier_begin(&r.notifier);
    if ((st = fault_begin(t->exchange.rank, t->exchange.n_ranks)) == ST_OK)
        st = run_start(&r);
    if (st == ST_OK) {
        st = loop(&r);
        if (!r.over) { /* only this rank has failed: the others would wait for ever */
            if (r.dispatcher != NULL && dispatcher_finish(r.dispatcher, NULL) != st)
                log_verbose("the log was closed after the failure above");
            t->abandon(t, status_exit_code(st));
        }
    } else if (r.worker != NULL && !worker_stop(r.worker, RUN_STOP_SECONDS)) {
        r.stuck = true;
    }
    dispatcher_destroy(r.dispatcher);
    keeper_destroy(r.keeper);
    free(r.ranks);
    t->has_stuck_thread = r.stuck;
    if (r.stuck) /* it still uses the job */
        return st;
    if (r.is_incomplete)
        t->leave(t);
    if (r.gang.is_open) /* the worker's thread still uses the job's memory */
        return st;
    log_phase("messages");
    worker_destroy(r.worker);
    job_destroy(job);
    run_gang_end(&r);
    pool_destroy(r.pool);
    notifier_end(&r.notifier);
    log_phase("memory");
    return st == ST_OK ? fault_end() : st;
}
