/*
 * free_state.c - what the files of free_tasks.h share: costs, messages to workers, and
 * tasks that are taken from them.
 */
#include "dispatcher/free_state.h"

#include "io/base/logmsg.h"

#include <inttypes.h>

double free_cost(const free_tasks_t *f, int64_t task)
{
    return (double)job_cost(f->opts.job, task);
}

bool free_is_compared(const free_tasks_t *f, int64_t task)
{
    /* multiples of the golden ratio are spread evenly over 0..1 */
    uint64_t mixed = (uint64_t)task * UINT64_C(0x9e3779b97f4a7c15);

    return f->answers != NULL && (f->opts.job->plan.redundancy > 1 ||
                                  (double)(mixed >> 11) / (double)(UINT64_C(1) << 53) <
                                      f->opts.job->plan.recompute);
}

status_t free_send(free_tasks_t *f, int w, tag_t tag, buf_t *grants)
{
    transport_t *t = f->opts.transport;

    return grants->len > 0 ? t->send(t, w, tag, grants) : ST_OK;
}

/* A check of a result becomes due again; every other copy may be granted to others. */
static status_t put_back_one(free_tasks_t *f, int w, int64_t task)
{
    if (!free_is_compared(f, task))
        return taskset_put_back(f->tasks, task);
    answers_forget(f->answers, task, w);
    if (f->opts.job->plan.redundancy > 1 || answers_n(f->answers, task) == 0)
        return taskset_put_back(f->tasks, task);
    taskset_release(f->tasks, task);
    return buf_append(&f->due, &task, sizeof(task));
}

status_t free_put_back(free_tasks_t *f, int w)
{
    const credit_t *c = &f->credit.worker[w];
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < credit_n_out(c); i++)
        st = put_back_one(f, w, ((const int64_t *)fifo_data(&c->out))[i]);
    f->grant_to_all = true;
    return st;
}

void free_tasks_close(free_tasks_t *f, int w, bool closed)
{
    credit_close(&f->credit, w, closed);
    f->grant_to_all = true;
}

bool free_tasks_is_idle(const free_tasks_t *f, int w)
{
    return credit_n_out(&f->credit.worker[w]) == 0;
}

status_t free_tasks_leave(free_tasks_t *f, int w)
{
    credit_leave(&f->credit, w);
    if (f->credit.n_left == 0) {
        log_error("no worker is left; finished work is kept: fix the cause above, then "
                  "run again with --resume");
        return ST_EDEVICE;
    }
    if (f->credit.n_left < f->opts.job->plan.redundancy) {
        log_error("%d of %d ranks are left, fewer than --redundancy; finished work is "
                  "kept: run again with --resume",
                  f->credit.n_left, f->n_workers);
        return ST_EDEVICE;
    }
    return ST_OK;
}

status_t free_tasks_on_failed(free_tasks_t *f, int w)
{
    const credit_t *c = &f->credit.worker[w];
    const status_t st = free_put_back(f, w);

    if (c->late)
        log_warn("worker %d does not come back", w);
    else if (!c->gone)
        log_warn("worker %d failed; its %" PRId64 " tasks go to others", w,
                 credit_n_out(c));
    if (st == ST_OK)
        return free_tasks_leave(f, w);
    credit_leave(&f->credit, w);
    return st;
}
