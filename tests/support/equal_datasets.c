/*
 * equal_datasets.c - compares two result files, except for /run and dates.
 *
 *   equal_datasets A.h5 B.h5
 *
 * Compares names, types, shapes, chunks, fill values, values and attributes of all groups
 * and datasets, byte by byte.  Prints the first difference and exits with 1.  A program
 * in C, because shell tests run it some hundred times.
 */
#include "io/hdf5/h5util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BYTES = 1 << 24, MAX_NAME = 1024 }; /* compared at a time; of a path */

typedef struct {
    hid_t a, b; /* less than 0: none */
} two_t;

static bool differ(const char *name, const char *what)
{
    printf("%s: %s differ\n", *name != 0 ? name : "/", what);
    return false;
}

static void *allocate(size_t bytes)
{
    void *p = calloc(bytes > 0 ? bytes : 1, 1);

    if (p == NULL) {
        fprintf(stderr, "equal_datasets: out of memory\n");
        exit(2);
    }
    return p;
}

static bool equal_types(two_t type)
{
    return H5Tequal(type.a, type.b) > 0 &&
           (H5Tis_variable_str(type.a) > 0 || H5Tdetect_class(type.a, H5T_VLEN) == 0);
}

/* Compare n values of a type in memory; *first is then the first one that differs. */
static bool equal_values(hid_t type, size_t n, const void *a, const void *b,
                         size_t *first)
{
    const size_t size = H5Tget_size(type);
    const bool texts = H5Tis_variable_str(type) > 0;
    const char *x = a, *y = b;

    for (size_t i = 0; i < n; i++, x += size, y += size) {
        const char *s = texts ? *(char *const *)x : NULL;
        const char *t = texts ? *(char *const *)y : NULL;

        *first = i;
        if (texts ? (s == NULL) != (t == NULL) || (s != NULL && strcmp(s, t) != 0)
                  : memcmp(x, y, size) != 0)
            return false;
    }
    return true;
}

/* Compare n values that read or were read as `st` says; release what they point to. */
static bool equal_read(hid_t type, hid_t space, void *a, void *b, bool were_read,
                       size_t *first)
{
    const bool equal =
        were_read &&
        equal_values(type, (size_t)H5Sget_select_npoints(space), a, b, first);

    if (were_read && H5Tis_variable_str(type) > 0) {
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, a);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, b);
    }
    free(a);
    free(b);
    return equal;
}

static bool equal_attribute(two_t at, const char *name)
{
    const two_t type = {H5Aget_type(at.a), H5Aget_type(at.b)};
    const two_t space = {H5Aget_space(at.a), H5Aget_space(at.b)};
    bool equal = equal_types(type) && H5Sextent_equal(space.a, space.b) > 0;

    if (equal) {
        const size_t bytes =
            (size_t)H5Sget_simple_extent_npoints(space.a) * H5Tget_size(type.a);
        void *a = allocate(bytes), *b = allocate(bytes);
        bool read = H5Aread(at.a, type.a, a) >= 0 && H5Aread(at.b, type.a, b) >= 0;
        size_t first;

        equal = equal_read(type.a, space.a, a, b, read, &first);
    }
    H5Tclose(type.a);
    H5Tclose(type.b);
    H5Sclose(space.a);
    H5Sclose(space.b);
    return equal || differ(name, "attributes");
}

/* Compare all attributes of two objects. */
static bool equal_attributes(two_t object, const char *name)
{
    const int n = H5Aget_num_attrs(object.a);
    bool equal = n == H5Aget_num_attrs(object.b) || differ(name, "names of attributes");

    for (int i = 0; equal && i < n; i++) {
        two_t at = {H5Aopen_by_idx(object.a, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i,
                                   H5P_DEFAULT, H5P_DEFAULT),
                    -1};
        char key[MAX_NAME], full[2 * MAX_NAME];

        H5Aget_name(at.a, sizeof(key), key);
        snprintf(full, sizeof(full), "%s: %s", name, key);
        at.b = H5Aopen(object.b, key, H5P_DEFAULT);
        if (at.b < 0)
            equal = differ(name, "names of attributes");
        else if (strcmp(key, "creation-date") != 0) /* of a BIOM table */
            equal = equal_attribute(at, full);
        H5Aclose(at.a);
        H5Aclose(at.b);
    }
    return equal;
}

/* Compare chunks and fill values. */
static bool equal_storage(two_t data, hid_t type, const char *name)
{
    const two_t plist = {H5Dget_create_plist(data.a), H5Dget_create_plist(data.b)};
    hsize_t chunk[2][H5S_MAX_RANK] = {{0}};
    H5D_fill_value_t has[2];
    bool equal = H5Pget_layout(plist.a) == H5Pget_layout(plist.b);

    if (equal && H5Pget_layout(plist.a) == H5D_CHUNKED) {
        H5Pget_chunk(plist.a, H5S_MAX_RANK, chunk[0]);
        H5Pget_chunk(plist.b, H5S_MAX_RANK, chunk[1]);
        equal = memcmp(chunk[0], chunk[1], sizeof(chunk[0])) == 0;
    }
    if (!equal)
        differ(name, "chunks");
    H5Pfill_value_defined(plist.a, &has[0]);
    H5Pfill_value_defined(plist.b, &has[1]);
    if (equal && has[0] != has[1])
        equal = differ(name, "fill values");
    if (equal && has[0] == H5D_FILL_VALUE_USER_DEFINED && H5Tis_variable_str(type) == 0) {
        void *a = allocate(H5Tget_size(type)), *b = allocate(H5Tget_size(type));
        bool read = H5Pget_fill_value(plist.a, type, a) >= 0 &&
                    H5Pget_fill_value(plist.b, type, b) >= 0;

        equal =
            (read && memcmp(a, b, H5Tget_size(type)) == 0) || differ(name, "fill values");
        free(a);
        free(b);
    }
    H5Pclose(plist.a);
    H5Pclose(plist.b);
    return equal;
}

/* Compare the rows of a selection of both datasets.
 * @param memory  as large as the selection, and of as many dimensions: HDF5 would copy
 * value by value from two to one */
static bool equal_rows(two_t data, hid_t type, hid_t memory, hid_t space,
                       const char *name, size_t values_before)
{
    const hssize_t n = H5Sget_select_npoints(space);
    void *a = allocate((size_t)n * H5Tget_size(type));
    void *b = allocate((size_t)n * H5Tget_size(type));
    const bool read = H5Dread(data.a, type, memory, space, H5P_DEFAULT, a) >= 0 &&
                      H5Dread(data.b, type, memory, space, H5P_DEFAULT, b) >= 0;
    size_t first = 0;
    const bool equal = equal_read(type, memory, a, b, read, &first);

    if (!equal)
        printf("%s: %s %zu\n", name, read ? "different at value" : "cannot read from",
               values_before + first);
    return equal;
}

/* Compare all values, some rows at a time. */
static bool equal_contents(two_t data, hid_t type, hid_t space, const char *name)
{
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    hsize_t size[H5S_MAX_RANK], start[H5S_MAX_RANK] = {0}, step;
    const int rank = H5Sget_simple_extent_dims(space, size, NULL);
    bool equal = true;

    if (n <= 0)
        return true;
    if (rank == 0)
        return equal_rows(data, type, space, space, name, 0);
    const hsize_t n_rows = size[0], values = (hsize_t)n / n_rows;

    step = MAX_BYTES / (values * H5Tget_size(type));
    step = step > 0 ? step : 1;
    for (; equal && start[0] < n_rows; start[0] += step) {
        hid_t memory;

        size[0] = n_rows - start[0] < step ? n_rows - start[0] : step;
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
        memory = H5Screate_simple(rank, size, NULL);
        equal = equal_rows(data, type, memory, space, name, (size_t)(start[0] * values));
        H5Sclose(memory);
    }
    return equal;
}

static bool equal_datasets(two_t data, const char *name)
{
    const two_t type = {H5Dget_type(data.a), H5Dget_type(data.b)};
    const two_t space = {H5Dget_space(data.a), H5Dget_space(data.b)};
    const bool equal =
        (equal_types(type) || differ(name, "types")) &&
        (H5Sextent_equal(space.a, space.b) > 0 || differ(name, "shapes")) &&
        equal_storage(data, type.a, name) && equal_contents(data, type.a, space.a, name);

    H5Tclose(type.a);
    H5Tclose(type.b);
    H5Sclose(space.a);
    H5Sclose(space.b);
    return equal;
}

static bool equal_groups(two_t group, const char *name);

/* Compare two objects of one name with all that they hold. */
static bool equal_objects(two_t object, const char *name)
{
    const H5I_type_t kind = object.b < 0 ? H5I_BADID : H5Iget_type(object.a);

    if (kind == H5I_BADID || kind != H5Iget_type(object.b))
        return differ(name, "kinds of objects");
    if (!equal_attributes(object, name))
        return false;
    return kind == H5I_DATASET ? equal_datasets(object, name)
                               : equal_groups(object, name);
}

/* Compare all objects of two groups, in the order of their names. */
static bool equal_groups(two_t group, const char *name)
{
    H5G_info_t a = {0}, b = {0};
    bool equal;

    H5Gget_info(group.a, &a);
    H5Gget_info(group.b, &b);
    equal = a.nlinks == b.nlinks || differ(name, "names of objects");
    for (hsize_t i = 0; equal && i < a.nlinks; i++) {
        char link[MAX_NAME], full[2 * MAX_NAME];
        two_t object;

        H5Lget_name_by_idx(group.a, ".", H5_INDEX_NAME, H5_ITER_INC, i, link,
                           sizeof(link), H5P_DEFAULT);
        if (strcmp(name, "") == 0 && strcmp(link, "run") == 0)
            continue;
        snprintf(full, sizeof(full), "%s/%s", name, link);
        object.a = H5Oopen(group.a, link, H5P_DEFAULT);
        object.b = H5Oopen(group.b, link, H5P_DEFAULT);
        equal = equal_objects(object, full);
        H5Oclose(object.a);
        H5Oclose(object.b);
    }
    return equal;
}

static hid_t open_file(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);

    if (file < 0)
        printf("%s: no HDF5 file\n", path);
    return file;
}

int main(int argc, char **argv)
{
    two_t root;

    if (argc != 3) {
        fprintf(stderr, "usage: equal_datasets A.h5 B.h5\n");
        return 2;
    }
    h5util_init();
    root.a = open_file(argv[1]);
    root.b = open_file(argv[2]);
    if (root.a < 0 || root.b < 0)
        return 1;
    root.a = H5Gopen2(root.a, "/", H5P_DEFAULT);
    root.b = H5Gopen2(root.b, "/", H5P_DEFAULT);
    return equal_objects(root, "") ? 0 : 1;
}
