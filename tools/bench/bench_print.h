/*
 * bench_print.h - writes a benchmark's rows: a table for people, TSV, or JSON.
 */
#ifndef RIBOGRID_TOOLS_BENCH_BENCH_PRINT_H
#define RIBOGRID_TOOLS_BENCH_BENCH_PRINT_H

#include "tools/bench/bench_result.h"

typedef enum { BENCH_TABLE, BENCH_TSV, BENCH_JSON } bench_format_t;

typedef struct {
    bench_format_t format;
    bool has_peers; /* show ratios */
    int64_t n_rows; /* printed so far; 0 at the start */
    bool has_effective;
} bench_print_t;

void bench_print_begin(const bench_print_t *p);

/* Print the rows of one set of pairs, made as `opts` says. */
void bench_print_results(bench_print_t *p, const bench_pairs_opts_t *opts,
                         const bench_pairs_t *pairs, const align_scoring_t *scoring,
                         const bench_results_t *rows);

void bench_print_end(const bench_print_t *p);

#endif
