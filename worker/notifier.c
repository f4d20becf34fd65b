/*
 * notifier.c - lets one thread wait, for a limited time, until another has something for
 * it.
 */
#include "worker/notifier.h"

#include "io/base/clock.h"

void notifier_begin(notifier_t *b)
{
    pthread_mutex_init(&b->lock, NULL);
    clock_cond_init(&b->notified_cond);
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
    const struct timespec until = clock_in_us(us);

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
