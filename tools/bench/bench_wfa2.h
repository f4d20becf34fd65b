/*
 * bench_wfa2.h - a wrapper of WFA2, whose headers clash with ribogrid's.
 */
#ifndef RIBOGRID_TOOLS_BENCH_BENCH_WFA2_H
#define RIBOGRID_TOOLS_BENCH_BENCH_WFA2_H

/*
 * Create an exact end-to-end aligner that computes only costs.
 *
 * @param mismatch, open, gap  costs of a mismatch, of a gap, and in addition of each of
 *                             its bases; if the first and the last are equal and `open`
 *                             is 0, the aligner computes the edit distance
 * @return the aligner, or NULL if out of memory
 */
void *bench_wfa2_open(int mismatch, int open, int gap);

/* @return the minimum cost (number of edits if both costs are equal), or -1 if WFA2 gave
 * up */
int bench_wfa2_cost(void *wfa2, const char *a, int m, const char *b, int n);

void bench_wfa2_close(void *wfa2);

#endif
