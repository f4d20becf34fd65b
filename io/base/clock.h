/*
 * clock.h - elapsed time, and times to wait until, of a clock that nobody sets.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

/* @return seconds of a clock that never goes back; only differences mean anything */
static inline double clock_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Initialise a condition that is waited for until times of clock_in_us. */
static inline void clock_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

/* @return the time `us` microseconds from now, of that clock, as pthread_cond_timedwait
 *         takes it */
static inline struct timespec clock_in_us(int64_t us)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += us % 1000000 * 1000;
    t.tv_sec += us / 1000000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}
