/*
 * result_field.c - types of fields, and where a field is in a file.
 */
#include "io/result/result_field.h"

#include <stdio.h>
#include <string.h>

result_place_t result_field_place(const char *name)
{
    const char *end = strchr(name, '@') != NULL ? strchr(name, '@') : strrchr(name, '/');
    result_place_t p;

    snprintf(p.group, sizeof(p.group), "%.*s", (int)(end - name), name);
    if (p.group[0] == '\0')
        strcpy(p.group, "/");
    snprintf(p.name, sizeof(p.name), "%s", end + 1);
    return p;
}

hid_t result_field_memory_type(result_type_t type)
{
    switch (type) {
    case RESULT_UINT8:
    case RESULT_BASES:
        return H5T_NATIVE_UINT8;
    case RESULT_UINT16:
        return H5T_NATIVE_UINT16;
    case RESULT_INT32:
        return H5T_NATIVE_INT32;
    case RESULT_FLOAT64:
        return H5T_NATIVE_DOUBLE;
    default:
        return H5T_NATIVE_INT64;
    }
}

hid_t result_field_file_type(result_type_t type)
{
    switch (type) {
    case RESULT_UINT8:
    case RESULT_BASES:
        return H5T_STD_U8LE;
    case RESULT_UINT16:
        return H5T_STD_U16LE;
    case RESULT_INT32:
        return H5T_STD_I32LE;
    case RESULT_FLOAT64:
        return H5T_IEEE_F64LE;
    default:
        return H5T_STD_I64LE;
    }
}
