/*
 * reslog_h5.h - a finished log becomes an HDF5 file without being copied.
 *
 * HDF5's metadata and small datasets are written behind the last record; chunks that the
 * log has stay where they are, and the file's index points to them.  The superblock,
 * without which this is no HDF5 file, is written over the front of the log when all else
 * is on disk and was compared (h5file.h): until then, and after a failure, the file is
 * the log that it was.
 */
#pragma once

#include "io/store/reslog.h"

#include <hdf5.h>

typedef struct reslog_h5 reslog_h5_t;

/*
 * Begin an HDF5 file in a log.
 *
 * @param log  stays open, and gets no more records until reslog_h5_end
 * @param out  also after a failure: reslog_h5_end frees it
 * @return the file, for HDF5's functions, or a negative number
 */
hid_t reslog_h5_begin(const reslog_t *log, reslog_h5_t **out);

/*
 * Make a part of a task's record a chunk of a dataset.
 *
 * @param origin   of the chunk
 * @param at, len  the part of the payload
 * @return whether it succeeded
 */
bool reslog_h5_put_chunk(reslog_h5_t *h, hid_t dataset, const hsize_t *origin,
                         int64_t task, size_t at, uint32_t len);

/*
 * Close the file.  If `good`, and if everything was written, the log is a complete HDF5
 * file now, and on disk.  Otherwise what follows its records is cut off.
 *
 * @param h  may be NULL
 * @return whether the file is complete; if not, errno may have the reason
 */
bool reslog_h5_end(reslog_h5_t *h, bool good);
