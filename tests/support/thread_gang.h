/*
 * thread_gang.h - a gang whose ranks are threads of the test.
 */
#pragma once

#include "kernels/gang/gang.h"

enum { THREAD_GANG_RANKS_MAX = 8 };

/* What a rank does. @param gang  in host memory */
typedef status_t (*thread_gang_fn_t)(void *ctx, gang_t *gang);

/* Call fn on n_ranks threads at once.  Fails the program without threads.
 * @return ST_OK, or the first rank's error; all ranks have to have the same */
status_t thread_gang_run(int n_ranks, thread_gang_fn_t fn, void *ctx);
