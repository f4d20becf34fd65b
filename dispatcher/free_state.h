/*
 * free_state.h - the state of free_tasks.h, shared by its files.
 */
#pragma once

#include "dispatcher/free_tasks.h"
#include "io/base/fifo.h"
#include "io/base/status.h"
#include "worker/job.h"

#include <stdbool.h>
#include <stdint.h>

/* taskset.c: which tasks nobody holds yet, which are held by workers, and which are
 * finished.
 *
 * The most expensive tasks are granted first, so that the last ones are small and all
 * workers end together.  Tasks of similar cost are granted in the order of their numbers,
 * because successive tasks have data in common: tiles of the same rows.
 *
 * Several workers may hold copies of a task.  Copies that are still to be granted - those
 * of a worker that did not finish, and further ones that are wanted - come before any
 * other task.  Once a task is answered, no copy is granted. */

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

/* credit.c: how much work each worker may hold: a window in cost, by its measured rate.
 *
 * A worker always holds its next tasks (at least two while any are left), never more than
 * a second's worth, or while much is left a few seconds' worth, and near the end only
 * what it will finish before the others could, so that workers of different speeds end
 * together.  Until its first result a worker's rate is a guess, which may be too low by a
 * factor of CREDIT_GUESS_TRUST.
 *
 * Totals over all workers are kept up to date, so that a decision takes the same time
 * with thousands of workers; all workers are visited only near the end. */

enum { CREDIT_GUESS_TRUST = 4 };

typedef struct {
    double rate;     /* cost per second */
    double out_cost; /* of the tasks that it holds */
    fifo_t out;      /* those tasks, int64_t, the oldest first */
    bool gone;       /* takes no more tasks */
    bool late;       /* takes none until it starts again */
    bool closed;     /* takes none for now */
    int64_t n_done;
} credit_t;

/* @return how many tasks a worker holds */
static inline int64_t credit_n_out(const credit_t *c)
{
    return (int64_t)(fifo_len(&c->out) / sizeof(int64_t));
}

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

/* Note that a worker takes no tasks for now, or does again. */
void credit_close(credits_t *all, int w, bool closed);

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

/* answers.c: what several workers find for one task: who computes it, what has arrived,
 * and on what most of them agree. */

typedef struct {
    int worker;
    job_how_t how;
    bool is_there; /* else it is being computed */
    buf_t data;
    int n_equal; /* answers, with this one, that are equal: set by answers_compare */
} answer_t;

typedef struct answers answers_t;

/* For tasks 0 .. n_tasks-1. @return ST_OK or ST_ENOMEM */
status_t answers_create(int64_t n_tasks, answers_t **out) MUST_CHECK;

/* Note that a worker computes a task. @return ST_OK or ST_ENOMEM */
status_t answers_expect(answers_t *a, int64_t task, int w, job_how_t how) MUST_CHECK;

/* Note that a worker does not compute a task any more. */
void answers_forget(answers_t *a, int64_t task, int w);

/* @return whether a worker computes a task or has answered it */
bool answers_involves(const answers_t *a, int64_t task, int w);

/* @return how many answers have arrived */
int answers_n(const answers_t *a, int64_t task);

/* @return whether one has arrived that was computed so. @param w  its worker; -1: any */
bool answers_has(const answers_t *a, int64_t task, int w, job_how_t how);

/* Keep an answer. @param data  taken over @return ST_OK or ST_ENOMEM */
status_t answers_put(answers_t *a, int64_t task, int w, job_how_t how,
                     buf_t *data) MUST_CHECK;

/* Compare two answers. @param skip  bytes in front of each result
 * @return ST_OK or ST_ENOMEM */
status_t answers_equal(const answer_t *a, const answer_t *b, const job_t *job,
                       size_t skip, bool *equal) MUST_CHECK;

/*
 * Compare all answers that have arrived.
 *
 * @param best  out: the first of those on which most agree
 * @return ST_OK or ST_ENOMEM
 */
status_t answers_compare(answers_t *a, int64_t task, const job_t *job, size_t skip,
                         answer_t **best) MUST_CHECK;

/* @return a task's answers, also those that are expected, *n of them */
const answer_t *answers_of(const answers_t *a, int64_t task, int *n);

/* Free a task's answers. */
void answers_drop(answers_t *a, int64_t task);

/* Takes NULL. */
void answers_destroy(answers_t *a);

struct free_tasks {
    dispatcher_opts_t opts;
    storer_t *storer;
    int n_workers;
    credits_t credit;
    taskset_t *tasks;
    bool grant_to_all;
    bool lacks_known; /* the log lacked results that are known, when it began */
    double *heard_s;  /* [n_workers] when it sent a result last, or was idle */
    double now_s;     /* when free_tasks_step was called last: it follows every message */
    double looked_s;  /* when free_late_look was called last */
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

/* free_compare.c */

/* Keep a result, and once there are enough of them, have that stored on which most agree.
 * @param data  taken over @return also ST_EDEVICE if there is no majority (logged) */
status_t free_compare_put(free_tasks_t *f, int w, const result_head_t *head,
                          buf_t *data) MUST_CHECK;

/* Have the tasks that are due computed once more, where workers are open. */
status_t free_compare_ask(free_tasks_t *f) MUST_CHECK;

/* free_late.c */

/* Give up workers that hang, and have idle workers compute what others will not finish
 * soon. */
status_t free_late_look(free_tasks_t *f) MUST_CHECK;
