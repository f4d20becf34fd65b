/*
 * dispatch_report.h - what `ribogrid bench dispatch` found: a table, JSON, a figure.
 */
#ifndef RIBOGRID_TOOLS_BENCH_DISPATCH_REPORT_H
#define RIBOGRID_TOOLS_BENCH_DISPATCH_REPORT_H

#include "dispatcher/simulate/simulated_run.h"

typedef struct {
    int64_t n_ranks, n_sequences, n_tiles, tile_bytes;
    simulated_run_t run;
    double store_s, store_cpu_s; /* a result */
    double results_per_s;        /* that the workers would send if nothing held them up */
} dispatch_row_t;

/* What rank 0 runs out of first, and at how many ranks like the row's. */
typedef struct {
    const char *what;
    double n_ranks;
} dispatch_limit_t;

dispatch_limit_t dispatch_limit(const dispatch_row_t *row);

/* Print rows to stdout, tab-separated under a line of names, or as JSON. */
void dispatch_print_tsv(const dispatch_row_t *rows, int n);
void dispatch_print_json(const dispatch_row_t *rows, int n);

/* Draw utilization and rank 0's load against ranks. @return ST_OK or ST_EIO */
status_t dispatch_draw(const char *path, const dispatch_row_t *rows, int n) MUST_CHECK;

#endif
