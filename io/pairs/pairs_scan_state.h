/*
 * pairs_scan_state.h - a scan as the files that read each kind of result file share it.
 */
#pragma once

#include "io/base/buf.h"
#include "io/pairs/evalue.h"
#include "io/pairs/pairs_scan.h"
#include "io/pairs/pairs_state.h"

/* Rows row0 .. row1-1 of the matrices, of the region's columns. */
typedef struct {
    int64_t row0, row1;
    int64_t height; /* rows that the buffers can hold */
    int32_t *values[PAIRS_DATASETS_MAX];
    int64_t *offsets; /* of CIGARs */
} pairs_strip_t;

struct pairs_scan {
    const pairs_file_t *file;
    fraction_t id;
    bool is_whole; /* pairs without an identity, too */
    pairs_region_t region;
    pairs_hit_t *hits;   /* [capacity] what the last call returned: n of them */
    int64_t *text_begin; /* [capacity + 1] where their CIGARs start in /cigar */
    int64_t *text_len;   /* [capacity] */
    int64_t n, capacity;
    buf_t text; /* bytes of /cigar, from text_first on */
    int64_t text_first;
    buf_t runs;          /* of pairs_scan_runs */
    int64_t at;          /* dense: the next row; hits: the next hit */
    int64_t row;         /* hits: sorted: the next row */
    pairs_strip_t strip; /* dense */
    int64_t hits_end;    /* hits: end of the region's hits */
    int32_t *block;      /* hits: [capacity] values of one dataset */
    int32_t last_col;    /* hits: of the hit before s->at */
    pairs_order_t order;
    evalue_t law; /* of PAIRS_BY_EVALUE */
    buf_t sorted; /* scratch of pairs_scan_sort */
};

/* Allocate the hits of a call. @return ST_OK or ST_ENOMEM */
status_t pairs_scan_reserve(pairs_scan_t *s, int64_t capacity) MUST_CHECK;

/* pairs_scan_dense.c: the part of a scan that reads n x n matrices. */

/* Allocate the scan's buffers. @return ST_OK or ST_ENOMEM */
status_t pairs_scan_dense_create(pairs_scan_t *s) MUST_CHECK;

/* Fill s->hits with the next row that has a selected pair; s->n = 0 at the end.
 * @return ST_OK, ST_EIO or ST_EINPUT */
status_t pairs_scan_dense_next(pairs_scan_t *s) MUST_CHECK;

void pairs_scan_dense_free(pairs_strip_t *strip);

/* pairs_scan_hits.c: the part of a scan that reads /hits. */

/* Allocate the scan's buffers. @return ST_OK or ST_ENOMEM */
status_t pairs_scan_hits_create(pairs_scan_t *s) MUST_CHECK;

/* Fill s->hits with the next block that has a selected hit; s->n = 0 at the end.
 * @return ST_OK, ST_EIO or ST_EINPUT */
status_t pairs_scan_hits_next(pairs_scan_t *s) MUST_CHECK;

/* The part of a scan that puts the best pairs of each row first. */

/* Sort the pairs of the last block, which holds whole rows: by row, then the best first;
 * ties by column. @return ST_OK or ST_ENOMEM */
status_t pairs_scan_sort(pairs_scan_t *s) MUST_CHECK;
