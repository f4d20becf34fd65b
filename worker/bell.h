/*
 * bell.h - lets one thread wait, for a limited time, until another has something for it.
 */
#ifndef RIBOGRID_WORKER_BELL_H
#define RIBOGRID_WORKER_BELL_H

#include <pthread.h>
#include <stdbool.h>

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t rung_cond;
    bool rung; /* since the last wait ended */
} bell_t;

void bell_begin(bell_t *b);

/* [any thread] End the current wait, or the next one if nobody waits now. */
void bell_ring(bell_t *b);

/* Wait until the bell rings, for at most `us` microseconds. */
void bell_wait(bell_t *b, int us);

void bell_end(bell_t *b);

#endif
