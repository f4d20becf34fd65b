/*
 * free_tasks.c - rank 0 grants free tasks, takes the first result of each, and passes on
 * the tasks of workers that fail.
 */
#include "dispatcher/free_tasks.h"

#include "dispatcher/free_state.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <stdlib.h>

/* Seconds between two looks at workers that may be late. */
static const double look_s = 0.05;

/* @return how many workers compute each task */
static int n_copies(const free_tasks_t *f)
{
    return f->opts.job->plan.redundancy > 1 ? f->opts.job->plan.redundancy : 1;
}

static int64_t cost(const void *job, int64_t task)
{
    return job_cost(job, task);
}

static bool is_done(const void *job, int64_t task)
{
    return job_is_done(job, task);
}

/* What is known needs no worker. */
static void answer_known(free_tasks_t *f)
{
    const job_t *job = f->opts.job;

    for (int64_t task = 0; job->ops->is_known != NULL && task < job->plan.n_tasks; task++)
        if (job_is_known(job, task))
            f->lacks_known |= taskset_answer(f->tasks, task);
}

bool free_tasks_lack_known(const free_tasks_t *f)
{
    return f->lacks_known;
}

status_t free_tasks_create(const dispatcher_opts_t *opts, storer_t *storer,
                           free_tasks_t **out)
{
    int n = opts->transport->exchange.n_ranks;
    free_tasks_t *f = calloc(1, sizeof(*f));
    status_t st = ST_OK;

    if (f == NULL)
        return log_nomem("the dispatcher");
    f->opts = *opts;
    f->storer = storer;
    if (f->opts.clock == NULL)
        f->opts.clock = clock_now_s;
    f->now_s = f->opts.clock();
    f->n_workers = n;
    f->grant_to_all = true;
    f->heard_s = calloc((size_t)n, sizeof(*f->heard_s));
    f->n_wrong = calloc((size_t)n, sizeof(*f->n_wrong));
    if (f->heard_s == NULL || f->n_wrong == NULL)
        st = log_nomem("the dispatcher");
    if (st == ST_OK)
        st = credit_begin(&f->credit, n, opts->guess);
    if (st == ST_OK)
        st = taskset_create(opts->job->plan.n_tasks, n_copies(f), cost, is_done,
                            opts->job, &f->tasks);
    if (st == ST_OK && (n_copies(f) > 1 || opts->job->plan.recompute > 0))
        st = answers_create(opts->job->plan.n_tasks, &f->answers);
    if (st != ST_OK) {
        free_tasks_destroy(f);
        return st;
    }
    f->opts.guess = NULL;
    answer_known(f);
    *out = f;
    return ST_OK;
}

typedef struct {
    const free_tasks_t *f;
    int w;
} who_t;

/* No worker computes two copies of a task. */
static bool may_have(const void *ctx, int64_t task)
{
    const who_t *who = ctx;

    return who->f->answers == NULL || !answers_involves(who->f->answers, task, who->w);
}

/* Where results are compared, other workers may be faster, but not allowed. */
static bool is_allowed(const free_tasks_t *f, int w, double cost)
{
    return credit_allows(&f->credit, w, cost, taskset_cost_left(f->tasks)) ||
           (f->answers != NULL && credit_n_out(&f->credit.worker[w]) == 0 &&
            credit_is_open(&f->credit, w));
}

/* Note that a worker holds a task. */
static status_t hold(free_tasks_t *f, int w, int64_t task)
{
    status_t st = credit_grant(&f->credit, w, task, free_cost(f, task));

    if (st == ST_OK && free_is_compared(f, task))
        st = answers_expect(f->answers, task, w, JOB_DEFAULT);
    return st == ST_OK ? taskset_take(f->tasks, task) : st;
}

/* Give a worker all that it may hold, in one message. */
static status_t grant(free_tasks_t *f, int w)
{
    const credit_t *c = &f->credit.worker[w];
    const who_t who = {f, w};
    buf_t grants = {0};
    status_t st = ST_OK;
    int64_t task;

    if (credit_n_out(c) == 0)
        f->heard_s[w] = f->now_s;
    while (st == ST_OK && (task = taskset_next(f->tasks, may_have, &who)) >= 0 &&
           is_allowed(f, w, free_cost(f, task)))
        if ((st = hold(f, w, task)) == ST_OK)
            st = buf_append(&grants, &task, sizeof(task));
    if (st == ST_OK)
        st = free_send(f, w, TAG_GRANT, &grants);
    buf_free(&grants);
    return st;
}

/* Near the end, a task that one worker may not have goes to the worker that would finish
 * it first: that one may be idle, and idle workers send no results that would bring a
 * grant. */
static status_t grant_to_fastest_finisher(free_tasks_t *f)
{
    int64_t task = taskset_next(f->tasks, NULL, NULL), before = -1;
    status_t st = ST_OK;

    while (st == ST_OK && task >= 0 && task != before) {
        int w = credit_fastest_finisher(&f->credit, free_cost(f, task));

        if (w >= 0)
            st = grant(f, w);
        before = task;
        task = taskset_next(f->tasks, NULL, NULL);
    }
    return st;
}

status_t free_tasks_grant(free_tasks_t *f, int w)
{
    status_t st = grant(f, w);

    return st == ST_OK && credit_n_out(&f->credit.worker[w]) == 0
               ? grant_to_fastest_finisher(f)
               : st;
}

bool free_tasks_note_result(free_tasks_t *f, int w, const result_head_t *head)
{
    transport_t *t = f->opts.transport;
    const bool is_trusted = w == 0 || t->drop == NULL;
    const bool is_held =
        credit_settle(&f->credit, w, head->task, free_cost(f, head->task));

    f->heard_s[w] = f->now_s;
    if (is_held) {
        taskset_release(f->tasks, head->task);
    } else if (!is_trusted) {
        /* the tasks of one that is late were taken back */
        if (!f->credit.worker[w].late && !f->credit.worker[w].gone)
            t->drop(t, w, "sent a result of a task that it does not have");
        return false;
    }
    if (head->rate > 0 && head->rate != f->credit.worker[w].rate)
        credit_measure(&f->credit, w, head->rate);
    if (taskset_is_answered(f->tasks, head->task))
        return false;
    /* recompute compares one result of each kind, redundancy one of each worker */
    return !free_is_compared(f, head->task) ||
           !answers_has(f->answers, head->task, n_copies(f) > 1 ? w : -1,
                        (job_how_t)head->version);
}

status_t free_tasks_put(free_tasks_t *f, int w, const result_head_t *head, buf_t *data)
{
    if (free_is_compared(f, head->task))
        return free_compare_put(f, w, head, data);
    taskset_answer(f->tasks, head->task);
    return storer_put(f->storer, head->task, head->version, data, sizeof(*head));
}

status_t free_tasks_on_lost(free_tasks_t *f, int w, double guess)
{
    transport_t *t = f->opts.transport;
    status_t st = free_put_back(f, w);
    buf_t answer = {0};

    credit_restart(&f->credit, w, guess);
    return st == ST_OK ? t->send(t, w, TAG_GRANT, &answer) : st;
}

status_t free_tasks_step(free_tasks_t *f)
{
    double now = f->now_s = f->opts.clock();
    status_t st = ST_OK;

    if (now - f->looked_s >= look_s) {
        f->looked_s = now;
        st = free_late_look(f);
        f->grant_to_all = f->grant_to_all || f->answers != NULL;
    }
    if (st == ST_OK && f->due.len > 0)
        st = free_compare_ask(f);
    for (int w = 0; st == ST_OK && f->grant_to_all && w < f->n_workers; w++)
        st = grant(f, w);
    f->grant_to_all = false;
    return st;
}

bool free_tasks_finish(free_tasks_t *f, int64_t task)
{
    return taskset_finish(f->tasks, task);
}

int64_t free_tasks_n_done(const free_tasks_t *f)
{
    return taskset_n_done(f->tasks);
}

double free_tasks_cost_left(const free_tasks_t *f)
{
    return taskset_cost_left(f->tasks) / n_copies(f);
}

void free_tasks_destroy(free_tasks_t *f)
{
    if (f == NULL)
        return;
    taskset_destroy(f->tasks);
    credit_free(&f->credit);
    answers_destroy(f->answers);
    buf_free(&f->due);
    free(f->n_wrong);
    free(f->heard_s);
    free(f);
}
