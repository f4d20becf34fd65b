/*
 * bench_wfa2.h - WFA2 on its own: its headers and ours use the same names.
 */
#ifndef RIBOGRID_TOOLS_BENCH_BENCH_WFA2_H
#define RIBOGRID_TOOLS_BENCH_BENCH_WFA2_H

/*
 * Make an aligner of whole sequences, exact (no heuristic), of costs alone.
 *
 * @param mismatch, gap  costs; the same make it the edit distance
 * @return it, or NULL
 */
void *bench_wfa2_open(int mismatch, int gap);

/* @return the least cost in multiples of the costs given (edits, if they are the same),
 * or -1 if it gave up */
int bench_wfa2_cost(void *wfa2, const char *a, int m, const char *b, int n);

void bench_wfa2_close(void *wfa2);

#endif
