/*
 * notifier.h - lets one thread wait, for a limited time, until another has something for
 * it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t notified_cond;
    bool notified; /* since the last wait ended */
} notifier_t;

void notifier_begin(notifier_t *b);

/* [any thread] End the current wait, or the next one if nobody waits now. */
void notifier_notify(notifier_t *b);

/* Wait until notifier_notify is called, for at most `us` microseconds. */
void notifier_wait(notifier_t *b, int us);

void notifier_end(notifier_t *b);
