/*
 * run_lent.c - a rank whose device a server lends, and what that server orders.
 */
#include "dispatcher/run_state.h"

status_t run_lent_look(run_t *r)
{
    lent_t *lent = r->t->lent;
    int32_t order;

    if (lent == NULL)
        return ST_OK;
    order = (int32_t)lent->look(lent, run_worker_stats(r).n_tasks,
                                r->worker != NULL && !r->finish_sent);
    if (order == r->order_sent)
        return ST_OK;
    if (order != LENT_YIELD) /* which is ordered once */
        r->order_sent = order;
    return message_send(r->t, 0, TAG_RETREAT, &order, sizeof(order));
}
