/*
 * pairs_scan_state.h - a scan, as the files that read each kind of file share it.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_SCAN_STATE_H
#define RIBOGRID_IO_PAIRS_PAIRS_SCAN_STATE_H

#include "io/pairs/pairs_scan.h"
#include "io/pairs/pairs_state.h"

/* Rows of the matrices, as they were read. */
typedef struct {
    int64_t row0, row1;
    int64_t height; /* rows that there is room for */
    int32_t *values[PAIRS_DATASETS_MAX];
    int64_t *offsets; /* of CIGARs */
} pairs_strip_t;

struct pairs_scan {
    const pairs_file_t *file;
    fraction_t id;
    pairs_region_t region;
    pairs_hit_t *hits;   /* [capacity] the last call's */
    int64_t *text_begin; /* [capacity + 1] where their CIGARs start in /cigar */
    int64_t *text_len;   /* [capacity] */
    int64_t n, capacity;
    buf_t text; /* bytes text_first ... of /cigar */
    int64_t text_first;
    int64_t at; /* of matrices the next row, of hits the next hit */
    pairs_strip_t strip;
    int64_t hits_end; /* of hits: behind the region's last */
    int32_t *block;   /* [capacity] a dataset's values */
};

/* Make room for the hits of a call. @return ST_OK or ST_ENOMEM */
status_t pairs_scan_reserve(pairs_scan_t *s, int64_t capacity) MUST_CHECK;

/* Of n x n matrices: make ready, give the next row that has pairs, free. */
status_t pairs_strip_create(pairs_scan_t *s) MUST_CHECK;
status_t pairs_strip_next(pairs_scan_t *s) MUST_CHECK;
void pairs_strip_free(pairs_strip_t *strip);

/* Of /hits likewise: a block at a time. */
status_t pairs_block_create(pairs_scan_t *s) MUST_CHECK;
status_t pairs_block_next(pairs_scan_t *s) MUST_CHECK;

#endif
