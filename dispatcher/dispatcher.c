#include "dispatcher/dispatcher.h"

#include "dispatcher/credit.h"
#include "dispatcher/progress.h"
#include "dispatcher/protocol.h"
#include "dispatcher/storer.h"
#include "dispatcher/taskset.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dispatcher {
    const job_ops_t *ops;
    void *job;
    transport_t *transport;
    int n_workers, n_bye;
    credits_t credit;
    worker_stats_t *stats; /* [n_workers] */
    taskset_t *tasks;
    storer_t *storer;
    progress_t progress;
    int64_t items_done; /* earlier runs' too */
    double cost_done;   /* this run's */
    bool stopping, grant_anew;
    double stopping_since;
    status_t reason; /* why it stops */
};

static int64_t cost_of(const dispatcher_t *d, int64_t task)
{
    return d->ops->cost(d->job, task);
}

/* Count what an earlier run has finished. */
static void begin_progress(dispatcher_t *d, const job_plan_t *plan)
{
    int64_t all = 0;

    for (int64_t task = 0; task < plan->n_tasks; task++) {
        int64_t items = d->ops->items(d->job, task);

        all += items;
        if (d->ops->is_done(d->job, task))
            d->items_done += items;
    }
    d->progress = (progress_t){.task_word = plan->task_word,
                               .item_word = plan->item_word,
                               .cost_word = plan->cost_word,
                               .rate_word = plan->rate_word,
                               .n_tasks = plan->n_tasks,
                               .n_items = all,
                               .tasks_before = taskset_n_done(d->tasks),
                               .items_before = d->items_done,
                               .cost_left = taskset_cost_left(d->tasks)};
    if (d->progress.tasks_before > 0)
        log_info("resuming: %" PRId64 " of %" PRId64 " %s are finished already",
                 d->progress.tasks_before, plan->n_tasks, plan->task_word);
    progress_begin(&d->progress);
}

status_t dispatcher_create(const job_ops_t *ops, void *job, const job_plan_t *plan,
                           transport_t *t, const double *guess, dispatcher_t **out)
{
    dispatcher_t *d = calloc(1, sizeof(*d));
    status_t st;

    if (d == NULL)
        return log_nomem("the dispatcher");
    d->ops = ops;
    d->job = job;
    d->transport = t;
    d->n_workers = t->exchange.n_ranks;
    d->grant_anew = true;
    d->stats = calloc((size_t)d->n_workers, sizeof(*d->stats));
    st = d->stats == NULL ? log_nomem("the dispatcher") : ST_OK;
    if (st == ST_OK)
        st = credit_begin(&d->credit, d->n_workers, guess);
    if (st == ST_OK)
        st = taskset_create(plan->n_tasks, ops->cost, ops->is_done, job, &d->tasks);
    if (st == ST_OK)
        st = storer_create(ops, job, &d->storer);
    if (st != ST_OK) {
        dispatcher_destroy(d);
        return st;
    }
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
        double cost = (double)cost_of(d, task);

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

/* What a worker may not have, near the end, another may who would finish it sooner; all
 * the others are asked whenever they bring a result. */
static status_t grant_to_the_soonest(dispatcher_t *d)
{
    int64_t task = taskset_next(d->tasks), before = -1;
    status_t st = ST_OK;

    while (st == ST_OK && task >= 0 && task != before) {
        int w = credit_soonest(&d->credit, (double)cost_of(d, task));

        if (w >= 0)
            st = grant(d, w);
        before = task;
        task = taskset_next(d->tasks);
    }
    return st;
}

/* One result of a message, from `at` on; the only one of a large message is kept as it
 * came, the others are copied. */
static status_t on_result(dispatcher_t *d, message_t *m, const result_head_t *head,
                          size_t at)
{
    size_t len = sizeof(*head) + head->len;
    buf_t copy = {0};
    status_t st;

    /* A second copy, or a late result of a worker that is out: another has the task. */
    if (!credit_settle(&d->credit, m->source, head->task, (double)cost_of(d, head->task)))
        return ST_OK;
    if (len == m->data.len)
        return storer_put(d->storer, head->task, head->version, &m->data, sizeof(*head));
    if ((st = buf_append(&copy, m->data.data + at, len)) == ST_OK)
        st = storer_put(d->storer, head->task, head->version, &copy, sizeof(*head));
    buf_free(&copy);
    return st;
}

static status_t on_results(dispatcher_t *d, message_t *m)
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

/* A worker is out: its tasks go to the others, if there are any. */
static status_t on_failed(dispatcher_t *d, int w)
{
    const credit_t *c = &d->credit.worker[w];
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < c->n_out; i++)
        st = taskset_put_back(d->tasks, c->out[c->first + i]);
    if (!c->gone)
        log_warn("worker %d is out; its %" PRId64 " tasks go to others", w, c->n_out);
    credit_leave(&d->credit, w);
    d->grant_anew = true;
    if (st == ST_OK && d->credit.n_left == 0 && !d->stopping) {
        log_error("no worker is left; what is finished is kept: mend the cause above and "
                  "give --resume");
        dispatcher_stop(d, ST_EDEVICE);
    }
    return st;
}

status_t dispatcher_receive(dispatcher_t *d, message_t *m)
{
    status_t st = ST_OK;

    switch ((tag_t)m->tag) {
    case TAG_RESULT:
        st = on_results(d, m);
        if (st == ST_OK && !d->stopping)
            st = grant(d, m->source);
        if (st == ST_OK && !d->stopping && d->credit.worker[m->source].n_out == 0)
            st = grant_to_the_soonest(d);
        break;
    case TAG_FAILED:
        st = on_failed(d, m->source);
        break;
    case TAG_ASKED:
        dispatcher_stop(d, ST_ESTOPPED);
        break;
    case TAG_BYE:
        memcpy(&d->stats[m->source], m->data.data, sizeof(d->stats[0]));
        d->n_bye++;
        break;
    default:
        break;
    }
    buf_free(&m->data);
    return st;
}

static void tell_all_to_stop(dispatcher_t *d)
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
    d->stopping_since = progress_now_s();
    d->reason = reason;
    tell_all_to_stop(d);
}

/* Note what the log holds now. */
static void count_kept(dispatcher_t *d)
{
    int64_t task, version;

    while (storer_poll(d->storer, &task, &version))
        if (taskset_finish(d->tasks, task)) {
            d->items_done += d->ops->items(d->job, task);
            d->cost_done += (double)cost_of(d, task);
        }
}

status_t dispatcher_step(dispatcher_t *d)
{
    status_t st = storer_state(d->storer);

    if (st != ST_OK)
        return st;
    count_kept(d);
    if (d->stopping)
        return ST_OK;
    for (int w = 0; st == ST_OK && d->grant_anew && w < d->n_workers; w++)
        st = grant(d, w);
    d->grant_anew = false;
    progress_show(&d->progress, taskset_n_done(d->tasks), d->items_done, d->cost_done);
    if (st == ST_OK && taskset_n_done(d->tasks) == d->progress.n_tasks) {
        progress_end(&d->progress, d->items_done, d->cost_done);
        dispatcher_stop(d, ST_OK);
    }
    return st;
}

bool dispatcher_is_full(const dispatcher_t *d)
{
    return storer_backlog(d->storer) > DISPATCHER_BACKLOG_BYTES;
}

bool dispatcher_is_over(const dispatcher_t *d)
{
    return d->n_bye == d->n_workers;
}

bool dispatcher_is_stopping(const dispatcher_t *d, double *since)
{
    *since = d->stopping_since;
    return d->stopping;
}

worker_stats_t dispatcher_worker_stats(const dispatcher_t *d, int rank)
{
    return d->stats[rank];
}

status_t dispatcher_finish(dispatcher_t *d, char *const *ranks)
{
    job_report_t report = {.seconds = d->stopping_since - d->progress.start_s,
                           .ranks = (const char *const *)ranks,
                           .n_ranks = d->n_workers};
    status_t st = storer_stop(d->storer);

    count_kept(d);
    report.cost = d->cost_done;
    report.items = d->items_done - d->progress.items_before;
    if (ranks == NULL && d->reason == ST_OK)
        d->reason = ST_ESTOPPED;
    if (st == ST_OK && d->reason == ST_OK)
        return d->ops->finish(d->job, &report);
    if (d->reason == ST_ESTOPPED)
        log_info("stopped as asked: %" PRId64 " of %" PRId64
                 " %s are kept; --resume goes on",
                 taskset_n_done(d->tasks), d->progress.n_tasks, d->progress.task_word);
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
