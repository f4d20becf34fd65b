/*
 * class_model.c - writes and reads models of `classify`.
 */
#include "io/modelfile/class_model.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5stream.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/hdf5/h5whole.h"
#include "io/modelfile/class_h5.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { CHUNK = 1 << 16, LETTER_CHUNK = 1 << 18 };

/* ---- writing ---- */

static const char *name_at(const void *refs, int64_t i)
{
    return seqset_name(refs, i);
}

/* Bases are stored as ASCII, so that readers need no table of codes. */
static bool put_letters(hid_t group, const seqset_t *refs, pool_t *pool)
{
    int64_t n = refs->offset[refs->n];
    unsigned char *text = malloc(LETTER_CHUNK);
    h5stream_t stream;
    bool good = h5stream_begin(group, "letters", H5T_STD_U8LE, LETTER_CHUNK, n,
                               DEFLATE_LETTERS, pool, &stream) &&
                text != NULL;

    for (int64_t first = 0; good && first < n; first += LETTER_CHUNK) {
        int64_t count = n - first < LETTER_CHUNK ? n - first : LETTER_CHUNK;

        for (int64_t i = 0; i < count; i++)
            text[i] =
                (unsigned char)alphabet_letter(ALPHABET_DNA, refs->letters[first + i]);
        good = h5stream_append(&stream, text, count);
    }
    good = h5stream_end(&stream) && good;
    free(text);
    return good;
}

static bool put_references(hid_t file, const class_model_t *m, pool_t *pool)
{
    hid_t group = h5util_create_group(file, "references");
    bool good =
        group >= 0 && h5text_put_each(group, "name", m->refs->n, name_at, m->refs) &&
        h5util_put_int64s(group, "offset", m->refs->offset, m->refs->n + 1, CHUNK) &&
        h5util_put_int32s(group, "taxon", m->taxon_of, m->refs->n, CHUNK) &&
        put_letters(group, m->refs, pool);

    return group >= 0 && H5Gclose(group) >= 0 && good;
}

static bool put_rules(hid_t file, const class_model_t *m)
{
    const h5util_shape_t shape = {.rank = 2,
                                  .size = {(hsize_t)m->n_rules, (hsize_t)m->rule_len}};
    hid_t data;
    bool good;

    if (m->n_rules == 0)
        return true;
    data = h5util_create(file, "rules", H5T_IEEE_F64LE, &shape);
    good = data >= 0 && H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                 m->rules) >= 0;
    return data >= 0 && H5Dclose(data) >= 0 && good;
}

status_t class_model_write(const char *path, bool force, const class_model_t *m,
                           const class_run_t *run, pool_t *pool)
{
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to, h5text_put_format(to.file, CLASS_MODEL_FORMAT,
                                              CLASS_MODEL_VERSION_MAJOR,
                                              CLASS_MODEL_VERSION_MINOR) &&
                                class_h5_put_taxa(to.file, &m->taxa) &&
                                put_references(to.file, m, pool) &&
                                put_rules(to.file, m) && class_h5_put_run(to.file, run));
    return h5whole_close(&to, st);
}

/* ---- reading ---- */

static bool offsets_ascend(const int64_t *offset, int64_t n, int64_t n_letters)
{
    for (int64_t i = 0; i < n; i++)
        if (offset[i] > offset[i + 1])
            return false;
    return offset[0] == 0 && offset[n] == n_letters;
}

/* Replace letters by their codes. @return whether all of them are nucleotides */
static bool encode(uint8_t *letters, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if ((letters[i] = alphabet_code(ALPHABET_DNA, letters[i])) == CODE_NONE)
            return false;
    return true;
}

static status_t read_references(hid_t file, const char *path, class_model_t *m)
{
    seqset_t *s = m->refs = calloc(1, sizeof(*s));
    int64_t n = 0, n_offsets = 0, n_letters = 0;
    status_t st;

    if (s == NULL)
        return log_nomem("a model");
    s->alphabet = ALPHABET_DNA;
    if ((m->taxon_of = h5data_get(file, "/references/taxon", H5T_NATIVE_INT32, -1, &n)) ==
            NULL ||
        (s->offset = h5data_get(file, "/references/offset", H5T_NATIVE_INT64, -1,
                                &n_offsets)) == NULL ||
        (s->letters = h5data_get(file, "/references/letters", H5T_NATIVE_UINT8, -1,
                                 &n_letters)) == NULL)
        return ST_EINPUT;
    if ((st = class_h5_get_names(file, "/references/name", n, &s->names,
                                 &s->name_offset)) != ST_OK)
        return st;
    if (n == 0)
        return class_h5_refuse(path, "it has no references");
    if (n > INT32_MAX)
        return class_h5_refuse(path, "it has too many references");
    s->n = n;
    if (n_offsets != n + 1 || !offsets_ascend(s->offset, n, n_letters) ||
        !encode(s->letters, n_letters))
        return class_h5_refuse(path, "its references are damaged");
    return class_h5_is_within(m->taxon_of, n, 1, m->taxa.n - 1)
               ? ST_OK
               : class_h5_refuse(path, "a reference has a taxon that does not exist");
}

static status_t read_rules(hid_t file, const char *path, class_model_t *m)
{
    const h5data_want_t want = {.rank = 2, .memory_type = H5T_NATIVE_DOUBLE};
    h5data_t *data;
    status_t st = ST_OK;

    if (!h5check_exists(file, "/rules"))
        return ST_OK;
    if ((data = h5data_open(file, "/rules", &want)) == NULL)
        return ST_EINPUT;
    m->n_rules = h5data_rows(data);
    m->rule_len = h5data_columns(data);
    m->rules = malloc((size_t)(m->n_rules * m->rule_len) * sizeof(*m->rules) + 1);
    st = m->rules != NULL ? h5data_read(data, 0, m->n_rules, 0, m->rule_len, m->rules)
                          : log_nomem("a model");
    h5data_close(data);
    for (int64_t i = 0; st == ST_OK && i < m->n_rules * m->rule_len; i++)
        if (!isfinite(m->rules[i]))
            st = class_h5_refuse(path, "its rules have invalid numbers");
    return st;
}

/* Rules of earlier versions have other weights. */
static status_t check_version(hid_t file, const char *path)
{
    int64_t version = 0;

    if (!h5text_get_format(file, CLASS_MODEL_FORMAT, &version) ||
        version >= CLASS_MODEL_VERSION_MAJOR)
        return ST_OK;
    log_error("%s: a model of version %" PRId64 ", and not %d; make it again with "
              "`ribogrid classify train`",
              path, version, CLASS_MODEL_VERSION_MAJOR);
    return ST_EINPUT;
}

status_t class_model_read(const char *path, class_model_t *out, class_run_t *run)
{
    class_model_t m = {.n_rules = 0};
    hid_t file;
    status_t st;

    h5util_init();
    if ((file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    if ((st = class_h5_check_format(file, path, CLASS_MODEL_FORMAT,
                                    CLASS_MODEL_VERSION_MAJOR,
                                    "a model of `ribogrid classify train`")) == ST_OK &&
        (st = check_version(file, path)) == ST_OK &&
        (st = class_h5_get_taxa(file, path, &m.taxa)) == ST_OK &&
        (st = read_references(file, path, &m)) == ST_OK &&
        (st = read_rules(file, path, &m)) == ST_OK && run != NULL)
        st = class_h5_get_run(file, path, run);
    H5Fclose(file);
    if (st != ST_OK) {
        class_model_free(&m);
        return st;
    }
    *out = m;
    return ST_OK;
}

/* ---- in memory ---- */

ARRAY_COUNT(n_refs, class_model_t, o->refs->n)
ARRAY_COUNT(n_rule_numbers, class_model_t, o->n_rules * o->rule_len)

static bool is_valid(const void *object)
{
    const class_model_t *m = object;

    return m->n_rules >= 0 && m->n_rules <= INT32_MAX && m->rule_len >= 0 &&
           m->rule_len <= INT32_MAX;
}

static const array_t rows[] = {{.name = "refs",
                                .type = ARRAY_OBJECT,
                                .at = offsetof(class_model_t, refs),
                                .object = &seqset_arrays,
                                .is_pointer = true},
                               ARRAY_OF(class_model_t, taxon_of, ARRAY_INT32, n_refs),
                               ARRAY_MEMBER(class_model_t, taxa, &class_taxa_arrays),
                               ARRAY_VALUE(class_model_t, n_rules, ARRAY_INT64),
                               ARRAY_VALUE(class_model_t, rule_len, ARRAY_INT64),
                               ARRAY_OF(class_model_t, rules, ARRAY_DOUBLE,
                                        n_rule_numbers, .is_optional = true),
                               ARRAYS_END};

const arrays_t class_model_arrays = {"a model", sizeof(class_model_t), rows, is_valid};

void class_model_free(class_model_t *m)
{
    arrays_free(&class_model_arrays, m);
}

static uint64_t add(uint64_t digest, const void *data, int64_t n, size_t value_bytes)
{
    return digest_add(digest, data, (size_t)n * value_bytes);
}

/* The arrays as earlier versions sent them: logs hold this digest. */
uint64_t class_model_digest(const class_model_t *m)
{
    const seqset_t *r = m->refs;
    const class_taxa_t *t = &m->taxa;
    uint64_t d = add(DIGEST_START, r->offset, r->n + 1, sizeof(*r->offset));

    d = add(d, r->name_offset, r->n + 1, sizeof(*r->name_offset));
    d = add(d, r->letters, r->offset[r->n], 1);
    d = add(d, r->names, r->name_offset[r->n], 1);
    d = add(d, m->taxon_of, r->n, sizeof(*m->taxon_of));
    d = arrays_digest(&class_taxa_arrays, d, t);
    return n_rule_numbers(m) > 0 ? add(d, m->rules, n_rule_numbers(m), sizeof(*m->rules))
                                 : d;
}
