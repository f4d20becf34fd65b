/*
 * run_lent.c - a rank whose device a server lends, and what that server orders.
 */
#include "dispatcher/run_state.h"

/* A gang's steps take as long as those before. */
static double left_s(const run_t *r)
{
    const int64_t first = r->gang.saved > 0 ? r->gang.saved : 0;
    worker_stats_t s;

    if (r->worker == NULL || !r->gang.is_relayed)
        return -1;
    s = worker_stats(r->worker);
    return s.n_tasks > 0 ? s.busy_s / (double)s.n_tasks *
                               (double)(r->job->plan.n_steps - first - s.n_tasks)
                         : -1;
}

status_t run_lent_look(run_t *r)
{
    const lent_progress_t now = {.n_tasks = run_relay_stats(r).n_tasks,
                                 .is_busy = r->worker != NULL && !r->finish_sent,
                                 .left_s = left_s(r)};
    retreat_order_t o;
    int to;

    if (r->t->lent == NULL)
        return ST_OK;
    o.order = (int32_t)r->t->lent->look(r->t->lent, &now, &to);
    o.to = to;
    if (o.order == r->order_sent)
        return ST_OK;
    if (o.order != LENT_YIELD) /* which is ordered once */
        r->order_sent = o.order;
    return message_send(r->t, 0, TAG_RETREAT, &o, sizeof(o));
}
