/*
 * pool.h - a thread pool that runs loops in parallel.
 *
 * A pool is used by one thread at a time, which works on the loop, too.  One more loop
 * may run in the background meanwhile, on threads that pool_run does not need.
 */
#pragma once

#include "io/base/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pool pool_t;

/* One iteration. @param thread  0 .. n_threads-1; no two calls at a time have the same */
typedef void (*pool_fn_t)(void *ctx, int64_t index, int thread);

/* Start n_threads - 1 threads. @return ST_OK or ST_ENOMEM (logged) */
status_t pool_create(int n_threads, pool_t **out) MUST_CHECK;

/* @return 1 for NULL, which is the caller alone */
int pool_n_threads(const pool_t *pool);

/* Call fn for index 0 .. n-1, in any order, and return when all calls are done.  Each
 * thread gets ascending indices. @param pool  NULL: the caller alone */
void pool_run(pool_t *pool, int64_t n, pool_fn_t fn, void *ctx);

/* Copy memory that does not overlap, as a loop of pool_run. */
void pool_copy(pool_t *pool, void *to, const void *from, size_t bytes);

/* Begin a loop in the background: the started threads make its calls while no pool_run
 * needs them.  The one before has to be finished. @param pool  NULL: the caller makes
 * all calls at once */
void pool_begin(pool_t *pool, int64_t n, pool_fn_t fn, void *ctx);

/* Work on that loop and return when all its calls are done; at once if there is none.
 * Takes NULL. */
void pool_finish(pool_t *pool);

/* Stop the threads, which have no loop. Takes NULL. */
void pool_destroy(pool_t *pool);

/* Starts the program's own threads. */

/* Start a thread that blocks all signals, so that only the main thread handles them, and
 * whose messages go where the caller's go (log_set_sink).
 * @return whether it was started */
bool thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);
