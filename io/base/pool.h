/*
 * pool.h - a thread pool that runs loops in parallel.
 *
 * Only one loop runs at a time; the thread that calls pool_run works on it, too.
 */
#ifndef RIBOGRID_IO_BASE_POOL_H
#define RIBOGRID_IO_BASE_POOL_H

#include "io/base/status.h"

#include <stdint.h>

typedef struct pool pool_t;

/* One iteration. @param thread  0 .. n_threads-1; no two calls at a time have the same */
typedef void (*pool_fn_t)(void *ctx, int64_t index, int thread);

/* Start n_threads - 1 threads. @return ST_OK or ST_ENOMEM (logged) */
status_t pool_create(int n_threads, pool_t **out) MUST_CHECK;

int pool_n_threads(const pool_t *pool);

/* Call fn for index 0 .. n-1, in any order, and return when all calls are done.  Each
 * thread gets ascending indices. */
void pool_run(pool_t *pool, int64_t n, pool_fn_t fn, void *ctx);

/* Stop the threads. Takes NULL. */
void pool_destroy(pool_t *pool);

#endif
