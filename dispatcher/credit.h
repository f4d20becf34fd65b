/*
 * credit.h - how much work each worker may hold: a window in cost, by measured rate.
 *
 * A worker always has its next tasks in hand (at least two where any are left), never
 * more than a second's worth, and near the end only what it will finish before others
 * could, so that unequal devices end together.
 */
#ifndef RIBOGRID_DISPATCHER_CREDIT_H
#define RIBOGRID_DISPATCHER_CREDIT_H

#include "io/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double rate;     /* cost a second */
    double out_cost; /* of the tasks in its hands */
    int64_t *out;    /* [n_out] those tasks */
    int n_out, capacity;
    bool gone; /* takes no more */
    int64_t n_done;
} credit_t;

/* Note a task in a worker's hands. @return ST_OK or ST_ENOMEM */
status_t credit_grant(credit_t *c, int64_t task, double cost) MUST_CHECK;

/* Note that it came back. @return whether the worker had it */
bool credit_settle(credit_t *c, int64_t task, double cost);

/*
 * May worker w be given a task of this cost now?
 *
 * @param all        [n] every worker
 * @param cost_left  of the tasks in nobody's hands, this one included
 */
bool credit_allows(const credit_t *all, int n, int w, double cost, double cost_left);

#endif
