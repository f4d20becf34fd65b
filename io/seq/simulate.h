/*
 * simulate.h - simulates 16S-like sequences on a random tree.
 *
 * An ancestor with conserved and variable regions in the proportions of 16S evolves along
 * a random tree by substitutions (transitions twice as likely as transversions),
 * insertions and deletions.  The sequences are then trimmed as if by primers, and a few
 * bases become ambiguity codes.  With integer arithmetic only, a seed gives the same
 * bytes on every machine.
 */
#pragma once

#include "io/seq/seqset.h"

#include <stdint.h>

typedef struct {
    int64_t n;              /* sequences, 0..10^9 */
    int64_t length;         /* bases of the ancestor, 1..10^7 */
    int divergence_percent; /* differing columns across the root, 0..60 */
    int ambiguous_percent;  /* sequences with at least one ambiguity code, 0..100 */
    int trim_percent;       /* maximum trimmed at each end, of the length; 0..45 */
    uint64_t seed;
} simulate_opts_t;

/* @return length 1,500, 25 % divergence, 20 % ambiguous, 4 % trimmed, seed 1; n is 0 */
simulate_opts_t simulate_defaults(void);

/*
 * Simulate a set.  Sequences are named sim1, sim2, ... and have at least one base.  With
 * all other options equal, a smaller set is the start of a larger one.
 *
 * divergence_percent is that of two sequences whose lineages separate at the root.  It
 * counts columns of the true alignment, including gaps, before trimming and ambiguity
 * codes.  An optimal alignment has fewer differing columns, since it also finds random
 * matches: about 9 % for 10 %, 21 % for 25 % and 41 % for 60 %.
 *
 * @return ST_OK, ST_ENOMEM or ST_EUSAGE (an option out of range, logged)
 */
status_t simulate_make(const simulate_opts_t *opts, seqset_t **out) MUST_CHECK;
