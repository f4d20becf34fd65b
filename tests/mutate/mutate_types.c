/*
 * mutate_types.c - types of values that a reader does not expect.
 */
#include "tests/mutate/mutate_types.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES_BYTES_MAX = 64 << 20 };

static hid_t number_type(mutant_t *m)
{
    const hid_t types[] = {
        H5T_STD_I8LE,  H5T_STD_U8LE,   H5T_STD_I16LE,  H5T_STD_U16LE,  H5T_STD_I32LE,
        H5T_STD_U32LE, H5T_STD_I64LE,  H5T_STD_U64LE,  H5T_STD_I32BE,  H5T_STD_I64BE,
        H5T_STD_U64BE, H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_NATIVE_LDOUBLE,
    };
    hid_t type = H5Tcopy(types[mutant_below(m, sizeof(types) / sizeof(types[0]))]);

    if (mutant_chance(m, 15)) {
        H5Tset_precision(type, 1 + mutant_below(m, 8 * H5Tget_size(type)));
        mutant_note(m, " odd precision,");
    }
    mutant_note(m, " %s of %d bytes",
                H5Tget_class(type) == H5T_FLOAT ? "float" : "integer",
                (int)H5Tget_size(type));
    return type;
}

static hid_t string_type(mutant_t *m)
{
    const size_t sizes[] = {H5T_VARIABLE, H5T_VARIABLE, 1, 5, 64, 60000};
    hid_t type = H5Tcopy(H5T_C_S1);
    size_t size = sizes[mutant_below(m, 6)];

    H5Tset_size(type, size);
    H5Tset_strpad(type, (H5T_str_t)mutant_below(m, 3));
    H5Tset_cset(type, mutant_chance(m, 50) ? H5T_CSET_UTF8 : H5T_CSET_ASCII);
    mutant_note(m, " string of %d bytes", (int)size);
    return type;
}

static hid_t compound_type(void)
{
    hid_t text = H5Tcopy(H5T_C_S1), type = H5Tcreate(H5T_COMPOUND, 24);

    H5Tset_size(text, H5T_VARIABLE);
    H5Tinsert(type, "a", 0, H5T_NATIVE_INT);
    H5Tinsert(type, "b", 8, text);
    H5Tinsert(type, "c", 16, H5T_NATIVE_DOUBLE);
    H5Tclose(text);
    return type;
}

static hid_t enum_type(void)
{
    hid_t type = H5Tenum_create(H5T_STD_I32LE);

    for (int i = 0; i < 3; i++) {
        char name[2] = {(char)('a' + i), '\0'};

        H5Tenum_insert(type, name, &i);
    }
    return type;
}

static hid_t other_type(mutant_t *m)
{
    const hsize_t dims[2] = {3, 1 + mutant_below(m, 1000)};

    switch (mutant_below(m, 8)) {
    case 0:
        mutant_note(m, " compound");
        return compound_type();
    case 1:
        mutant_note(m, " array of integers");
        return H5Tarray_create2(H5T_STD_I32LE, 1 + (unsigned)mutant_below(m, 2), dims);
    case 2:
        mutant_note(m, " sequences of integers");
        return H5Tvlen_create(H5T_STD_I32LE);
    case 3:
        mutant_note(m, " object references");
        return H5Tcopy(H5T_STD_REF_OBJ);
    case 4:
        mutant_note(m, " region references");
        return H5Tcopy(H5T_STD_REF_DSETREG);
    case 5:
        mutant_note(m, " opaque");
        return H5Tcreate(H5T_OPAQUE, 4);
    case 6:
        mutant_note(m, " enum");
        return enum_type();
    default:
        mutant_note(m, " bit field");
        return H5Tcopy(H5T_STD_B32LE);
    }
}

hid_t mutate_types_make(mutant_t *m)
{
    hid_t type;
    char name[32];

    switch (mutant_below(m, 3)) {
    case 0:
        type = number_type(m);
        break;
    case 1:
        type = string_type(m);
        break;
    default:
        type = other_type(m);
    }
    if (!mutant_chance(m, 10))
        return type;
    mutant_note(m, ", committed");
    for (char *c = strcpy(name, "type_a"); c[5] <= 'z'; c[5]++)
        if (H5Tcommit2(m->file, name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) >= 0)
            break;
    return type;
}

void *mutate_types_values(mutant_t *m, hid_t type, uint64_t n)
{
    size_t size = H5Tget_size(type), len;
    char *values = n <= VALUES_BYTES_MAX / size ? calloc(n + 1, size) : NULL;
    H5T_class_t kind = H5Tget_class(type);

    if (values == NULL)
        return NULL;
    if (H5Tis_variable_str(type) > 0)
        for (uint64_t i = 0; i < n; i++)
            ((const char **)values)[i] =
                mutant_chance(m, 90) ? "a1b" : mutant_text(m, &len);
    else if (kind == H5T_STRING || kind == H5T_OPAQUE || kind == H5T_INTEGER)
        mutant_fill(m, values, n * size < 4096 ? n * size : 4096);
    return values;
}
