/*
 * orient.h - finds 16S rRNA genes that were written as their reverse complement.
 *
 * No reference is needed.  Stretches that bacteria and archaea share, most of them the
 * sites of common primers, tell the strand of sequences that have two of them in their
 * order; the words that these sequences then have in common, on their strand, tell it of
 * the others, fragments among them.
 */
#ifndef RIBOGRID_IO_PREPARE_ORIENT_H
#define RIBOGRID_IO_PREPARE_ORIENT_H

#include "io/seq/seqset.h"

typedef enum {
    ORIENT_REVERSE = -1, /* the gene's reverse complement */
    ORIENT_UNKNOWN = 0,  /* not like the set's 16S genes, or on both strands alike */
    ORIENT_FORWARD = 1   /* as the gene is read, 5' to 3' */
} orient_strand_t;

/*
 * Tell the strand of every sequence.  In a set with fewer than one 16S gene in a
 * thousand sequences all are unknown.
 *
 * @param strand  [set->n] orient_strand_t
 * @return ST_OK or ST_ENOMEM
 */
status_t orient_find(const seqset_t *set, int8_t *strand) MUST_CHECK;

/* Put the reverse complement in the place of sequence i. */
void orient_reverse_complement(seqset_t *set, int64_t i);

#endif
