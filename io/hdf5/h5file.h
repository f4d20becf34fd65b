/*
 * h5file.h - how HDF5 files are written: every byte that HDF5 writes is accounted for.
 *
 * HDF5 keeps chunks and metadata in memory and writes them when it likes, also when
 * something else is closed.  Here a driver of its own writes for it: the first write that
 * fails counts, whatever HDF5 makes of it, and after the last one the file is synced,
 * read back and compared, by a digest, with all that was written.
 *
 * A file may also begin behind a finished log (reslog.h), whose records are chunks of its
 * datasets then, where they are.
 */
#pragma once

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct h5file h5file_t;

/*
 * Begin a file, and replace what it holds.
 *
 * @param fd   open for reading and writing until h5file_end
 * @param out  also after a failure: h5file_end frees it
 * @return the file, for HDF5's functions, or less than 0
 */
hid_t h5file_create(int fd, h5file_t **out);

/*
 * Begin a file in a log: its superblock will replace the log's front, all else is written
 * behind the log.  Until it has its superblock, and after a failure, it is the log that
 * it was.
 *
 * @param fd   of the log, open until h5file_end
 * @param end  of the log
 * @param out  also after a failure: h5file_end frees it
 * @return the file, for HDF5's functions, or less than 0
 */
hid_t h5file_create_behind(int fd, int64_t end, h5file_t **out);

/* Make a part of the log the chunk of a dataset. @return whether it succeeded */
bool h5file_put_chunk(h5file_t *f, hid_t dataset, const hsize_t *origin, int64_t at,
                      uint32_t len);

/*
 * Close the file.  If `good`, and if it holds what was written, it is complete and on
 * disk now.  Otherwise what HDF5 has added is cut off.
 *
 * @param f  may be NULL
 * @return whether the file is complete; if not, errno may have the reason (h5util_cause)
 */
bool h5file_end(h5file_t *f, bool good);
