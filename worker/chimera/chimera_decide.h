/*
 * chimera_decide.h - calls the chimeras among reads, in the order of their abundance.
 *
 * A chimera is no parent.  So whether a read is one depends on the calls of all reads
 * that are abundant enough to be its parents; entries (chimera_entry.h) do not depend on
 * any call.  Of each quarter's hits the first CHIMERA_PARENTS that are no chimeras are
 * candidates; an entry has twice as many, so that some may be chimeras.  Where this does
 * not suffice, the read is searched again without all chimeras.
 *
 * Reads are decided level by level: a level is as many reads as have no possible parent
 * in it, and its reads are decided in parallel.
 */
#pragma once

#include "kernels/chimera/chimera_score.h"
#include "worker/chimera/chimera_search.h"

typedef struct {
    chimera_rule_t rule;
    const seqset_t *reads;
    const seqset_t *targets;  /* the reads, or references, which are no chimeras */
    const int64_t *n_targets; /* [reads] the first of them that may be parents; if they are
                               * reads, never descending, and at most the read's index */
    int n_hits;               /* of a quarter in an entry, at most */
    pool_t *pool;
    const char *kernel; /* to search again */
} chimera_decide_t;

typedef struct {
    int32_t parent[2]; /* A and B, or -1 */
    chimera_score_t score;
} chimera_verdict_t;

/*
 * Decide.
 *
 * @param entries  [reads] of each; checked by chimera_entry_read
 * @param out      [reads]
 * @return ST_OK or ST_ENOMEM (logged), or an error of the search
 */
status_t chimera_decide(const chimera_decide_t *how, const uint32_t *const *entries,
                        chimera_verdict_t *out) MUST_CHECK;
