/*
 * pairs_hits.h - a tile's hits as the log keeps them: those pairs alone that a sparse
 * file is to hold.
 *
 * A record is its number of hits, their bytes, the bytes of their CIGARs, how many pairs
 * each stage of a filter has left out, and then of each hit row, column, score, matches,
 * columns of the alignment, strand and length of its CIGAR, as differences from the hit
 * before in as few bytes as hold them; and a chunk of their CIGARs' text, as tile_pack.h
 * makes it, if there is any.  A tile has some hits or none: to compress them would take
 * longer than all else that is done for it.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_HITS_H
#define RIBOGRID_IO_PAIRS_PAIRS_HITS_H

#include "io/pairs/pairs_scan.h"

/* A hit and its CIGAR's place in a text. */
typedef struct {
    pairs_hit_t hit;
    int32_t text_len;
    int64_t text_at;
} pairs_entry_t;

/* Hits of a tile or of several. */
typedef struct {
    buf_t entries; /* pairs_entry_t each */
    buf_t text;    /* of their CIGARs */
    int64_t n_dropped[PAIRS_STAGES_MAX];
} pairs_hits_t;

/* @return the number of hits, and the k-th */
int64_t pairs_hits_n(const pairs_hits_t *hits);
pairs_entry_t *pairs_hits_at(const pairs_hits_t *hits, int64_t k);

/* Append a tile's record. @return ST_OK or ST_ENOMEM */
status_t pairs_hits_pack(const pairs_hits_t *hits, buf_t *out) MUST_CHECK;

/* Append a record's hits to those that are there. @return ST_OK, ST_ENOMEM, or ST_EINPUT
 *         (silently) where it is no such record */
status_t pairs_hits_unpack(const void *record, size_t len, pairs_hits_t *to) MUST_CHECK;

/* @return bytes that a record's hits take in a file before compression */
int64_t pairs_hits_bytes(const void *record, size_t len);

/* Give the memory back. */
void pairs_hits_free(pairs_hits_t *hits);

#endif
