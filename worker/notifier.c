/*
 * notifier.c - lets one thread wait, for a limited time, until another has something for
 * it.
 */
#include "worker/notifier.h"

#include <time.h>

void notifier_begin(notifier_t *b)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&b->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&b->notified_cond, &attr);
    pthread_condattr_destroy(&attr);
    b->notified = false;
}

void notifier_notify(notifier_t *b)
{
    pthread_mutex_lock(&b->lock);
    b->notified = true;
    pthread_cond_signal(&b->notified_cond);
    pthread_mutex_unlock(&b->lock);
}

void notifier_wait(notifier_t *b, int us)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)us * 1000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&b->lock);
    while (!b->notified &&
           pthread_cond_timedwait(&b->notified_cond, &b->lock, &until) == 0)
        continue;
    b->notified = false;
    pthread_mutex_unlock(&b->lock);
}

void notifier_end(notifier_t *b)
{
    pthread_cond_destroy(&b->notified_cond);
    pthread_mutex_destroy(&b->lock);
}
