/*
 * h5whole.c - an HDF5 file that appears complete or not at all.
 */
#include "io/hdf5/h5whole.h"

#include "io/hdf5/h5util.h"

status_t h5whole_open(const char *path, bool force, h5whole_t *out)
{
    h5whole_t f = {.path = path};
    status_t st;

    h5util_init();
    if ((st = whole_file_open(path, WHOLE_FILE_HDF5, force, &f.whole)) != ST_OK)
        return st;
    f.file = H5Fcreate(whole_file_tmp(f.whole), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (f.file < 0)
        return whole_file_close(f.whole, h5util_cannot_write(path, "create"));
    *out = f;
    return ST_OK;
}

status_t h5whole_check(const h5whole_t *f, bool good)
{
    return good ? ST_OK : h5util_cannot_write(f->path, "write");
}

status_t h5whole_close(h5whole_t *f, status_t st)
{
    bool closed = H5Fclose(f->file) >= 0;

    return whole_file_close(f->whole, st == ST_OK ? h5whole_check(f, closed) : st);
}
