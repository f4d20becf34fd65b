/*
 * selftest_pairs.h - the pairs on which `ribogrid selftest` compares kernels, with the
 * reference's results.
 */
#ifndef RIBOGRID_TOOLS_SELFTEST_PAIRS_H
#define RIBOGRID_TOOLS_SELFTEST_PAIRS_H

#include "kernels/align/engine/aligner.h"

/* Scorings: the first is `align`'s default, and the one that is timed. */
enum { SELFTEST_SCORINGS = 4, SELFTEST_ENDS = ALIGN_N_ENDS };

typedef struct {
    seqset_t *set;
    pair_t *pairs; /* [n] */
    int64_t n;
    /* [scoring][ends][n], computed by the reference */
    int32_t *score[SELFTEST_SCORINGS][SELFTEST_ENDS];
    int32_t *matches[SELFTEST_SCORINGS][SELFTEST_ENDS];
    int32_t *columns[SELFTEST_SCORINGS][SELFTEST_ENDS];
    uint64_t *cigar[SELFTEST_SCORINGS][SELFTEST_ENDS]; /* selftest_pairs_digest */
} selftest_pairs_t;

/* @return a digest of n runs of a CIGAR */
uint64_t selftest_pairs_digest(const uint32_t *runs, int64_t n);

/* @return the alignment under one of the scorings, without a minimum overlap */
align_spec_t selftest_pairs_spec(int scoring, align_emit_t emit, align_ends_t ends);

/* @return a scoring as "match/mismatch/gap", with two scores of affine gaps */
const char *selftest_pairs_scoring_name(int scoring);

/*
 * Make the sequences and pairs: 16S-like ones, and edge cases: single bases, only
 * ambiguity codes, repeats, equal sequences, sequences that share nothing, long ones.
 *
 * @param seed  selects the sequences
 * @param out   zeroed by the caller, who also frees it on failure
 * @return ST_OK or ST_ENOMEM
 */
status_t selftest_pairs_make(uint64_t seed, selftest_pairs_t *out) MUST_CHECK;

/* Align all pairs by the reference. @return ST_OK or ST_ENOMEM */
status_t selftest_pairs_align(selftest_pairs_t *c, int scoring, align_ends_t ends,
                              pool_t *pool) MUST_CHECK;

void selftest_pairs_free(selftest_pairs_t *c);

#endif
