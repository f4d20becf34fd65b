/*
 * align_context.h - what kernels and filters are created for: a device, a sequence set,
 * a definition of the alignment, and how to run.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_COMMON_ALIGN_CONTEXT_H
#define RIBOGRID_KERNELS_ALIGN_COMMON_ALIGN_CONTEXT_H

#include "io/base/pool.h"
#include "kernels/align/common/align_run.h"
#include "kernels/align/common/align_spec.h"
#include "kernels/device/device.h"

/* The struct itself may be temporary; what its pointers lead to is borrowed until the
 * object that was created is destroyed. */
typedef struct {
    const device_t *device;
    pool_t *pool;
    const seqset_t *set;
    const align_spec_t *spec;
    align_run_t run;
} align_context_t;

#endif
