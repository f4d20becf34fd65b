/*
 * numbers.c - a dataset of integers, in memory while it is changed.
 */
#include "tests/mutate/numbers.h"

#include <stdlib.h>

enum { NUMBERS_MAX = 1000000, CHUNK_MAX = 1 << 22 };

static bool holds_integers(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset);
    bool good = H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT;

    H5Tclose(type);
    return good;
}

/* Writing to a huge chunk would take seconds. */
static bool has_small_chunks(hid_t dataset)
{
    hid_t creation = H5Dget_create_plist(dataset);
    hsize_t chunk[H5S_MAX_RANK] = {0};
    int rank = 0;
    bool good = true;

    if (H5Pget_layout(creation) == H5D_CHUNKED)
        rank = H5Pget_chunk(creation, H5S_MAX_RANK, chunk);
    for (int d = 0; d < rank; d++)
        good = good && chunk[d] <= CHUNK_MAX;
    H5Pclose(creation);
    return good;
}

static int64_t number_of(hid_t dataset)
{
    hid_t space = H5Dget_space(dataset);
    int64_t n = H5Sget_simple_extent_npoints(space);

    H5Sclose(space);
    return n;
}

bool numbers_open(mutant_t *m, const char *path, numbers_t *v)
{
    v->value = NULL;
    if ((v->dataset = mutant_open(m, path)) < 0)
        return false;
    v->n = number_of(v->dataset);
    if (v->n > 0 && v->n <= NUMBERS_MAX && holds_integers(v->dataset) &&
        has_small_chunks(v->dataset) &&
        (v->value = malloc((size_t)v->n * sizeof(*v->value))) != NULL &&
        H5Dread(v->dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, v->value) >=
            0)
        return true;
    numbers_close(v, false);
    return false;
}

void numbers_close(numbers_t *v, bool writes)
{
    if (writes)
        H5Dwrite(v->dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, v->value);
    H5Dclose(v->dataset);
    free(v->value);
    v->value = NULL;
}
