/*
 * simulate.h - makes 16S-like sequences: families on a random tree.
 *
 * One ancestor with conserved and variable regions in 16S's proportions evolves along a
 * random tree by substitutions (transitions twice as likely as transversions), insertions
 * and deletions; the sequences are then cut at primer-like ends and a few letters become
 * IUPAC codes.  Integer arithmetic only: a seed gives the same bytes on every machine.
 */
#ifndef RIBOGRID_IO_SEQ_SIMULATE_H
#define RIBOGRID_IO_SEQ_SIMULATE_H

#include "io/seq/seqset.h"

#include <stdint.h>

typedef struct {
    int64_t n;              /* sequences, 0..10^9 */
    int64_t length;         /* letters of the ancestor, 1..10^7 */
    int divergence_percent; /* columns that differ across the root, 0..60 */
    int ambiguous_percent;  /* sequences that hold at least one code, 0..100 */
    int trim_percent;       /* cut off at either end, of the length, at most; 0..45 */
    uint64_t seed;
} simulate_opts_t;

/* @return 1,500 letters, 25 % divergence, 20 % with codes, 4 % trimmed, seed 1; n is 0 */
simulate_opts_t simulate_defaults(void);

/*
 * Make a set; sequences are named sim1, sim2, ... and hold at least one letter.  With all
 * other options equal, a smaller set is the start of a larger one.
 *
 * divergence_percent is that of two sequences whose lineages part at the root.  It counts
 * columns of the true alignment, gaps among them, before ends and codes.  The best
 * alignment has fewer differing ones, as it finds matches by chance: about 9 of 10, 21 of
 * 25, 41 of 60.
 *
 * @return ST_OK, ST_ENOMEM or ST_EUSAGE (an option out of its range, logged)
 */
status_t simulate_make(const simulate_opts_t *opts, seqset_t **out) MUST_CHECK;

#endif
