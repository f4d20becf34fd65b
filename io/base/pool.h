/*
 * pool.h - threads that share a loop.
 *
 * One run at a time; the thread that calls it works too.
 */
#ifndef RIBOGRID_IO_BASE_POOL_H
#define RIBOGRID_IO_BASE_POOL_H

#include "io/base/status.h"

#include <stdint.h>

typedef struct pool pool_t;

/* Work on one item. @param thread  0 .. n_threads-1, one item a thread at a time */
typedef void (*pool_fn_t)(void *ctx, int64_t item, int thread);

/* Start n_threads - 1 threads. @return ST_OK or ST_ENOMEM */
status_t pool_create(int n_threads, pool_t **out) MUST_CHECK;

int pool_n_threads(const pool_t *pool);

/* Call fn for items 0 .. n_items-1, in no order, and return when all are done. */
void pool_run(pool_t *pool, int64_t n_items, pool_fn_t fn, void *ctx);

/* Stop the threads. Takes NULL. */
void pool_destroy(pool_t *pool);

#endif
