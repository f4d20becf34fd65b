/*
 * pairs_hits.h - a tile's hits as the log keeps them: only the pairs of the sparse file.
 *
 * A record starts with the number of hits, their bytes, the bytes of their CIGARs, the
 * number of pairs that each stage of the filter dropped, and the number of aligned pairs
 * without an identity.  Then come the hits: row,
 * column, score, matches, columns, strand and length of the CIGAR of each, as differences
 * from the previous hit, in as few bytes as possible.  If there are CIGARs, their text
 * follows as one chunk of tile_pack.h.  The hits themselves are not compressed: a tile
 * has few, and compressing them would take longer than all the rest of the tile's work.
 */
#pragma once

#include "io/base/buf.h"
#include "io/pairs/pairs_format.h"

/* A hit, and where its CIGAR is in the text. */
typedef struct {
    pairs_hit_t hit;
    int32_t text_len;
    int64_t text_at;
} pairs_entry_t;

/* Hits of one or several tiles. */
typedef struct {
    buf_t entries; /* of pairs_entry_t */
    buf_t text;    /* their CIGARs */
    int64_t n_dropped[PAIRS_STAGES_MAX];
    int64_t n_without_identity; /* aligned pairs; both strands count as one */
} pairs_hits_t;

/* @return the number of hits, and the k-th one */
int64_t pairs_hits_n(const pairs_hits_t *hits);
pairs_entry_t *pairs_hits_at(const pairs_hits_t *hits, int64_t k);

/* Append a tile's record. @return ST_OK or ST_ENOMEM */
status_t pairs_hits_pack(const pairs_hits_t *hits, buf_t *out) MUST_CHECK;

/* Append a record's hits to `to`.
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (not logged: no such record) */
status_t pairs_hits_unpack(const void *record, size_t len, pairs_hits_t *to) MUST_CHECK;

/* @return bytes of a record's hits in a result file, before compression */
int64_t pairs_hits_bytes(const void *record, size_t len);

void pairs_hits_free(pairs_hits_t *hits);
