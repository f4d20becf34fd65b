/*
 * result_write.c - writes the fields of a table.
 */
#include "io/base/fraction.h"

#include "io/hdf5/h5check.h"
#include "io/hdf5/h5stream.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"
#include "io/seq/alphabet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values per chunk. */
enum { CHUNK = 1 << 16, LETTER_CHUNK = 1 << 18 };

/* Everything that writing a field needs. */
typedef struct {
    hid_t group;
    const result_field_t *field;
    const char *name; /* in the group */
    const void *member, *object;
    const int64_t *n;
    pool_t *pool;
} writer_t;

static bool put_attribute(const writer_t *w)
{
    char id[FRACTION_RATIO_BYTES];
    int64_t count;

    switch (result_field_type(w->field)) {
    case RESULT_TEXT:
        return h5text_put(w->group, w->name, *(const char *const *)w->member);
    case RESULT_REAL:
        return (w->field->is_optional && isnan(*(const double *)w->member)) ||
               h5util_put_real(w->group, w->name, *(const double *)w->member);
    case RESULT_FRACTION:
        return h5text_put(w->group, w->name, fraction_to_ratio(w->member, id));
    default:
        count = *(const int64_t *)w->member;
        return (w->field->is_optional && count < 0) ||
               h5util_put_int(w->group, w->name, count);
    }
}

typedef struct {
    const char *names;
    const int64_t *offset;
} names_t;

static const char *name_at(const void *names, int64_t i)
{
    const names_t *of = names;

    return of->names + of->offset[i];
}

/* Write each line as a string. */
static bool put_lines(const writer_t *w, const char *lines)
{
    char *copy = strdup(lines), *rest = copy, *line;
    const char **each = malloc((strlen(lines) + 1) * sizeof(*each));
    int64_t n = 0;
    bool good = copy != NULL && each != NULL;

    while (good && (line = strsep(&rest, "\n")) != NULL)
        if (*line != '\0')
            each[n++] = line;
    good = good && h5text_put_array(w->group, w->name, each, n);
    free(copy);
    free(each);
    return good;
}

static bool put_matrix(const writer_t *w, const void *values)
{
    const hsize_t rows = (hsize_t)w->n[w->field->shape[0]],
                  columns = (hsize_t)w->n[w->field->shape[1]];
    const bool is_empty = rows == 0 || columns == 0;
    const h5util_shape_t shape = {.rank = 2,
                                  .size = {rows, columns},
                                  .chunk = {is_empty       ? 0
                                            : rows < CHUNK ? rows
                                                           : CHUNK,
                                            columns},
                                  .shuffles = true};
    hid_t data =
        h5util_create(w->group, w->name,
                      result_field_file_type(result_field_type(w->field)), &shape);
    bool good =
        data >= 0 &&
        (is_empty || H5Dwrite(data, result_field_memory_type(result_field_type(w->field)),
                              H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);

    return h5util_close(data, good);
}

/* @return the row of the object's description, or NULL: it has none */
static const array_t *row_of(const result_field_t *f)
{
    const array_t *row = f->type == RESULT_OF_ARRAYS ? f->arrays->rows : NULL;

    while (row != NULL && row->at != f->at)
        row++;
    return row;
}

static bool put_dataset(const writer_t *w)
{
    const result_field_t *f = w->field;
    const void *values = *(const void *const *)w->member;
    const array_t *row = row_of(f);
    const int64_t n = row != NULL ? row->n(w->object) : w->n[f->shape[0]] + f->plus;

    switch (result_field_type(f)) {
    case RESULT_BASES:
    case RESULT_RESIDUES:
        return h5stream_put_letters(w->group, w->name, LETTER_CHUNK,
                                    result_field_alphabet(f), values, n, w->pool);
    case RESULT_TEXTS:
        return h5text_put_array(w->group, w->name, values, n);
    case RESULT_NAMES:
        return h5text_put_each(
            w->group, w->name, n, name_at,
            &(names_t){values, *(int64_t *const *)(const void *)((const char *)w->object +
                                                                 f->at_offset)});
    case RESULT_LINES:
        return put_lines(w, values);
    default:
        return result_field_rank(f) == 2
                   ? put_matrix(w, values)
                   : h5stream_put(w->group, w->name,
                                  result_field_file_type(result_field_type(f)), CHUNK,
                                  values, n, DEFLATE_NUMBERS, w->pool);
    }
}

/* @return whether a field has no value, and needs none */
static bool is_absent(const result_field_t *f, const void *member)
{
    const bool has_pointer = f->type == RESULT_TEXT || !result_field_is_attribute(f);

    return f->is_optional && has_pointer && *(const void *const *)member == NULL;
}

/* Open the group of a field, or create it. @return it, or less than 0 */
static hid_t open_group(hid_t file, const result_field_t *f, result_place_t *place)
{
    result_field_place(f, 0, place);
    return strcmp(place->group, "/") == 0 || h5check_exists(file, place->group)
               ? H5Gopen2(file, place->group, H5P_DEFAULT)
               : h5util_create_group(file, place->group);
}

static bool put_field(hid_t file, const writer_t *from)
{
    result_place_t place;
    writer_t w = *from;
    bool good;

    w.group = open_group(file, w.field, &place);
    w.name = place.name;
    good = w.group >= 0 && (place.is_attribute ? put_attribute(&w) : put_dataset(&w));
    return h5util_close(w.group, good);
}

bool result_write(hid_t file, const result_field_t *fields, const void *object,
                  const int64_t *n, pool_t *pool)
{
    bool good = true;

    for (const result_field_t *f = fields; good && f->name != NULL; f++) {
        const void *member = result_field_member(f, object);

        if (!is_absent(f, member))
            good = put_field(file, &(writer_t){.field = f,
                                               .member = member,
                                               .object = object,
                                               .n = n,
                                               .pool = pool});
    }
    return good;
}

bool result_stream_begin(hid_t file, const result_field_t *field, pool_t *pool,
                         h5stream_t *out)
{
    result_place_t place;
    const hid_t group = open_group(file, field, &place);
    const bool good =
        group >= 0 && h5stream_begin(group, place.name,
                                     result_field_file_type(result_field_type(field)),
                                     CHUNK, -1, DEFLATE_NUMBERS, pool, out);

    return h5util_close(group, good);
}

bool result_write_format(hid_t file, const result_kind_t *kind)
{
    return h5text_put_format(file, kind->format, kind->major, kind->minor);
}

/* ---- types of fields, and where a field is in a file ---- */

bool result_field_place(const result_field_t *f, int k, result_place_t *out)
{
    const char *name = k == 0 ? f->name : f->old_names, *end;
    int len;

    for (; k > 1 && name != NULL; k--)
        if ((name = strchr(name, ' ')) != NULL)
            name++;
    if (name == NULL)
        return false;
    len = (int)strcspn(name, " ");
    end = memchr(name, '@', (size_t)len);
    out->is_attribute = end != NULL;
    if (end == NULL)
        end = memrchr(name, '/', (size_t)len);
    snprintf(out->group, sizeof(out->group), "%.*s", (int)(end - name), name);
    if (out->group[0] == '\0')
        strcpy(out->group, "/");
    snprintf(out->name, sizeof(out->name), "%.*s", len - (int)(end - name) - 1, end + 1);
    return true;
}

result_type_t result_field_type(const result_field_t *f)
{
    static const result_type_t types[] = {
        [ARRAY_BYTES] = RESULT_UINT8, [ARRAY_INT32] = RESULT_INT32,
        [ARRAY_INT64] = RESULT_INT64, [ARRAY_DOUBLE] = RESULT_FLOAT64,
        [ARRAY_TEXTS] = RESULT_TEXTS,
    };
    const array_t *row = row_of(f);

    return row != NULL ? types[row->type] : f->type;
}

hid_t result_field_memory_type(result_type_t type)
{
    switch (type) {
    case RESULT_UINT8:
    case RESULT_BASES:
    case RESULT_RESIDUES:
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
    case RESULT_RESIDUES:
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
