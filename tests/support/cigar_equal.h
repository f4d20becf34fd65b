/*
 * cigar_equal.h - compares the CIGARs of a batch with expected ones.
 */
#pragma once

#include "io/seq/cigar.h"
#include "kernels/align/common/aligner_backend.h"

#include <string.h>

/* @return whether runs are the expected ones of = and X, joined to M */
static inline bool cigar_equal_joined(const uint32_t *got, int64_t n_got,
                                      const uint32_t *want, int64_t n_want)
{
    int64_t at = 0, k = 0;

    for (; at < n_got && k < n_want; at++) {
        uint32_t run = 0;

        for (; k < n_want; k++) {
            cigar_op_t op = cigar_run_op(want[k]);

            op = op == CIGAR_EQ || op == CIGAR_X ? CIGAR_M : op;
            if (run != 0 && cigar_run_op(run) != op)
                break;
            run = cigar_run(cigar_run_len(run) + cigar_run_len(want[k]), op);
        }
        if (run != got[at])
            return false;
    }
    return at == n_got && k == n_want;
}

/*
 * @param joined  whether the batch was computed with join_columns
 * @param want    expected runs of = X I D; those of pair i are want[start[at]] ..
 *                want[start[at + 1] - 1]
 * @return whether pair i has these; also if no CIGARs were computed
 */
static inline bool cigar_equal(const pair_results_t *got, int64_t i, bool joined,
                               const uint32_t *want, const int64_t *start, int64_t at)
{
    const uint32_t *runs;
    int64_t n, n_want;

    if (got->cigar_start == NULL)
        return true;
    runs = got->cigar + got->cigar_start[i];
    n = got->cigar_start[i + 1] - got->cigar_start[i];
    want += start[at];
    n_want = start[at + 1] - start[at];
    if (joined)
        return cigar_equal_joined(runs, n, want, n_want);
    return n == n_want && memcmp(runs, want, (size_t)n * sizeof(*runs)) == 0;
}
