/*
 * pairs_state.c - what dense files and files of hits have in common when they are opened.
 */
#include "io/pairs/pairs_state.h"

#include "io/base/logmsg.h"
#include "io/store/h5text.h"

#include <stdio.h>

/* Enough for a row of pairs across a hundred tiles. */
enum { TEXT_CACHE_SLOTS = 10007, TEXT_CACHE_BYTES = 64 << 20 };

status_t pairs_refuse(const char *path, const char *what)
{
    log_error("%s: %s; give a file that `ribogrid align` wrote", path, what);
    return ST_EINPUT;
}

status_t pairs_read_side(const pairs_file_t *f, const char *group, int64_t n,
                         pairs_side_t *out)
{
    char path[64];

    snprintf(path, sizeof(path), "/%s/names", group);
    out->names = h5text_get_array(f->file, path, n, &out->n);
    if (out->names == NULL)
        return pairs_refuse(f->path, "cannot read its sequence names");
    snprintf(path, sizeof(path), "/%s/lengths", group);
    out->lengths =
        h5util_get_array(f->file, path, H5T_NATIVE_INT32, sizeof(int32_t), out->n, NULL);
    return out->lengths != NULL ? ST_OK
                                : pairs_refuse(f->path, "cannot read its lengths");
}

status_t pairs_read_values(const pairs_file_t *f, hid_t dataset, hid_t type, int64_t at,
                           int64_t n, void *out)
{
    hsize_t start = (hsize_t)at, count = (hsize_t)n;
    hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &count, NULL);
    bool good;

    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    good = H5Dread(dataset, type, memory, space, H5P_DEFAULT, out) >= 0;
    H5Sclose(memory);
    H5Sclose(space);
    return good ? ST_OK : h5util_cannot_read(f->path);
}

/* CIGARs are read row by row of the matrix: each row touches every tile of a row. */
hid_t pairs_open_text(hid_t file)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS), dataset;

    H5Pset_chunk_cache(access, TEXT_CACHE_SLOTS, TEXT_CACHE_BYTES, 1);
    dataset = H5Dopen2(file, "cigar", access);
    H5Pclose(access);
    return dataset;
}
