/*
 * benchmarks.h - the benchmarks, one file each: commands of `ribogrid-bench`.
 */
#pragma once

#include "tools/options/options.h"

#include <stdbool.h>
#include <time.h>

extern const command_t cmd_bench_align;
extern const command_t cmd_bench_automata;
extern const command_t cmd_bench_classify;
extern const command_t cmd_bench_device;
extern const command_t cmd_bench_dispatch;
extern const command_t cmd_bench_graph;
extern const command_t cmd_bench_ihist;
extern const command_t cmd_bench_mesh;
extern const command_t cmd_bench_sync;

/* @param clock  CLOCK_PROCESS_CPUTIME_ID or CLOCK_THREAD_CPUTIME_ID
 * @return processor seconds of the process or the thread */
double bench_processor_s(clockid_t clock);

/* Sort the seconds of n > 0 runs, and sum them up. */
void bench_times(double *seconds, int n, double *min, double *median, double *max);

/* ---- options that take several numbers ---- */

enum { BENCH_LIST_MAX = 16 };

typedef struct {
    double at[BENCH_LIST_MAX];
    double
        with[BENCH_LIST_MAX]; /* the second number of AxB; otherwise the same as `at` */
    int n;
} bench_list_t;

/* What numbers an option takes. */
typedef struct {
    const char *name; /* of the option */
    double min, max;
    bool fractions; /* allow non-integers */
    bool crosses;   /* allow AxB */
} bench_numbers_t;

/* Parse numbers that are separated by commas. @return whether they are at most
 * BENCH_LIST_MAX, and allowed */
bool bench_list_parse(const bench_numbers_t *allowed, const char *text,
                      bench_list_t *out);
