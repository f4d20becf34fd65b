/*
 * sync_programs.h - the table of programs whose blocks wait for each other in each round,
 * and what they take with each kind of barrier, as text, as TSV and as a chart.
 */
#pragma once

#include "bench/options/benchmarks.h"
#include "kernels/device/device.h"

#include <stdio.h>

#define SYNC_PROGRAM_NAMES \
    "fft|fft-radix-2|bitonic|bitonic-strides|sw-naive|sw-simple|sw-coalesced|sw-tiled"

typedef struct {
    int program;       /* of SYNC_PROGRAM_NAMES, from 0; one more than the last: all */
    const char *sizes; /* binary logarithms; NULL: each program's own */
    const bench_list_t *blocks; /* of the grid; NULL: as many as have work and fit */
    int only;                   /* a sync_kind_t, or -1 */
    bool tsv;
} sync_programs_opts_t;

/* @return ST_OK, or what options_misuse returns */
status_t sync_programs_check(const command_t *command, const sync_programs_opts_t *opts);

/* Run and print programs. @param svg  to draw to, or NULL
 * @return also ST_EINPUT if a result differs from the CPU's */
status_t sync_programs_run(const device_t *gpu, const sync_programs_opts_t *opts,
                           FILE *svg);
