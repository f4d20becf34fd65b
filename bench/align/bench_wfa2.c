/*
 * bench_wfa2.c - calls WFA2.
 */
#include "bench/align/bench_wfa2.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <wavefront/wfa.h> /* needs the headers above */

void *bench_wfa2_open(int mismatch, int open, int gap, bool alignments)
{
    wavefront_aligner_attr_t a = wavefront_aligner_attr_default;

    a.distance_metric = open > 0 ? gap_affine : mismatch == gap ? edit : gap_linear;
    a.alignment_scope = alignments ? compute_alignment : compute_score;
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

bench_wfa2_columns_t bench_wfa2_columns(void *wfa2)
{
    const cigar_t *cigar = ((wavefront_aligner_t *)wfa2)->cigar;
    bench_wfa2_columns_t c = {0, 0, 0, 0};
    char before = '\0';

    for (int i = cigar->begin_offset; i < cigar->end_offset; i++) {
        char op = cigar->operations[i];

        c.matches += op == 'M';
        c.mismatches += op == 'X';
        if (op == 'I' || op == 'D') {
            c.gap_bases++;
            c.gaps += op != before;
        }
        before = op;
    }
    return c;
}

void bench_wfa2_close(void *wfa2)
{
    wavefront_aligner_delete(wfa2);
}
