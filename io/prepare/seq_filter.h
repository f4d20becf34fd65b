/*
 * seq_filter.h - selects sequences by length and by number of ambiguity codes.
 */
#ifndef RIBOGRID_IO_PREPARE_SEQ_FILTER_H
#define RIBOGRID_IO_PREPARE_SEQ_FILTER_H

#include "io/seq/seqset.h"

typedef struct {
    int64_t min_length, max_length; /* bases; 0: no limit */
    int64_t max_ambig;              /* ambiguity codes; -1: no limit */
} seq_filter_t;

/* Rejected sequences; one that fails several limits is counted under the first. */
typedef struct {
    int64_t n_short, n_long, n_ambig;
} seq_filter_report_t;

/*
 * Find the sequences that pass.
 *
 * @param kept  capacity set->n; the indices of those that pass, ascending
 * @return the number of those that pass
 */
int64_t seq_filter_find(const seq_filter_t *filter, const seqset_t *set, int32_t *kept,
                        seq_filter_report_t *report);

#endif
