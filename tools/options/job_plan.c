/*
 * job_plan.c - --plan: what a run of a job computes, where, and in about what time.
 */
#include "tools/options/job_run.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"
#include "worker/worker.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_BYTES = 64 };

/* What a rank has. */
typedef struct {
    char host[BIND_HOST_BYTES], device[DEVICE_NAME_BYTES], kernel[KERNEL_BYTES];
    double rate;      /* cost per second; 0: not known */
    double start_s;   /* of what is done once */
    bool is_measured; /* else a guess */
} rank_t;

/* What is to be computed. */
typedef struct {
    double cost; /* of all steps; 0: not known */
    int64_t items, n_tasks;
} sum_t;

static sum_t add_up(const job_t *job)
{
    const job_plan_t *p = &job->plan;
    sum_t sum = {.cost = 0};

    for (int64_t k = 0; k < p->n_tasks; k++) {
        if (job_is_known(job, k))
            continue;
        sum.n_tasks++;
        sum.cost += (double)job_cost(job, k);
        sum.items += job_items(job, k);
    }
    if (p->kind == JOB_GANG)
        sum.cost *= (double)p->n_steps;
    return sum;
}

static void print_sums(const job_t *job, const sum_t *sum)
{
    const job_plan_t *p = &job->plan;

    printf("%s\t%" PRId64 "\n", p->item_word, sum->items);
    if (p->cost_word != NULL)
        printf("%s\t%.4g\n", p->cost_word, sum->cost);
    if (strcmp(p->task_word, p->item_word) != 0)
        printf("%s\t%" PRId64 "\n", p->task_word, sum->n_tasks);
    if (p->kind == JOB_GANG && p->n_steps > 0)
        printf("steps\t%" PRId64 "\n", p->n_steps);
}

/* ---- the rate of a rank ---- */

/* A worker computes a sample of the tasks for this long, in vain if one takes
 * MAX_SAMPLE_S; of tasks of any size for less, not that of a run of one task, which would
 * be all of it, and none that takes longer than MAX_TASK_S by the guess. */
static const double SAMPLE_S = 2, MAX_SAMPLE_S = 20, SHORT_SAMPLE_S = 0.2, MAX_TASK_S = 2;

static bool is_guessed(const job_t *job, double guess)
{
    const int64_t n_tasks = job->plan.n_tasks;

    return job->plan.kind == JOB_GANG ||
           (!job->ops->has_short_tasks &&
            (n_tasks < 2 || (double)job_cost(job, n_tasks / 2) > MAX_TASK_S * guess));
}

/* Prepare the job and compute a sample of its tasks, as a run does. */
static status_t measure(job_t *job, const sum_t *sum, pool_t *pool, int rank, rank_t *out)
{
    const binding_t *b = job->opts->binding;
    const double begun_s = clock_now_s();
    const char *kernel = "";
    notifier_t notifier;
    worker_opts_t opts = {.job = job,
                          .pool = pool,
                          .device = &b->device,
                          .notifier = &notifier,
                          .rank = rank};
    worker_rate_t rate;
    status_t st = job_prepare(job, &b->device, pool, &kernel, &opts.guess);

    if (st != ST_OK)
        return st;
    out->start_s = clock_now_s() - begun_s;
    out->rate = opts.guess;
    memcpy(out->host, b->host, sizeof(out->host));
    memcpy(out->device, job->device.name, sizeof(out->device));
    snprintf(out->kernel, sizeof(out->kernel), "%s", kernel);
    if (is_guessed(job, opts.guess))
        return ST_OK;
    notifier_begin(&notifier);
    st = worker_sample(&opts, job->ops->has_short_tasks ? SAMPLE_S : SHORT_SAMPLE_S,
                       MAX_SAMPLE_S, &rate);
    notifier_end(&notifier);
    if (st != ST_OK)
        return st;
    out->rate = rate.rate;
    out->start_s += rate.start_s;
    out->is_measured = rate.n_tasks > 0 || sum->n_tasks == 0;
    return ST_OK;
}

/* ---- the time ---- */

static void print_ranks(const job_t *job, const sum_t *sum, const rank_t *ranks,
                        int n_ranks)
{
    const char *unit = job->plan.cost_word;
    const double scale = unit != NULL || sum->cost == 0
                             ? 1
                             : (double)sum->items / sum->cost; /* items per cost */

    for (int i = 0; i < n_ranks; i++) {
        const rank_t *r = &ranks[i];

        printf("rank %d\t%s, %s, kernel %s", i, r->host, r->device, r->kernel);
        if (r->rate > 0 && sum->cost > 0)
            printf(", %s%.*g %s/s", r->is_measured ? "" : "about ",
                   r->is_measured ? 4 : 1, r->rate * scale,
                   unit != NULL ? unit : job->plan.item_word);
        putchar('\n');
    }
}

static void print_time(const job_t *job, const sum_t *sum, const rank_t *ranks,
                       int n_ranks)
{
    bool is_measured = true;
    double rate = 0, start_s = 0, seconds;

    for (int i = 0; i < n_ranks; i++) {
        start_s = fmax(start_s, ranks[i].start_s);
        rate += ranks[i].rate;
        is_measured = is_measured && ranks[i].is_measured;
    }
    seconds = start_s + (sum->cost > 0 ? sum->cost / rate : 0);
    if (is_measured)
        printf("time\t%.3g s\n", seconds);
    else if (job->ops->has_short_tasks)
        printf(
            "time\tnot measured: one of the %s takes more than %g s; by the usual rate "
            "of the kernel %.3g s\n",
            job->plan.task_word, MAX_SAMPLE_S, seconds);
    else if (sum->cost == 0 || rate == 0)
        printf("time\tnot known: %s\n", job->plan.n_tasks == 0
                                            ? "there is nothing to do"
                                            : "it depends on the number of steps");
    else if (job->plan.kind == JOB_FREE && job->plan.n_tasks < n_ranks)
        printf("time\tabout %.1g s, on %" PRId64 " of the ranks\n",
               sum->cost * n_ranks / rate / (double)job->plan.n_tasks, job->plan.n_tasks);
    else
        printf("time\tabout %.1g s\n", sum->cost / rate);
}

status_t job_plan_run(const job_command_t *command, job_t *job, exchange_t *x)
{
    rank_t mine = {.rate = 0};
    rank_t *ranks = calloc((size_t)x->n_ranks, sizeof(*ranks));
    pool_t *pool = NULL;
    sum_t sum = {.cost = 0};
    status_t st = exchange_agree(x, ranks != NULL ? ST_OK : log_nomem("a plan"));

    if (st == ST_OK && (st = job_begin(job, x)) == ST_OK) {
        sum = add_up(job);
        if (x->rank == 0)
            print_sums(job, &sum);
        st = command->plan != NULL ? command->plan(job, x) : ST_OK;
    }
    if (st == ST_OK) {
        if ((st = pool_create(job->opts->binding->n_threads, &pool)) == ST_OK)
            st = measure(job, &sum, pool, x->rank, &mine);
        st = exchange_agree(x, st);
    }
    if (st == ST_OK)
        st = x->allgather(x, &mine, sizeof(mine), ranks);
    if (st == ST_OK && x->rank == 0) {
        print_ranks(job, &sum, ranks, x->n_ranks);
        print_time(job, &sum, ranks, x->n_ranks);
    }
    job_destroy(job);
    pool_destroy(pool);
    free(ranks);
    return st;
}
