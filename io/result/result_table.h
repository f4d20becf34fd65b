/*
 * result_table.h - writes and reads what a table describes.
 */
#ifndef RIBOGRID_IO_RESULT_RESULT_TABLE_H
#define RIBOGRID_IO_RESULT_RESULT_TABLE_H

#include "io/base/logmsg.h"
#include "io/base/pool.h"
#include "io/result/result_kind.h"

#include <hdf5.h>

/* ---- writing ---- */

/*
 * Write the fields of an object; groups are created on demand.
 *
 * @param n     [RESULT_DIMS_MAX] sizes of the dimensions
 * @param pool  threads that compress, or NULL
 * @return whether it succeeded
 */
bool result_write(hid_t file, const result_field_t *fields, const void *object,
                  const int64_t *n, pool_t *pool);

/* Write the format and its version. @return whether it succeeded */
bool result_write_format(hid_t file, const result_kind_t *kind);

/* ---- reading ---- */

typedef struct {
    const result_kind_t *kind;
    const char *path; /* borrowed */
    hid_t file;
    int64_t version, version_minor;
    int64_t n[RESULT_DIMS_MAX]; /* sizes of the dimensions; -1: not known yet */
} result_reader_t;

/* Open a file and check its format.
 * @return ST_OK or ST_EINPUT (logged), after which nothing has to be closed */
status_t result_read_open(const char *path, const result_kind_t *kind,
                          result_reader_t *out) MUST_CHECK;

/*
 * Read the fields of an object, and check them.
 *
 * The size of a dimension is that of the first dataset that has it.
 *
 * @param object  its members are zeroed; what was read before an error is freed by
 *                the caller, by result_free or otherwise
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t result_read(result_reader_t *r, const result_field_t *fields,
                     void *object) MUST_CHECK;

void result_read_close(result_reader_t *r);

/* Log why the file is refused: "PATH: REASON; give a file that `MAKER` wrote".
 * @return ST_EINPUT */
status_t result_refuse(const result_reader_t *r, const char *reason, ...)
    PRINTF_LIKE(2, 3);

/* Free the texts and arrays of an object that was read, and set them to NULL. */
void result_free(const result_field_t *fields, void *object);

#endif
