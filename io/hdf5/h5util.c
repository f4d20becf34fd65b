/*
 * h5util.c - small wrappers around HDF5: attributes, datasets, errors in one line.
 */
#include "io/hdf5/h5util.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For what HDF5 itself compresses, such as names; readers ignore it. */
enum { DEFLATE_LEVEL = 1 };

static bool is_guest;

void h5util_stay_guest(void)
{
    is_guest = true;
}

void h5util_init(void)
{
    static const char *const foreign[] = {"HDF5_DRIVER", "HDF5_VOL_CONNECTOR",
                                          "HDF5_PLUGIN_PATH", "HDF5_PLUGIN_PRELOAD"};

    if (is_guest)
        return;
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        unsetenv(foreign[i]);
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    H5dont_atexit(); /* after a full disk, HDF5 1.10 retries at exit and crashes */
    H5PLset_loading_state(0);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

const char *h5util_cause(void)
{
    switch (errno) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EROFS:
    case EACCES:
    case EIO:
        return strerror(errno);
    case EBADMSG:
        return "it does not hold what was written to it";
    default:
        return "HDF5 gives no reason";
    }
}

status_t h5util_cannot_write(const char *path, const char *verb)
{
    log_error("%s: HDF5 cannot %s the file: %s; check free space and write permission, "
              "then run again, with --resume if a .part file is left",
              path, verb, h5util_cause());
    return ST_EIO;
}

bool h5util_close(hid_t id, bool good)
{
    switch (id >= 0 ? H5Iget_type(id) : H5I_BADID) {
    case H5I_ATTR:
        return H5Aclose(id) >= 0 && good;
    case H5I_DATASET:
        return H5Dclose(id) >= 0 && good;
    case H5I_GROUP:
        return H5Gclose(id) >= 0 && good;
    default:
        return false;
    }
}

bool h5util_put(hid_t at, const char *name, hid_t file_type, hid_t memory_type,
                const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(at, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, memory_type, value) >= 0;

    H5Sclose(space);
    return h5util_close(attribute, good);
}

bool h5util_put_int(hid_t at, const char *name, int64_t value)
{
    return h5util_put(at, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

bool h5util_put_real(hid_t at, const char *name, double value)
{
    return h5util_put(at, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

bool h5util_get_int(hid_t at, const char *name, int64_t *value)
{
    hid_t attribute = h5check_open_attribute(at, name);
    hid_t type = attribute >= 0 ? H5Aget_type(attribute) : H5I_INVALID_HID;
    bool good = attribute >= 0 && h5check_is_within(type, H5T_NATIVE_INT64) &&
                H5Aread(attribute, H5T_NATIVE_INT64, value) >= 0;

    if (attribute >= 0) {
        H5Tclose(type);
        H5Aclose(attribute);
    }
    return good;
}

bool h5util_get_real(hid_t at, const char *name, double *value)
{
    hid_t attribute = h5check_open_attribute(at, name);
    bool good = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_DOUBLE, value) >= 0 &&
                isfinite(*value);

    if (attribute >= 0)
        H5Aclose(attribute);
    return good;
}

hid_t h5util_create_group(hid_t at, const char *name)
{
    return H5Gcreate2(at, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
}

hid_t h5util_create(hid_t at, const char *name, hid_t type, const h5util_shape_t *shape)
{
    const hsize_t any[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    hid_t space = H5Screate_simple(shape->rank, shape->size, shape->grows ? any : NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE), dataset;

    if (shape->chunk[0] > 0) {
        H5Pset_chunk(creation, shape->rank, shape->chunk);
        if (shape->shuffles)
            H5Pset_shuffle(creation);
        H5Pset_deflate(creation, DEFLATE_LEVEL);
    }
    if (shape->fill != NULL)
        H5Pset_fill_value(creation, type, shape->fill);
    dataset = H5Dcreate2(at, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    H5Pclose(creation);
    H5Sclose(space);
    return dataset;
}

bool h5util_put_array(hid_t at, const char *name, hid_t file_type, hid_t memory_type,
                      const void *data, hsize_t n, hsize_t chunk)
{
    h5util_shape_t shape = {.rank = 1, .size = {n}, .chunk = {chunk < n ? chunk : n}};
    hid_t dataset = h5util_create(at, name, file_type, &shape);
    bool good = dataset >= 0 && (n == 0 || H5Dwrite(dataset, memory_type, H5S_ALL,
                                                    H5S_ALL, H5P_DEFAULT, data) >= 0);

    return h5util_close(dataset, good);
}

bool h5util_put_int32s(hid_t at, const char *name, const int32_t *values, int64_t n,
                       hsize_t chunk)
{
    return h5util_put_array(at, name, H5T_STD_I32LE, H5T_NATIVE_INT32, values, (hsize_t)n,
                            chunk);
}

bool h5util_put_int64s(hid_t at, const char *name, const int64_t *values, int64_t n,
                       hsize_t chunk)
{
    return h5util_put_array(at, name, H5T_STD_I64LE, H5T_NATIVE_INT64, values, (hsize_t)n,
                            chunk);
}

/* ---- an HDF5 file that appears complete or not at all ---- */

status_t h5whole_open(const char *path, bool force, h5whole_t *out)
{
    h5whole_t f = {.path = path};
    status_t st;

    h5util_init();
    if ((st = whole_file_open(path, WHOLE_FILE_HDF5, force, &f.whole)) != ST_OK)
        return st;
    if ((f.file = h5file_create(whole_file_fd(f.whole), &f.image)) >= 0) {
        *out = f;
        return ST_OK;
    }
    (void)h5file_end(f.image, false);
    return whole_file_close(f.whole, h5util_cannot_write(path, "create"));
}

status_t h5whole_check(const h5whole_t *f, bool good)
{
    return good ? ST_OK : h5util_cannot_write(f->path, "write");
}

status_t h5whole_close(h5whole_t *f, status_t st)
{
    bool good = h5file_end(f->image, st == ST_OK);

    return whole_file_close(f->whole, st == ST_OK ? h5whole_check(f, good) : st);
}
