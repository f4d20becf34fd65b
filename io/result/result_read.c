/*
 * result_read.c - reads the fields of a table, each with its checks.
 */
#include "io/base/buf.h"
#include "io/base/fraction.h"
#include "io/base/texts.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"
#include "io/seq/alphabet.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_BYTES = 256, REMEDY_BYTES = 128 };

status_t result_refuse(const result_reader_t *r, const char *reason, ...)
{
    char text[REASON_BYTES], remedy[REMEDY_BYTES];
    va_list args;

    va_start(args, reason);
    vsnprintf(text, sizeof(text), reason, args);
    va_end(args);
    snprintf(remedy, sizeof(remedy), "give a file that `%s` wrote", r->kind->maker);
    return log_refusal(r->path, remedy, "%s", text);
}

static status_t refuse_old(const result_reader_t *r)
{
    log_error("%s: %s, of version %" PRId64 ", and not %d; make it again", r->path,
              r->kind->what, r->version, r->kind->major);
    return ST_EINPUT;
}

status_t result_read_open(const char *path, const result_kind_t *kind,
                          result_reader_t *out)
{
    result_reader_t r = {.kind = kind, .path = path};
    status_t st;

    for (int d = 0; d < RESULT_DIMS_MAX; d++)
        r.n[d] = -1;
    h5util_init();
    if ((r.file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    if (!h5text_get_format(r.file, kind->format, &r.version))
        st = result_refuse(&r, "an HDF5 file, but not %s", kind->what);
    else if (r.version < kind->oldest)
        st = refuse_old(&r);
    else
        st = h5text_check_version(path, r.version, kind->major);
    if (st != ST_OK) {
        H5Fclose(r.file);
        return st;
    }
    *out = r;
    return ST_OK;
}

void result_read_close(result_reader_t *r)
{
    if (r->file > 0) /* 0: zeroed, never opened */
        H5Fclose(r->file);
    r->file = H5I_INVALID_HID;
}

/* ---- attributes ---- */

static bool get_attribute(hid_t group, const char *name, const result_field_t *f,
                          void *member)
{
    char *text;
    bool good;

    switch (f->type) {
    case RESULT_TEXT:
        *(char **)member = h5text_get(group, name);
        return *(char **)member != NULL;
    case RESULT_INT:
        return h5util_get_int(group, name, member) &&
               (f->check.kind != RESULT_WITHIN ||
                ((double)*(int64_t *)member >= f->check.low &&
                 (double)*(int64_t *)member <= f->check.high));
    case RESULT_REAL:
        return h5util_get_real(group, name, member) &&
               (f->check.kind != RESULT_WITHIN || (*(double *)member >= f->check.low &&
                                                   *(double *)member <= f->check.high));
    default:
        text = h5text_get(group, name);
        good = text != NULL && fraction_from_ratio(text, member);
        free(text);
        return good;
    }
}

/* Find out whether a place has its attribute or dataset; the group may be absent.
 * @return ST_OK or ST_EINPUT (logged): the group is a link, or is damaged */
static status_t look_at(hid_t file, const result_place_t *place, bool *is_there)
{
    hid_t group;

    *is_there = false;
    if (!h5check_exists(file, place->group))
        return ST_OK;
    if ((group = h5check_open_group(file, place->group)) < 0)
        return ST_EINPUT;
    *is_there = place->is_attribute ? H5Aexists(group, place->name) > 0
                                    : h5check_exists(group, place->name);
    H5Gclose(group);
    return ST_OK;
}

/* Find the place where this file has a field: that of its name, or of an old name.
 * @param is_there  out: whether there is one; if not, *out is that of its name */
static status_t find_place(hid_t file, const result_field_t *f, result_place_t *out,
                           bool *is_there)
{
    status_t st = ST_OK;

    *is_there = false;
    for (int k = 0; st == ST_OK && !*is_there && result_field_place(f, k, out); k++)
        st = look_at(file, out, is_there);
    if (!*is_there)
        result_field_place(f, 0, out);
    return st;
}

static status_t refuse_attribute(const result_reader_t *r, const result_place_t *p)
{
    return strcmp(p->group, "/") == 0
               ? result_refuse(r, "its attribute %s is missing or invalid", p->name)
               : result_refuse(r, "the attribute %s of %s is missing or invalid", p->name,
                               p->group);
}

static status_t read_attribute(const result_reader_t *r, const result_field_t *f,
                               const result_place_t *place, void *member)
{
    hid_t group = h5check_open_group(r->file, place->group);
    bool good;

    if (group < 0)
        return ST_EINPUT;
    good = get_attribute(group, place->name, f, member);
    H5Gclose(group);
    return good ? ST_OK : refuse_attribute(r, place);
}

/* ---- checks of values ---- */

static double value_at(result_type_t type, const void *values, int64_t i)
{
    switch (type) {
    case RESULT_UINT8:
        return ((const uint8_t *)values)[i];
    case RESULT_UINT16:
        return ((const uint16_t *)values)[i];
    case RESULT_INT32:
        return ((const int32_t *)values)[i];
    case RESULT_FLOAT64:
        return ((const double *)values)[i];
    default:
        return (double)((const int64_t *)values)[i];
    }
}

/* @param first  number of the first of these values in the dataset */
static status_t check_range(const result_reader_t *r, const result_field_t *f,
                            const void *values, int64_t first, int64_t n)
{
    const result_check_t *c = &f->check;
    const result_type_t type = result_field_type(f);
    const bool is_index = c->kind == RESULT_INDEX;
    const double high = is_index ? (double)r->n[c->of] - 1 : c->high;

    for (int64_t i = 0; i < n; i++) {
        const double value = value_at(type, values, i);

        if (value >= c->low && value <= high)
            continue;
        if (is_index)
            return result_refuse(r,
                                 "%s leads to %s that does not exist at value %" PRId64,
                                 f->name, r->kind->dims[c->of].one, first + i + 1);
        if (c->low == 0 && value < 0)
            return result_refuse(r, "%s is negative at value %" PRId64, f->name,
                                 first + i + 1);
        return result_refuse(r, "%s is not within %.15g and %.15g at value %" PRId64,
                             f->name, c->low, high, first + i + 1);
    }
    return ST_OK;
}

static status_t check_ascends(const result_reader_t *r, const result_field_t *f,
                              const int64_t *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] < 0 || (i > 0 && values[i] <= values[i - 1]))
            return result_refuse(r, "%s does not ascend at value %" PRId64, f->name,
                                 i + 1);
    return ST_OK;
}

static status_t check_divides(const result_reader_t *r, const result_field_t *f,
                              const int64_t *starts, int64_t n)
{
    if (starts[0] != 0 || starts[n - 1] != r->n[f->check.of])
        return result_refuse(r, "%s does not go from 0 to the number of %s", f->name,
                             r->kind->dims[f->check.of].many);
    for (int64_t i = 1; i < n; i++)
        if (starts[i] < starts[i - 1])
            return result_refuse(r, "%s descends at value %" PRId64, f->name, i + 1);
    return ST_OK;
}

static status_t check_values(const result_reader_t *r, const result_field_t *f,
                             const void *values)
{
    int64_t n = r->n[f->shape[0]] + f->plus;

    if (result_field_rank(f) == 2)
        n *= r->n[f->shape[1]];
    switch (f->check.kind) {
    case RESULT_ASCENDS:
        return check_ascends(r, f, values, n);
    case RESULT_DIVIDES:
        return check_divides(r, f, values, n);
    case RESULT_WITHIN:
    case RESULT_INDEX:
        return check_range(r, f, values, 0, n);
    default:
        return ST_OK;
    }
}

/* ---- datasets ---- */

/* Set the size of a dimension, or compare it. */
static status_t take_size(result_reader_t *r, const result_field_t *f, int dim,
                          int64_t size)
{
    const result_dim_t *d = &r->kind->dims[f->shape[dim]];
    int64_t *n = &r->n[f->shape[dim]];
    const int plus = dim == 0 ? f->plus : 0;

    if (size < plus || (*n >= 0 && size != *n + plus)) {
        h5check_refuse(r->file, f->name, "has %" PRId64 " %s instead of %" PRId64, size,
                       result_field_rank(f) == 1 ? "values"
                       : dim == 0                ? "rows"
                                                 : "columns",
                       (*n > 0 ? *n : 0) + plus);
        return ST_EINPUT;
    }
    *n = size - plus;
    return d->max > 0 && *n > d->max
               ? result_refuse(r, "it has more than %" PRId64 " %s", d->max, d->many)
               : ST_OK;
}

static status_t open_numbers(result_reader_t *r, const result_field_t *f,
                             const char *name, h5data_t **out)
{
    const int rank = result_field_rank(f);
    h5data_t *data = h5data_open(r->file, name,
                                 &(h5data_want_t){.rank = rank,
                                                  .memory_type = result_field_memory_type(
                                                      result_field_type(f))});
    status_t st;

    if (data == NULL)
        return ST_EINPUT;
    st = take_size(r, f, 0, rank == 2 ? data->rows : data->columns);
    if (st == ST_OK && rank == 2)
        st = take_size(r, f, 1, data->columns);
    if (st == ST_OK)
        *out = data;
    else
        h5data_close(data);
    return st;
}

static status_t read_numbers(result_reader_t *r, const result_field_t *f,
                             const char *name, void **out)
{
    h5data_t *data = NULL;
    int64_t rows, columns;
    status_t st = open_numbers(r, f, name, &data);

    if (st != ST_OK)
        return st;
    rows = data->rows;
    columns = data->columns;
    if ((*out = malloc((size_t)(rows * columns) * data->value_bytes + 1)) == NULL)
        st = log_nomem("a dataset");
    if (st == ST_OK && rows > 0 && columns > 0)
        st = h5data_read(data, 0, rows, 0, columns, *out);
    h5data_close(data);
    return st;
}

/* Replace letters by their codes. */
static status_t encode(const result_reader_t *r, const result_field_t *f,
                       uint8_t *letters)
{
    const alphabet_t alphabet = result_field_alphabet(f);

    for (int64_t i = 0; i < r->n[f->shape[0]]; i++)
        if ((letters[i] = alphabet_code(alphabet, letters[i])) == CODE_NONE)
            return result_refuse(r, "%s has no %s at value %" PRId64, f->name,
                                 alphabet == ALPHABET_DNA ? "base" : "residue", i + 1);
    return ST_OK;
}

/* Join texts, each with its final NUL. */
static status_t join_names(char **texts, int64_t n, char **names, int64_t **offset)
{
    int64_t bytes = 0;

    for (int64_t i = 0; i < n; i++)
        bytes += (int64_t)strlen(texts[i]) + 1;
    *names = malloc((size_t)bytes + 1);
    *offset = malloc(((size_t)n + 1) * sizeof(**offset));
    if (*names == NULL || *offset == NULL)
        return log_nomem("names");
    (*offset)[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        const size_t size = strlen(texts[i]) + 1;

        memcpy(*names + (*offset)[i], texts[i], size);
        (*offset)[i + 1] = (*offset)[i] + (int64_t)size;
    }
    return ST_OK;
}

static status_t join_lines(char **texts, int64_t n, char **out)
{
    buf_t lines = {0};
    status_t st = ST_OK;

    for (int64_t i = 0; st == ST_OK && i < n; i++)
        st = buf_printf(&lines, "%s\n", texts[i]);
    if (st == ST_OK)
        st = buf_append(&lines, "", 1);
    *out = (char *)lines.data;
    return st;
}

static status_t read_strings(result_reader_t *r, const result_field_t *f,
                             const char *name, void *object)
{
    void *member = result_field_member(f, object);
    int64_t n;
    char **texts = h5text_get_array(r->file, name, -1, &n);
    status_t st;

    if (texts == NULL)
        return ST_EINPUT;
    st = f->shape[0] != 0 ? take_size(r, f, 0, n) : ST_OK;
    if (st == ST_OK && result_field_type(f) == RESULT_TEXTS) {
        *(char ***)member = texts;
        return ST_OK;
    }
    if (st == ST_OK)
        st = f->type == RESULT_NAMES
                 ? join_names(texts, n, member,
                              (int64_t **)(void *)((char *)object + f->at_offset))
                 : join_lines(texts, n, member);
    texts_free(texts);
    return st;
}

/* Spell the path of a dataset. */
static void spell_path(const result_place_t *place, char out[2 * RESULT_NAME_BYTES])
{
    snprintf(out, 2 * RESULT_NAME_BYTES, "%s/%s",
             strcmp(place->group, "/") == 0 ? "" : place->group, place->name);
}

static status_t read_dataset(result_reader_t *r, const result_field_t *f,
                             const result_place_t *place, void *object)
{
    void **member = result_field_member(f, object);
    char name[2 * RESULT_NAME_BYTES];
    status_t st;

    spell_path(place, name);
    if (result_field_type(f) >= RESULT_TEXTS)
        return read_strings(r, f, name, object);
    if ((st = read_numbers(r, f, name, member)) != ST_OK)
        return st;
    return f->type == RESULT_BASES || f->type == RESULT_RESIDUES ? encode(r, f, *member)
                                                                 : ST_OK;
}

static status_t read_field(result_reader_t *r, const result_field_t *f, void *object)
{
    void *member = result_field_member(f, object);
    result_place_t place;
    bool is_there;
    status_t st = find_place(r->file, f, &place, &is_there);

    if (st != ST_OK)
        return st;
    if (!is_there && f->is_optional) {
        if (f->type == RESULT_INT)
            *(int64_t *)member = -1;
        if (f->type == RESULT_REAL)
            *(double *)member = NAN;
        return ST_OK;
    }
    if (!place.is_attribute)
        return read_dataset(r, f, &place, object);
    if (f->type == RESULT_LINES) { /* an attribute once */
        const result_field_t text = {.type = RESULT_TEXT};

        return read_attribute(r, &text, &place, member);
    }
    return read_attribute(r, f, &place, member);
}

status_t result_read(result_reader_t *r, const result_field_t *fields, void *object)
{
    status_t st = ST_OK;

    for (const result_field_t *f = fields; st == ST_OK && f->name != NULL; f++)
        st = read_field(r, f, object);
    /* when all sizes are known */
    for (const result_field_t *f = fields; st == ST_OK && f->name != NULL; f++)
        if (!result_field_is_attribute(f) && result_field_type(f) < RESULT_BASES &&
            *(void **)result_field_member(f, object) != NULL)
            st = check_values(r, f, *(void **)result_field_member(f, object));
    return st;
}

/* ---- datasets in pieces ---- */

status_t result_open_pieces(result_reader_t *r, const result_field_t *f, h5data_t **out)
{
    char name[2 * RESULT_NAME_BYTES];
    result_place_t place;
    bool is_there;
    status_t st = find_place(r->file, f, &place, &is_there);

    *out = NULL;
    if (st != ST_OK || (!is_there && f->is_optional))
        return st;
    spell_path(&place, name);
    return open_numbers(r, f, name, out);
}

status_t result_read_piece(const result_reader_t *r, const result_field_t *f,
                           h5data_t *data, int64_t first, int64_t n, void *out)
{
    const status_t st = n > 0 ? h5data_read(data, 0, 1, first, first + n, out) : ST_OK;

    return st == ST_OK ? check_range(r, f, out, first, n) : st;
}

/* @return the field of the text of the job, which the kind has */
static const result_field_t *find_job(const result_kind_t *kind)
{
    for (int t = 0; t < RESULT_TABLES_MAX && kind->tables[t] != NULL; t++)
        for (const result_field_t *f = kind->tables[t]; f->name != NULL; f++)
            if (strcmp(strchrnul(f->name, '@'), "@job") == 0)
                return f;
    return NULL;
}

status_t result_read_job(const char *path, const result_kind_t *kind, buf_t *out)
{
    result_field_t fields[] = {*find_job(kind), {.name = NULL}};
    char *job = NULL;
    result_reader_t r;
    status_t st = result_read_open(path, kind, &r);

    if (st != ST_OK)
        return st;
    fields[0].at = 0; /* of a struct that has no other member */
    if ((st = result_read(&r, fields, &job)) == ST_OK)
        st = buf_append(out, job, strlen(job));
    result_free(fields, &job);
    result_read_close(&r);
    return st;
}

void result_free(const result_field_t *fields, void *object)
{
    for (const result_field_t *f = fields; f->name != NULL; f++) {
        void **member = result_field_member(f, object);

        if (result_field_is_attribute(f) && f->type != RESULT_TEXT)
            continue;
        if (result_field_type(f) == RESULT_TEXTS)
            texts_free(*(char ***)(void *)member);
        else
            free(*member);
        *member = NULL;
        if (f->type == RESULT_NAMES) {
            void **offset = (void **)(void *)((char *)object + f->at_offset);

            free(*offset);
            *offset = NULL;
        }
    }
}
