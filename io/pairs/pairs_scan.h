/*
 * pairs_scan.h - the pairs of a result file as one stream, dense or sparse.
 */
#pragma once

#include "io/base/status.h"
#include "io/pairs/pairs_order.h"

/* Rows row0 .. row1-1, columns col0 .. col1-1. */
typedef struct {
    int64_t row0, row1, col0, col1;
} pairs_region_t;

typedef struct pairs_scan pairs_scan_t;

/*
 * Check that a file holds all pairs at or above an identity; pairs_scan_open does so too.
 *
 * @param id  denominator 0: no minimum, any file passes
 * @return ST_OK, or ST_EINPUT (logged): the file holds only scores, or only pairs of
 *         higher identities
 */
status_t pairs_scan_check(const pairs_file_t *file, const fraction_t *id) MUST_CHECK;

/* Check that a file's pairs are of one set, all against all, with identities, and not
 * only the hits with centroids.
 * @return ST_OK or ST_EINPUT (logged) */
status_t pairs_scan_check_one_set(const pairs_file_t *file) MUST_CHECK;

/*
 * Start a stream of a file's pairs in order of row, then column.
 *
 * @param file  borrowed until pairs_scan_close
 * @param id    only pairs at or above it; NULL or denominator 0: all stored pairs
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (as pairs_scan_check)
 */
status_t pairs_scan_open(const pairs_file_t *file, const fraction_t *id,
                         pairs_scan_t **out) MUST_CHECK;

/* The same, with the pairs of a dense file that have no identity. */
status_t pairs_scan_open_whole(const pairs_file_t *file, pairs_scan_t **out) MUST_CHECK;

/* The same for a region within the file's rows and columns; NULL: all. */
status_t pairs_scan_open_region(const pairs_file_t *file, const fraction_t *id,
                                const pairs_region_t *region,
                                pairs_scan_t **out) MUST_CHECK;

/* The same, each row's pairs in an order; memory is then that of the row with the most
 * pairs. @return also ST_EINPUT as pairs_order_check */
status_t pairs_scan_open_sorted(const pairs_file_t *file, const fraction_t *id,
                                const pairs_region_t *region, pairs_order_t order,
                                pairs_scan_t **out) MUST_CHECK;

/*
 * Return the next pairs.
 *
 * @param hits  [*n] owned by the scan, valid until the next call
 * @param n     at least 1, or 0 at the end
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_scan_next(pairs_scan_t *scan, const pairs_hit_t **hits,
                         int64_t *n) MUST_CHECK;

/*
 * Return the CIGAR of the k-th pair of the last pairs_scan_next; fast if k only grows.
 *
 * @param text  [*len] not NUL-terminated, owned by the scan, valid until the next call
 * @param len   0: the pair or the file has no CIGAR
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_scan_cigar(pairs_scan_t *scan, int64_t k, const char **text,
                          int64_t *len) MUST_CHECK;

/*
 * The same as runs (cigar.h).
 *
 * @param runs  [*n_runs] owned by the scan, valid until the next call
 */
status_t pairs_scan_runs(pairs_scan_t *scan, int64_t k, const uint32_t **runs,
                         int64_t *n_runs) MUST_CHECK;

/* Takes NULL. */
void pairs_scan_close(pairs_scan_t *scan);
