/*
 * free_tasks.h - rank 0's decisions about free tasks: which worker computes what, whose
 * result is taken, and what becomes of the tasks of workers that fail or hang.
 */
#pragma once

#include "dispatcher/dispatcher.h"
#include "dispatcher/protocol.h"
#include "dispatcher/storer.h"
#include "dispatcher/transport/transport.h"

typedef struct free_tasks free_tasks_t;

/* @param storer  borrowed @return ST_OK or ST_ENOMEM */
status_t free_tasks_create(const dispatcher_opts_t *opts, storer_t *storer,
                           free_tasks_t **out) MUST_CHECK;

/* Note that a result has arrived. @return whether it is to be passed to free_tasks_put;
 * the first one of a task is, whoever sent it, and where results are compared all are */
bool free_tasks_note_result(free_tasks_t *f, int w, const result_head_t *head);

/* Have a result stored, or that on which most workers agree.
 * @param data  taken over: a result_head_t, then the result
 * @return ST_OK, ST_ENOMEM, the transport's, or ST_EDEVICE if too few agree (logged) */
status_t free_tasks_put(free_tasks_t *f, int w, const result_head_t *head,
                        buf_t *data) MUST_CHECK;

/* Grant a worker more, after its results. @return ST_OK, ST_ENOMEM or the transport's */
status_t free_tasks_grant(free_tasks_t *f, int w) MUST_CHECK;

/* Do what is due: grant tasks that were put back, give up workers that hang, and have
 * idle workers help the last ones. @return as free_tasks_grant */
status_t free_tasks_step(free_tasks_t *f) MUST_CHECK;

/* A worker has lost its device and continues with another. @param guess  of its rate
 * @return as free_tasks_grant */
status_t free_tasks_on_lost(free_tasks_t *f, int w, double guess) MUST_CHECK;

/* A worker is granted nothing for now, or is again. */
void free_tasks_close(free_tasks_t *f, int w, bool closed);

/* @return whether it holds no task */
bool free_tasks_is_idle(const free_tasks_t *f, int w);

/* A worker that holds no task leaves. @return as free_tasks_on_failed */
status_t free_tasks_leave(free_tasks_t *f, int w) MUST_CHECK;

/* A worker is out: its tasks go to the others. @return ST_OK, ST_ENOMEM, or ST_EDEVICE if
 * there are none (logged) */
status_t free_tasks_on_failed(free_tasks_t *f, int w) MUST_CHECK;

/* Note that a task's result is stored. @return whether it was not before */
bool free_tasks_finish(free_tasks_t *f, int64_t task);

/* @return how many tasks are finished */
int64_t free_tasks_n_done(const free_tasks_t *f);

/* Log how many results of each worker were wrong, where there were several. */
void free_tasks_sum_up(const free_tasks_t *f);

/* @return whether results that are known are not in the log */
bool free_tasks_lack_known(const free_tasks_t *f);

/* @return the cost of the tasks that are still to be granted */
double free_tasks_cost_left(const free_tasks_t *f);

/* Takes NULL. */
void free_tasks_destroy(free_tasks_t *f);
