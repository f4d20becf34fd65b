/*
 * known_tasks.h - results that are known without being computed come into the log, by a
 * thread of rank 0, while workers compute the other tasks.
 */
#pragma once

#include "dispatcher/storer.h"

typedef struct known_tasks known_tasks_t;

/* Have the job bring what its log lacks (job_ops_t). @param storer  borrowed
 * @return ST_OK or ST_ENOMEM */
status_t known_tasks_begin(job_t *job, storer_t *storer, known_tasks_t **out) MUST_CHECK;

/* @return ST_OK, or why no more are brought; it has been logged. Takes NULL. */
status_t known_tasks_state(const known_tasks_t *k);

/* Bring no more, and end the thread; storer_stop follows.  It may wait for a piece that
 * is being read. Takes NULL. */
void known_tasks_end(known_tasks_t *k);
