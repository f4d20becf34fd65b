/*
 * h5stream.h - a long one-dimensional dataset, compressed by several threads.
 *
 * HDF5 compresses in the thread that writes, some 60 MB/s: a million genes' letters take
 * half a minute.  What is appended here is kept until there are some chunks for each
 * thread; they are shuffled and deflated as HDF5's filters would, and written as they
 * are.
 */
#ifndef RIBOGRID_IO_STORE_H5STREAM_H
#define RIBOGRID_IO_STORE_H5STREAM_H

#include "io/base/buf.h"
#include "io/base/pool.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* What a dataset holds, by which its bytes are compressed. */
typedef enum {
    H5STREAM_NUMBERS, /* bytes of like weight go side by side (HDF5's shuffle) */
    H5STREAM_TEXT,
    H5STREAM_LETTERS /* of sequences: tile_pack_append_letters */
} h5stream_kind_t;

/* Zeroed: none. */
typedef struct {
    hid_t dataset; /* 0: none */
    size_t value_bytes, chunk_bytes;
    int64_t n;        /* values appended */
    int64_t n_chunks; /* written */
    bool grows;       /* else its size was known */
    h5stream_kind_t kind;
    buf_t waiting;  /* values of no chunk yet */
    buf_t *packed;  /* [n_together] */
    buf_t *scratch; /* [n_threads] */
    int n_threads, n_together;
    pool_t *pool; /* NULL: none */
} h5stream_t;

/*
 * Create a dataset.
 *
 * @param type       the file's; values come in its bytes, little-endian ones
 * @param chunk      values of a chunk, > 0; fewer where n is less
 * @param n          values in all; -1: not known, the dataset grows without limit
 * @param pool       threads that compress, borrowed until the end; NULL: the caller alone
 * @return whether it went well
 */
bool h5stream_begin(hid_t at, const char *name, hid_t type, int64_t chunk, int64_t n,
                    h5stream_kind_t kind, pool_t *pool, h5stream_t *out);

/* Append values. @return whether it went well */
bool h5stream_append(h5stream_t *s, const void *values, int64_t n);

/* Write what is left, if all is well, and close; also one that there is none of, or
 * whose begin failed. @return whether it went well */
bool h5stream_end(h5stream_t *s);

#endif
