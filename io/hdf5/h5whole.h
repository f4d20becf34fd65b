/*
 * h5whole.h - an HDF5 file that appears complete or not at all (whole_file.h).
 */
#ifndef RIBOGRID_IO_HDF5_H5WHOLE_H
#define RIBOGRID_IO_HDF5_H5WHOLE_H

#include "io/base/status.h"
#include "io/file/whole_file.h"

#include <hdf5.h>
#include <stdbool.h>

typedef struct {
    const char *path; /* the caller's, until the file is closed */
    hid_t file;
    whole_file_t *whole;
} h5whole_t;

/*
 * Create a file under its temporary name.
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

#endif
