/*
 * clock.h - elapsed time, and times to wait until.
 */
#pragma once

#include <stdint.h>
#include <time.h>

/* @return seconds of a clock that never goes back; only differences mean anything */
static inline double clock_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* @return the time `ms` milliseconds from now, of CLOCK_REALTIME, as
 *         pthread_cond_timedwait takes it */
static inline struct timespec clock_in_ms(int64_t ms)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ms % 1000 * 1000000;
    t.tv_sec += ms / 1000 + t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}
