/*
 * taskset.h - which tasks nobody holds yet, which are held by a worker, and which are
 * finished.
 *
 * The most expensive tasks are granted first, so that the last ones are small and all
 * workers end together.  Tasks of similar cost are granted in the order of their numbers,
 * because successive tasks have data in common: tiles of the same rows.  A task that was
 * put back is granted before any other.
 */
#ifndef RIBOGRID_DISPATCHER_TASKSET_H
#define RIBOGRID_DISPATCHER_TASKSET_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct taskset taskset_t;

/*
 * Make a set of those of the tasks 0 .. n-1 that are not finished.
 *
 * @param cost     of a task; called later, too
 * @param is_done  whether it is finished already
 * @return ST_OK or ST_ENOMEM
 */
status_t taskset_create(int64_t n, int64_t (*cost)(const void *ctx, int64_t task),
                        bool (*is_done)(const void *ctx, int64_t task), const void *ctx,
                        taskset_t **out) MUST_CHECK;

/* @return the next task to grant, or -1 if every task is held or finished */
int64_t taskset_next(const taskset_t *ts);

/* Note that a worker holds the next task. */
void taskset_take(taskset_t *ts);

/* Note that a worker no longer holds a task, which it did not finish; does nothing if no
 * worker holds it. @return ST_OK or ST_ENOMEM */
status_t taskset_put_back(taskset_t *ts, int64_t task) MUST_CHECK;

/* Note that a task is finished. @return whether it was not before */
bool taskset_finish(taskset_t *ts, int64_t task);

/* @return the cost of the tasks that nobody holds and that are not finished */
double taskset_cost_left(const taskset_t *ts);

/* @return how many tasks are finished */
int64_t taskset_n_done(const taskset_t *ts);

/* Takes NULL. */
void taskset_destroy(taskset_t *ts);

#endif
