#include "dispatcher/credit.h"

#include "io/logmsg.h"

#include <stdlib.h>

/* Twice a batch, and time for a message to come and go many times over. */
static const double window_s = 1.0;
enum { AT_LEAST = 2 };

status_t credit_grant(credit_t *c, int64_t task, double cost)
{
    if (c->n_out == c->capacity) {
        int capacity = c->capacity * 2 + 8;
        int64_t *out = realloc(c->out, (size_t)capacity * sizeof(*out));

        if (out == NULL)
            return log_nomem("granted tasks");
        c->out = out;
        c->capacity = capacity;
    }
    c->out[c->n_out++] = task;
    c->out_cost += cost;
    return ST_OK;
}

bool credit_settle(credit_t *c, int64_t task, double cost)
{
    for (int i = 0; i < c->n_out; i++)
        if (c->out[i] == task) {
            c->out[i] = c->out[--c->n_out];
            c->out_cost = c->n_out > 0 ? c->out_cost - cost : 0;
            c->n_done++;
            return true;
        }
    return false;
}

static double finish_s(const credit_t *c, double cost)
{
    return (c->out_cost + cost) / c->rate;
}

bool credit_allows(const credit_t *all, int n, int w, double cost, double cost_left)
{
    const credit_t *me = &all[w];
    double mine = finish_s(me, cost), total_rate = 0, total_cost = cost_left;

    if (me->gone || (me->n_out >= AT_LEAST && mine > window_s))
        return false;
    for (int i = 0; i < n; i++)
        if (!all[i].gone) {
            total_rate += all[i].rate;
            total_cost += all[i].out_cost;
        }
    if (mine <= total_cost / total_rate) /* done before all are done together */
        return true;
    for (int i = 0; i < n; i++)
        if (i != w && !all[i].gone && finish_s(&all[i], cost) < mine)
            return false;
    return true;
}
