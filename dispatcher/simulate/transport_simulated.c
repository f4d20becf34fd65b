/*
 * transport_simulated.c - a transport to simulated workers, in simulated time.
 */
#include "dispatcher/simulate/simulated_run.h"

#include "dispatcher/keeper.h"
#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- events in simulated time, the earliest first ---- */

static bool earlier(const event_t *a, const event_t *b)
{
    return a->at < b->at || (a->at <= b->at && a->number < b->number);
}

status_t event_queue_push(event_queue_t *q, event_t event)
{
    size_t i = q->n;

    if (q->n == q->capacity) {
        size_t capacity = q->capacity * 2 + 64;
        event_t *items = realloc(q->items, capacity * sizeof(*items));

        if (items == NULL) {
            buf_free(&event.data);
            return log_nomem("simulated events");
        }
        q->items = items;
        q->capacity = capacity;
    }
    event.number = q->n_pushed++;
    for (q->n++; i > 0 && earlier(&event, &q->items[(i - 1) / 2]); i = (i - 1) / 2)
        q->items[i] = q->items[(i - 1) / 2];
    q->items[i] = event;
    return ST_OK;
}

const event_t *event_queue_first(const event_queue_t *q)
{
    return q->n > 0 ? &q->items[0] : NULL;
}

bool event_queue_pop(event_queue_t *q, event_t *out)
{
    const event_t *last;
    size_t i = 0;

    if (q->n == 0)
        return false;
    *out = q->items[0];
    last = &q->items[--q->n];
    for (size_t child = 1; child < q->n; child = 2 * i + 1) {
        if (child + 1 < q->n && earlier(&q->items[child + 1], &q->items[child]))
            child++;
        if (!earlier(&q->items[child], last))
            break;
        q->items[i] = q->items[child];
        i = child;
    }
    q->items[i] = *last;
    return true;
}

void event_queue_free(event_queue_t *q)
{
    for (size_t i = 0; i < q->n; i++)
        buf_free(&q->items[i].data);
    free(q->items);
    *q = (event_queue_t){0};
}

/* The weight of the newest batch, as in batch_loop.c. */
static const double rate_weight = 0.5;

/* An event at a worker; the arrival of a message is an event of its tag. */
enum { EVENT_FINISHED = TAG_LEAVE + 1, EVENT_REPORT };

typedef struct {
    fifo_t inbox;         /* of int64_t: tasks; it computes the first of them */
    double started, took; /* of the current task */
    bool stopped;
    worker_stats_t stats;
} simulated_worker_t;

/* A message on its way to rank 0, or arrived. */
typedef struct {
    double at;
    int source, tag;
    int64_t task; /* or how many tasks were stored */
    double rate;
} arrival_t;

typedef struct {
    stored_t what;
    double at;
} simulated_stored_t;

/* A shard of the log. */
typedef struct {
    double in_free, disk_free; /* when its keeper's link and disk are */
    fifo_t
        results; /* of simulated_stored_t, in order; rank 0 has not received them yet */
    int64_t n_reported; /* of these */
    double reported;    /* when it sent its last report */
    bool will_report;   /* there is an event */
} simulated_shard_t;

typedef struct {
    transport_t base;
    const simulated_opts_t *opts;
    simulated_worker_t *workers; /* [n_ranks] */
    simulated_shard_t *shards;   /* [n_shards] */
    int n_shards;
    event_queue_t events;
    fifo_t arrivals; /* of arrival_t, in order of time */
    double now, began;
    bool computing;
    double in_free, out_free; /* when rank 0's link is free in each direction */
    double in_busy_s;
    rng_t rng;
} simulated_t;

double transport_simulated_now(const transport_t *base)
{
    const simulated_t *t = (const simulated_t *)base;

    return t->now + (t->computing ? t->opts->clock() - t->began : 0);
}

void transport_simulated_begin(transport_t *base)
{
    simulated_t *t = (simulated_t *)base;

    t->began = t->opts->clock();
    t->computing = true;
}

double transport_simulated_end(transport_t *base)
{
    simulated_t *t = (simulated_t *)base;
    double seconds = t->opts->clock() - t->began;

    t->computing = false;
    t->now += seconds;
    return seconds;
}

void transport_simulated_wait(transport_t *base, double seconds)
{
    ((simulated_t *)base)->now += seconds;
}

/* Send a message over the link. @return when it arrives */
static double carry(const simulated_t *t, double *link_free, double at, size_t len)
{
    *link_free = fmax(*link_free, at) + (double)len / t->opts->bytes_per_s;
    return *link_free + t->opts->latency_s;
}

static status_t send_to_0(simulated_t *t, double at, arrival_t a, size_t len)
{
    a.at = carry(t, &t->in_free, at, len);
    t->in_busy_s += (double)len / t->opts->bytes_per_s;
    return fifo_push(&t->arrivals, &a, sizeof(a));
}

static double current_cost(const simulated_t *t, const simulated_worker_t *w)
{
    return (double)job_cost(t->opts->job, *(const int64_t *)fifo_data(&w->inbox));
}

static status_t begin_task(simulated_t *t, int rank, double at)
{
    simulated_worker_t *w = &t->workers[rank];
    double chance = (double)(rng_next(&t->rng) >> 11) / (double)(INT64_C(1) << 53);

    w->started = at;
    w->took = current_cost(t, w) / t->opts->rate[rank] *
              (1 + t->opts->jitter * (2 * chance - 1));
    return event_queue_push(&t->events, (event_t){.at = at + w->took,
                                                  .rank = rank,
                                                  .kind = EVENT_FINISHED});
}

static status_t on_grant(simulated_t *t, event_t *e)
{
    simulated_worker_t *w = &t->workers[e->rank];
    bool was_idle = fifo_len(&w->inbox) == 0;
    status_t st = fifo_push(&w->inbox, e->data.data, e->data.len);

    return st == ST_OK && was_idle ? begin_task(t, e->rank, e->at) : st;
}

/* Have a shard's keeper report when its next result is stored, but not too soon. */
static status_t plan_report(simulated_t *t, int k)
{
    simulated_shard_t *shard = &t->shards[k];
    const simulated_stored_t *all = fifo_data(&shard->results);
    const double soonest = shard->reported + 1e-3 * KEEPER_REPORT_MS;

    if (shard->will_report ||
        fifo_len(&shard->results) / sizeof(*all) == (size_t)shard->n_reported)
        return ST_OK;
    shard->will_report = true;
    return event_queue_push(&t->events,
                            (event_t){.at = fmax(all[shard->n_reported].at, soonest),
                                      .rank =
                                          job_keeper_of(k, t->opts->n_ranks, t->n_shards),
                                      .kind = EVENT_REPORT});
}

/* A result goes to whoever keeps the log of its worker. */
static status_t send_result(simulated_t *t, double at, const arrival_t *result)
{
    const size_t len = sizeof(result_head_t) + t->opts->result_bytes;
    const int k = job_shard_of(result->source, t->opts->n_ranks, t->n_shards);
    simulated_shard_t *shard = &t->shards[k];
    simulated_stored_t stored = {{result->task, result->source, result->rate}, 0};
    status_t st;

    if (k == 0)
        return send_to_0(t, at, *result, len);
    shard->disk_free =
        fmax(shard->disk_free, carry(t, &shard->in_free, at, len)) + t->opts->store_s;
    stored.at = shard->disk_free;
    st = fifo_push(&shard->results, &stored, sizeof(stored));
    return st == ST_OK ? plan_report(t, k) : st;
}

static status_t on_report(simulated_t *t, const event_t *e)
{
    const int k = job_shard_of(e->rank, t->opts->n_ranks, t->n_shards);
    simulated_shard_t *shard = &t->shards[k];
    const simulated_stored_t *all = fifo_data(&shard->results);
    const int64_t n = (int64_t)(fifo_len(&shard->results) / sizeof(*all));
    arrival_t report = {.source = e->rank, .tag = TAG_STORED};
    status_t st;

    for (; shard->n_reported < n && all[shard->n_reported].at <= e->at;
         shard->n_reported++)
        report.task++;
    shard->reported = e->at;
    shard->will_report = false;
    st = send_to_0(t, e->at, report, (size_t)report.task * sizeof(stored_t));
    return st == ST_OK ? plan_report(t, k) : st;
}

static status_t on_finished(simulated_t *t, const event_t *e)
{
    simulated_worker_t *w = &t->workers[e->rank];
    arrival_t result = {.source = e->rank, .tag = TAG_RESULT};
    double cost = current_cost(t, w);
    status_t st;

    w->stats.n_tasks++;
    w->stats.cost += cost;
    w->stats.busy_s += w->took;
    if (w->took > 0)
        w->stats.rate += rate_weight * (cost / w->took - w->stats.rate);
    fifo_pop(&w->inbox, &result.task, sizeof(result.task));
    result.rate = w->stats.rate;
    st = send_result(t, e->at, &result);
    return st == ST_OK && fifo_len(&w->inbox) > 0 ? begin_task(t, e->rank, e->at) : st;
}

static status_t on_stop(simulated_t *t, const event_t *e)
{
    simulated_worker_t *w = &t->workers[e->rank];

    if (fifo_len(&w->inbox) > 0)
        w->stats.busy_s += e->at - w->started;
    w->stopped = true;
    return send_to_0(t, e->at, (arrival_t){.source = e->rank, .tag = TAG_STOPPED},
                     sizeof(stopped_t));
}

/* Carry out the earliest event. */
static status_t carry_out_event(simulated_t *t)
{
    event_t e = {0};
    status_t st = ST_OK;

    if (!event_queue_pop(&t->events, &e))
        return ST_OK;
    if (!t->workers[e.rank].stopped)
        st = e.kind == TAG_GRANT        ? on_grant(t, &e)
             : e.kind == EVENT_FINISHED ? on_finished(t, &e)
             : e.kind == EVENT_REPORT   ? on_report(t, &e)
             : e.kind == TAG_STOP       ? on_stop(t, &e)
                                        : ST_OK;
    buf_free(&e.data);
    return st;
}

status_t transport_simulated_advance(transport_t *base)
{
    simulated_t *t = (simulated_t *)base;
    const event_t *first;
    status_t st = ST_OK;

    while (st == ST_OK && (first = event_queue_first(&t->events)) != NULL &&
           first->at <= t->now)
        st = carry_out_event(t);
    return st;
}

/* @return when the next message arrives; INFINITY: none is on its way */
static double next_arrival(const simulated_t *t)
{
    return fifo_len(&t->arrivals) > 0 ? ((const arrival_t *)fifo_data(&t->arrivals))->at
                                      : INFINITY;
}

status_t transport_simulated_next(transport_t *base, double *at)
{
    simulated_t *t = (simulated_t *)base;
    const event_t *first;
    status_t st = ST_OK;

    while (st == ST_OK && (first = event_queue_first(&t->events)) != NULL &&
           first->at < next_arrival(t))
        st = carry_out_event(t);
    *at = next_arrival(t);
    return st;
}

static status_t simulated_send(transport_t *base, int to, int tag, buf_t *data)
{
    simulated_t *t = (simulated_t *)base;
    event_t e = {.rank = to, .kind = tag, .data = *data};

    e.at = carry(t, &t->out_free, transport_simulated_now(base), data->len);
    *data = (buf_t){0};
    return event_queue_push(&t->events, e);
}

static status_t write_report(simulated_t *t, const arrival_t *a, buf_t *out)
{
    simulated_shard_t *shard =
        &t->shards[job_shard_of(a->source, t->opts->n_ranks, t->n_shards)];
    simulated_stored_t stored;
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < a->task; i++) {
        fifo_pop(&shard->results, &stored, sizeof(stored));
        shard->n_reported--;
        st = buf_append(out, &stored.what, sizeof(stored.what));
    }
    return st;
}

/* Write a message's bytes as a real worker would. */
static status_t write_message(simulated_t *t, const arrival_t *a, buf_t *out)
{
    const simulated_opts_t *o = t->opts;
    result_head_t head = {.task = a->task, .rate = a->rate, .len = t->opts->result_bytes};
    status_t st;

    if (a->tag == TAG_STOPPED)
        return buf_append(out, &(const stopped_t){.stats = t->workers[a->source].stats},
                          sizeof(stopped_t));
    if (a->tag == TAG_STORED)
        return write_report(t, a, out);
    if ((st = buf_reserve(out, sizeof(head) + o->result_bytes)) != ST_OK)
        return st;
    memcpy(out->data, &head, sizeof(head));
    if (o->payload != NULL)
        memcpy(out->data + sizeof(head), o->payload, o->result_bytes);
    out->len = sizeof(head) + o->result_bytes;
    return ST_OK;
}

static status_t simulated_receive(transport_t *base, message_t *out, bool *got)
{
    simulated_t *t = (simulated_t *)base;
    const arrival_t *a = fifo_data(&t->arrivals);
    message_t m = {0};
    status_t st;

    *got = false;
    if (next_arrival(t) > t->now)
        return ST_OK;
    m.source = a->source;
    m.tag = a->tag;
    if ((st = write_message(t, a, &m.data)) != ST_OK)
        return st;
    fifo_drop(&t->arrivals, sizeof(*a));
    *out = m;
    *got = true;
    return ST_OK;
}

static void simulated_abandon(transport_t *base, int exit_code)
{
    (void)base;
    (void)exit_code;
}

static void simulated_destroy(transport_t *base)
{
    simulated_t *t = (simulated_t *)base;

    if (t == NULL)
        return;
    for (int i = 0; t->workers != NULL && i < t->opts->n_ranks; i++)
        fifo_free(&t->workers[i].inbox);
    event_queue_free(&t->events);
    for (int k = 0; t->shards != NULL && k < t->n_shards; k++)
        fifo_free(&t->shards[k].results);
    fifo_free(&t->arrivals);
    free(t->shards);
    free(t->workers);
    free(t);
}

worker_stats_t transport_simulated_stats(const transport_t *base, int rank)
{
    return ((const simulated_t *)base)->workers[rank].stats;
}

double transport_simulated_link_s(const transport_t *base)
{
    return ((const simulated_t *)base)->in_busy_s;
}

status_t transport_simulated_create(const simulated_opts_t *opts, transport_t **out)
{
    simulated_t *t = calloc(1, sizeof(*t));

    if (t == NULL)
        return log_nomem("the transport");
    t->opts = opts;
    t->rng = rng_seed(opts->seed);
    t->base = (transport_t){.exchange = {.rank = 0, .n_ranks = opts->n_ranks},
                            .send = simulated_send,
                            .receive = simulated_receive,
                            .abandon = simulated_abandon,
                            .destroy = simulated_destroy};
    t->n_shards = opts->job->plan.n_shards > 1 ? opts->job->plan.n_shards : 1;
    t->workers = calloc((size_t)opts->n_ranks, sizeof(*t->workers));
    t->shards = calloc((size_t)t->n_shards, sizeof(*t->shards));
    if (t->workers == NULL || t->shards == NULL) {
        simulated_destroy(&t->base);
        return log_nomem("the transport");
    }
    for (int i = 0; i < opts->n_ranks; i++)
        t->workers[i].stats.rate = opts->guess[i];
    *out = &t->base;
    return ST_OK;
}
