/*
 * h5stream.h - a long one-dimensional dataset, compressed by several threads.
 *
 * HDF5 compresses in the thread that writes, at some 60 MB/s: the bases of a million
 * genes would take half a minute.  Here appended values wait until every thread has
 * several chunks to compress.  These are deflated, numbers after shuffling, as HDF5's
 * filters would do it, and written directly; of a whole dataset while the next ones are
 * compressed.
 */
#pragma once

#include "io/base/pool.h"
#include "io/seq/alphabet.h"
#include "io/store/deflate.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Zeroed: no dataset. */
typedef struct {
    hid_t dataset; /* 0: no dataset */
    size_t value_bytes, chunk_bytes;
    int64_t n;        /* values appended */
    int64_t n_chunks; /* written */
    bool grows;       /* false: the size was known at the start */
    deflate_kind_t kind;
    const unsigned char *letter_of; /* the byte that is stored for each byte, or NULL */
    buf_t waiting;                  /* values that are not written yet */
    buf_t *packed;                  /* [2][n_together] compressed chunks */
    buf_t *scratch;                 /* [n_threads] */
    int n_threads;
    int n_together; /* chunks that are compressed at a time */
    pool_t *pool;   /* or NULL */
} h5stream_t;

/*
 * Create a dataset.
 *
 * @param type   of the file and of the values that are appended; little-endian
 * @param chunk  values per chunk, > 0; the last one may have fewer
 * @param n      values in all; -1: not known, the dataset grows without limit
 * @param kind   DEFLATE_NUMBERS are shuffled as well
 * @param pool   threads that compress, borrowed until h5stream_end; NULL: only the caller
 * @return whether it succeeded; if not, call h5stream_end all the same
 */
bool h5stream_begin(hid_t at, const char *name, hid_t type, int64_t chunk, int64_t n,
                    deflate_kind_t kind, pool_t *pool, h5stream_t *out);

/* Append n values. @return whether it succeeded */
bool h5stream_append(h5stream_t *s, const void *values, int64_t n);

/* Append a whole chunk that is compressed, as tile_pack_append makes it of numbers, to a
 * stream that gets nothing else. @return whether it succeeded */
bool h5stream_append_packed(h5stream_t *s, const void *chunk, uint32_t len);

/* Write the rest and close the dataset; a zeroed stream, and one whose h5stream_begin
 * failed, are allowed. @return whether it succeeded */
bool h5stream_end(h5stream_t *s);

/* Write a whole dataset. @return whether it succeeded */
bool h5stream_put(hid_t at, const char *name, hid_t type, int64_t chunk,
                  const void *values, int64_t n, deflate_kind_t kind, pool_t *pool);

/* Write a whole dataset of codes as ASCII, so that readers need no table of codes.
 * @return whether it succeeded */
bool h5stream_put_letters(hid_t at, const char *name, int64_t chunk, alphabet_t alphabet,
                          const uint8_t *codes, int64_t n, pool_t *pool);
