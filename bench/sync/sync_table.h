/*
 * sync_table.h - rounds that were measured, beside what a model of them gives, as text,
 * as TSV and as a chart.
 */
#pragma once

#include "bench/options/benchmarks.h"
#include "kernels/sync/sync_kind.h"

#include <stdio.h>

enum { SYNC_TABLE_MAX = SYNC_KINDS * BENCH_LIST_MAX * BENCH_LIST_MAX };

typedef struct {
    sync_kind_t kind;
    int n_blocks, n_threads, cluster;
    double s, model_s; /* of a round */
} sync_row_t;

/* Rows of one number of threads follow each other, and in them those of one kind. */
typedef struct {
    const char *device;
    int n_cores;
    int n;
    sync_row_t rows[SYNC_TABLE_MAX];
} sync_table_t;

/* Fit a model to each kind and number of threads: model_s of all rows. */
void sync_table_fit(sync_table_t *t);

void sync_table_print(const sync_table_t *t);
void sync_table_tsv(const sync_table_t *t);
void sync_table_draw(FILE *to, const sync_table_t *t);
