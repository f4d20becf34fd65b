/*
 * taskset.h - which tasks nobody holds yet, which are held by workers, and which are
 * finished.
 *
 * The most expensive tasks are granted first, so that the last ones are small and all
 * workers end together.  Tasks of similar cost are granted in the order of their numbers,
 * because successive tasks have data in common: tiles of the same rows.
 *
 * Several workers may hold copies of a task.  Copies that are still to be granted - those
 * of a worker that did not finish, and further ones that are wanted - come before any
 * other task.  Once a task is answered, no copy is granted.
 */
#ifndef RIBOGRID_DISPATCHER_TASKSET_H
#define RIBOGRID_DISPATCHER_TASKSET_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct taskset taskset_t;

/* @return whether a worker may be granted a copy of a task */
typedef bool taskset_may_t(const void *who, int64_t task);

/*
 * Make a set of those of the tasks 0 .. n-1 that are not finished.
 *
 * @param n_copies  of each task, that are to be granted
 * @param cost      of a task; called later, too
 * @param is_done   whether it is finished already
 * @return ST_OK or ST_ENOMEM
 */
status_t taskset_create(int64_t n, int n_copies,
                        int64_t (*cost)(const void *ctx, int64_t task),
                        bool (*is_done)(const void *ctx, int64_t task), const void *ctx,
                        taskset_t **out) MUST_CHECK;

/* Tasks that were never granted are not asked about. @param may  NULL: any copy
 * @return the next task to grant, or -1 if there is none */
int64_t taskset_next(const taskset_t *ts, taskset_may_t *may, const void *who);

/* Note that a worker holds a task that taskset_next returned. @return ST_OK or ST_ENOMEM
 */
status_t taskset_take(taskset_t *ts, int64_t task) MUST_CHECK;

/* One more copy is to be granted. @return ST_OK or ST_ENOMEM */
status_t taskset_add(taskset_t *ts, int64_t task) MUST_CHECK;

/* Note that one more worker holds a copy, which was not to be granted. */
void taskset_copy(taskset_t *ts, int64_t task);

/* @return how many workers hold copies */
int taskset_n_held(const taskset_t *ts, int64_t task);

/* Note that a worker no longer holds a copy, which it has answered. */
void taskset_release(taskset_t *ts, int64_t task);

/* Note that a worker no longer holds a copy, which it did not answer; does nothing if no
 * worker holds one. @return ST_OK or ST_ENOMEM */
status_t taskset_put_back(taskset_t *ts, int64_t task) MUST_CHECK;

/* Note that a task has its result. @return whether it had none before */
bool taskset_answer(taskset_t *ts, int64_t task);

bool taskset_is_answered(const taskset_t *ts, int64_t task);

/* Note that a task's result is stored. @return whether it was not before */
bool taskset_finish(taskset_t *ts, int64_t task);

/* @return the cost of all copies that are to be granted */
double taskset_cost_left(const taskset_t *ts);

/* @return how many tasks are finished */
int64_t taskset_n_done(const taskset_t *ts);

/* Takes NULL. */
void taskset_destroy(taskset_t *ts);

#endif
