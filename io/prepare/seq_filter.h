/*
 * seq_filter.h - finds the sequences of a set that are long enough, short enough and
 * read well enough.
 */
#ifndef RIBOGRID_IO_PREPARE_SEQ_FILTER_H
#define RIBOGRID_IO_PREPARE_SEQ_FILTER_H

#include "io/seq/seqset.h"

typedef struct {
    int64_t min_length, max_length; /* letters; 0: no limit */
    int64_t max_ambig;              /* letters other than A, C, G, T; -1: no limit */
} seq_filter_t;

/* A sequence that fails twice counts with the first of these. */
typedef struct {
    int64_t n_short, n_long, n_ambig;
} seq_filter_report_t;

/*
 * @param kept  [set->n] room; indices of the sequences that pass, ascending
 * @return how many pass
 */
int64_t seq_filter_find(const seq_filter_t *filter, const seqset_t *set, int32_t *kept,
                        seq_filter_report_t *report);

#endif
