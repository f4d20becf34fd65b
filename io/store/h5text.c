/*
 * h5text.c - text in HDF5 as variable-length UTF-8.
 */
#include "io/store/h5text.h"

#include "io/store/h5util.h"

#include <stdlib.h>
#include <string.h>

static hid_t text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

bool h5text_put(hid_t at, const char *name, const char *text)
{
    hid_t type = text_type(H5T_VARIABLE);
    bool good = h5util_put(at, name, type, type, &text);

    H5Tclose(type);
    return good;
}

char *h5text_get(hid_t at, const char *name)
{
    hid_t attribute = h5util_open_attribute(at, name), type = H5I_INVALID_HID;
    char *read = NULL, *out = NULL;

    if (attribute < 0)
        return NULL;
    type = H5Aget_type(attribute);
    if (H5Tis_variable_str(type) > 0 && H5Aread(attribute, type, &read) >= 0 &&
        read != NULL) {
        out = strdup(read);
        H5free_memory(read);
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return out;
}

bool h5text_put_array(hid_t at, const char *name, const char *const *texts, hsize_t n)
{
    hid_t type = text_type(H5T_VARIABLE);
    bool good = h5util_put_array(at, name, type, type, texts, n, 0);

    H5Tclose(type);
    return good;
}

char **h5text_get_array(hid_t at, const char *name, int64_t n, int64_t *n_out)
{
    int64_t n_values = 0;
    hid_t data = h5util_open_array(at, name, n, &n_values);
    hid_t type = data >= 0 ? H5Dget_type(data) : H5I_INVALID_HID;
    char **texts = NULL;
    bool good = data >= 0 && H5Tis_variable_str(type) > 0;

    if (good)
        texts = calloc((size_t)n_values + 1, sizeof(*texts));
    good = texts != NULL && (n_values == 0 || H5Dread(data, type, H5S_ALL, H5S_ALL,
                                                      H5P_DEFAULT, texts) >= 0);
    for (int64_t i = 0; good && i < n_values; i++)
        good = texts[i] != NULL; /* HDF5 gives NULL for a text that was never written */
    if (!good) {
        h5text_free_array(texts, n_values);
        texts = NULL;
    }
    if (data >= 0) {
        H5Tclose(type);
        H5Dclose(data);
    }
    if (n_out != NULL)
        *n_out = n_values;
    return texts;
}

void h5text_free_array(char **texts, int64_t n)
{
    for (int64_t i = 0; texts != NULL && i < n; i++)
        H5free_memory(texts[i]);
    free(texts);
}
