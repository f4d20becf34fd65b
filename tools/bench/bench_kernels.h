/*
 * bench_kernels.h - times our kernels on a benchmark's pairs and checks what they return.
 */
#ifndef RIBOGRID_TOOLS_BENCH_BENCH_KERNELS_H
#define RIBOGRID_TOOLS_BENCH_BENCH_KERNELS_H

#include "tools/bench/bench_result.h"

typedef struct {
    const char *kernel;  /* "auto": each device's choice; "all"; or a row's name */
    bool init_on_device; /* which of the rows named "baseline" */
    int64_t n_batches;   /* that the pairs are cut into; as many as there are, at most */
    const device_t *devices;
    int n_devices;
    pool_t *pool; /* threads of the CPU rows */
    int n_runs;
} bench_kernels_opts_t;

/* @return the row of that name for a kind of device, the baseline's too, or NULL */
const aligner_backend_t *bench_kernels_backend(const bench_kernels_opts_t *opts,
                                               device_kind_t kind);

/*
 * Measure each kernel that was asked for on each device that has it; a row each.  The
 * scalar one gets the sample alone.  Part of the sample is aligned by nw_reference.h too,
 * or by the CPU's rows where that would take minutes.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EDEVICE (a device failed, or a result is wrong; logged)
 */
status_t bench_kernels_run(const bench_pairs_t *pairs, const align_spec_t *spec,
                           const bench_kernels_opts_t *opts,
                           bench_results_t *rows) MUST_CHECK;

#endif
