/*
 * bench_wfa2.h - a wrapper of WFA2, whose headers clash with ribogrid's.
 */
#pragma once

#include <stdbool.h>

/*
 * Create an exact end-to-end aligner.
 *
 * @param mismatch, open, gap  costs of a mismatch, of a gap, and in addition of each of
 *                             its bases; if the first and the last are equal and `open`
 *                             is 0, the aligner computes the edit distance
 * @param alignments           whether it computes alignments, too
 * @return the aligner, or NULL if out of memory
 */
void *bench_wfa2_open(int mismatch, int open, int gap, bool alignments);

/* @return the minimum cost (number of edits if both costs are equal), or -1 if WFA2 gave
 * up */
int bench_wfa2_cost(void *wfa2, const char *a, int m, const char *b, int n);

/* The columns of an alignment. */
typedef struct {
    int matches, mismatches, gaps, gap_bases;
} bench_wfa2_columns_t;

/* Count the columns of the last pair's alignment. */
bench_wfa2_columns_t bench_wfa2_columns(void *wfa2);

void bench_wfa2_close(void *wfa2);
