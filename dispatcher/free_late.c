/*
 * free_late.c - rank 0 and late workers: one that hangs is given up, and what others will
 * not finish soon is computed by idle workers as well.
 */
#include "dispatcher/free_state.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <math.h>

/* Seconds by which a copy has to be finished earlier than the original. */
static const double gain_s = 0.25;

/* Workers that may compute a task at the same time because one of them is late. */
enum { COPIES_MAX = 2 };

/* How long a worker that was given up may take to come back with another device. */
static const double return_s = 30;

/* Have a worker give up its device; its tasks go to others. */
static status_t give_up(free_tasks_t *f, int w, double now)
{
    transport_t *t = f->opts.transport;
    status_t st = free_put_back(f, w);
    buf_t empty = {0};

    log_warn("rank %d has not answered for %.3g s (--task-timeout): its %" PRId64
             " tasks go to others, and it gives up its device",
             w, f->opts.job->plan.task_timeout_s, credit_n_out(&f->credit.worker[w]));
    credit_suspend(&f->credit, w);
    f->heard_s[w] = now;
    return st == ST_OK ? t->send(t, w, TAG_HANGS, &empty) : st;
}

static status_t look_for_hangs(free_tasks_t *f, double now)
{
    double timeout_s = f->opts.job->plan.task_timeout_s;
    status_t st = ST_OK;

    for (int w = 0; st == ST_OK && w < f->n_workers; w++) {
        const credit_t *c = &f->credit.worker[w];
        double silent_s = now - f->heard_s[w];

        if (c->gone)
            continue;
        if (c->late && silent_s > return_s)
            st = free_tasks_on_failed(f, w);
        else if (!c->late && credit_n_out(c) > 0 && silent_s > timeout_s)
            st = give_up(f, w, now);
    }
    return st;
}

/* @return when a worker will have finished all that it holds, from now; one that is
 * silent for longer than that is taken to need as long again */
static double need_s(const free_tasks_t *f, int w, double now)
{
    const credit_t *c = &f->credit.worker[w];

    return fmax(c->out_cost / c->rate, now - f->heard_s[w]);
}

/* @return the last task of a worker that may have another copy, or -1 */
static int64_t last_task(const free_tasks_t *f, int w)
{
    const credit_t *c = &f->credit.worker[w];
    const int64_t *out = fifo_data(&c->out);

    for (int64_t i = credit_n_out(c) - 1; i >= 0; i--)
        if (taskset_n_held(f->tasks, out[i]) < COPIES_MAX &&
            !taskset_is_answered(f->tasks, out[i]) && !free_is_compared(f, out[i]))
            return out[i];
    return -1;
}

/* @return the worker with such a task that will need longest, or -1 */
static int slowest(const free_tasks_t *f, double now)
{
    int slow = -1;

    for (int w = 0; w < f->n_workers; w++)
        if (credit_is_open(&f->credit, w) && credit_n_out(&f->credit.worker[w]) > 0 &&
            last_task(f, w) >= 0 &&
            (slow < 0 || need_s(f, w, now) > need_s(f, slow, now)))
            slow = w;
    return slow;
}

/* @return the idle worker that would finish a task first, or -1 */
static int fastest_idle(const free_tasks_t *f)
{
    int fast = -1;

    for (int w = 0; w < f->n_workers; w++)
        if (credit_is_open(&f->credit, w) && credit_n_out(&f->credit.worker[w]) == 0 &&
            (fast < 0 || f->credit.worker[w].rate > f->credit.worker[fast].rate))
            fast = w;
    return fast;
}

/* @return whether a copy was granted */
static status_t help_slowest(free_tasks_t *f, double now, bool *helped)
{
    int slow = slowest(f, now), fast = fastest_idle(f);
    buf_t grant = {0};
    double cost;
    int64_t task;
    status_t st;

    *helped = false;
    if (slow < 0 || fast < 0)
        return ST_OK;
    task = last_task(f, slow);
    cost = free_cost(f, task);
    if (cost / f->credit.worker[fast].rate + gain_s > need_s(f, slow, now))
        return ST_OK;
    if ((st = credit_grant(&f->credit, fast, task, cost)) != ST_OK ||
        (st = buf_append(&grant, &task, sizeof(task))) != ST_OK)
        return st;
    taskset_copy(f->tasks, task);
    f->heard_s[fast] = now;
    log_verbose("rank %d computes task %" PRId64 " of rank %d as well", fast, task, slow);
    *helped = true;
    return free_send(f, fast, TAG_GRANT, &grant);
}

status_t free_late_look(free_tasks_t *f)
{
    double now = f->opts.clock();
    bool helped = true;
    status_t st = ST_OK;

    if (f->opts.job->plan.task_timeout_s > 0)
        st = look_for_hangs(f, now);
    if (taskset_next(f->tasks, NULL, NULL) >= 0)
        return st; /* there is other work */
    while (st == ST_OK && helped)
        st = help_slowest(f, now, &helped);
    return st;
}
