/*
 * chimera_decide.h - calls the chimeras among reads, in the order of their abundance.
 *
 * A chimera is no parent, so whether a read is one depends on the calls of all reads that
 * are abundant enough to be its parents.  The best hits of its parts, which take most
 * of the time, do not depend on any call, unless more of them are chimeras than are kept
 * in reserve: then these are searched again, without all chimeras.
 *
 * Of each part's hits the first CHIMERA_PARENTS that are no chimeras are candidates.
 * The whole read is aligned with them as vsearch aligns (`align --preset vsearch`), and
 * the parents are chosen (parent_contest.h) and scored (chimera_score.h).
 *
 * Reads are decided level by level: a level is as many reads as have no possible parent
 * in it.
 */
#pragma once

#include "kernels/chimera/chimera_score.h"
#include "worker/chimera/chimera_search.h"

/* Hits of a part that are candidates. */
enum { CHIMERA_PARENTS = 4 };

typedef struct {
    chimera_rule_t rule;
    const seqset_t *reads;
    const seqset_t *targets;    /* the reads; or references, which are no chimeras */
    const int64_t *n_targets;   /* [reads] the first of them that may be parents; of reads
                                 * they are more abundant, and never fewer than those of
                                 * the read before */
    const chimera_hits_t *hits; /* [reads] */
    int n_hits;                 /* of a part that were searched for */
    pool_t *pool;
} chimera_decide_t;

typedef struct {
    int32_t parent[2]; /* A and B, or -1 */
    chimera_score_t score;
} chimera_verdict_t;

/*
 * Decide, on the CPU.
 *
 * @param out  [reads]
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t chimera_decide(const chimera_decide_t *how, chimera_verdict_t *out) MUST_CHECK;
