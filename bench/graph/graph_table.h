/*
 * graph_table.h - the results of `ribogrid-bench graph`: algorithms x settings.
 */
#ifndef RIBOGRID_BENCH_GRAPH_GRAPH_TABLE_H
#define RIBOGRID_BENCH_GRAPH_GRAPH_TABLE_H

#include "bench/graph/graph_cell.h"

typedef struct {
    const char *input;
    const device_t *device;
    const csr_t *graph;
    graph_setting_t settings[GRAPH_SETTINGS_MAX];
    int n_settings;
    int automatic; /* the setting that chooses by itself, or -1 */
    int baseline;  /* the setting that others are compared with, or -1 */
    graph_cell_t cell[GRAPH_N_ALGORITHMS][GRAPH_SETTINGS_MAX];
    double arcs[GRAPH_N_ALGORITHMS]; /* that one run counts for; 0: not measured */
} graph_table_t;

/* @return the time of the baseline / that of a setting, or 0: one was not measured */
double graph_table_speedup(const graph_table_t *t, int algorithm, int setting);

/* Print the graph and the device, and one algorithm, for readers.
 * @param reference  what the results are compared with */
void graph_table_print_head(const graph_table_t *t, const char *reference);
void graph_table_print(const graph_table_t *t, int algorithm);

/* The same as tab-separated lines, the names of the columns first. */
void graph_table_tsv_head(void);
void graph_table_tsv(const graph_table_t *t, int algorithm);

#endif
