/*
 * dispatcher.c - rank 0's side of a run: grants, results, checkpoints, the end.
 */
#include "dispatcher/dispatcher.h"

#include "dispatcher/credit.h"
#include "dispatcher/gang_watch.h"
#include "dispatcher/progress.h"
#include "dispatcher/protocol.h"
#include "dispatcher/storer.h"
#include "dispatcher/taskset.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dispatcher {
    const job_ops_t *ops;
    void *job;
    transport_t *transport;
    int n_workers, n_stopped, n_in_collective;
    worker_stats_t *stats; /* [n_workers] */
    storer_t *storer;
    progress_t progress;
    int64_t items_done; /* including earlier runs */
    double cost_done;   /* in this run */
    bool stopping;
    double stopping_since;
    status_t reason; /* why it stops */
    /* free tasks */
    credits_t credit;
    taskset_t *tasks; /* NULL: a gang */
    bool grant_to_all;
    /* a gang */
    gang_watch_t gang;
    double step_cost;
};

static bool is_gang(const dispatcher_t *d)
{
    return d->tasks == NULL;
}

static double cost_of(const dispatcher_t *d, int64_t task)
{
    return (double)d->ops->cost(d->job, task);
}

/* What an earlier run has finished counts as done. */
static void begin_progress(dispatcher_t *d, const job_plan_t *plan)
{
    progress_t *p = &d->progress;

    *p = (progress_t){.task_word = plan->task_word,
                      .item_word = plan->item_word,
                      .cost_word = plan->cost_word,
                      .rate_word = plan->rate_word,
                      .n_tasks = plan->n_tasks,
                      .n_steps = plan->n_steps,
                      .steps_before = d->gang.first_step};
    for (int64_t task = 0; task < plan->n_tasks; task++) {
        int64_t items = d->ops->items(d->job, task);

        p->n_items += items;
        if (!is_gang(d) && d->ops->is_done(d->job, task))
            d->items_done += items;
        if (is_gang(d))
            d->step_cost += cost_of(d, task);
    }
    p->items_before = d->items_done;
    if (is_gang(d)) {
        if (d->gang.first_step > 0)
            log_info("resuming: %" PRId64 " steps are done already", d->gang.first_step);
    } else {
        p->tasks_before = taskset_n_done(d->tasks);
        p->cost_left = taskset_cost_left(d->tasks);
        if (p->tasks_before > 0)
            log_info("resuming: %" PRId64 " of %" PRId64 " %s are finished already",
                     p->tasks_before, plan->n_tasks, plan->task_word);
    }
    progress_begin(p);
}

status_t dispatcher_create(const job_ops_t *ops, void *job, const job_plan_t *plan,
                           transport_t *t, const double *guess, int64_t saved,
                           dispatcher_t **out)
{
    dispatcher_t *d = calloc(1, sizeof(*d));
    status_t st;

    if (d == NULL)
        return log_nomem("the dispatcher");
    d->ops = ops;
    d->job = job;
    d->transport = t;
    d->n_workers = t->exchange.n_ranks;
    d->grant_to_all = true;
    d->stats = calloc((size_t)d->n_workers, sizeof(*d->stats));
    st = d->stats == NULL ? log_nomem("the dispatcher") : ST_OK;
    if (st == ST_OK)
        st = credit_begin(&d->credit, d->n_workers, guess);
    if (st == ST_OK && plan->kind == JOB_FREE)
        st = taskset_create(plan->n_tasks, ops->cost, ops->is_done, job, &d->tasks);
    if (st == ST_OK)
        st = storer_create(ops, job, &d->storer);
    if (st != ST_OK) {
        dispatcher_destroy(d);
        return st;
    }
    if (is_gang(d))
        gang_watch_begin(&d->gang, plan, d->n_workers, saved);
    begin_progress(d, plan);
    *out = d;
    return ST_OK;
}

/* Give a worker all that it may hold, in one message. */
static status_t grant(dispatcher_t *d, int w)
{
    buf_t grants = {0};
    status_t st = ST_OK;
    int64_t task;

    while (st == ST_OK && (task = taskset_next(d->tasks)) >= 0) {
        double cost = cost_of(d, task);

        if (!credit_allows(&d->credit, w, cost, taskset_cost_left(d->tasks)))
            break;
        if ((st = credit_grant(&d->credit, w, task, cost)) == ST_OK)
            st = buf_append(&grants, &task, sizeof(task));
        if (st == ST_OK)
            taskset_take(d->tasks);
    }
    if (st == ST_OK && grants.len > 0)
        return d->transport->send(d->transport, w, TAG_GRANT, &grants);
    buf_free(&grants);
    return st;
}

/* Near the end, a task that one worker may not have goes to the worker that would finish
 * it first: that one may be idle, and idle workers send no results that would bring a
 * grant. */
static status_t grant_to_fastest_finisher(dispatcher_t *d)
{
    int64_t task = taskset_next(d->tasks), before = -1;
    status_t st = ST_OK;

    while (st == ST_OK && task >= 0 && task != before) {
        int w = credit_fastest_finisher(&d->credit, cost_of(d, task));

        if (w >= 0)
            st = grant(d, w);
        before = task;
        task = taskset_next(d->tasks);
    }
    return st;
}

/* One result of a message, from `at` on.  The only result of a large message is passed on
 * without a copy. */
static status_t on_result(dispatcher_t *d, message_t *m, const result_head_t *head,
                          size_t at)
{
    size_t len = sizeof(*head) + head->len;
    buf_t copy = {0};
    status_t st;

    /* ignore duplicates, and results of tasks that were taken from this worker */
    if (!is_gang(d) &&
        !credit_settle(&d->credit, m->source, head->task, cost_of(d, head->task)))
        return ST_OK;
    if (len == m->data.len)
        return storer_put(d->storer, head->task, head->version, &m->data, sizeof(*head));
    if ((st = buf_append(&copy, m->data.data + at, len)) == ST_OK)
        st = storer_put(d->storer, head->task, head->version, &copy, sizeof(*head));
    buf_free(&copy);
    return st;
}

static status_t store_results(dispatcher_t *d, message_t *m)
{
    size_t len = m->data.len;
    result_head_t head;
    status_t st = ST_OK;

    for (size_t at = 0; st == ST_OK && at < len; at += sizeof(head) + head.len) {
        memcpy(&head, m->data.data + at, sizeof(head));
        if (at == 0 && head.rate > 0)
            credit_measure(&d->credit, m->source, head.rate);
        st = on_result(d, m, &head, at);
    }
    return st;
}

static status_t on_results(dispatcher_t *d, message_t *m)
{
    status_t st = store_results(d, m);

    if (is_gang(d) || d->stopping)
        return st;
    if (st == ST_OK)
        st = grant(d, m->source);
    if (st == ST_OK && d->credit.worker[m->source].n_out == 0)
        st = grant_to_fastest_finisher(d);
    return st;
}

/* All tasks of a worker become free again. */
static status_t put_back(dispatcher_t *d, int w)
{
    const credit_t *c = &d->credit.worker[w];
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < c->n_out; i++)
        st = taskset_put_back(d->tasks, c->out[c->first + i]);
    d->grant_to_all = true;
    return st;
}

/* A worker has lost its device and continues with the CPU. */
static status_t on_lost(dispatcher_t *d, const message_t *m)
{
    status_t st = put_back(d, m->source);
    buf_t answer = {0};
    double rate;

    memcpy(&rate, m->data.data, sizeof(rate));
    credit_restart(&d->credit, m->source, rate);
    return st == ST_OK ? d->transport->send(d->transport, m->source, TAG_GRANT, &answer)
                       : st;
}

/* A worker is out: its tasks go to the others, if there are any. */
static status_t on_free_failed(dispatcher_t *d, int w)
{
    const credit_t *c = &d->credit.worker[w];
    status_t st = put_back(d, w);

    if (!c->gone)
        log_warn("worker %d failed; its %" PRId64 " tasks go to others", w, c->n_out);
    credit_leave(&d->credit, w);
    if (st == ST_OK && d->credit.n_left == 0 && !d->stopping) {
        log_error("no worker is left; finished work is kept: fix the cause above, then "
                  "run again with --resume");
        dispatcher_stop(d, ST_EDEVICE);
    }
    return st;
}

/* Results that arrive later may still complete a checkpoint. */
static void on_gang_failed(dispatcher_t *d, const message_t *m)
{
    int32_t why;

    if (d->stopping)
        return;
    memcpy(&why, m->data.data, sizeof(why));
    log_error("rank %d failed and a gang needs all ranks; checkpoints are kept: fix the "
              "cause above, then run again with --resume",
              m->source);
    dispatcher_stop(d, (status_t)why);
}

/* A gang ends at its next checkpoint; a second signal to one rank ends it at once. */
static void on_stop_request(dispatcher_t *d, const message_t *m)
{
    int32_t n_signals;

    memcpy(&n_signals, m->data.data, sizeof(n_signals));
    if (!is_gang(d) || n_signals > 1)
        dispatcher_stop(d, ST_ESTOPPED);
    else if (!d->gang.stop && !d->stopping)
        log_info("stopping after the current step, with a checkpoint; a second signal "
                 "stops at once");
    d->gang.stop = true;
}

static void on_finished(dispatcher_t *d, const message_t *m)
{
    worker_finish_t finish;

    memcpy(&finish, m->data.data, sizeof(finish));
    if (!gang_watch_note_finish(&d->gang, &finish) || d->stopping)
        return;
    if (d->gang.is_over)
        progress_end(&d->progress, d->progress.n_items, d->cost_done);
    dispatcher_stop(d, d->gang.is_over ? ST_OK : ST_ESTOPPED);
}

static void on_stopped(dispatcher_t *d, const message_t *m)
{
    stopped_t stopped;

    memcpy(&stopped, m->data.data, sizeof(stopped));
    d->stats[m->source] = stopped.stats;
    d->n_in_collective += stopped.in_collective != 0;
    d->n_stopped++;
}

status_t dispatcher_receive(dispatcher_t *d, message_t *m)
{
    status_t st = ST_OK;

    switch ((tag_t)m->tag) {
    case TAG_RESULT:
        st = on_results(d, m);
        break;
    case TAG_LOST:
        st = on_lost(d, m);
        break;
    case TAG_FAILED:
        if (is_gang(d))
            on_gang_failed(d, m);
        else
            st = on_free_failed(d, m->source);
        break;
    case TAG_FINISHED:
        on_finished(d, m);
        break;
    case TAG_STOP_REQUEST:
        on_stop_request(d, m);
        break;
    case TAG_STOPPED:
        on_stopped(d, m);
        break;
    default:
        break;
    }
    buf_free(&m->data);
    return st;
}

static void stop_all_workers(dispatcher_t *d)
{
    for (int w = 0; w < d->n_workers; w++) {
        buf_t empty = {0};

        if (d->transport->send(d->transport, w, TAG_STOP, &empty) != ST_OK)
            d->transport->abandon(d->transport, status_exit_code(ST_EPEER));
    }
}

void dispatcher_stop(dispatcher_t *d, status_t reason)
{
    if (d->stopping)
        return;
    log_bar(NULL);
    d->stopping = true;
    d->stopping_since = clock_now_s();
    d->reason = reason;
    stop_all_workers(d);
}

/* Note what the log has stored since. */
static void count_stored(dispatcher_t *d)
{
    int64_t task, version;

    while (storer_poll(d->storer, &task, &version))
        if (is_gang(d)) {
            gang_watch_note_kept(&d->gang, version);
        } else if (taskset_finish(d->tasks, task)) {
            d->items_done += d->ops->items(d->job, task);
            d->cost_done += cost_of(d, task);
        }
}

status_t dispatcher_step(dispatcher_t *d)
{
    status_t st = storer_state(d->storer);

    if (st != ST_OK)
        return st;
    count_stored(d);
    if (d->stopping || is_gang(d))
        return ST_OK;
    for (int w = 0; st == ST_OK && d->grant_to_all && w < d->n_workers; w++)
        st = grant(d, w);
    d->grant_to_all = false;
    progress_show(&d->progress, taskset_n_done(d->tasks), d->items_done, d->cost_done);
    if (st == ST_OK && taskset_n_done(d->tasks) == d->progress.n_tasks) {
        progress_end(&d->progress, d->items_done, d->cost_done);
        dispatcher_stop(d, ST_OK);
    }
    return st;
}

worker_orders_t dispatcher_direct_gang(dispatcher_t *d, int64_t n_steps)
{
    d->cost_done = (double)n_steps * d->step_cost;
    if (!d->stopping)
        progress_show_steps(&d->progress, d->gang.first_step + n_steps, d->cost_done);
    return gang_watch_orders(&d->gang);
}

bool dispatcher_is_full(const dispatcher_t *d)
{
    return storer_backlog(d->storer) > DISPATCHER_BACKLOG_BYTES;
}

bool dispatcher_is_over(const dispatcher_t *d)
{
    return d->n_stopped == d->n_workers;
}

bool dispatcher_is_stopping(const dispatcher_t *d, double *since)
{
    *since = d->stopping_since;
    return d->stopping;
}

bool dispatcher_is_incomplete(const dispatcher_t *d)
{
    return d->n_in_collective > 0;
}

worker_stats_t dispatcher_worker_stats(const dispatcher_t *d, int rank)
{
    return d->stats[rank];
}

static void log_stopped(const dispatcher_t *d)
{
    if (!is_gang(d))
        log_info("stopped: %" PRId64 " of %" PRId64
                 " %s are finished; run again with --resume to continue",
                 taskset_n_done(d->tasks), d->progress.n_tasks, d->progress.task_word);
    else if (d->gang.complete >= 0)
        log_info("stopped: the checkpoint after %" PRId64
                 " steps is kept; run again with --resume to continue",
                 d->gang.complete);
    else
        log_info("stopped before the first checkpoint");
}

status_t dispatcher_finish(dispatcher_t *d, char *const *ranks)
{
    job_report_t report = {.seconds = d->stopping_since - d->progress.start_s,
                           .ranks = (const char *const *)ranks,
                           .n_ranks = d->n_workers};
    bool is_done = ranks != NULL && d->reason == ST_OK;
    status_t st = storer_stop(d->storer, !is_done); /* finish syncs what it needs */

    log_phase("log");
    count_stored(d);
    report.cost = d->cost_done;
    report.items =
        is_gang(d) ? d->progress.n_items : d->items_done - d->progress.items_before;
    if (ranks == NULL && d->reason == ST_OK)
        d->reason = ST_ESTOPPED;
    if (st == ST_OK && is_done)
        return d->ops->finish(d->job, &report);
    if (d->reason == ST_ESTOPPED)
        log_stopped(d);
    return st != ST_OK ? st : d->reason;
}

void dispatcher_destroy(dispatcher_t *d)
{
    if (d == NULL)
        return;
    storer_destroy(d->storer);
    taskset_destroy(d->tasks);
    credit_free(&d->credit);
    free(d->stats);
    free(d);
}
