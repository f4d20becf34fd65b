/*
 * scaling_table.h - what `ribogrid bench dispatch` found: a table, JSON, a figure.
 */
#ifndef RIBOGRID_TOOLS_BENCH_SCALING_TABLE_H
#define RIBOGRID_TOOLS_BENCH_SCALING_TABLE_H

#include "dispatcher/simulate/simulated_run.h"

typedef struct {
    int64_t n_ranks, n_sequences, n_tiles, tile_bytes;
    simulated_run_t run;
    double store_s, store_cpu_s; /* a result */
    double results_per_s;        /* that the workers would send if nothing held them up */
} scaling_row_t;

/* What rank 0 runs out of first, and at how many ranks like the row's. */
typedef struct {
    const char *what;
    double n_ranks;
} scaling_limit_t;

scaling_limit_t scaling_limit(const scaling_row_t *row);

/* Print rows to stdout, tab-separated under a line of names, or as JSON. */
void scaling_table_print_tsv(const scaling_row_t *rows, int n);
void scaling_table_print_json(const scaling_row_t *rows, int n);

/* Draw utilization and rank 0's load against ranks. @return ST_OK or ST_EIO */
status_t scaling_chart_draw(const char *path, const scaling_row_t *rows,
                            int n) MUST_CHECK;

#endif
