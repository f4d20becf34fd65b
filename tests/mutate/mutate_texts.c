/*
 * mutate_texts.c - text in datasets: bytes, strings of fixed and of variable length.
 */
#include "tests/mutate/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX = 1 << 20, STRING_MAX = 1 << 20 };

/* Change some bytes of values that have no pointers. */
static void change_bytes(mutant_t *m, hid_t dataset, hid_t type, uint64_t n)
{
    size_t n_bytes = n * H5Tget_size(type);
    char *bytes = malloc(n_bytes + 1);
    uint64_t at = mutant_below(m, n_bytes);
    size_t len;
    const char *text;

    if (bytes == NULL ||
        H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) < 0) {
        free(bytes);
        return;
    }
    if (mutant_chance(m, 50)) {
        text = mutant_text(m, &len);
        memcpy(bytes + at, text, len < n_bytes - at ? len : n_bytes - at);
        mutant_note(m, " a text at byte %d;", (int)at);
    } else {
        len = 1 + mutant_below(m, n_bytes - at);
        mutant_fill(m, bytes + at, len);
        mutant_note(m, " %d bytes at %d;", (int)len, (int)at);
    }
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    free(bytes);
}

/* @return the end of a text: a name of 10 MB would make too much correct output */
static const char *short_text(mutant_t *m)
{
    size_t len;
    const char *text = mutant_text(m, &len);

    return len > STRING_MAX ? text + len - STRING_MAX : text;
}

/* Change one string of variable length, or take all away. */
static void change_strings(mutant_t *m, hid_t dataset, hid_t type, uint64_t n)
{
    const char **texts = calloc(n + 1, sizeof(*texts));
    uint64_t k = mutant_below(m, n);

    if (texts != NULL && mutant_chance(m, 80) &&
        H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0)
        texts[k] = mutant_chance(m, 10) ? NULL : short_text(m);
    mutant_note(m, " string %d;", (int)k);
    if (texts != NULL)
        H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts);
    free(texts); /* the strings stay HDF5's until the program ends */
}

static bool is_text(hid_t type)
{
    return H5Tget_class(type) == H5T_STRING || H5Tget_size(type) == 1;
}

void mutate_texts(mutant_t *m)
{
    char path[MUTANT_NAME_BYTES];
    hid_t dataset = H5I_INVALID_HID, type = H5I_INVALID_HID, space;
    int64_t n = 0;

    for (int tries = 0; tries < 20; tries++) {
        if (!mutant_pick(m, MUTANT_DATASET, path) || (dataset = mutant_open(m, path)) < 0)
            return;
        type = H5Dget_type(dataset);
        space = H5Dget_space(dataset);
        n = H5Sget_simple_extent_npoints(space);
        H5Sclose(space);
        if (n > 0 && n < TEXTS_MAX && is_text(type))
            break;
        H5Tclose(type);
        H5Dclose(dataset);
        n = 0;
    }
    if (n <= 0)
        return;
    mutant_note(m, " text of %s:", path);
    if (H5Tis_variable_str(type) > 0)
        change_strings(m, dataset, type, (uint64_t)n);
    else
        change_bytes(m, dataset, type, (uint64_t)n);
    H5Tclose(type);
    H5Dclose(dataset);
}
