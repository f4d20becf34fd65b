/*
 * graph_bench.h - the parts of `ribogrid-bench graph`: cells, and tables of them.
 */
#pragma once

#include "kernels/graph/common/graph_backend.h"

#include <stdio.h>

/* graph_cell.c: what `ribogrid-bench graph` measures: an algorithm under a setting, such
 * as a template, checked against the backend that defines the result. */

enum { GRAPH_CELL_RUNS_MAX = 1000, GRAPH_SETTING_BYTES = 32, GRAPH_SETTINGS_MAX = 64 };

/* How to compute. */
typedef struct {
    char name[GRAPH_SETTING_BYTES]; /* "dual-queue", "U_B_QU", "cpu, 2 threads" */
    graph_run_t run;                /* of a named backend, or of any */
    unsigned choices;               /* that the backend has to obey */
    int n_threads;                  /* of the CPU */
} graph_setting_t;

/* What to compute; borrowed. */
typedef struct {
    const device_t *device;
    const csr_t *graph;
    const graph_spec_t *spec;
    const graph_task_t *task;
    const graph_result_t *reference; /* what each run has to return */
    int n_runs;                      /* at most GRAPH_CELL_RUNS_MAX */
    double seconds;                  /* begin no run after these */
} graph_cell_of_t;

typedef struct {
    bool is_measured;        /* false: the backend does not compute it in this way */
    int n_runs;              /* 0: the first run took so long that no others followed */
    double min, median, max; /* seconds of the kernels */
    int64_t n_iterations, n_visited;
} graph_cell_t;

/*
 * List the settings of a device: on a GPU the automatic one, then each template, variant
 * and other choice; on the CPU each backend, with each number of threads.
 *
 * @param threads  [n_threads] of the CPU
 * @param out      [GRAPH_SETTINGS_MAX]
 * @return how many there are; the first one of others is what they are compared with, on
 *         a GPU the second, thread-mapped
 */
int graph_cell_settings(device_kind_t kind, const int *threads, int n_threads,
                        graph_setting_t *out);

/* Read a setting that is not listed: words, such as of thresholds of the adaptive runtime
 * with their values, "delta-8+blocks-1", or "dpar-naive+block+KC_16+pool".
 * @return whether it is one; never for a CPU */
bool graph_cell_parse(device_kind_t kind, const char *text, graph_setting_t *out);

/* @return whether the device computes it with this setting */
bool graph_cell_is_taken(const graph_cell_of_t *what, const graph_setting_t *setting);

/*
 * Compute the reference.
 *
 * @param name  of a backend of the CPU
 * @param out   freed by the caller with graph_result_free
 * @return ST_OK, ST_EUSAGE: it does not take the graph, or an error (logged)
 */
status_t graph_cell_reference(const graph_cell_of_t *what, const char *name, pool_t *pool,
                              graph_result_t *out) MUST_CHECK;

/*
 * Measure: one run to warm up, then n_runs, fewer if they take too long.  The decisions
 * of the last run are logged with -v.
 *
 * @return ST_OK, ST_EINPUT (logged: a result differs), or another error (logged)
 */
status_t graph_cell_measure(const graph_cell_of_t *what, const graph_setting_t *setting,
                            graph_cell_t *out) MUST_CHECK;

/* @return the arcs that one run counts for: those of the graph, per source that is
 * summed, or per iteration of pagerank */
double graph_cell_arcs(const graph_cell_of_t *what, const graph_cell_t *cell);

/* graph_table.c: the results of `ribogrid-bench graph`: algorithms x settings. */

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

/* Print the graph and the device, and one algorithm, for readers.
 * @param reference  what the results are compared with */
void graph_table_print_head(const graph_table_t *t, const char *reference);
void graph_table_print(const graph_table_t *t, int algorithm);

/* The same as tab-separated lines, the names of the columns first. */
void graph_table_tsv_head(void);
void graph_table_tsv(const graph_table_t *t, int algorithm);

/* Draw one row per setting and one column per algorithm: milliseconds, and the speed-up
 * over the baseline; the colour is the time relative to the fastest setting. */
void graph_heat_draw(FILE *to, const graph_table_t *t);
