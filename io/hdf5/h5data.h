/*
 * h5data.h - reading a dataset that h5check.h has checked.
 *
 * Chunks are fetched as they are stored and decoded here: HDF5's own filters trust that a
 * chunk inflates to its full size, and read beyond it if it does not.
 */
#pragma once

#include "io/base/buf.h"
#include "io/hdf5/h5check.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a dataset must be, and how it is read. */
typedef struct {
    int rank;          /* 1 or 2 */
    hid_t memory_type; /* of numbers as they are read; 0: texts, as they are stored */
    bool is_triangle;  /* rank 2: n x n; chunks without values of row < col may be missing
                        */
    const void *fill;  /* such chunks' value; NULL: zero */
    size_t cache_bytes; /* decoded chunks to keep; at least one is kept */
} h5data_want_t;

/* An open dataset. */
typedef struct {
    hid_t id;              /* lives until h5data_close */
    int64_t rows, columns; /* of a 1-d dataset 1 and its number of values */
    size_t value_bytes;    /* of a value as it is read */
    /* how it is read: */
    hid_t file_type, memory_type; /* 0: as in the file */
    char name[256];               /* from the root, for messages */
    h5check_storage_t storage;
    int rank;
    bool is_triangle, converts;
    unsigned char fill[8];             /* a value */
    int64_t chunk_rows, chunk_columns; /* of a chunk */
    int64_t n_slots;
    struct h5data_slot *slots;        /* decoded chunks */
    unsigned char *stored, *inflated; /* scratch: a chunk as it is stored, and inflated */
    size_t stored_capacity;
} h5data_t;

/* Open a dataset. @return it, or NULL (logged) */
h5data_t *h5data_open(hid_t at, const char *name, const h5data_want_t *want);

/* Check that all chunks can be read. @return ST_OK, ST_ENOMEM or ST_EIO (logged) */
status_t h5data_check(h5data_t *data) MUST_CHECK;

/* @return bytes of its values in the file, compressed */
int64_t h5data_stored_bytes(const h5data_t *data);

/*
 * Read rows row0 .. row1-1, columns col0 .. col1-1, which must exist.
 *
 * @param out  [(row1 - row0) x (col1 - col0)] of memory_type, row by row
 * @return ST_OK, ST_ENOMEM, ST_EIO, or ST_EINPUT (logged: a real number is not finite)
 */
status_t h5data_read(h5data_t *data, int64_t row0, int64_t row1, int64_t col0,
                     int64_t col1, void *out) MUST_CHECK;

/*
 * Append a chunk of int32 values as it is stored, if that is as this program stores it:
 * a square of `side` rows whose corner is in the row and the column, shuffled, deflated.
 *
 * @param is_such  out: whether it is, and was appended
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t h5data_read_stored(h5data_t *data, int64_t row, int64_t column, int64_t side,
                            buf_t *out, bool *is_such) MUST_CHECK;

/* Takes NULL. */
void h5data_close(h5data_t *data);

/*
 * Read a whole 1-d dataset.
 *
 * @param n      number of values that it must have; -1: any
 * @param n_out  the number of values; may be NULL
 * @return them, owned by the caller (free), or NULL (logged)
 */
void *h5data_get(hid_t at, const char *name, hid_t memory_type, int64_t n,
                 int64_t *n_out);
