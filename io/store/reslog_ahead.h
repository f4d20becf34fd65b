/*
 * reslog_ahead.h - reads the records of a log in the order of their tasks: a pool's
 * threads read and check the next group of records while the caller uses one.
 */
#pragma once

#include "io/base/pool.h"
#include "io/store/reslog.h"

typedef struct reslog_ahead reslog_ahead_t;

/* Records of the tasks first .. first+n-1. */
typedef struct {
    const buf_t *records; /* [n] */
    int64_t first;
    int n; /* 0: all have been read */
} reslog_group_t;

/*
 * Begin at task 0.
 *
 * @param log      has a record of each of the n_tasks tasks; borrowed, as is the pool
 * @param pool     its background is used until reslog_ahead_end; NULL: the caller reads
 * @param drops    the log will be removed: drop what was read from the system's memory
 * @return ST_OK or ST_ENOMEM
 */
status_t reslog_ahead_begin(const reslog_t *log, int64_t n_tasks, pool_t *pool,
                            bool drops, reslog_ahead_t **out) MUST_CHECK;

/* Get the next group, valid until the next call. @return ST_OK, ST_ENOMEM or ST_EIO */
status_t reslog_ahead_next(reslog_ahead_t *a, reslog_group_t *out) MUST_CHECK;

/* Takes NULL. */
void reslog_ahead_end(reslog_ahead_t *a);
