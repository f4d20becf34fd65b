/*
 * h5check.h - opening an HDF5 file, group, dataset or attribute that a stranger may have
 * made: what could harm is refused before anything is read from it.
 *
 * Refused are links to other files and places (soft, external, user-defined), values in
 * other files (virtual datasets, external storage), filters other than shuffle and
 * deflate, types and shapes other than the expected ones, and more values than the stored
 * bytes can hold.  So memory is in proportion to the size of the file.
 *
 * What is refused is logged in one line that names the object.
 */
#pragma once

#include "io/base/logmsg.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* What a dataset must be. */
typedef struct {
    int rank;          /* 1 or 2 */
    bool is_triangle;  /* rank 2: only chunks with values of row < col are stored */
    hid_t memory_type; /* numbers of which each must be a value of this type; 0: texts */
} h5check_want_t;

/* How a dataset is stored. */
typedef struct {
    hsize_t size[2];    /* [rank] */
    size_t value_bytes; /* of a value in the file */
    bool is_variable;   /* texts of variable length, in the global heap */
    bool is_chunked;    /* the rest is set only then */
    hsize_t chunk[2];   /* [rank] */
    size_t chunk_bytes;
    int shuffle, deflate; /* number of the filter in the pipeline; -1: none */
} h5check_storage_t;

/* @return whether a path is a regular file that begins as HDF5 does */
bool h5check_is_hdf5(const char *path);

/* Open a file for reading. @return it, or less than 0 */
hid_t h5check_open_file(const char *path);

/* @return whether there is a link of this name, of any kind (not logged) */
bool h5check_exists(hid_t at, const char *name);

/* Open a group or a dataset; close it with H5Gclose, H5Dclose.
 * @return it, or less than 0 */
hid_t h5check_open_group(hid_t at, const char *name);
hid_t h5check_open_dataset(hid_t at, const char *name, const h5check_want_t *want,
                           h5check_storage_t *storage);

/*
 * Open an attribute of one value, which is a number or a text.
 *
 * @return it, or less than 0 (not logged): there is none
 */
hid_t h5check_open_attribute(hid_t at, const char *name);

/* @return the size of the file that an object is in; 0 if HDF5 does not say */
hsize_t h5check_file_bytes(hid_t object);

/* @return whether every value of a type of integers, or of real numbers, is one of
 *         another such type */
bool h5check_is_within(hid_t type, hid_t other);

/* Log what is wrong with an object: "/hits/row <what>". */
void h5check_refuse(hid_t at, const char *name, const char *what, ...) PRINTF_LIKE(3, 4);
