/*
 * scaling_table.h - the results of `ribogrid-bench dispatch` as TSV or JSON, one row per
 * number of ranks.
 */
#ifndef RIBOGRID_BENCH_DISPATCH_SCALING_TABLE_H
#define RIBOGRID_BENCH_DISPATCH_SCALING_TABLE_H

#include "dispatcher/simulate/simulated_run.h"

typedef struct {
    int64_t n_ranks, n_sequences, n_tiles, tile_bytes;
    simulated_run_t run;
    double store_s, store_cpu_s; /* writing one result to the log: wall time, CPU time */
    double results_per_s;        /* what the workers could send if rank 0 cost no time */
} scaling_row_t;

/* The resource of rank 0 that saturates first, and at how many ranks. */
typedef struct {
    const char *what; /* "store", "dispatcher" or "link" */
    double n_ranks;
} scaling_limit_t;

/* Extrapolate a row to the number of ranks that saturate rank 0. */
scaling_limit_t scaling_table_limit(const scaling_row_t *row);

void scaling_table_print_tsv(const scaling_row_t *rows, int n);
void scaling_table_print_json(const scaling_row_t *rows, int n);

#endif
