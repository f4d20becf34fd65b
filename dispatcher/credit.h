/*
 * credit.h - how much work each worker may hold: a window in cost, by its measured rate.
 *
 * A worker always holds its next tasks (at least two while any are left), never more than
 * a second's worth, or while much is left a few seconds' worth, and near the end only
 * what it will finish before the others could, so that workers of different speeds end
 * together.  Until its first result a worker's rate is a guess, which may be too low by a
 * factor of CREDIT_GUESS_TRUST.
 *
 * Totals over all workers are kept up to date, so that a decision takes the same time
 * with thousands of workers; all workers are visited only near the end.
 */
#ifndef RIBOGRID_DISPATCHER_CREDIT_H
#define RIBOGRID_DISPATCHER_CREDIT_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum { CREDIT_GUESS_TRUST = 4 };

typedef struct {
    double rate;     /* cost per second */
    double out_cost; /* of the tasks that it holds */
    int64_t *out;    /* those tasks, oldest first: n_out of them from `first` on */
    int64_t first, n_out;
    int64_t capacity;
    bool gone; /* takes no more tasks */
    bool late; /* takes none until it starts again */
    int64_t n_done;
} credit_t;

/* All workers. Zeroed: none. */
typedef struct {
    credit_t *worker; /* [n] */
    int n, n_left;    /* n_left are not gone */
    double rate;      /* sum over those that take tasks */
    double out_cost;  /* likewise */
    int n_changes;    /* of the sums since they were last recomputed */
} credits_t;

/* Begin with n workers. @param guess  [n] of their rates @return ST_OK or ST_ENOMEM */
status_t credit_begin(credits_t *all, int n, const double *guess) MUST_CHECK;

void credit_free(credits_t *all);

/* Note that a worker holds one more task. @return ST_OK or ST_ENOMEM */
status_t credit_grant(credits_t *all, int w, int64_t task, double cost) MUST_CHECK;

/* Note that a task's result arrived. @return whether the worker held it */
bool credit_settle(credits_t *all, int w, int64_t task, double cost);

/* Note a worker's measured rate. */
void credit_measure(credits_t *all, int w, double rate);

/* Note that a worker holds no tasks and takes none until credit_restart. */
void credit_suspend(credits_t *all, int w);

/* Note that a worker holds no tasks and starts again on another device. @param guess  of
 * its rate */
void credit_restart(credits_t *all, int w, double guess);

/* Note that a worker takes no more tasks and holds none. */
void credit_leave(credits_t *all, int w);

/*
 * May worker w be given a task of this cost now?
 *
 * @param cost_left  of the tasks that nobody holds, including this one
 */
bool credit_allows(const credits_t *all, int w, double cost, double cost_left);

/* @return whether a worker may take tasks at all */
bool credit_is_open(const credits_t *all, int w);

/* @return the worker that would finish such a task first, on a tie the lowest number; -1
 * if none takes tasks */
int credit_fastest_finisher(const credits_t *all, double cost);

#endif
