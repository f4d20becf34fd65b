/*
 * class_model.c - writes and reads models of `classify`.
 */
#include "io/modelfile/class_model.h"

#include "io/base/digest.h"
#include "io/hdf5/h5util.h"
#include "io/modelfile/class_h5.h"

#include <stdlib.h>
#include <string.h>

static const result_field_t reference_fields[] = {
    {.name = "/references/name",
     .type = RESULT_NAMES,
     .at = offsetof(seqset_t, names),
     .at_offset = offsetof(seqset_t, name_offset),
     .shape = {CLASS_REFERENCES},
     .meaning = "names"},
    {.name = "/references/offset",
     .arrays = &seqset_arrays,
     .at = offsetof(seqset_t, offset),
     .shape = {CLASS_REFERENCES},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, CLASS_BASES},
     .meaning = "sequence i is `letters[offset[i]:offset[i+1]]`"},
    {.name = "/references/letters",
     .type = RESULT_BASES,
     .at = offsetof(seqset_t, letters),
     .shape = {CLASS_BASES},
     .meaning = "all sequences end to end, in ASCII"},
    {.name = NULL},
};

static const result_field_t model_fields[] = {
    {.name = "/references/taxon",
     .arrays = &class_model_arrays,
     .at = offsetof(class_model_t, taxon_of),
     .shape = {CLASS_REFERENCES},
     .check = {RESULT_INDEX, 1, 0, CLASS_TAXA},
     .meaning = "lowest taxon of each"},
    {.name = "/rules",
     .arrays = &class_model_arrays,
     .at = offsetof(class_model_t, rules),
     .shape = {CLASS_RULES, CLASS_NUMBERS},
     .is_optional = true,
     .meaning = "what was learned: a row of weights and thresholds per method (joint "
                "with either prior, nbc, maybe align) and rank"},
    {.name = "/references@primers",
     .type = RESULT_TEXT,
     .at = offsetof(class_model_t, primers),
     .is_optional = true,
     .meaning = "`FORWARD/REVERSE` that they were cut with"},
    {.name = NULL},
};

const result_kind_t class_model_kind = {
    .title = "Models of classifiers",
    .maker = "ribogrid classify train",
    .format = "ribogrid-classifier",
    .major = 5,
    .minor = 0,
    .oldest = 5, /* earlier rules have thresholds of another rate */
    .what = "a model of `ribogrid classify train`",
    .dims = class_h5_dims,
    .tables = {reference_fields, model_fields, class_h5_taxa_fields, class_h5_run_fields},
    .more = "Counts of words are not stored: they are derived from the sequences.",
};

status_t class_model_write(const char *path, bool force, const class_model_t *m,
                           const class_run_t *run, pool_t *pool)
{
    const int64_t n[RESULT_DIMS_MAX] = {
        [CLASS_TAXA] = m->taxa.n,      [CLASS_REFERENCES] = m->refs->n,
        [CLASS_RULES] = m->n_rules,    [CLASS_BASES] = m->refs->offset[m->refs->n],
        [CLASS_NUMBERS] = m->rule_len,
    };
    class_model_t model = *m;
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    if (m->n_rules == 0)
        model.rules = NULL;
    st = h5whole_check(&to,
                       result_write_format(to.file, &class_model_kind) &&
                           result_write(to.file, class_h5_taxa_fields, &m->taxa, n,
                                        pool) &&
                           result_write(to.file, reference_fields, m->refs, n, pool) &&
                           result_write(to.file, model_fields, &model, n, pool) &&
                           class_h5_put_run(to.file, run));
    return h5whole_close(&to, st);
}

static status_t read_references(result_reader_t *r, class_model_t *m)
{
    status_t st;

    if ((m->refs = calloc(1, sizeof(*m->refs))) == NULL)
        return log_nomem("a model");
    m->refs->alphabet = ALPHABET_DNA;
    if ((st = result_read(r, reference_fields, m->refs)) != ST_OK)
        return st;
    m->refs->n = r->n[CLASS_REFERENCES];
    return m->refs->n > 0 ? ST_OK : result_refuse(r, "it has no references");
}

status_t class_model_read(const char *path, class_model_t *out, class_run_t *run)
{
    result_reader_t r;
    status_t st = result_read_open(path, &class_model_kind, &r);

    *out = (class_model_t){.n_rules = 0};
    if (st != ST_OK)
        return st;
    if ((st = class_h5_get_taxa(&r, &out->taxa)) == ST_OK &&
        (st = read_references(&r, out)) == ST_OK &&
        (st = result_read(&r, model_fields, out)) == ST_OK && run != NULL)
        st = class_h5_get_run(&r, run);
    if (out->rules != NULL) {
        out->n_rules = r.n[CLASS_RULES];
        out->rule_len = r.n[CLASS_NUMBERS];
    }
    out->primers_len = out->primers != NULL ? (int64_t)strlen(out->primers) : 0;
    result_read_close(&r);
    if (st != ST_OK) {
        class_model_free(out);
        if (run != NULL)
            class_run_free(run);
    }
    return st;
}

/* ---- in memory ---- */

ARRAY_COUNT(n_refs, class_model_t, o->refs->n)
ARRAY_COUNT(primers_len, class_model_t, o->primers_len)
ARRAY_COUNT(n_rule_numbers, class_model_t, o->n_rules * o->rule_len)

static bool is_valid(const void *object)
{
    const class_model_t *m = object;

    return m->primers_len >= 0 && m->n_rules >= 0 && m->n_rules <= INT32_MAX &&
           m->rule_len >= 0 && m->rule_len <= INT32_MAX &&
           (m->rules != NULL || m->n_rules == 0);
}

static bool refs_have_taxa(const void *object)
{
    const class_model_t *m = object;
    bool good = m->refs->alphabet == ALPHABET_DNA;

    for (int64_t i = 0; good && i < m->refs->n; i++)
        good = m->taxon_of[i] > 0 && m->taxon_of[i] < m->taxa.n;
    return good;
}

static const array_t rows[] = {
    ARRAY_POINTER(class_model_t, refs, &seqset_arrays),
    ARRAY_MEMBER(class_model_t, taxa, &class_taxa_arrays),
    ARRAY_OF(class_model_t, taxon_of, ARRAY_INT32, n_refs, .has_sense = refs_have_taxa),
    ARRAY_VALUE(class_model_t, n_rules, ARRAY_INT64),
    ARRAY_VALUE(class_model_t, rule_len, ARRAY_INT64),
    ARRAY_OF(class_model_t, rules, ARRAY_DOUBLE, n_rule_numbers, .is_optional = true),
    ARRAY_VALUE(class_model_t, primers_len, ARRAY_INT64),
    ARRAY_OF(class_model_t, primers, ARRAY_BYTES, primers_len, .is_optional = true),
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
