/*
 * bench_kernels.h - times ribogrid's kernels on a benchmark's pairs and checks their
 * results.
 */
#ifndef RIBOGRID_BENCH_ALIGN_BENCH_KERNELS_H
#define RIBOGRID_BENCH_ALIGN_BENCH_KERNELS_H

#include "bench/align/bench_result.h"

typedef struct {
    const char *kernel;  /* "auto": the device's choice; "all"; or a backend's name */
    bool init_on_device; /* "baseline": a kernel writes the borders, not the host */
    int64_t n_batches;   /* batches to cut the pairs into; at most one per pair */
    const device_t *devices;
    int n_devices;
    pool_t *pool; /* threads of the CPU backends */
    int n_runs;
    align_run_t run;
} bench_kernels_opts_t;

/* @return the backend of that name for a kind of device ("baseline" included), or NULL */
const aligner_backend_t *bench_kernels_backend(const bench_kernels_opts_t *opts,
                                               device_kind_t kind);

/*
 * Measure each requested kernel on each device that has it and append one result per
 * kernel.  The scalar backend aligns only the sample.  Part of the sample is checked
 * against nw_reference.h, or against the CPU backends where the reference would take
 * seconds per pair.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EDEVICE (a device failed or a result is wrong; logged)
 */
status_t bench_kernels_run(const bench_pairs_t *pairs, const align_spec_t *spec,
                           const bench_kernels_opts_t *opts,
                           bench_results_t *results) MUST_CHECK;

#endif
