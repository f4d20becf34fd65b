/*
 * mutate_attributes.c - attributes: missing, other types, other values.
 */
#include "tests/mutate/mutate_types.h"

#include "tests/mutate/mutate.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64 };

typedef struct {
    int n;
    char name[NAMES_MAX][MUTANT_NAME_BYTES];
} names_t;

static herr_t add_name(hid_t at, const char *name, const H5A_info_t *info, void *to)
{
    names_t *names = to;

    (void)at, (void)info;
    if (names->n < NAMES_MAX && strlen(name) < MUTANT_NAME_BYTES)
        strcpy(names->name[names->n++], name);
    return 0;
}

/* Pick an attribute; most are the root's. */
static bool pick(mutant_t *m, char *object, char *name)
{
    static names_t names;

    names.n = 0;
    strcpy(object, "/");
    if (mutant_chance(m, 25))
        strcpy(object, "run");
    else if (mutant_chance(m, 10))
        mutant_pick(m, MUTANT_DATASET | MUTANT_GROUP, object);
    H5Aiterate_by_name(m->file, object, H5_INDEX_NAME, H5_ITER_INC, NULL, add_name,
                       &names, H5P_DEFAULT);
    if (names.n == 0)
        return false;
    strcpy(name, names.name[mutant_below(m, (uint64_t)names.n)]);
    return true;
}

/* Replace an attribute. */
static void put(mutant_t *m, const char *object, const char *name, hid_t type,
                hid_t space, const void *value)
{
    hid_t attribute;

    H5Adelete_by_name(m->file, object, name, H5P_DEFAULT);
    attribute = H5Acreate_by_name(m->file, object, name, type, space, H5P_DEFAULT,
                                  H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) {
        mutant_note(m, " (not made)");
        return;
    }
    if (value != NULL)
        H5Awrite(attribute, type, value);
    H5Aclose(attribute);
}

static void put_integer(mutant_t *m, const char *object, const char *name)
{
    int64_t value = mutant_integer(m, 12);
    hid_t space = H5Screate(H5S_SCALAR);

    put(m, object, name, H5T_NATIVE_INT64, space, &value);
    H5Sclose(space);
    mutant_note(m, " = %lld", (long long)value);
}

static void put_text(mutant_t *m, const char *object, const char *name)
{
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    bool is_variable = mutant_chance(m, 50);
    size_t len;
    const char *text = mutant_text(m, &len);

    H5Tset_size(type, is_variable ? H5T_VARIABLE : len > 0 && len < 60000 ? len : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    put(m, object, name, type, space, is_variable ? (const void *)&text : text);
    H5Tclose(type);
    H5Sclose(space);
    mutant_note(m, " = text of %d bytes, %s", (int)len,
                is_variable ? "variable" : "fixed");
}

static void put_type(mutant_t *m, const char *object, const char *name)
{
    hid_t space = H5Screate(H5S_SCALAR), type = mutate_types_make(m);
    void *value = mutate_types_values(m, type, 1);

    put(m, object, name, type, space, value);
    free(value);
    H5Tclose(type);
    H5Sclose(space);
}

static void put_extent(mutant_t *m, const char *object, const char *name)
{
    const hsize_t sizes[] = {0, 1, 2, 100};
    hsize_t dims[2] = {sizes[mutant_below(m, 4)], 1};
    hid_t attribute = H5Aopen_by_name(m->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute);
    hid_t space = mutant_chance(m, 20)
                      ? H5Screate(H5S_NULL)
                      : H5Screate_simple(1 + (int)mutant_below(m, 2), dims, NULL);
    void *value = mutate_types_values(m, type, 100);

    H5Aclose(attribute);
    put(m, object, name, type, space, value);
    free(value);
    H5Tclose(type);
    H5Sclose(space);
    mutant_note(m, " %d values", (int)dims[0]);
}

static void remove_attribute(mutant_t *m, const char *object, const char *name)
{
    H5Adelete_by_name(m->file, object, name, H5P_DEFAULT);
    mutant_note(m, " removed");
}

static void rename_attribute(mutant_t *m, const char *object, const char *name)
{
    size_t len;
    const char *text = mutant_text(m, &len);

    if (len > 0 && len < 1000)
        H5Arename_by_name(m->file, object, name, text, H5P_DEFAULT);
    mutant_note(m, " renamed");
}

static void put_many(mutant_t *m, const char *object, const char *name)
{
    hid_t space = H5Screate(H5S_SCALAR);
    char other[MUTANT_NAME_BYTES];
    int64_t n = 1 + (int64_t)mutant_below(m, 200);

    for (int64_t i = 0; i < n; i++) {
        strcpy(other, name);
        other[0] = (char)('A' + i % 26);
        other[1] = (char)('A' + i / 26);
        put(m, object, other, H5T_NATIVE_INT64, space, &i);
    }
    H5Sclose(space);
    mutant_note(m, " and %d others", (int)n);
}

/* The attributes that decide how a file is read, with the values that decide it. */
static void put_known(mutant_t *m)
{
    static const struct {
        const char *name, *text; /* NULL: an integer */
    } known[] = {
        {"format_version", NULL},
        {"format_version_minor", NULL},
        {"tile_side", NULL},
        {"top", NULL},
        {"format", NULL},
        {"layout", "hits"},
        {"layout", "dense"},
        {"ends", "query"},
        {"ends", "count"},
        {"identity_definition", "0"},
        {"identity_definition", "3"},
        {"identity_definition", "eachgap"},
        {"min_identity", "0/1"},
        {"min_identity", "3/2"},
        {"min_identity", "-1/2"},
        {"min_identity", "1/9223372036854775807"},
        {"cigar_style", "eqx"},
        {"cigar_style", "m"},
        {"triangle", "row > col"},
    };
    size_t k = mutant_below(m, sizeof(known) / sizeof(known[0]));
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);

    mutant_note(m, " attribute %s:", known[k].name);
    if (known[k].text == NULL) {
        put_integer(m, "/", known[k].name);
    } else {
        H5Tset_size(type, H5T_VARIABLE);
        put(m, "/", known[k].name, type, space, &known[k].text);
        mutant_note(m, " = %s", known[k].text);
    }
    mutant_note(m, ";");
    H5Tclose(type);
    H5Sclose(space);
}

void mutate_attributes(mutant_t *m)
{
    static void (*const changes[])(mutant_t *, const char *, const char *) = {
        put_integer, put_text,         put_text,         put_type,
        put_extent,  remove_attribute, rename_attribute, put_many,
    };
    char object[MUTANT_NAME_BYTES], name[MUTANT_NAME_BYTES];

    if (mutant_chance(m, 30)) {
        put_known(m);
        return;
    }
    if (!pick(m, object, name))
        return;
    mutant_note(m, " attribute %s of %s:", name, object);
    changes[mutant_below(m, sizeof(changes) / sizeof(changes[0]))](m, object, name);
    mutant_note(m, ";");
}
