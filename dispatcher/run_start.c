/*
 * run_start.c - everything before the first task or step of a run, in step with the other
 * ranks.
 */
#include "dispatcher/protocol.h"
#include "dispatcher/run_state.h"
#include "io/base/logmsg.h"
#include "io/base/plural.h"
#include "io/base/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool same_setup(const rank_info_t *a, const rank_info_t *b)
{
    return strcmp(a->host, b->host) == 0 && strcmp(a->device, b->device) == 0 &&
           strcmp(a->kernel, b->kernel) == 0 && a->n_threads == b->n_threads;
}

/* One line for all ranks of a host with the same setup. */
static void log_setups(const run_t *r)
{
    int n = r->t->exchange.n_ranks;

    for (int i = 0; i < n; i++) {
        const rank_info_t *info = &r->ranks[i];
        int n_same = 0, first = i;

        for (int k = 0; k < n; k++)
            if (same_setup(&r->ranks[k], info)) {
                first = k < first ? k : first;
                n_same++;
            }
        if (first == i && info->guess >= 0)
            log_info("%s: %d rank%s, %s, %d thread%s each, kernel %s", info->host, n_same,
                     plural(n_same), info->device, info->n_threads,
                     plural(info->n_threads), info->kernel);
    }
}

/* A rank that went during the start (transport_stream.h) computes nothing, nor does one
 * that is not trusted and sent what is impossible. */
static void make_possible(run_t *r)
{
    for (int i = 0; i < r->t->exchange.n_ranks; i++) {
        rank_info_t *info = &r->ranks[i];

        info->host[sizeof(info->host) - 1] = '\0';
        info->device[sizeof(info->device) - 1] = '\0';
        info->kernel[sizeof(info->kernel) - 1] = '\0';
        info->has_answered = info->is_leaving = false; /* set here only */
        if (info->n_threads <= 0 || !isfinite(info->guess) || info->n_others < 0)
            info->guess = -1;
    }
}

static status_t exchange_rank_info(run_t *r, const char *kernel, double guess)
{
    rank_info_t mine = {.n_threads = r->binding->n_threads,
                        .pid = (int32_t)getpid(),
                        .guess = guess,
                        .n_others = r->t->lent != NULL ? r->t->lent->n_others : 0};
    status_t st;

    memcpy(mine.host, r->binding->host, sizeof(mine.host));
    if (r->binding->is_idle)
        snprintf(mine.device, sizeof(mine.device), "none");
    else
        memcpy(mine.device, r->binding->device.name, sizeof(mine.device));
    snprintf(mine.kernel, sizeof(mine.kernel), "%s", kernel);
    st = r->t->exchange.allgather(&r->t->exchange, &mine, sizeof(mine), r->ranks);
    if (st != ST_OK)
        return st;
    make_possible(r);
    run_lost_find_processes(r);
    if (r->t->exchange.rank == 0)
        log_setups(r);
    return ST_OK;
}

static void describe_rank(const void *ctx, int rank, char *out, size_t size)
{
    const run_t *r = ctx;
    const rank_info_t *info = &r->ranks[rank];

    snprintf(out, size, "%s, %s, kernel %s", info->host, info->device, info->kernel);
}

/* @return the rank that would end the run first, alone: devices are shared evenly */
static int find_fastest(const run_t *r)
{
    double best = -1;
    int at = 0;

    for (int i = 0; i < r->t->exchange.n_ranks; i++) {
        const double rate = r->ranks[i].guess / (1 + (double)r->ranks[i].n_others);

        if (r->ranks[i].guess >= 0 && rate > best) {
            best = rate;
            at = i;
        }
    }
    return at;
}

/* --device any: only the fastest rank computes. */
static void choose_one(run_t *r)
{
    const int at = find_fastest(r);
    char place[256];

    describe_rank(r, at, place, sizeof(place));
    log_info("--device any: rank %d (%s), beside %lld other run%s", at, place,
             (long long)r->ranks[at].n_others, plural(r->ranks[at].n_others));
    for (int i = 0; i < r->t->exchange.n_ranks; i++)
        if (i != at)
            r->ranks[i].guess = -1;
}

static void dismiss_others(run_t *r)
{
    for (int i = 1; i < r->t->exchange.n_ranks; i++)
        if (r->ranks[i].guess < 0)
            dispatcher_dismiss(r->dispatcher, i);
}

static status_t create_dispatcher(run_t *r)
{
    int n = r->t->exchange.n_ranks;
    double *guess = calloc((size_t)n, sizeof(*guess));
    status_t st;

    if (guess == NULL)
        return log_nomem("the dispatcher");
    if (r->job->opts->takes_one)
        choose_one(r);
    for (int i = 0; i < n; i++)
        guess[i] = r->ranks[i].guess;
    st = dispatcher_create(&(dispatcher_opts_t){.job = r->job,
                                                .transport = r->t,
                                                .guess = guess,
                                                .describe = describe_rank,
                                                .describe_ctx = r,
                                                .saved = r->gang.saved},
                           &r->dispatcher);
    free(guess);
    if (st == ST_OK && r->job->opts->takes_one)
        dismiss_others(r);
    return st;
}

/* Where several ranks keep the log. */
static status_t create_keeper(run_t *r)
{
    const int n = r->job->plan.n_shards, n_ranks = r->t->exchange.n_ranks;

    r->to = job_keeper_of(job_shard_of(r->t->exchange.rank, n_ranks, n), n_ranks, n);
    return r->job->shard > 0 ? keeper_create(r->job, r->t, &r->keeper) : ST_OK;
}

status_t run_start_worker(run_t *r)
{
    const worker_opts_t opts = {.job = r->job,
                                .pool = r->pool,
                                .device = &r->binding->device,
                                .guess = r->guess,
                                .notifier = &r->notifier,
                                .head_bytes = sizeof(result_head_t),
                                .turns = r->t->lent != NULL ? r->t->lent->turns : NULL,
                                .rank = r->gang.is_relayed ? 0 : r->t->exchange.rank,
                                .gang =
                                    r->gang.nccl != NULL ? r->gang.nccl : r->gang.control,
                                .control = r->gang.control,
                                .first_step = r->gang.saved < 0 ? 0 : r->gang.saved,
                                .saved = r->gang.saved};

    return r->binding->is_idle ? ST_OK : worker_create(&opts, &r->worker);
}

/* Prepare the device, with a gang's communication and state. */
static status_t prepare(run_t *r)
{
    exchange_t *x = &r->t->exchange;
    const char *kernel = "-";
    status_t st = ST_OK;

    if (r->binding->is_idle)
        r->guess = -1;
    else
        st = job_prepare(r->job, &r->binding->device, r->pool, &kernel, &r->guess);
    log_phase("kernels");
    if (st == ST_OK && (r->ranks = calloc((size_t)x->n_ranks, sizeof(*r->ranks))) == NULL)
        st = log_nomem("the ranks' setups");
    if ((st = exchange_agree(x, st)) != ST_OK ||
        (st = exchange_rank_info(r, kernel, r->guess)) != ST_OK)
        return st;
    if (r->job->plan.kind == JOB_FREE)
        return ST_OK;
    r->gang.is_relayed = x->has_no_gangs;
    st = run_gang_begin(r);
    log_phase("gang");
    if (st == ST_OK)
        st = run_gang_restore(r);
    log_phase("checkpoint");
    return st;
}

/* Read the input and open the log. */
static status_t begin(run_t *r)
{
    exchange_t *x = &r->t->exchange;
    status_t st = exchange_agree(x, pool_create(r->binding->n_threads, &r->pool));

    r->job->pool = r->pool;
    if (st != ST_OK || (st = job_begin(r->job, x)) != ST_OK)
        return st;
    log_phase("input");
    if (r->job->plan.kind == JOB_GANG && x->has_no_gangs && !r->job->ops->runs_whole) {
        if (x->rank == 0)
            log_error("this job's ranks compute in lockstep, which remote devices do not "
                      "take part in; run it on the server, over ssh");
        return ST_EUSAGE;
    }
    if (x->rank == 0 || r->t->drop == NULL) /* signals end a device that is lent */
        run_lost_catch_signals(); /* before there is a log: a run stops in order */
    st = exchange_agree(x, x->rank == 0 ? job_open(r->job) : ST_OK);
    if (st == ST_OK)
        st = job_open_shards(r->job, x);
    log_phase("log");
    return st;
}

static void *open_device(void *run)
{
    run_t *r = run;

    device_open(&r->binding->device);
    run_gang_join(r);
    if (r->job->ops->load != NULL)
        r->job->ops->load(r->job->opts, &r->binding->device);
    return NULL;
}

status_t run_start(run_t *r)
{
    exchange_t *x = &r->t->exchange;
    pthread_t opener; /* works while rank 0 reads the input */
    bool opens;
    status_t st = r->job->ops->is_gang && !x->has_no_gangs ? run_gang_meet(r) : ST_OK;

    r->guess = 1;
    if (st != ST_OK)
        return st;
    opens = device_is_gpu(&r->binding->device) && thread_start(&opener, open_device, r);
    st = begin(r);
    if (opens)
        pthread_join(opener, NULL);
    log_phase("device");
    if (st != ST_OK || (st = prepare(r)) != ST_OK)
        return st;
    if ((st = exchange_agree(x, x->rank == 0 ? create_dispatcher(r) : ST_OK)) != ST_OK)
        return st;
    if ((st = exchange_agree(x, create_keeper(r))) != ST_OK)
        return st;
    if (!r->gang.is_relayed) /* else rank 0 has one begin */
        st = run_start_worker(r);
    if ((st = exchange_agree(x, st)) == ST_OK)
        log_phases_end("started");
    return st;
}
