/*
 * answers.h - what several workers find for one task: who computes it, what has arrived,
 * and on what most of them agree.
 */
#ifndef RIBOGRID_DISPATCHER_ANSWERS_H
#define RIBOGRID_DISPATCHER_ANSWERS_H

#include "io/base/buf.h"
#include "worker/job.h"

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

#endif
