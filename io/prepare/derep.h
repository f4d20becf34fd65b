/*
 * derep.h - finds equal sequences: dereplication of full length, as vsearch's
 * --derep_fulllength without --strand both.
 *
 * Equal means the same letters: N equals N alone.  A set has upper case and T already.
 */
#ifndef RIBOGRID_IO_PREPARE_DEREP_H
#define RIBOGRID_IO_PREPARE_DEREP_H

#include "io/seq/seqset.h"

/*
 * Number the different sequences of a set in the order of their first records.
 *
 * @param set          at most INT32_MAX sequences
 * @param sequence_of  [set->n] the number of the sequence that each record equals
 * @param first        [set->n] room; the first record of each different sequence
 * @param n_different  how many there are
 * @return ST_OK or ST_ENOMEM
 */
status_t derep_find(const seqset_t *set, int32_t *sequence_of, int32_t *first,
                    int64_t *n_different) MUST_CHECK;

#endif
