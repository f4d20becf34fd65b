/*
 * taskset.h - which tasks are to do, in whose hands, and finished.
 *
 * Tasks go out the costliest first, so that the last ones are small and all workers end
 * together; one that was lost goes out again before any other.
 */
#ifndef RIBOGRID_DISPATCHER_TASKSET_H
#define RIBOGRID_DISPATCHER_TASKSET_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct taskset taskset_t;

/*
 * Make a set of the tasks 0 .. n-1 that are not finished.
 *
 * @param cost  of a task; @param is_done  whether it is finished already
 * @return ST_OK or ST_ENOMEM
 */
status_t taskset_create(int64_t n, int64_t (*cost)(const void *ctx, int64_t task),
                        bool (*is_done)(const void *ctx, int64_t task), const void *ctx,
                        taskset_t **out) MUST_CHECK;

/* @return the task that is next to go out, or -1 if all are out or finished */
int64_t taskset_next(const taskset_t *ts);

/* Note that the next task is in a worker's hands. */
void taskset_take(taskset_t *ts);

/* Give a task back that its worker lost. @return ST_OK or ST_ENOMEM */
status_t taskset_put_back(taskset_t *ts, int64_t task) MUST_CHECK;

/* Note that a task is finished. @return whether it was not before */
bool taskset_finish(taskset_t *ts, int64_t task);

/* @return the cost of the tasks that nobody has in hand and that are not finished */
double taskset_cost_left(const taskset_t *ts);

/* @return how many tasks are finished */
int64_t taskset_n_done(const taskset_t *ts);

/* Takes NULL. */
void taskset_destroy(taskset_t *ts);

#endif
