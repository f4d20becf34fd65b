/*
 * h5util.h - small wrappers round HDF5: attributes, 1-d datasets, errors as one line.
 *
 * HDF5 types are seen in io alone.  HDF5's own file locking is off (it fails on
 * NFS and Lustre); the log's lock keeps two runs apart.
 */
#ifndef RIBOGRID_IO_STORE_H5UTIL_H
#define RIBOGRID_IO_STORE_H5UTIL_H

#include "io/base/status.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Set HDF5 up: no error stack on stderr, no file locking.  Call before any other. */
void h5util_init(void);

/* @return why an HDF5 call has just failed, as far as errno tells; never NULL */
const char *h5util_cause(void);

/* Log that an HDF5 call failed on path. @return ST_EIO */
status_t h5util_fail(const char *path, const char *verb);

/* Put an attribute on a group, dataset or file. @return whether it went well */
bool h5util_put_text(hid_t at, const char *name, const char *text);
bool h5util_put_int(hid_t at, const char *name, int64_t value);
bool h5util_put_real(hid_t at, const char *name, double value);

/* @return the text of an attribute, the caller's, or NULL if there is none such */
char *h5util_get_text(hid_t at, const char *name);

/* Read a whole-number attribute. @return whether there is one */
bool h5util_get_int(hid_t at, const char *name, int64_t *value);

/* Read an attribute that is a number. @return whether there is one */
bool h5util_get_real(hid_t at, const char *name, double *value);

/* Write a 1-d dataset, deflated where `chunk` > 0. @return whether it went well */
bool h5util_put_array(hid_t at, const char *name, hid_t file_type, hid_t memory_type,
                      const void *data, hsize_t n, hsize_t chunk);

/* The same of the two whole types that files have. */
bool h5util_put_int32s(hid_t at, const char *name, const int32_t *values, int64_t n,
                       hsize_t chunk);
bool h5util_put_int64s(hid_t at, const char *name, const int64_t *values, int64_t n,
                       hsize_t chunk);

/* Write n strings as a 1-d dataset of variable-length UTF-8. */
bool h5util_put_texts(hid_t at, const char *name, const char *const *texts, hsize_t n);

/*
 * Read a 1-d dataset.
 *
 * @param value_bytes  of memory_type
 * @param n            how many values there have to be; -1: any number, told in *n_out
 * @return them, the caller's (free), or NULL if there is no such dataset
 */
void *h5util_get_array(hid_t at, const char *name, hid_t memory_type, size_t value_bytes,
                       int64_t n, int64_t *n_out);

/* Read a 1-d dataset of variable-length strings, as above; given back by
 * h5util_free_texts. */
char **h5util_get_texts(hid_t at, const char *name, int64_t n, int64_t *n_out);
void h5util_free_texts(char **texts, int64_t n);

#endif
