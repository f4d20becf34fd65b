/*
 * h5util.h - small wrappers around HDF5: attributes, datasets, errors in one line.
 *
 * HDF5 types are used in io/ only.  HDF5's own file locking is off because it fails on
 * NFS and Lustre; the lock of the log keeps two runs apart.
 */
#pragma once

#include "io/base/status.h"
#include "io/file/whole_file.h"
#include "io/hdf5/h5file.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Set HDF5 up: no error stack on stderr, no file locking, no plugins.  Call it before any
 * other function; calling it again does no harm. */
void h5util_init(void);

/* Have it do nothing from now on (h5guest.h). */
void h5util_stay_guest(void);

/* @return why an HDF5 call has just failed, as far as errno shows; never NULL */
const char *h5util_cause(void);

/* Log that HDF5 could not create or write a file. @return ST_EIO */
status_t h5util_cannot_write(const char *path, const char *verb);

/*
 * Close what was written: an attribute, a dataset or a group.  HDF5 may write only then
 * what it holds of it.
 *
 * @param id    less than 0: it could not be created
 * @param good  whether it was written
 * @return whether all of it succeeded
 */
bool h5util_close(hid_t id, bool good);

/* Add an attribute of one value. @return whether it succeeded */
bool h5util_put(hid_t at, const char *name, hid_t file_type, hid_t memory_type,
                const void *value);

/* Add an attribute to a group, dataset or file. @return whether it succeeded */
bool h5util_put_int(hid_t at, const char *name, int64_t value);
bool h5util_put_real(hid_t at, const char *name, double value);

/* Read an integer attribute. @return whether there is one */
bool h5util_get_int(hid_t at, const char *name, int64_t *value);

/* Read a numeric attribute. @return whether there is one, which is finite */
bool h5util_get_real(hid_t at, const char *name, double *value);

/* Create a group. @return it, or less than 0 */
hid_t h5util_create_group(hid_t at, const char *name);

/* The shape and the storage of a dataset. */
typedef struct {
    int rank;                  /* 1 or 2 */
    hsize_t size[2], chunk[2]; /* chunk[0] = 0: not chunked, not compressed */
    bool grows;                /* without limit */
    bool shuffles;             /* HDF5's shuffle filter, before deflate */
    const void *fill;          /* a value of the dataset's type, or NULL: zero */
} h5util_shape_t;

/* Create a dataset. @return it, or less than 0 */
hid_t h5util_create(hid_t at, const char *name, hid_t type, const h5util_shape_t *shape);

/* Write a 1-d dataset, compressed if `chunk` > 0. @return whether it succeeded */
bool h5util_put_array(hid_t at, const char *name, hid_t file_type, hid_t memory_type,
                      const void *data, hsize_t n, hsize_t chunk);

/* The same for integers. */
bool h5util_put_int32s(hid_t at, const char *name, const int32_t *values, int64_t n,
                       hsize_t chunk);
bool h5util_put_int64s(hid_t at, const char *name, const int64_t *values, int64_t n,
                       hsize_t chunk);

/* An HDF5 file that appears complete or not at all (whole_file.h). */

typedef struct {
    const char *path; /* the caller's, until the file is closed */
    hid_t file;
    h5file_t *image;
    whole_file_t *whole;
} h5whole_t;

/*
 * Create a file.
 *
 * @param force  replace an existing file
 * @return ST_OK, or ST_ENOMEM, ST_EIO or ST_EINPUT, after which nothing has to be closed
 */
status_t h5whole_open(const char *path, bool force, h5whole_t *out) MUST_CHECK;

/* Log that the file cannot be written, unless it went well. @return ST_OK or ST_EIO */
status_t h5whole_check(const h5whole_t *f, bool good) MUST_CHECK;

/*
 * Close the file, and give it its name if all went well; remove it otherwise.
 *
 * @param st  what came of writing, which has been logged
 * @return st, or what closing came to
 */
status_t h5whole_close(h5whole_t *f, status_t st) MUST_CHECK;
