/*
 * job_plan.c - --plan: what a run of a job computes, where, and in about what time.
 */
#include "tools/options/job_run.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL_BYTES = 64 };

/* What a rank has. */
typedef struct {
    char host[BIND_HOST_BYTES], device[DEVICE_NAME_BYTES], kernel[KERNEL_BYTES];
    double rate;      /* cost per second; 0: not known */
    bool is_measured; /* else a guess */
} rank_t;

/* What is to be computed. */
typedef struct {
    double cost; /* of all steps; 0: not known */
    int64_t items;
} sum_t;

static sum_t add_up(const job_t *job)
{
    const job_plan_t *p = &job->plan;
    sum_t sum = {.cost = 0};

    for (int64_t k = 0; k < p->n_tasks; k++) {
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
        printf("%s\t%" PRId64 "\n", p->task_word, p->n_tasks);
    if (p->kind == JOB_GANG && p->n_steps > 0)
        printf("steps\t%" PRId64 "\n", p->n_steps);
}

/* ---- the rate of a rank ---- */

/* Tasks are measured from the middle on, until that has taken some time, and at least two
 * batches, of which the first warms up; but none of a run of one task, which would be all
 * of it, and none that takes longer than this by the guess. */
static const double sample_s = 0.2, max_task_s = 2;

/* Compute a batch, and drop its results. @param cost  out: of its tasks */
static status_t compute_batch(job_t *job, int64_t first, int n, double *cost)
{
    int64_t *tasks = malloc((size_t)n * sizeof(*tasks));
    int n_begun = 0;
    status_t st = tasks != NULL ? ST_OK : log_nomem("a plan");

    for (int i = 0; st == ST_OK && i < n; i++)
        tasks[i] = first + i;
    if (st == ST_OK)
        st = job->ops->submit(job, tasks, n, &n_begun);
    if (st == ST_OK)
        st = job->ops->collect(job, 0);
    *cost = 0;
    for (int i = 0; i < n_begun; i++)
        *cost += (double)job_cost(job, first + i);
    free(tasks);
    return st;
}

/* @param out  its rate is a guess */
static status_t measure_rate(job_t *job, rank_t *out)
{
    const int64_t n_tasks = job->plan.n_tasks, n_max = (n_tasks + 3) / 4;
    const int n = (int)(n_max < job->max_batch ? n_max : job->max_batch);
    const double begin_s = clock_now_s();
    double batch_s = begin_s, cost;
    status_t st = ST_OK;

    if (job->plan.kind == JOB_GANG || job->ops->measures_rate || n_tasks < 2 ||
        (double)job_cost(job, n_tasks / 2) > max_task_s * out->rate)
        return ST_OK;
    for (int64_t k = n_tasks / 2; st == ST_OK && k + n <= n_tasks; k += n) {
        if (k > n_tasks / 2 + n && batch_s - begin_s > sample_s)
            break;
        st = compute_batch(job, k, n, &cost);
        out->rate = cost / (clock_now_s() - batch_s);
        out->is_measured = true;
        batch_s = clock_now_s();
    }
    return st;
}

static status_t measure(job_t *job, pool_t *pool, rank_t *out)
{
    const binding_t *b = job->opts->binding;
    const char *kernel = "";
    status_t st = job_prepare(job, &b->device, pool, &kernel, &out->rate);

    if (st != ST_OK)
        return st;
    memcpy(out->host, b->host, sizeof(out->host));
    memcpy(out->device, job->device.name, sizeof(out->device));
    snprintf(out->kernel, sizeof(out->kernel), "%s", kernel);
    out->is_measured = job->ops->measures_rate;
    return measure_rate(job, out);
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
    double rate = 0;

    for (int i = 0; i < n_ranks; i++) {
        rate += ranks[i].rate;
        is_measured = is_measured && ranks[i].is_measured;
    }
    if (sum->cost == 0 || rate == 0)
        printf("time\tnot known: %s\n", job->plan.n_tasks == 0
                                            ? "there is nothing to do"
                                            : "it depends on the number of steps");
    else if (job->plan.kind == JOB_FREE && job->plan.n_tasks < n_ranks && !is_measured)
        printf("time\tabout %.1g s, on %" PRId64 " of the ranks\n",
               sum->cost * n_ranks / rate / (double)job->plan.n_tasks, job->plan.n_tasks);
    else if (!is_measured)
        printf("time\tabout %.1g s\n", sum->cost / rate);
    else /* pairs that are ruled out cost less */
        printf("time\t%s%.3g s\n",
               job->ops->measures_rate && job->plan.cost_word == NULL ? "at most " : "",
               sum->cost / rate);
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
            st = measure(job, pool, &mine);
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
