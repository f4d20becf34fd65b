/*
 * h5_case.h - an HDF5 file of a test: one dataset after the other, in a temporary
 * directory.
 *
 * h5_make and dir_remove are a group's setup and teardown,
 * h5_forget the teardown of each test.
 */
#pragma once

#include "io/hdf5/h5check.h"
#include "io/hdf5/h5util.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

static char h5_path[PATH_BYTES];
static hid_t h5_file; /* open for reading and writing */

static inline int h5_make(void **state)
{
    int failed = dir_make(state);

    h5util_init();
    dir_file("x.h5", h5_path);
    return failed;
}

/* Start with an empty file. */
static inline int h5_create(void **state)
{
    (void)state;
    h5_file = H5Fcreate(h5_path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return h5_file >= 0 ? 0 : -1;
}

static inline int h5_forget(void **state)
{
    (void)state;
    H5Fclose(h5_file);
    return unlink(h5_path);
}

/* Create a dataset; chunk 0: contiguous. @return it */
static inline hid_t h5_dataset(const char *name, hid_t type, int rank, hsize_t size,
                               hsize_t chunk, hid_t creation)
{
    hsize_t sizes[2] = {size, size}, chunks[2] = {chunk, chunk};
    hid_t space = H5Screate_simple(rank, sizes, NULL), dataset;

    if (chunk > 0)
        H5Pset_chunk(creation, rank, chunks);
    dataset = H5Dcreate2(h5_file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(dataset >= 0);
    H5Sclose(space);
    H5Pclose(creation);
    return dataset;
}

static inline hid_t h5_creation(void)
{
    return H5Pcreate(H5P_DATASET_CREATE);
}
