/*
 * h5_variable.h - variable-length strings, as result files before version 1.4 have them.
 */
#pragma once

#include "io/hdf5/h5util.h"
#include "tests/support/unit_test.h"

static inline hid_t variable_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    assert_true(H5Tset_size(type, H5T_VARIABLE) >= 0);
    assert_true(H5Tset_cset(type, H5T_CSET_UTF8) >= 0);
    return type;
}

static inline void put_variable(hid_t at, const char *name, const char *text)
{
    hid_t type = variable_type();

    assert_true(h5util_put(at, name, type, type, &text));
    H5Tclose(type);
}

static inline void put_variable_array(hid_t at, const char *name,
                                      const char *const *texts, int64_t n)
{
    hid_t type = variable_type();

    assert_true(h5util_put_array(at, name, type, type, texts, (hsize_t)n, 0));
    H5Tclose(type);
}
