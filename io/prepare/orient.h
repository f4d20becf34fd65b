/*
 * orient.h - finds 16S rRNA genes that are given as their reverse complement, without a
 * reference.
 *
 * Motifs conserved in bacteria and archaea, most of them sites of common primers, show
 * the strand of sequences that contain two of them in the right order.  The k-mers that
 * these sequences have in common then show the strand of the others, including fragments.
 */
#ifndef RIBOGRID_IO_PREPARE_ORIENT_H
#define RIBOGRID_IO_PREPARE_ORIENT_H

#include "io/seq/seqset.h"

typedef enum {
    ORIENT_REVERSE = -1, /* the gene's reverse complement */
    ORIENT_UNKNOWN = 0,  /* unlike the 16S genes of the set, or alike on both strands */
    ORIENT_FORWARD = 1   /* the gene from 5' to 3' */
} orient_strand_t;

/*
 * Find the strand of every sequence.  If fewer than one sequence in a thousand is a 16S
 * gene, all strands are unknown.
 *
 * @param strand  [set->n] orient_strand_t
 * @return ST_OK or ST_ENOMEM
 */
status_t orient_find(const seqset_t *set, int8_t *strand) MUST_CHECK;

/* Replace sequence i by its reverse complement. */
void orient_reverse_complement(seqset_t *set, int64_t i);

#endif
