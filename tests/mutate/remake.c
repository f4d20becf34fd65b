/*
 * remake.c - how a dataset is to be made again, and making it.
 */
#include "tests/mutate/remake.h"

#include "tests/mutate/mutate_types.h"
#include "tests/mutate/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_MAX = 1000, VALUES_MAX = 1 << 20 };

/* Not the dataset's own properties: HDF5 1.10 crashes where their filters are changed. */
static hid_t make_creation(hid_t dataset, const remake_t *p)
{
    hid_t old = H5Dget_create_plist(dataset), creation = H5Pcreate(H5P_DATASET_CREATE);
    H5T_class_t kind = H5Tget_class(p->type);
    hsize_t chunk[H5S_MAX_RANK];
    int64_t fill;

    if (H5Pget_layout(old) == H5D_CHUNKED && H5Pget_chunk(old, H5S_MAX_RANK, chunk) > 0)
        H5Pset_chunk(creation, p->rank, chunk);
    if (kind == H5T_INTEGER && H5Pget_fill_value(old, H5T_NATIVE_INT64, &fill) >= 0)
        H5Pset_fill_value(creation, H5T_NATIVE_INT64, &fill);
    H5Pclose(old);
    return creation;
}

bool remake_begin(mutant_t *m, const char *path, remake_t *p)
{
    hid_t dataset = mutant_open(m, path), space;
    numbers_t v;

    *p = (remake_t){.writes = true, .packs = true};
    if (dataset < 0)
        return false;
    space = H5Dget_space(dataset);
    p->rank = H5Sget_simple_extent_dims(space, p->dims, p->max_dims);
    if (H5Sget_simple_extent_type(space) == H5S_NULL)
        p->rank = -1;
    H5Sclose(space);
    p->old_rank = p->rank;
    memcpy(p->old_dims, p->dims, sizeof(p->dims));
    p->type = H5Dget_type(dataset);
    p->creation = make_creation(dataset, p);
    H5Dclose(dataset);
    if (numbers_open(m, path, &v)) {
        p->old = v.value;
        H5Dclose(v.dataset);
    }
    return true;
}

void remake_set_chunk(remake_t *p, hsize_t side)
{
    hsize_t chunk[H5S_MAX_RANK];

    if (p->rank <= 0) {
        p->packs = false;
        H5Pset_layout(p->creation, H5D_CONTIGUOUS);
        return;
    }
    for (int d = 0; d < p->rank; d++) {
        hsize_t most = p->dims[d] < CHUNK_MAX ? p->dims[d] : CHUNK_MAX;

        chunk[d] = side > 0 ? side : most > 0 ? most : 1;
        if (d > 0 && side > CHUNK_MAX)
            chunk[d] = 1;
        if (p->max_dims[d] != H5S_UNLIMITED)
            p->max_dims[d] = p->dims[d] < chunk[d] ? chunk[d] : p->dims[d];
    }
    H5Pset_chunk(p->creation, p->rank, chunk);
}

void remake_forget_fill(remake_t *p)
{
    H5Pset_fill_value(p->creation, p->type, NULL);
}

static hid_t make_space(const remake_t *p)
{
    if (p->rank < 0)
        return H5Screate(H5S_NULL);
    if (p->rank == 0)
        return H5Screate(H5S_SCALAR);
    if (H5Pget_layout(p->creation) == H5D_CHUNKED ||
        (H5Pget_layout(p->creation) == H5D_VIRTUAL && p->max_dims[0] == H5S_UNLIMITED))
        return H5Screate_simple(p->rank, p->dims, p->max_dims);
    return H5Screate_simple(p->rank, p->dims, NULL);
}

/* Write the old values where they were. */
static void write_old(const remake_t *p, hid_t dataset, hid_t space)
{
    hsize_t start[H5S_MAX_RANK] = {0}, count[H5S_MAX_RANK];
    hid_t memory = H5Screate_simple(p->rank, p->old_dims, NULL);

    for (int d = 0; d < p->rank; d++)
        count[d] = p->dims[d] < p->old_dims[d] ? p->dims[d] : p->old_dims[d];
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Sselect_hyperslab(memory, H5S_SELECT_SET, start, NULL, count, NULL);
    H5Dwrite(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, p->old);
    H5Sclose(memory);
}

static void write_values(mutant_t *m, const remake_t *p, hid_t dataset, hid_t space)
{
    H5T_class_t kind = H5Tget_class(p->type);
    int64_t n = H5Sget_simple_extent_npoints(space);
    bool is_number = kind == H5T_INTEGER || kind == H5T_FLOAT;
    void *values;

    if (is_number && p->old != NULL && p->rank == p->old_rank && p->rank > 0) {
        write_old(p, dataset, space);
        return;
    }
    values =
        n > 0 && n <= VALUES_MAX ? mutate_types_values(m, p->type, (uint64_t)n) : NULL;
    if (values != NULL)
        H5Dwrite(dataset, p->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    free(values);
}

void remake_cancel(remake_t *p)
{
    H5Tclose(p->type);
    H5Pclose(p->creation);
    free(p->old);
}

void remake_end(mutant_t *m, const char *path, remake_t *p)
{
    hid_t space = make_space(p), dataset;

    H5Pset_obj_track_times(p->creation, false); /* the clock must not show in a mutant */
    if (p->packs && H5Pget_layout(p->creation) == H5D_CHUNKED) {
        H5Pset_shuffle(p->creation);
        H5Pset_deflate(p->creation, 1);
    }
    H5Ldelete(m->file, path, H5P_DEFAULT);
    dataset =
        H5Dcreate2(m->file, path, p->type, space, H5P_DEFAULT, p->creation, H5P_DEFAULT);
    if (dataset < 0)
        mutant_note(m, " (not made)");
    else if (p->writes)
        write_values(m, p, dataset, space);
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Sclose(space);
    remake_cancel(p);
}
