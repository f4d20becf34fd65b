/*
 * bench_wfa2.c - calls WFA2.
 */
#include "tools/bench/bench_wfa2.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavefront/wfa.h> /* needs the headers above */

void *bench_wfa2_open(int mismatch, int open, int gap)
{
    wavefront_aligner_attr_t a = wavefront_aligner_attr_default;

    a.distance_metric = open > 0 ? gap_affine : mismatch == gap ? edit : gap_linear;
    a.alignment_scope = compute_score;
    a.alignment_form.span = alignment_end2end;
    a.linear_penalties = (linear_penalties_t){0, mismatch, gap};
    a.affine_penalties = (affine_penalties_t){0, mismatch, open, gap};
    a.heuristic.strategy = wf_heuristic_none;
    a.system.max_num_threads = 1;
    return wavefront_aligner_new(&a);
}

int bench_wfa2_cost(void *wfa2, const char *a, int m, const char *b, int n)
{
    wavefront_aligner_t *w = wfa2;

    return wavefront_align(w, a, m, b, n) == WF_STATUS_SUCCESSFUL ? abs(w->cigar->score)
                                                                  : -1;
}

void bench_wfa2_close(void *wfa2)
{
    wavefront_aligner_delete(wfa2);
}
