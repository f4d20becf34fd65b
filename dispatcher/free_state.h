/*
 * free_state.h - the state of free_tasks.h, shared by its files.
 */
#ifndef RIBOGRID_DISPATCHER_FREE_STATE_H
#define RIBOGRID_DISPATCHER_FREE_STATE_H

#include "dispatcher/answers.h"
#include "dispatcher/credit.h"
#include "dispatcher/free_tasks.h"
#include "dispatcher/taskset.h"

struct free_tasks {
    free_tasks_opts_t opts;
    int n_workers;
    credits_t credit;
    taskset_t *tasks;
    bool grant_to_all;
    double *heard_s; /* [n_workers] when it sent a result last, or was idle */
    double looked_s; /* when free_late_look was called last */
    /* results that are compared */
    answers_t *answers; /* NULL: none */
    buf_t due;          /* of int64: tasks to be computed once more */
    int64_t *n_wrong;   /* [n_workers] results that most others contradicted */
};

/* @return the cost of a task */
double free_cost(const free_tasks_t *f, int64_t task);

/* @return whether several results of a task are compared */
bool free_is_compared(const free_tasks_t *f, int64_t task);

/* Send grants to a worker. @param grants  taken over; nothing is sent if it is empty */
status_t free_send(free_tasks_t *f, int w, tag_t tag, buf_t *grants) MUST_CHECK;

/* All tasks that a worker holds may be granted to others. */
status_t free_put_back(free_tasks_t *f, int w) MUST_CHECK;

/* As free_tasks_on_failed. */
status_t free_fail(free_tasks_t *f, int w) MUST_CHECK;

/* free_compare.c */

/* Keep a result, and once there are enough of them, have that stored on which most agree.
 * @param data  taken over @return also ST_EDEVICE if there is no majority (logged) */
status_t free_compare_put(free_tasks_t *f, int w, const result_head_t *head,
                          buf_t *data) MUST_CHECK;

/* Have the tasks that are due computed once more, where workers are open. */
status_t free_compare_ask(free_tasks_t *f) MUST_CHECK;

/* Log how many results of each worker were wrong, where there were several. */
void free_compare_sum_up(const free_tasks_t *f);

/* free_late.c */

/* Give up workers that hang, and have idle workers compute what others will not finish
 * soon. */
status_t free_late_look(free_tasks_t *f) MUST_CHECK;

#endif
