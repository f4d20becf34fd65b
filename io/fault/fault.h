/*
 * fault.h - failures on demand, for tests; only in builds with the CMake option
 * RIBOGRID_FAULTS.
 *
 * The environment variable RIBOGRID_FAULTS_PLAN lists faults, separated by commas, as
 * RANK:N:KIND or RANK:FIRST-LAST:KIND.  N counts from 0 how often a rank passes the place
 * where a kind of fault can happen: tasks that its device computes (device, memory,
 * stall, kill), results that it packs (wrong, malloc), records that it appends to the log
 * (short, enospc, eio; rank 0 alone has one), the end of the run (suspend).
 */
#pragma once

#include "io/base/status.h"

#include <stdbool.h>

typedef enum {
    FAULT_DEVICE, /* the device is lost; also the CPU, which is treated like a GPU then */
    FAULT_MEMORY, /* the device has no memory */
    FAULT_STALL,  /* the device never ends, until it is cancelled */
    FAULT_KILL,   /* the process kills itself */
    FAULT_WRONG,  /* a bit of the packed result is flipped */
    FAULT_MALLOC, /* the host has no memory */
    FAULT_SHORT,  /* a write takes only a part */
    FAULT_ENOSPC, /* a write fails: the disk is full */
    FAULT_EIO,    /* a write fails */
    FAULT_SUSPEND, /* the process suspends itself when the output was made */
    FAULT_KINDS
} fault_kind_t;

#ifdef RIBOGRID_FAULTS

/* Read the plan of this rank; that of ranks which do not exist is rank 0's.
 * @return ST_OK, or ST_EUSAGE if the plan cannot be read */
status_t fault_begin(int rank, int n_ranks) MUST_CHECK;

/* Count one passage of the place where faults of this kind happen; any thread.
 * @return whether one happens now */
bool fault_now(fault_kind_t kind);

/* @return ST_OK, or ST_EUSAGE if a fault of the plan has not happened */
status_t fault_end(void) MUST_CHECK;

#else

static inline status_t fault_begin(int rank, int n_ranks)
{
    (void)rank;
    (void)n_ranks;
    return ST_OK;
}

static inline bool fault_now(fault_kind_t kind)
{
    (void)kind;
    return false;
}

static inline status_t fault_end(void)
{
    return ST_OK;
}

#endif
