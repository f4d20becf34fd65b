/*
 * sample.c - a worker computes some of a job's free tasks, to find out how fast it is.
 */
#include "worker/worker.h"

#include "io/base/clock.h"

#include <math.h>

/* Work that waits for the worker, by its rate so far, which begins as a guess. */
static const double AHEAD_S = 1;
enum { AHEAD_TASKS = 2, POLL_US = 10000, STOP_SECONDS = 60 };

/* All tasks of a job that are not known, each once, spread evenly: next + stride k,
 * modulo n. */
typedef struct {
    int64_t n, next, stride;
    int64_t n_tasks, n_given; /* that are not known; of them */
    double cost;              /* of those given */
} order_t;

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* @param rank  ranks begin with different tasks */
static order_t order_of(const job_t *job, int rank)
{
    static const double golden = 0.6180339887;
    const int64_t n = job->plan.n_tasks;
    order_t o = {.n = n, .next = rank % n, .stride = (int64_t)(golden * (double)n)};

    for (int64_t task = 0; task < n; task++)
        o.n_tasks += !job_is_known(job, task);
    while (common_divisor(n, o.stride) != 1)
        o.stride++;
    return o;
}

/* Give the worker enough tasks to go on with; a CPU, which shows its rate with few, not
 * more than these before it has a rate: the guess may be far too high. */
static status_t give(worker_t *w, const worker_opts_t *opts, const worker_stats_t *done,
                     order_t *o)
{
    const bool few = done->n_tasks == 0 && !device_is_gpu(opts->device);
    status_t st = ST_OK;

    while (st == ST_OK && o->n_given < o->n_tasks &&
           (o->n_given - done->n_tasks < AHEAD_TASKS ||
            (!few && o->cost - done->cost < AHEAD_S * done->rate))) {
        while (job_is_known(opts->job, o->next))
            o->next = (o->next + o->stride) % o->n;
        st = worker_give(w, &o->next, 1);
        o->cost += (double)job_cost(opts->job, o->next);
        o->n_given++;
        o->next = (o->next + o->stride) % o->n;
    }
    return st;
}

/* Results so far, and when the last of them were there. */
typedef struct {
    int64_t n;
    double cost, seconds;
} results_t;

/* Count results, which include packing, and drop them. @param first  out: those that were
 * there first */
static void take_results(worker_t *w, const job_t *job, double begun_s, results_t *first,
                         results_t *all)
{
    const int64_t n_before = all->n;
    worker_result_t result;

    while (worker_take(w, &result)) {
        all->n++;
        all->cost += (double)job_cost(job, result.task);
        buf_free(&result.data);
    }
    if (all->n > n_before)
        all->seconds = clock_now_s() - begun_s;
    if (n_before == 0)
        *first = *all;
}

/* The rate behind the first batch, which includes what is done once. */
static worker_rate_t rate_of(const results_t *first, const results_t *all, double guess)
{
    worker_rate_t out = {.n_tasks = all->n, .rate = guess};

    if (all->n > first->n && all->seconds > first->seconds)
        out.rate = (all->cost - first->cost) / (all->seconds - first->seconds);
    else if (all->n > 0 && all->seconds > 0)
        out.rate = all->cost / all->seconds;
    if (out.n_tasks > 0)
        out.start_s = first->seconds;
    if (out.rate > 0) /* tasks may cost nothing */
        out.start_s = fmax(0, first->seconds - first->cost / out.rate);
    return out;
}

status_t worker_sample(const worker_opts_t *opts, double seconds, double max_s,
                       worker_rate_t *out)
{
    const double begun_s = clock_now_s();
    results_t first = {0}, all = {0};
    order_t order;
    worker_t *w;
    status_t st;

    *out = (worker_rate_t){.rate = opts->guess};
    if (opts->job->plan.n_tasks == 0)
        return ST_OK;
    order = order_of(opts->job, opts->rank);
    if ((st = worker_create(opts, &w)) != ST_OK)
        return st;
    for (;;) {
        const double elapsed_s = clock_now_s() - begun_s;
        const worker_stats_t done = worker_stats(w);

        take_results(w, opts->job, begun_s, &first, &all);
        if ((st = worker_state(w)) != ST_OK || all.n == order.n_tasks ||
            (elapsed_s >= seconds && all.n > first.n) || elapsed_s >= max_s ||
            (st = give(w, opts, &done, &order)) != ST_OK)
            break;
        notifier_wait(opts->notifier, POLL_US);
    }
    worker_stop(w, STOP_SECONDS);
    if (st == ST_OK)
        *out = rate_of(&first, &all, opts->guess);
    worker_destroy(w);
    return st;
}
