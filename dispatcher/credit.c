/*
 * credit.c - how much work each worker may hold: a window in cost, by its measured rate.
 */
#include "dispatcher/free_state.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Several batches, and far longer than a message takes to go and come back.  While much
 * is left, batches may be longer: they are slow at their ends. */
static const double window_s = 1, long_window_s = 4;
enum { WINDOW_DIVISOR = 8 }; /* of the time that is left, up to long_window_s */

/* Tasks that a worker may hold whatever they cost. */
enum { TASKS_MIN = 2 };

bool credit_is_open(const credits_t *all, int w)
{
    const credit_t *c = &all->worker[w];

    return !c->gone && !c->late && !c->closed;
}

/* Sums drift when they are only added to and subtracted from: recompute them now and
 * then, so rarely that it costs nothing per change. */
static void sum_totals(credits_t *all)
{
    all->n_changes = 0;
    all->n_left = 0;
    all->rate = all->out_cost = 0;
    for (int i = 0; i < all->n; i++) {
        all->n_left += !all->worker[i].gone;
        if (credit_is_open(all, i)) {
            all->rate += all->worker[i].rate;
            all->out_cost += all->worker[i].out_cost;
        }
    }
}

static void change_totals(credits_t *all, double rate, double out_cost)
{
    all->rate += rate;
    all->out_cost += out_cost;
    if (++all->n_changes >= all->n)
        sum_totals(all);
}

status_t credit_begin(credits_t *all, int n, const double *guess)
{
    *all = (credits_t){.n = n, .worker = calloc((size_t)n, sizeof(*all->worker))};
    if (all->worker == NULL)
        return log_nomem("the workers' credit");
    for (int w = 0; w < n; w++) {
        all->worker[w].rate = guess[w] > 0 ? guess[w] : 1;
        all->worker[w].gone = guess[w] < 0;
    }
    sum_totals(all);
    return ST_OK;
}

void credit_free(credits_t *all)
{
    for (int w = 0; all->worker != NULL && w < all->n; w++)
        fifo_free(&all->worker[w].out);
    free(all->worker);
    *all = (credits_t){0};
}

status_t credit_grant(credits_t *all, int w, int64_t task, double cost)
{
    credit_t *c = &all->worker[w];
    status_t st = fifo_push(&c->out, &task, sizeof(task));

    if (st != ST_OK)
        return st;
    c->out_cost += cost;
    change_totals(all, 0, cost);
    return ST_OK;
}

/* Results arrive roughly in the order of the grants: the task is near the front. */
bool credit_settle(credits_t *all, int w, int64_t task, double cost)
{
    credit_t *c = &all->worker[w];
    int64_t *out = fifo_data(&c->out);

    for (int64_t i = 0; i < credit_n_out(c); i++)
        if (out[i] == task) {
            double before = c->out_cost;

            out[i] = out[0];
            fifo_drop(&c->out, sizeof(*out));
            c->out_cost = credit_n_out(c) > 0 ? c->out_cost - cost : 0;
            c->n_done++;
            change_totals(all, 0, c->out_cost - before);
            return true;
        }
    return false;
}

void credit_measure(credits_t *all, int w, double rate)
{
    credit_t *c = &all->worker[w];
    double before = c->rate;

    c->rate = rate;
    if (credit_is_open(all, w))
        change_totals(all, rate - before, 0);
}

static void hold_none(credit_t *c)
{
    fifo_drop(&c->out, fifo_len(&c->out));
    c->out_cost = 0;
}

void credit_restart(credits_t *all, int w, double guess)
{
    credit_t *c = &all->worker[w];

    hold_none(c);
    c->n_done = 0;
    c->late = false;
    c->rate = guess > 0 ? guess : 1;
    sum_totals(all);
}

void credit_suspend(credits_t *all, int w)
{
    credit_t *c = &all->worker[w];

    hold_none(c);
    c->late = true;
    sum_totals(all);
}

void credit_close(credits_t *all, int w, bool closed)
{
    all->worker[w].closed = closed;
    sum_totals(all);
}

void credit_leave(credits_t *all, int w)
{
    credit_t *c = &all->worker[w];

    hold_none(c);
    c->gone = true;
    sum_totals(all);
}

static double finish_s(const credit_t *c, double cost)
{
    return (c->out_cost + cost) / c->rate;
}

bool credit_allows(const credits_t *all, int w, double cost, double cost_left)
{
    const credit_t *me = &all->worker[w];
    double mine = finish_s(me, cost), together, window;

    if (!credit_is_open(all, w))
        return false;
    together = (cost_left + all->out_cost) / all->rate;
    window = me->n_done > 0 ? fmin(together / WINDOW_DIVISOR, long_window_s) : 0;
    if (credit_n_out(me) >= TASKS_MIN && mine > fmax(window, window_s))
        return false;
    if (mine <= together) /* before the end of the whole run */
        return true;
    if (me->n_done == 0 && credit_n_out(me) == 0 && mine <= CREDIT_GUESS_TRUST * together)
        return true; /* otherwise its rate would never be measured */
    for (int i = 0; i < all->n; i++)
        if (i != w && credit_is_open(all, i) && finish_s(&all->worker[i], cost) < mine)
            return false;
    return true;
}

int credit_fastest_finisher(const credits_t *all, double cost)
{
    int best = -1;

    for (int i = 0; i < all->n; i++)
        if (credit_is_open(all, i) &&
            (best < 0 ||
             finish_s(&all->worker[i], cost) < finish_s(&all->worker[best], cost)))
            best = i;
    return best;
}
