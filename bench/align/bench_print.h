/*
 * bench_print.h - prints a benchmark's results as a readable table, as TSV, or as JSON.
 */
#ifndef RIBOGRID_BENCH_ALIGN_BENCH_PRINT_H
#define RIBOGRID_BENCH_ALIGN_BENCH_PRINT_H

#include "bench/align/bench_result.h"

typedef enum { BENCH_TABLE, BENCH_TSV, BENCH_JSON } bench_format_t;

typedef struct {
    bench_format_t format;
    bool has_peers;    /* print ratios to the peers */
    bool in_halves;    /* scores of specs are twice those of the user */
    int64_t n_printed; /* results so far; 0 at the start */
    bool has_effective;
} bench_print_t;

void bench_print_begin(const bench_print_t *p);

/* Print the results for one set of pairs, which was made from `opts`. */
void bench_print_results(bench_print_t *p, const bench_pairs_opts_t *opts,
                         const bench_pairs_t *pairs, const align_spec_t *spec,
                         const bench_results_t *results);

void bench_print_end(const bench_print_t *p);

#endif
