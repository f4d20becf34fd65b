/*
 * gang_relay.c - rank 0 has one rank after the other run a gang.
 */
#include "dispatcher/gang_relay.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gang_relay {
    dispatcher_opts_t opts;
    storer_t *storer;
    gang_watch_t *watch;
    int n_ranks, n_moves;
    bool *is_out;  /* [n_ranks] it does not run the gang any more, or never does */
    int at;        /* the rank that runs it; -1: none */
    int last;      /* the one that did; 0: none yet */
    int to;        /* the one that is to do so next; 0: that after the last */
    bool is_quiet; /* none does, and what was sent is in the log */
    /* the rank that runs it */
    int64_t version, n_records; /* the last checkpoint that it has sent, or began with */
    int64_t n_steps;
    gang_orders_t sent;
    bool passes;    /* it has to pass it on */
    bool was_asked; /* to end, at some time */
    double left_s; /* when it was told to pass it on, or went (clock_now_s); 0: neither */
    double paused_s; /* until its first step: that of the rank before; 0: none */
};

status_t gang_relay_create(const dispatcher_opts_t *opts, storer_t *storer,
                           gang_watch_t *watch, gang_relay_t **out)
{
    const int n = opts->transport->exchange.n_ranks;
    gang_relay_t *g = calloc(1, sizeof(*g));

    if (g == NULL || (g->is_out = calloc((size_t)n, sizeof(*g->is_out))) == NULL) {
        free(g);
        return log_nomem("the dispatcher");
    }
    for (int i = 0; i < n; i++)
        g->is_out[i] = opts->guess[i] < 0;
    g->opts = *opts;
    g->opts.guess = NULL;
    g->storer = storer;
    g->watch = watch;
    g->n_ranks = n;
    g->at = -1;
    *out = g;
    return ST_OK;
}

/* ---- what the rank that runs it sends ---- */

static const char not_its_turn[] = "sent something of a gang that another rank runs";

/* Checkpoints follow each other, each of all tasks in their order. */
const char *gang_relay_note_record(gang_relay_t *g, int rank, const result_head_t *head)
{
    const job_plan_t *plan = &g->opts.job->plan;

    if (rank != g->at)
        return not_its_turn;
    if (g->n_records == plan->n_tasks && head->version > g->version) {
        g->version = head->version;
        g->n_records = 0;
    }
    if (head->version != g->version || head->task != g->n_records ||
        head->version > plan->n_steps)
        return "sent a checkpoint that is out of order";
    g->n_records++;
    return NULL;
}

const char *gang_relay_note_steps(gang_relay_t *g, int rank, int64_t n_steps)
{
    if (rank != g->at)
        return not_its_turn;
    if (n_steps < g->n_steps || n_steps > g->opts.job->plan.n_steps)
        return "sent an impossible number of steps";
    if (g->paused_s > 0 && n_steps > g->n_steps) {
        log_info("rank %d has done its first step, %.3f s after rank %d had to leave",
                 rank, clock_now_s() - g->paused_s, g->last);
        g->paused_s = 0;
    }
    g->n_steps = n_steps;
    return NULL;
}

/* It ends when the state is final or a stop is ordered, with a checkpoint. */
const char *gang_relay_note_end(gang_relay_t *g, int rank, const worker_finish_t *end)
{
    job_t *job = g->opts.job;

    if (rank != g->at)
        return not_its_turn;
    if (end->n_steps != g->version || g->n_records != job->plan.n_tasks ||
        end->is_over != job->ops->is_over(job, end->n_steps) ||
        !(end->is_over || g->was_asked))
        return "sent an end that its checkpoints do not have";
    g->n_steps = end->n_steps;
    return NULL;
}

void gang_relay_leave(gang_relay_t *g, int rank)
{
    g->is_out[rank] = true;
    if (rank != g->at)
        return;
    if (g->left_s <= 0)
        g->left_s = clock_now_s();
    gang_relay_pass(g);
}

void gang_relay_pass(gang_relay_t *g)
{
    g->last = g->at;
    g->at = -1;
    g->is_quiet = false;
}

void gang_relay_ask(gang_relay_t *g, int rank, bool passes, int to)
{
    if (rank != g->at)
        return;
    g->passes = passes;
    g->to = to;
    g->left_s = passes ? clock_now_s() : 0;
}

bool gang_relay_is_at(const gang_relay_t *g, int rank)
{
    return rank == g->at;
}

int64_t gang_relay_n_steps(const gang_relay_t *g)
{
    return g->n_steps;
}

/* ---- moves ---- */

/* @return the next rank, or -1: none is left */
static int find_next(const gang_relay_t *g)
{
    if (g->to > 0 && g->to < g->n_ranks && !g->is_out[g->to])
        return g->to;
    for (int i = 1; i <= g->n_ranks; i++)
        if (!g->is_out[(g->last + i) % g->n_ranks])
            return (g->last + i) % g->n_ranks;
    return -1;
}

static void log_move(const gang_relay_t *g, int rank, int64_t version)
{
    char place[256] = "";

    if (g->opts.describe != NULL)
        g->opts.describe(g->opts.describe_ctx, rank, place, sizeof(place));
    if (g->n_moves > 0)
        log_info("rank %d (%s) goes on after %" PRId64 " steps", rank, place,
                 version > 0 ? version : 0);
    else
        log_verbose("rank %d (%s) computes", rank, place);
}

static status_t send_state(const gang_relay_t *g, int rank, int64_t version)
{
    transport_t *t = g->opts.transport;
    status_t st = ST_OK;

    for (int64_t task = 0;
         version >= 0 && st == ST_OK && task < g->opts.job->plan.n_tasks; task++) {
        const gang_state_t head = {.task = task, .version = version};
        buf_t message = {0}, record = {0};

        if ((st = job_load(g->opts.job, task, &record)) == ST_OK &&
            (st = buf_append(&message, &head, sizeof(head))) == ST_OK &&
            (st = buf_append(&message, record.data, record.len)) == ST_OK)
            st = t->send(t, rank, TAG_STATE, &message);
        buf_free(&record);
        buf_free(&message);
    }
    return st == ST_OK ? message_send(t, rank, TAG_BEGIN, &version, sizeof(version)) : st;
}

/* Have the next rank begin with the last checkpoint. */
static status_t move(gang_relay_t *g)
{
    const int rank = find_next(g);
    int64_t version = g->opts.saved;
    status_t st = ST_OK;

    if (rank < 0) {
        log_error(
            "no device is left; checkpoints are kept: fix the cause above, then run "
            "again with --resume");
        return ST_EDEVICE;
    }
    if (g->n_moves > 0 && (st = job_checkpoint(g->opts.job, &version)) == ST_OK)
        gang_watch_restart(g->watch, version);
    if (st != ST_OK || (st = send_state(g, rank, version)) != ST_OK)
        return st;
    log_move(g, rank, version);
    g->n_moves++;
    g->at = rank;
    g->to = 0;
    g->version = version;
    g->n_records = g->opts.job->plan.n_tasks;
    g->n_steps = version > 0 ? version : 0;
    g->sent = (gang_orders_t){.kept = version};
    g->passes = g->was_asked = false;
    g->paused_s = g->left_s;
    g->left_s = 0;
    return ST_OK;
}

static status_t send_orders(gang_relay_t *g)
{
    const worker_orders_t orders = gang_watch_orders(g->watch);
    const gang_orders_t now = {orders.stop || g->passes, orders.checkpoint, orders.kept};

    if (memcmp(&now, &g->sent, sizeof(now)) == 0)
        return ST_OK;
    g->sent = now;
    g->was_asked = g->was_asked || now.stop != 0;
    return message_send(g->opts.transport, g->at, TAG_ORDERS, &now, sizeof(now));
}

status_t gang_relay_step(gang_relay_t *g)
{
    if (g->at >= 0)
        return send_orders(g);
    if (g->watch->stop)
        return ST_ESTOPPED;
    if (g->is_quiet)
        return move(g);
    g->is_quiet = storer_backlog(g->storer) == 0; /* noted before the next step */
    return ST_OK;
}

void gang_relay_destroy(gang_relay_t *g)
{
    if (g == NULL)
        return;
    free(g->is_out);
    free(g);
}
