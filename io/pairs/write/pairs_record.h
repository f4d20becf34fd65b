/*
 * pairs_record.h - whether a log's record can be one of a tile, before a result file is
 * made of it.
 *
 * What pairs_check.h demands of a file's pairs is demanded of a record's, and that it is
 * made of chunks that HDF5 can read.
 */
#ifndef RIBOGRID_IO_PAIRS_WRITE_PAIRS_RECORD_H
#define RIBOGRID_IO_PAIRS_WRITE_PAIRS_RECORD_H

#include "io/base/fraction.h"
#include "io/pairs/pairs_format.h"
#include "io/seq/seqset.h"
#include "io/store/tile.h"

/* What the job's records have in common; all is borrowed. */
typedef struct {
    const seqset_t *set;
    const tile_grid_t *grid;
    int n_datasets;
    bool is_sparse;          /* records of hits */
    bool has_strands;        /* hits of either strand */
    bool counts_bases;       /* matches are bases of the longer sequence: IDENTITY_MBL */
    fraction_t min_identity; /* of hits */
    int64_t min_score, max_score;
} pairs_record_job_t;

/*
 * Check the record of a tile.
 *
 * @return NULL, or why it cannot be one: a static text, as log_check_fn wants it
 */
const char *pairs_record_check(const pairs_record_job_t *job, int64_t tile,
                               const buf_t *record) MUST_CHECK;

#endif
