/*
 * keeper.c - results on their way into a shard of the log, and reports to rank 0.
 */
#include "dispatcher/keeper.h"

#include "dispatcher/dispatcher.h"
#include "dispatcher/storer.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "io/store/reslog_copy.h"

#include <stdlib.h>
#include <string.h>

struct keeper {
    job_t *job;
    transport_t *transport;
    storer_t *storer;
    fifo_t passed; /* of stored_t: passed to the storer, in its order */
    int n_left;    /* ranks of the shard that may send further results */
    bool has_failed, is_stopping, has_ended;
    reslog_copy_t *copy; /* into rank 0's log; NULL: not now */
    double until;        /* keeper_stop */
    double reported_s;   /* clock_now_s */
    stopped_t stopped;
};

static int n_ranks_of(const job_t *job, const exchange_t *x)
{
    const int n = job->plan.n_shards;

    return job_keeper_of(job->shard + 1, x->n_ranks, n) -
           job_keeper_of(job->shard, x->n_ranks, n);
}

status_t keeper_create(job_t *job, transport_t *t, keeper_t **out)
{
    keeper_t *k = calloc(1, sizeof(*k));
    status_t st;

    if (k == NULL)
        return log_nomem("keeping the log");
    k->job = job;
    k->transport = t;
    k->n_left = n_ranks_of(job, &t->exchange);
    if ((st = storer_create(job, job_store, job_sync, &k->storer)) != ST_OK) {
        free(k);
        return st;
    }
    *out = k;
    return ST_OK;
}

static status_t put(keeper_t *k, message_t *m, size_t at, const result_head_t *head)
{
    const stored_t passed = {head->task, m->source, head->rate};
    buf_t data = {0};
    status_t st = result_take(m, at, head, &data);

    if (st == ST_OK && (st = fifo_push(&k->passed, &passed, sizeof(passed))) == ST_OK)
        st = storer_put(k->storer, head->task, head->version, &data, sizeof(*head));
    buf_free(&data);
    return st;
}

static status_t send_to_0(keeper_t *k, tag_t tag, const void *data, size_t len)
{
    return message_send(k->transport, 0, tag, data, len);
}

/* The log has failed, which was logged. */
static status_t send_failure(keeper_t *k, int32_t why)
{
    if (k->has_failed)
        return ST_OK;
    k->has_failed = true;
    return send_to_0(k, TAG_UNSTORED, &why, sizeof(why));
}

/* @return ST_OK, or the transport's */
static status_t begin_copy(keeper_t *k, const message_t *m)
{
    int64_t at;
    status_t st;

    memcpy(&at, m->data.data, sizeof(at));
    st = reslog_copy_begin(k->job->log, k->job->part_path, at, &k->copy);
    return st == ST_OK ? ST_OK : send_failure(k, st);
}

status_t keeper_receive(keeper_t *k, message_t *m)
{
    const size_t len = m->data.len;
    result_head_t head;
    status_t st = ST_OK;

    if (m->tag == TAG_COPY)
        st = begin_copy(k, m);
    k->n_left -= m->tag == TAG_LAST;
    /* results of a rank that was not waited for are not needed */
    for (size_t at = 0; st == ST_OK && m->tag == TAG_RESULT && at < len && !k->has_ended;
         at += sizeof(head) + head.len) {
        memcpy(&head, m->data.data + at, sizeof(head));
        st = put(k, m, at, &head);
    }
    buf_free(&m->data);
    return st;
}

bool keeper_is_full(const keeper_t *k)
{
    return !k->has_ended && storer_backlog(k->storer) > DISPATCHER_BACKLOG_BYTES;
}

void keeper_stop(keeper_t *k, const stopped_t *stopped, double until)
{
    k->is_stopping = true;
    k->stopped = *stopped;
    k->until = until;
}

/* Report all that was stored since, in one message. */
static status_t report(keeper_t *k)
{
    int64_t task, version;
    buf_t message = {0};
    stored_t stored;
    status_t st = ST_OK;

    k->reported_s = clock_now_s();
    while (st == ST_OK && storer_poll(k->storer, &task, &version) &&
           fifo_pop(&k->passed, &stored, sizeof(stored)))
        st = buf_append(&message, &stored, sizeof(stored));
    if (st == ST_OK && message.len > 0)
        return k->transport->send(k->transport, 0, TAG_STORED, &message);
    buf_free(&message);
    return st;
}

/* The log is on the disk, and rank 0 is told. */
static status_t end(keeper_t *k)
{
    const reslog_t *log = k->job->log;
    const status_t state = storer_stop(k->storer, true);
    status_t st = report(k);

    k->has_ended = true;
    k->stopped.log_bytes = log != NULL ? reslog_end(log) - reslog_start(log) : 0;
    if (st == ST_OK && state != ST_OK)
        st = send_failure(k, state);
    return st == ST_OK ? send_to_0(k, TAG_STOPPED, &k->stopped, sizeof(k->stopped)) : st;
}

/* Copy a piece; after the last one tell rank 0 where the records are. */
static status_t step_copy(keeper_t *k)
{
    buf_t places = {0};
    bool done = false;
    status_t st = reslog_copy_step(k->copy, &done);

    if (st == ST_OK && done)
        st = reslog_copy_places(k->copy, k->job->plan.n_tasks, &places);
    if (st == ST_OK && !done)
        return ST_OK;
    reslog_copy_end(k->copy);
    k->copy = NULL;
    if (st == ST_OK)
        return k->transport->send(k->transport, 0, TAG_COPIED, &places);
    buf_free(&places);
    return send_failure(k, st);
}

status_t keeper_step(keeper_t *k)
{
    status_t st;

    if (k->copy != NULL)
        return step_copy(k);
    if (k->has_ended)
        return ST_OK;
    if (clock_now_s() - k->reported_s > 1e-3 * KEEPER_REPORT_MS &&
        (st = report(k)) != ST_OK)
        return st;
    if ((st = storer_state(k->storer)) != ST_OK && (st = send_failure(k, st)) != ST_OK)
        return st;
    if (k->is_stopping && storer_backlog(k->storer) == 0 &&
        (k->n_left == 0 || clock_now_s() > k->until))
        return end(k);
    return ST_OK;
}

void keeper_destroy(keeper_t *k)
{
    if (k == NULL)
        return;
    storer_destroy(k->storer);
    reslog_copy_end(k->copy);
    fifo_free(&k->passed);
    free(k);
}
