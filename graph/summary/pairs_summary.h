/*
 * pairs_summary.h - counts and an order of the sequences, from one scan of a result
 * file of all against all.
 */
#ifndef RIBOGRID_GRAPH_SUMMARY_PAIRS_SUMMARY_H
#define RIBOGRID_GRAPH_SUMMARY_PAIRS_SUMMARY_H

#include "io/pairs/pairs_scan.h"
#include "io/report/report_data.h"

typedef struct {
    int64_t n;                      /* sequences */
    int64_t n_identities;           /* pairs with an identity in the file */
    int64_t n_close;                /* of these, at or above the cutoff */
    int64_t histogram[REPORT_BARS]; /* of the identities */
    int32_t *order;                 /* [n] leaves of a dendrogram: spanning_forest.h */
} pairs_summary_t;

/*
 * Summarise every pair of a file.
 *
 * @param id   the cutoff of n_close
 * @param out  release with pairs_summary_free
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_summary_make(const pairs_file_t *file, const fraction_t *id,
                            pairs_summary_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void pairs_summary_free(pairs_summary_t *s);

#endif
