/*
 * bell.c - lets one thread wait, for a limited time, until another has something for it.
 */
#include "worker/bell.h"

#include <time.h>

void bell_begin(bell_t *b)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&b->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&b->rung_cond, &attr);
    pthread_condattr_destroy(&attr);
    b->rung = false;
}

void bell_ring(bell_t *b)
{
    pthread_mutex_lock(&b->lock);
    b->rung = true;
    pthread_cond_signal(&b->rung_cond);
    pthread_mutex_unlock(&b->lock);
}

void bell_wait(bell_t *b, int us)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)us * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&b->lock);
    while (!b->rung && pthread_cond_timedwait(&b->rung_cond, &b->lock, &until) == 0)
        continue;
    b->rung = false;
    pthread_mutex_unlock(&b->lock);
}

void bell_end(bell_t *b)
{
    pthread_cond_destroy(&b->rung_cond);
    pthread_mutex_destroy(&b->lock);
}
