/*
 * credit.h - how much work each worker may hold: a window in cost, by measured rate.
 *
 * A worker always has its next tasks in hand (at least two where any are left), never
 * more than a second's worth, and near the end only what it will finish before others
 * could, so that unequal devices end together.  Until its first result a worker's rate is
 * a guess, which may be CREDIT_GUESS_TRUST times too low.
 *
 * Totals are kept, so that a question takes the same time with thousands of workers; only
 * near the end are all of them looked at.
 */
#ifndef RIBOGRID_DISPATCHER_CREDIT_H
#define RIBOGRID_DISPATCHER_CREDIT_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { CREDIT_GUESS_TRUST = 4 };

typedef struct {
    double rate;     /* cost a second */
    double out_cost; /* of the tasks in its hands */
    int64_t *out;    /* those tasks, oldest first, n_out of them from `first` on */
    int64_t first, n_out;
    int64_t capacity;
    bool gone; /* takes no more */
    int64_t n_done;
} credit_t;

/* All workers. Zeroed: none. */
typedef struct {
    credit_t *worker; /* [n] */
    int n, n_left;    /* n_left are not gone */
    double rate;      /* of those that are not gone */
    double out_cost;  /* likewise */
    int n_changes;    /* of the totals since they were counted anew */
} credits_t;

/* Begin with n workers. @param guess  [n] of their rates @return ST_OK or ST_ENOMEM */
status_t credit_begin(credits_t *all, int n, const double *guess) MUST_CHECK;

void credit_free(credits_t *all);

/* Note a task in a worker's hands. @return ST_OK or ST_ENOMEM */
status_t credit_grant(credits_t *all, int w, int64_t task, double cost) MUST_CHECK;

/* Note that it came back. @return whether the worker had it */
bool credit_settle(credits_t *all, int w, int64_t task, double cost);

/* Note a worker's rate, as measured. */
void credit_measure(credits_t *all, int w, double rate);

/* Note that a worker takes no more and holds nothing. */
void credit_leave(credits_t *all, int w);

/*
 * May worker w be given a task of this cost now?
 *
 * @param cost_left  of the tasks in nobody's hands, this one included
 */
bool credit_allows(const credits_t *all, int w, double cost, double cost_left);

/* @return the worker that would finish such a task first, the first one of several; or -1
 *         if all are gone */
int credit_soonest(const credits_t *all, double cost);

#endif
