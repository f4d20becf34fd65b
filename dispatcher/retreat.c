/*
 * retreat.c - lent devices leave a run in order.
 */
#include "dispatcher/retreat.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

status_t retreat_begin(retreat_t *r, transport_t *t, free_tasks_t *free,
                       gang_relay_t *relay)
{
    const size_t n = (size_t)t->exchange.n_ranks;

    *r = (retreat_t){.free = free,
                     .relay = relay,
                     .transport = t,
                     .leaves = calloc(n, sizeof(bool)),
                     .is_dismissed = calloc(n, sizeof(bool))};
    return r->leaves != NULL && r->is_dismissed != NULL ? ST_OK
                                                        : log_nomem("the dispatcher");
}

void retreat_order(retreat_t *r, int rank, bool leaves)
{
    r->n_left += (int)leaves - (int)r->leaves[rank];
    r->leaves[rank] = leaves;
}

void retreat_note(retreat_t *r, const message_t *m)
{
    const int w = m->source;
    retreat_order_t o;

    memcpy(&o, m->data.data, sizeof(o));
    if (r->is_dismissed[w])
        return;
    if (o.order == LENT_LEAVE && !r->leaves[w])
        log_info("rank %d leaves: its server empties the device", w);
    retreat_order(r, w, o.order == LENT_LEAVE);
    if (r->relay != NULL)
        gang_relay_ask(r->relay, w, o.order != LENT_STAY, o.to);
    else
        free_tasks_close(r->free, w, r->leaves[w]);
}

static bool is_idle(const retreat_t *r, int w)
{
    return r->relay != NULL ? !gang_relay_is_at(r->relay, w)
                            : free_tasks_is_idle(r->free, w);
}

static status_t dismiss(retreat_t *r, int w)
{
    r->is_dismissed[w] = true;
    r->n_left--;
    if (r->relay == NULL)
        return free_tasks_leave(r->free, w);
    gang_relay_leave(r->relay, w);
    return ST_OK;
}

status_t retreat_step(retreat_t *r)
{
    status_t st = ST_OK;

    for (int w = 0; st == ST_OK && r->n_left > 0 && w < r->transport->exchange.n_ranks;
         w++)
        if (r->leaves[w] && !r->is_dismissed[w] && is_idle(r, w) &&
            (st = message_send(r->transport, w, TAG_STOP, NULL, 0)) == ST_OK)
            st = dismiss(r, w);
    return st;
}

status_t retreat_on_stopped(retreat_t *r, int rank)
{
    const exit_t end = {.status = ST_OK};
    transport_t *t = r->transport;
    status_t st;

    if (!r->is_dismissed[rank])
        return ST_OK;
    t->dismiss(t, rank);
    st = message_send(t, rank, TAG_EXIT, &end, sizeof(end));
    return st == ST_OK ? message_send(t, rank, TAG_LEAVE, NULL, 0) : st;
}

void retreat_end(retreat_t *r)
{
    free(r->leaves);
    free(r->is_dismissed);
    *r = (retreat_t){.n_left = 0};
}
