/*
 * sync_measure.h - what a barrier of all blocks of a kernel takes on a GPU.
 */
#pragma once

#include "kernels/device/device.h"
#include "kernels/sync/sync_kind.h"

#include <stdint.h>

typedef struct {
    sync_kind_t kind;
    int n_blocks, n_threads; /* of a block */
    int cluster;             /* blocks of a cluster; 1: the kind has none */
    int64_t n_rounds;
    bool checks; /* each round a block writes, and another one reads it behind the
                  * barrier */
} sync_setup_t;

/*
 * Run barriers.
 *
 * @param out_s    seconds of a round, without the launch
 * @param n_stale  reads that were not what had been written; 0 unless it checks
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE, or ST_EUSAGE if the blocks do not fit on the GPU
 *         at the same time: nothing is launched then
 */
status_t sync_measure(const device_t *gpu, const sync_setup_t *setup, double *out_s,
                      int64_t *n_stale);

/* sync_measure; kernels/registry has a pointer to it. */
typedef status_t sync_measure_fn_t(const device_t *, const sync_setup_t *, double *,
                                   int64_t *);
