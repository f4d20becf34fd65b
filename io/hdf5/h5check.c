/*
 * h5check.c - links, storage, types and extents of HDF5 objects, checked before they are
 * read.
 */
#include "io/hdf5/h5check.h"

#include "io/base/child.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 256, REASON_BYTES = 256 };

/* Deflate makes at most 258 bytes of 2 bits: https://zlib.net/zlib_tech.html. */
enum { DEFLATE_RATIO_MAX = 1032 };

/* HDF5 holds a chunk, and an attribute, as a whole.  We write chunks of up to 512 KiB;
 * a repacked file may have larger ones. */
enum { CHUNK_BYTES_MAX = 1 << 24, ATTRIBUTE_BYTES_MAX = 1 << 20 };

/* A variable-length text in a file: its length, and where it is in the global heap. */
enum { VARIABLE_BYTES = 16 };

typedef enum { LINK_MISSING, LINK_HARD, LINK_OTHER } link_t;

void h5check_refuse(hid_t at, const char *name, const char *what, ...)
{
    char path[PATH_BYTES] = "", group[NAME_BYTES] = "", reason[REASON_BYTES];
    va_list args;

    va_start(args, what);
    vsnprintf(reason, sizeof(reason), what, args);
    va_end(args);
    H5Fget_name(at, path, sizeof(path));
    if (name[0] != '/')
        H5Iget_name(at, group, sizeof(group));
    log_error("%s: %s%s%s %s; give a file as ribogrid wrote it", path, group,
              name[0] == '/' || strcmp(group, "/") == 0 ? "" : "/", name, reason);
}

static hid_t refuse_file(const char *path, const char *why)
{
    log_error("%s: %s; give a file that ribogrid wrote", path, why);
    return H5I_INVALID_HID;
}

static hid_t refuse_unopened(const char *path, int error)
{
    char why[REASON_BYTES];

    snprintf(why, sizeof(why), "cannot open it: %s", strerror(error));
    return refuse_file(path, why);
}

/* The driver for plain files is named, so that no environment variable selects another.
 */
bool h5check_is_hdf5(const char *path)
{
    unsigned char magic[8] = {0};
    struct stat info;
    FILE *file;

    /* not a pipe: what is read here would be missing later */
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
        (file = fopen(path, "rb")) == NULL)
        return false;
    if (fread(magic, 1, sizeof(magic), file) < sizeof(magic))
        magic[0] = 0;
    fclose(file);
    return memcmp(magic, "\x89HDF\r\n\x1a\n", sizeof(magic)) == 0;
}

hid_t h5check_open_file(const char *path)
{
    struct stat info;
    hid_t driver, file;

    if (stat(path, &info) != 0 || access(path, R_OK) != 0)
        return refuse_unopened(path, errno);
    if (S_ISDIR(info.st_mode))
        return refuse_unopened(path, EISDIR);
    if (!S_ISREG(info.st_mode))
        return refuse_file(path, "not a regular file");
    child_reads(path);
    driver = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_sec2(driver);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(driver, false, true); /* it fails on some NFS */
#endif
    file = H5Fopen(path, H5F_ACC_RDONLY, driver);
    H5Pclose(driver);
    return file >= 0 ? file : refuse_file(path, "not an HDF5 file, or a truncated one");
}

/* Look at each part of the path: HDF5 would follow links of any kind. */
static link_t find_link(hid_t at, const char *name)
{
    char part[NAME_BYTES];
    size_t len = strspn(name, "/");

    while (name[len] != '\0') {
        H5L_info_t info;

        len += strcspn(name + len, "/");
        snprintf(part, sizeof(part), "%.*s", (int)len, name);
        if (H5Lexists(at, part, H5P_DEFAULT) <= 0 ||
            H5Lget_info(at, part, &info, H5P_DEFAULT) < 0)
            return LINK_MISSING;
        if (info.type != H5L_TYPE_HARD)
            return LINK_OTHER;
        len += strspn(name + len, "/");
    }
    return LINK_HARD;
}

bool h5check_exists(hid_t at, const char *name)
{
    return find_link(at, name) != LINK_MISSING;
}

/* @return whether the path consists of hard links */
static bool check_link(hid_t at, const char *name)
{
    link_t link = find_link(at, name);

    if (link == LINK_MISSING)
        h5check_refuse(at, name, "is missing");
    else if (link == LINK_OTHER)
        h5check_refuse(at, name, "is a link to another place");
    return link == LINK_HARD;
}

hid_t h5check_open_group(hid_t at, const char *name)
{
    hid_t group;

    if (!check_link(at, name))
        return H5I_INVALID_HID;
    if ((group = H5Gopen2(at, name, H5P_DEFAULT)) < 0)
        h5check_refuse(at, name, "is not a group, or a damaged one");
    return group;
}

/* @return whether a type is a real number as CPUs have them */
static bool is_ieee(hid_t type)
{
    return H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F32LE) > 0 ||
           H5Tequal(type, H5T_IEEE_F64BE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0;
}

bool h5check_is_within(hid_t type, hid_t other)
{
    size_t size = H5Tget_size(type), other_size = H5Tget_size(other);
    bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    bool other_is_signed = H5Tget_sign(other) == H5T_SGN_2;

    if (H5Tget_class(other) == H5T_FLOAT)
        return is_ieee(type) && size <= other_size;
    if (H5Tget_class(type) != H5T_INTEGER || H5Tget_precision(type) != 8 * size)
        return false;
    return is_signed == other_is_signed ? size <= other_size
                                        : !is_signed && size < other_size;
}

/* @return NULL or what is wrong; likewise below */
static const char *check_type(hid_t dataset, const h5check_want_t *want,
                              h5check_storage_t *out)
{
    hid_t type = H5Dget_type(dataset);
    bool good = want->memory_type > 0 ? h5check_is_within(type, want->memory_type)
                                      : H5Tget_class(type) == H5T_STRING;

    out->is_variable = H5Tis_variable_str(type) > 0;
    out->value_bytes = out->is_variable ? VARIABLE_BYTES : H5Tget_size(type);
    H5Tclose(type);
    if (good && out->value_bytes > 0)
        return NULL;
    return want->memory_type > 0 ? "does not hold numbers of the expected type"
                                 : "does not hold texts";
}

static const char *check_rank(hid_t dataset, const h5check_want_t *want,
                              h5check_storage_t *out)
{
    hid_t space = H5Dget_space(dataset);
    bool good = H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
                H5Sget_simple_extent_ndims(space) == want->rank &&
                H5Sget_simple_extent_dims(space, out->size, NULL) == want->rank;

    H5Sclose(space);
    return good ? NULL : "has the wrong number of dimensions";
}

/* The filters are shuffle and deflate, in this order; either may be absent. */
static const char *check_filters(hid_t creation, h5check_storage_t *out)
{
    int n = H5Pget_nfilters(creation);
    unsigned options = 0;

    if (n < 0 || H5Pget_chunk_opts(creation, &options) < 0 || options != 0)
        return "has an unknown storage";
    for (int i = 0; i < n; i++) {
        unsigned flags, value = 0;
        size_t n_values = 1;
        H5Z_filter_t filter = H5Pget_filter2(creation, (unsigned)i, &flags, &n_values,
                                             &value, 0, NULL, NULL);

        /* HDF5 shuffles variable-length texts by another size */
        if (filter == H5Z_FILTER_SHUFFLE && i == 0 &&
            (value == out->value_bytes || out->is_variable))
            out->shuffle = i;
        else if (filter == H5Z_FILTER_DEFLATE && i == n - 1)
            out->deflate = i;
        else
            return "has filters other than shuffle and deflate";
    }
    return NULL;
}

static const char *check_chunks(hid_t creation, const h5check_want_t *want,
                                h5check_storage_t *out)
{
    hsize_t bytes = out->value_bytes;

    out->is_chunked = true;
    if (H5Pget_chunk(creation, want->rank, out->chunk) != want->rank)
        return "has chunks of another shape";
    for (int d = 0; d < want->rank; d++)
        if (out->chunk[d] == 0 || out->chunk[d] > CHUNK_BYTES_MAX ||
            (bytes *= out->chunk[d]) > CHUNK_BYTES_MAX)
            return "has chunks of more than 16 MiB";
    out->chunk_bytes = (size_t)bytes;
    return check_filters(creation, out);
}

static const char *check_layout(hid_t dataset, const h5check_want_t *want,
                                h5check_storage_t *out)
{
    hid_t creation = H5Dget_create_plist(dataset);
    const char *wrong = NULL;

    switch (H5Pget_layout(creation)) {
    case H5D_COMPACT:
    case H5D_CONTIGUOUS:
        break;
    case H5D_CHUNKED:
        wrong = check_chunks(creation, want, out);
        break;
    case H5D_VIRTUAL:
        wrong = "is a virtual dataset";
        break;
    default:
        wrong = "has an unknown storage";
        break;
    }
    if (wrong == NULL && H5Pget_external_count(creation) != 0)
        wrong = "stores its values in other files";
    H5Pclose(creation);
    return wrong;
}

hsize_t h5check_file_bytes(hid_t object)
{
    hid_t file = H5Iget_file_id(object);
    hsize_t bytes = 0;

    if (file >= 0) {
        H5Fget_filesize(file, &bytes);
        H5Fclose(file);
    }
    return bytes;
}

/* Of an n x n triangle n (n - 1) / 2 values must be stored, else all. */
static const char *check_extent(hid_t dataset, const h5check_want_t *want,
                                const h5check_storage_t *s)
{
    hsize_t stored = H5Dget_storage_size(dataset),
            file_bytes = h5check_file_bytes(dataset);
    hsize_t rows = want->rank == 2 ? s->size[0] : 1, columns = s->size[want->rank - 1];
    hsize_t n, bytes;

    if (want->is_triangle && rows != columns)
        return "is not n x n";
    if (rows > INT64_MAX || columns > INT64_MAX ||
        __builtin_mul_overflow(rows, columns, &n))
        return "has more values than its file can hold";
    if (want->is_triangle)
        n = (n - rows) / 2;
    stored = stored < file_bytes ? stored : file_bytes;
    if (s->is_chunked && s->deflate >= 0)
        stored *= DEFLATE_RATIO_MAX;
    if (__builtin_mul_overflow(n, s->value_bytes, &bytes) || bytes > stored)
        return "has more values than its file can hold";
    return NULL;
}

hid_t h5check_open_dataset(hid_t at, const char *name, const h5check_want_t *want,
                           h5check_storage_t *storage)
{
    h5check_storage_t s = {.shuffle = -1, .deflate = -1};
    const char *wrong = NULL;
    hid_t dataset;

    if (!check_link(at, name))
        return H5I_INVALID_HID;
    if ((dataset = H5Dopen2(at, name, H5P_DEFAULT)) < 0)
        wrong = "is not a dataset, or a damaged one";
    if (wrong == NULL)
        wrong = check_rank(dataset, want, &s);
    if (wrong == NULL)
        wrong = check_type(dataset, want, &s);
    if (wrong == NULL)
        wrong = check_layout(dataset, want, &s);
    if (wrong == NULL)
        wrong = check_extent(dataset, want, &s);
    if (wrong == NULL) {
        *storage = s;
        return dataset;
    }
    h5check_refuse(at, name, "%s", wrong);
    if (dataset >= 0)
        H5Dclose(dataset);
    return H5I_INVALID_HID;
}

/* @return whether an attribute is one number or text, and not a large one */
static bool is_single(hid_t attribute)
{
    hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    H5T_class_t kind = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    bool good = H5Sget_simple_extent_npoints(space) == 1 && size > 0;

    if (kind == H5T_INTEGER || kind == H5T_FLOAT)
        good = good && size <= sizeof(int64_t);
    else
        good = good && kind == H5T_STRING && size <= ATTRIBUTE_BYTES_MAX;
    H5Tclose(type);
    H5Sclose(space);
    return good;
}

hid_t h5check_open_attribute(hid_t at, const char *name)
{
    hid_t attribute = H5I_INVALID_HID;

    if (H5Aexists(at, name) > 0)
        attribute = H5Aopen(at, name, H5P_DEFAULT);
    if (attribute < 0 || is_single(attribute))
        return attribute;
    H5Aclose(attribute);
    return H5I_INVALID_HID;
}
