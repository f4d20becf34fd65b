/*
 * derep.h - full-length dereplication: finds equal sequences, like vsearch's
 * --derep_fulllength without --strand both.
 *
 * Equal means the same codes: N equals only N.  Case and U/T do not matter, since a set
 * stores neither.
 */
#ifndef RIBOGRID_IO_PREPARE_DEREP_H
#define RIBOGRID_IO_PREPARE_DEREP_H

#include "io/seq/seqset.h"

/*
 * Number the distinct sequences of a set in the order of their first records.
 *
 * @param set          at most INT32_MAX sequences
 * @param sequence_of  [set->n] the number of each record's distinct sequence
 * @param first        capacity set->n; the first record of each distinct sequence
 * @param n_distinct   number of distinct sequences
 * @return ST_OK or ST_ENOMEM
 */
status_t derep_find(const seqset_t *set, int32_t *sequence_of, int32_t *first,
                    int64_t *n_distinct) MUST_CHECK;

#endif
