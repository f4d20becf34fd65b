/*
 * dispatcher.c - rank 0's side of a run: grants, results, checkpoints, the end.
 */
#include "dispatcher/dispatcher.h"

#include "dispatcher/free_tasks.h"
#include "dispatcher/gang_relay.h"
#include "dispatcher/gang_watch.h"
#include "dispatcher/gather.h"
#include "dispatcher/known_tasks.h"
#include "dispatcher/progress.h"
#include "dispatcher/protocol.h"
#include "dispatcher/retreat.h"
#include "dispatcher/storer.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dispatcher {
    job_t *job;
    transport_t *transport;
    int n_workers, n_stopped, n_in_collective;
    bool *has_stopped;     /* [n_workers] */
    worker_stats_t *stats; /* [n_workers] */
    int64_t *log_bytes;    /* [n_workers] in their shards of the log */
    gather_t gather;
    storer_t *storer;
    known_tasks_t *known; /* NULL: none is, or all are in the log */
    progress_t progress;
    int64_t items_done; /* including earlier runs */
    double cost_done;   /* in this run */
    bool stopping;
    double stopping_since;
    status_t reason;    /* why it stops */
    free_tasks_t *free; /* NULL: a gang */
    /* a gang */
    gang_watch_t gang;
    gang_relay_t *relay; /* NULL: all ranks take part in every step */
    double step_cost;
    retreat_t retreat;
};

static bool is_gang(const dispatcher_t *d)
{
    return d->free == NULL;
}

static double cost_of(const dispatcher_t *d, int64_t task)
{
    return (double)job_cost(d->job, task);
}

/* What an earlier run has finished counts as done, and what is known. */
static void begin_progress(dispatcher_t *d)
{
    const job_plan_t *plan = &d->job->plan;
    progress_t *p = &d->progress;

    *p = (progress_t){.task_word = plan->task_word,
                      .item_word = plan->item_word,
                      .cost_word = plan->cost_word,
                      .rate_word = plan->rate_word,
                      .n_tasks = plan->n_tasks,
                      .n_steps = plan->n_steps,
                      .steps_before = d->gang.first_step};
    for (int64_t task = 0; task < plan->n_tasks; task++) {
        int64_t items = job_items(d->job, task);

        p->n_items += items;
        if (!is_gang(d) && (job_is_done(d->job, task) || job_is_known(d->job, task)))
            d->items_done += items;
        if (is_gang(d))
            d->step_cost += cost_of(d, task);
    }
    p->items_before = d->items_done;
    if (is_gang(d)) {
        if (d->gang.first_step > 0)
            log_info("resuming: %" PRId64 " steps are done already", d->gang.first_step);
    } else {
        p->tasks_before = free_tasks_n_done(d->free);
        p->cost_left = free_tasks_cost_left(d->free);
        if (p->tasks_before > 0 && d->job->opts->resume)
            log_info("resuming: %" PRId64 " of %" PRId64 " %s are finished already",
                     p->tasks_before, plan->n_tasks, plan->task_word);
    }
    progress_begin(p);
}

static status_t begin_gang(dispatcher_t *d, const dispatcher_opts_t *opts)
{
    const bool is_relayed = d->transport->exchange.has_no_gangs;

    gang_watch_begin(&d->gang, &d->job->plan, is_relayed ? 1 : d->n_workers, opts->saved);
    return is_relayed ? gang_relay_create(opts, d->storer, &d->gang, &d->relay) : ST_OK;
}

status_t dispatcher_create(const dispatcher_opts_t *opts, dispatcher_t **out)
{
    dispatcher_t *d = calloc(1, sizeof(*d));
    status_t st;

    if (d == NULL)
        return log_nomem("the dispatcher");
    d->job = opts->job;
    d->transport = opts->transport;
    d->n_workers = opts->transport->exchange.n_ranks;
    d->stats = calloc((size_t)d->n_workers, sizeof(*d->stats));
    d->has_stopped = calloc((size_t)d->n_workers, sizeof(*d->has_stopped));
    d->log_bytes = calloc((size_t)d->n_workers, sizeof(*d->log_bytes));
    st = d->stats == NULL || d->has_stopped == NULL || d->log_bytes == NULL
             ? log_nomem("the dispatcher")
             : ST_OK;
    if (st == ST_OK)
        st = storer_create(d->job, job_store, job_sync, &d->storer);
    if (st == ST_OK && opts->job->plan.kind == JOB_FREE)
        st = free_tasks_create(opts, d->storer, &d->free);
    if (st != ST_OK) {
        dispatcher_destroy(d);
        return st;
    }
    if (is_gang(d))
        st = begin_gang(d, opts);
    if (st == ST_OK)
        st = retreat_begin(&d->retreat, d->transport, d->free, d->relay);
    if (st == ST_OK)
        begin_progress(d);
    if (st == ST_OK && !is_gang(d) && free_tasks_lack_known(d->free))
        st = known_tasks_begin(d->job, d->storer, &d->known);
    if (st != ST_OK) {
        dispatcher_destroy(d);
        return st;
    }
    *out = d;
    return ST_OK;
}

/* Take a result over. */
static status_t put_result(dispatcher_t *d, int w, const result_head_t *head, buf_t *data)
{
    return is_gang(d)
               ? storer_put(d->storer, head->task, head->version, data, sizeof(*head))
               : free_tasks_put(d->free, w, head, data);
}

/* Leave a rank that is not trusted and sends what is wrong. @param why  NULL: it does not
 * @return whether it does not */
static bool is_right(dispatcher_t *d, int w, const char *why)
{
    if (why != NULL && w != 0)
        d->transport->drop(d->transport, w, why);
    return why == NULL;
}

/* Whether a result is one that the log could have, if its rank is not trusted; such a
 * rank is left if not. */
static bool is_possible(dispatcher_t *d, const message_t *m, const result_head_t *head,
                        size_t at)
{
    const buf_t record = {.data = m->data.data + at + sizeof(*head),
                          .len = (size_t)head->len};
    const int64_t version = is_gang(d) ? head->version : 0;
    const char *why;
    char text[128];

    if (d->relay != NULL &&
        !is_right(d, m->source, gang_relay_note_record(d->relay, m->source, head)))
        return false;
    if (d->transport->drop == NULL || m->source == 0)
        return true;
    why = d->job->ops->check_record(d->job, head->task, version, &record);
    if (why == NULL)
        return true;
    snprintf(text, sizeof(text), "its result of task %" PRId64 " %s", head->task, why);
    d->transport->drop(d->transport, m->source, text);
    return false;
}

/* One result of a message, from `at` on. */
static status_t on_result(dispatcher_t *d, message_t *m, const result_head_t *head,
                          size_t at)
{
    buf_t data = {0};
    status_t st;

    if (!is_possible(d, m, head, at))
        return ST_OK;

    if (!is_gang(d) && !free_tasks_note_result(d->free, m->source, head))
        return ST_OK;
    if ((st = result_take(m, at, head, &data)) == ST_OK)
        st = put_result(d, m->source, head, &data);
    buf_free(&data);
    return st;
}

static status_t store_results(dispatcher_t *d, message_t *m)
{
    size_t len = m->data.len;
    result_head_t head;
    status_t st = ST_OK;

    for (size_t at = 0; st == ST_OK && at < len; at += sizeof(head) + head.len) {
        memcpy(&head, m->data.data + at, sizeof(head));
        st = on_result(d, m, &head, at);
    }
    return st;
}

static status_t on_results(dispatcher_t *d, message_t *m)
{
    status_t st = store_results(d, m);

    return st != ST_OK || is_gang(d) || d->stopping
               ? st
               : free_tasks_grant(d->free, m->source);
}

/* A free task's result is in a log. */
static void finish_task(dispatcher_t *d, int64_t task)
{
    if (!free_tasks_finish(d->free, task) || job_is_known(d->job, task))
        return;
    d->items_done += job_items(d->job, task);
    d->cost_done += cost_of(d, task);
}

/* Another rank has stored results.  Those of one worker follow each other. */
static status_t on_stored(dispatcher_t *d, const message_t *m)
{
    const stored_t *stored = (const stored_t *)(const void *)m->data.data;
    const size_t n = m->data.len / sizeof(*stored);
    status_t st = ST_OK;

    for (size_t i = 0; st == ST_OK && i < n; i++) {
        const int w = (int)stored[i].worker;
        const result_head_t head = {.task = stored[i].task, .rate = stored[i].rate};

        (void)free_tasks_note_result(d->free, w, &head);
        finish_task(d, head.task);
        if (!d->stopping && (i + 1 == n || stored[i + 1].worker != w))
            st = free_tasks_grant(d->free, w);
    }
    return st;
}

/* The log of another rank has failed, which has logged why. */
static void on_unstored(dispatcher_t *d, const message_t *m)
{
    int32_t why;

    memcpy(&why, m->data.data, sizeof(why));
    dispatcher_stop(d, (status_t)why);
    d->reason = (status_t)why; /* also at the end: its shard may lack results */
}

static void on_copied(dispatcher_t *d, const message_t *m)
{
    status_t st = gather_note(&d->gather, d->job, m);

    if (st != ST_OK)
        d->reason = st;
}

/* A worker has lost its device and continues with the CPU. */
static status_t on_lost(dispatcher_t *d, const message_t *m)
{
    double rate;

    memcpy(&rate, m->data.data, sizeof(rate));
    return free_tasks_on_lost(d->free, m->source, rate);
}

/* A rank is gone: it will not answer any more, and its tasks go to others. */
static status_t on_gone(dispatcher_t *d, int w)
{
    status_t st = ST_OK;

    d->n_stopped += !d->has_stopped[w];
    d->has_stopped[w] = true;
    if (d->relay != NULL)
        gang_relay_leave(d->relay, w);
    if (d->stopping || d->relay != NULL)
        return ST_OK;
    st = free_tasks_on_failed(d->free, w);
    if (st == ST_EDEVICE) {
        dispatcher_stop(d, st);
        return ST_OK;
    }
    return st;
}

/* A worker is out.  What it has found wrong with the input the others would find, too. */
static status_t on_free_failed(dispatcher_t *d, const message_t *m)
{
    int32_t why;
    status_t st = ST_OK;

    memcpy(&why, m->data.data, sizeof(why));
    if (!d->stopping)
        st = why == ST_EINPUT ? ST_EINPUT : free_tasks_on_failed(d->free, m->source);
    if (st != ST_EDEVICE && st != ST_EINPUT)
        return st;
    dispatcher_stop(d, st);
    return ST_OK;
}

/* Results that arrive later may still complete a checkpoint. */
static void on_gang_failed(dispatcher_t *d, const message_t *m)
{
    int32_t why;

    if (d->stopping)
        return;
    memcpy(&why, m->data.data, sizeof(why));
    if (d->relay != NULL && why != ST_EINPUT) {
        gang_relay_leave(d->relay, m->source);
        return;
    }
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

/* Show how far a gang is that another rank runs. */
static void note_steps(dispatcher_t *d)
{
    const int64_t n_steps = gang_relay_n_steps(d->relay);

    d->cost_done = (double)(n_steps - d->gang.first_step) * d->step_cost;
    if (!d->stopping)
        progress_show_steps(&d->progress, n_steps, d->cost_done);
}

static void on_steps(dispatcher_t *d, const message_t *m)
{
    int64_t n_steps;

    memcpy(&n_steps, m->data.data, sizeof(n_steps));
    (void)is_right(d, m->source, gang_relay_note_steps(d->relay, m->source, n_steps));
}

static void on_finished(dispatcher_t *d, const message_t *m)
{
    worker_finish_t finish;

    memcpy(&finish, m->data.data, sizeof(finish));
    if (d->relay != NULL &&
        !is_right(d, m->source, gang_relay_note_end(d->relay, m->source, &finish)))
        return;
    if (d->relay != NULL)
        note_steps(d);
    if (d->relay != NULL && !finish.is_over && !d->gang.stop) {
        gang_relay_pass(d->relay);
        return;
    }
    if (!gang_watch_note_finish(&d->gang, &finish) || d->stopping)
        return;
    if (d->gang.is_over)
        progress_end(&d->progress, d->progress.n_items, d->cost_done);
    dispatcher_stop(d, d->gang.is_over ? ST_OK : ST_ESTOPPED);
}

static status_t on_stopped(dispatcher_t *d, const message_t *m)
{
    stopped_t stopped;

    memcpy(&stopped, m->data.data, sizeof(stopped));
    d->stats[m->source] = stopped.stats;
    d->log_bytes[m->source] = stopped.log_bytes;
    d->n_in_collective += stopped.in_collective != 0;
    d->has_stopped[m->source] = true;
    d->n_stopped++;
    return retreat_on_stopped(&d->retreat, m->source);
}

status_t dispatcher_receive(dispatcher_t *d, message_t *m)
{
    status_t st = ST_OK;

    if (d->transport->drop != NULL && m->source != 0 && d->has_stopped[m->source]) {
        buf_free(&m->data); /* nothing is due of it any more */
        return ST_OK;
    }
    switch (m->tag) {
    case TRANSPORT_GONE:
        st = on_gone(d, m->source);
        break;
    case TAG_RESULT:
        st = on_results(d, m);
        break;
    case TAG_STORED:
        st = on_stored(d, m);
        break;
    case TAG_UNSTORED:
        on_unstored(d, m);
        break;
    case TAG_COPIED:
        on_copied(d, m);
        break;
    case TAG_LOST:
        st = on_lost(d, m);
        break;
    case TAG_FAILED:
        if (is_gang(d))
            on_gang_failed(d, m);
        else
            st = on_free_failed(d, m);
        break;
    case TAG_FINISHED:
        on_finished(d, m);
        break;
    case TAG_STEPS:
        on_steps(d, m);
        break;
    case TAG_RETREAT:
        if (!d->stopping)
            retreat_note(&d->retreat, m);
        break;
    case TAG_STOP_REQUEST:
        on_stop_request(d, m);
        break;
    case TAG_STOPPED:
        st = on_stopped(d, m);
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

        if (!d->retreat.is_dismissed[w] &&
            d->transport->send(d->transport, w, TAG_STOP, &empty) != ST_OK)
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
        } else {
            finish_task(d, task);
        }
}

status_t dispatcher_step(dispatcher_t *d)
{
    status_t st = storer_state(d->storer);

    if (st == ST_OK)
        st = known_tasks_state(d->known);
    if (st != ST_OK)
        return st;
    count_stored(d);
    if (!d->stopping && (st = retreat_step(&d->retreat)) != ST_OK)
        return st;
    if (d->relay != NULL && !d->stopping) {
        note_steps(d);
        return gang_relay_step(d->relay);
    }
    if (d->stopping || is_gang(d))
        return ST_OK;
    st = free_tasks_step(d->free);
    progress_show(&d->progress, free_tasks_n_done(d->free), d->items_done, d->cost_done);
    if (st == ST_OK && free_tasks_n_done(d->free) == d->progress.n_tasks) {
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

void dispatcher_dismiss(dispatcher_t *d, int rank)
{
    retreat_order(&d->retreat, rank, true);
}

bool dispatcher_is_full(const dispatcher_t *d)
{
    return storer_backlog(d->storer) > DISPATCHER_BACKLOG_BYTES;
}

bool dispatcher_is_over(const dispatcher_t *d)
{
    return d->n_stopped == d->n_workers;
}

bool dispatcher_has_stopped(const dispatcher_t *d, int rank)
{
    return d->has_stopped[rank];
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

status_t dispatcher_gather(dispatcher_t *d, bool *done)
{
    status_t st = ST_OK;

    *done = true;
    if (d->reason != ST_OK || d->job->plan.n_shards <= 1 || d->job->log == NULL)
        return ST_OK;
    if (!d->gather.has_begun) {
        if ((st = storer_stop(d->storer, true)) == ST_OK)
            st = gather_begin(&d->gather, d->job, d->transport, d->log_bytes);
        if (st != ST_OK)
            d->reason = st;
    }
    *done = st != ST_OK || d->gather.n_left == 0;
    return st;
}

static void log_stopped(const dispatcher_t *d)
{
    const char *in = d->job->plan.kept_in;

    if (!is_gang(d))
        log_info("stopped: %" PRId64 " of %" PRId64 " %s are finished; %s",
                 free_tasks_n_done(d->free), d->progress.n_tasks, d->progress.task_word,
                 in != NULL && *in == '\0' ? "nothing is kept of a run with -o -"
                                           : "run again with --resume to continue");
    else if (d->gang.complete >= 0)
        log_info("stopped: the checkpoint after %" PRId64
                 " steps is kept; run again with --resume to continue",
                 d->gang.complete);
    else
        log_info("stopped before the first checkpoint");
}

static void end_known(dispatcher_t *d)
{
    known_tasks_end(d->known);
    d->known = NULL;
}

status_t dispatcher_finish(dispatcher_t *d, char *const *ranks)
{
    job_report_t report = {.seconds = d->stopping_since - d->progress.start_s,
                           .ranks = (const char *const *)ranks,
                           .n_ranks = d->n_workers};
    bool is_done = ranks != NULL && d->reason == ST_OK;
    status_t st;

    end_known(d);
    st = storer_stop(d->storer, !is_done); /* finish syncs what it needs */

    log_phase("log");
    count_stored(d);
    if (!is_gang(d))
        free_tasks_sum_up(d->free);
    report.cost = d->cost_done;
    report.items =
        is_gang(d) ? d->progress.n_items : d->items_done - d->progress.items_before;
    if (ranks == NULL && d->reason == ST_OK)
        d->reason = ST_ESTOPPED;
    if (st == ST_OK && is_done)
        return job_finish(d->job, &report);
    if (d->reason == ST_ESTOPPED)
        log_stopped(d);
    return st != ST_OK ? st : d->reason;
}

void dispatcher_destroy(dispatcher_t *d)
{
    if (d == NULL)
        return;
    end_known(d);
    storer_destroy(d->storer);
    free_tasks_destroy(d->free);
    gang_relay_destroy(d->relay);
    retreat_end(&d->retreat);
    free(d->stats);
    free(d->log_bytes);
    free(d->has_stopped);
    free(d);
}
