/*
 * pairs_scan.h - the pairs of a result file as one stream, whichever way they are stored.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_SCAN_H
#define RIBOGRID_IO_PAIRS_PAIRS_SCAN_H

#include "io/pairs/pairs_file.h"

/* A pair; of a file of scores alone matches = columns = 0. */
typedef struct {
    int32_t row, col, score, matches, columns;
    int32_t strand; /* 1, or -1: the row's reverse complement was aligned */
} pairs_hit_t;

/* Rows row0 .. row1-1, columns col0 .. col1-1. */
typedef struct {
    int64_t row0, row1, col0, col1;
} pairs_region_t;

typedef struct pairs_scan pairs_scan_t;

/*
 * Look whether a file holds all pairs at or above an identity, as every scan does.
 *
 * @param id  denominator 0: none is asked for
 * @return ST_OK, or ST_EINPUT: identities asked of a file of scores alone, or of one that
 *         lacks such pairs
 */
status_t pairs_scan_check(const pairs_file_t *file, const fraction_t *id) MUST_CHECK;

/* Look whether a file's pairs are of one set, all against all, with identities.
 * @return ST_OK or ST_EINPUT */
status_t pairs_scan_check_one_set(const pairs_file_t *file) MUST_CHECK;

/*
 * Stream a file's pairs in order of row, then column.
 *
 * @param file  borrowed until pairs_scan_close
 * @param id    only pairs at or above it; NULL or denominator 0: all that are stored
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (as pairs_scan_check)
 */
status_t pairs_scan_open(const pairs_file_t *file, const fraction_t *id,
                         pairs_scan_t **out) MUST_CHECK;

/* The same of a region, which lies within the file's rows and columns; NULL: all. */
status_t pairs_scan_open_region(const pairs_file_t *file, const fraction_t *id,
                                const pairs_region_t *region,
                                pairs_scan_t **out) MUST_CHECK;

/*
 * Give the next pairs.
 *
 * @param hits  [*n] the scan's until the next call
 * @param n     at least 1, or 0 at the end
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_scan_next(pairs_scan_t *scan, const pairs_hit_t **hits,
                         int64_t *n) MUST_CHECK;

/*
 * Give the CIGAR of the k-th of the last pairs_scan_next's; cheap if k only grows.
 *
 * @param text  [*len] not NUL-terminated, the scan's until the next call
 * @param len   0: the pair, or the file, has none
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_scan_cigar(pairs_scan_t *scan, int64_t k, const char **text,
                          int64_t *len) MUST_CHECK;

/* Takes NULL. */
void pairs_scan_close(pairs_scan_t *scan);

#endif
