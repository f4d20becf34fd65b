/*
 * clock.h - elapsed time.
 */
#ifndef RIBOGRID_IO_BASE_CLOCK_H
#define RIBOGRID_IO_BASE_CLOCK_H

#include <time.h>

/* @return seconds of a clock that never goes back; only differences mean anything */
static inline double clock_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
