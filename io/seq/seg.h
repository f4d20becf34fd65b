/*
 * seg.h - finds regions of low complexity in proteins, by the method SEG (Wootton and
 * Federhen 1993, Comput Chem 17:149).
 *
 * A window with a low entropy begins a region, which grows while windows have a little
 * more; of the region, the part is low in complexity that is least likely among random
 * sequences.
 */
#pragma once

#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/seq/seqset.h"

enum { SEG_WINDOW_MAX = 12 };

typedef struct {
    int window; /* residues, at most SEG_WINDOW_MAX */
    double trigger_bits,
        growth_bits; /* entropy up to which windows begin and extend it */
} seg_opts_t;

/* Those of `blastp -seg yes`, and those by which blastp masks its database while it
 * adjusts scores to compositions. */
extern const seg_opts_t seg_usual, seg_light;

/*
 * Replace the residues of regions of low complexity by X.
 *
 * @param pool  NULL: the caller alone
 * @param set   of proteins; changed in place, also by an error
 * @param n_masked, n_sequences  out: residues, and sequences that have some
 * @return ST_OK or ST_ENOMEM
 */
status_t seg_mask(pool_t *pool, const seg_opts_t *opts, seqset_t *set, int64_t *n_masked,
                  int64_t *n_sequences) MUST_CHECK;
