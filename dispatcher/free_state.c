/*
 * free_state.c - what the files of free_tasks.h share: costs, messages to workers, and
 * tasks that are taken from them.
 */
#include "dispatcher/free_state.h"

#include "io/base/logmsg.h"

#include <inttypes.h>

double free_cost(const free_tasks_t *f, int64_t task)
{
    return (double)f->opts.ops->cost(f->opts.job, task);
}

status_t free_send(free_tasks_t *f, int w, tag_t tag, buf_t *grants)
{
    transport_t *t = f->opts.transport;

    return grants->len > 0 ? t->send(t, w, tag, grants) : ST_OK;
}

status_t free_put_back(free_tasks_t *f, int w)
{
    const credit_t *c = &f->credit.worker[w];
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < c->n_out; i++)
        st = taskset_put_back(f->tasks, c->out[c->first + i]);
    f->grant_to_all = true;
    return st;
}

status_t free_fail(free_tasks_t *f, int w)
{
    const credit_t *c = &f->credit.worker[w];
    status_t st = free_put_back(f, w);

    if (c->late)
        log_warn("worker %d does not come back", w);
    else if (!c->gone)
        log_warn("worker %d failed; its %" PRId64 " tasks go to others", w, c->n_out);
    credit_leave(&f->credit, w);
    if (st == ST_OK && f->credit.n_left == 0) {
        log_error("no worker is left; finished work is kept: fix the cause above, then "
                  "run again with --resume");
        return ST_EDEVICE;
    }
    return st;
}
