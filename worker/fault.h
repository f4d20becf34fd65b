/*
 * fault.h - failures on demand, for tests; only in builds with the CMake option
 * RIBOGRID_FAULTS.
 */
#ifndef RIBOGRID_WORKER_FAULT_H
#define RIBOGRID_WORKER_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Does this rank lose its device in batch k, counted from 0?
 *
 * The environment variable RIBOGRID_LOSE_DEVICE=RANK:BATCH names both.  The device may
 * then be the CPU, which is treated like a GPU that was lost.
 */
#ifdef RIBOGRID_FAULTS
bool fault_loses_device(int rank, int64_t k);
#else
static inline bool fault_loses_device(int rank, int64_t k)
{
    (void)rank;
    (void)k;
    return false;
}
#endif

#endif
