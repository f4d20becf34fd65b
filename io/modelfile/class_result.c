/*
 * class_result.c - writes and reads results of `classify`.
 */
#include "io/modelfile/class_result.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5util.h"
#include "io/modelfile/class_h5.h"
#include "io/prepare/abundance.h"

#include <stdlib.h>

#define AT(member) offsetof(class_result_t, member)

static const result_field_t fields[] = {
    {.name = "/reads/name",
     .type = RESULT_NAMES,
     .at = AT(names),
     .at_offset = AT(name_offset),
     .shape = {CLASS_READS},
     .meaning = "names, in the order of the input"},
    {.name = "/reads/taxon",
     .type = RESULT_INT32,
     .at = AT(calls.taxon),
     .shape = {CLASS_READS},
     .check = {RESULT_INDEX, -1, 0, CLASS_TAXA},
     .meaning = "the lowest taxon of the most likely lineage"},
    {.name = "/reads/named",
     .type = RESULT_UINT8,
     .at = AT(calls.named),
     .shape = {CLASS_READS},
     .meaning = "number of ranks of that lineage that are named, from the highest on"},
    {.name = "/reads/reversed",
     .type = RESULT_UINT8,
     .at = AT(calls.reversed),
     .shape = {CLASS_READS},
     .check = {RESULT_WITHIN, 0, 1, 0},
     .meaning = "1: classified as the reverse complement"},
    {.name = "/reads/method",
     .type = RESULT_UINT8,
     .at = AT(calls.method),
     .shape = {CLASS_READS},
     .check = {RESULT_WITHIN, 0, CLASS_N_METHODS - 1, 0},
     .meaning = "what the support comes from: 0 nbc, 1 align, 2 joint, 3 cnn"},
    {.name = "/reads/support",
     .type = RESULT_UINT16,
     .at = AT(calls.support),
     .shape = {CLASS_READS, CLASS_RANKS},
     .check = {RESULT_WITHIN, 0, CLASS_SUPPORT_ONE, 0},
     .unit = "1/10000",
     .meaning = "of each taxon of that lineage; 0 below it"},
    {.name = "/reads/size",
     .type = RESULT_INT64,
     .at = AT(sizes),
     .shape = {CLASS_READS},
     .is_optional = true,
     .check = {RESULT_WITHIN, 1, (double)ABUNDANCE_MAX, 0},
     .meaning = "abundances; since version 1.1"},
    {.name = "/samples/name",
     .type = RESULT_NAMES,
     .at = AT(samples.names),
     .at_offset = AT(samples.name_offset),
     .shape = {CLASS_SAMPLES},
     .is_optional = true,
     .meaning = "since version 1.1"},
    {.name = "/reads/sample",
     .type = RESULT_INT32,
     .at = AT(samples.of),
     .shape = {CLASS_READS},
     .is_optional = true,
     .check = {RESULT_INDEX, 0, 0, CLASS_SAMPLES},
     .meaning = "the sample of each read; since version 1.1"},
    {.name = NULL},
};

const result_kind_t class_result_kind = {
    .title = "Names of reads",
    .maker = "ribogrid classify",
    .format = "ribogrid-classification",
    .major = 1,
    .minor = 1,
    .what = "a result of `ribogrid classify`",
    .dims = class_h5_dims,
    .tables = {fields, class_h5_taxa_fields, class_h5_run_fields},
};

const char *const class_method_name[CLASS_N_METHODS] = {"nbc", "align", "joint", "cnn"};

status_t class_calls_create(int64_t n, int n_ranks, class_calls_t *out)
{
    class_calls_t c = {.n = n, .n_ranks = n_ranks};
    size_t size = (size_t)n + 1;

    c.taxon = calloc(size, sizeof(*c.taxon));
    c.named = calloc(size, sizeof(*c.named));
    c.reversed = calloc(size, sizeof(*c.reversed));
    c.method = calloc(size, sizeof(*c.method));
    c.support = calloc(size * (size_t)(n_ranks + 1), sizeof(*c.support));
    if (c.taxon == NULL || c.named == NULL || c.reversed == NULL || c.method == NULL ||
        c.support == NULL) {
        class_calls_free(&c);
        return log_nomem("the results of the reads");
    }
    *out = c;
    return ST_OK;
}

void class_calls_free(class_calls_t *c)
{
    free(c->taxon);
    free(c->named);
    free(c->reversed);
    free(c->method);
    free(c->support);
    *c = (class_calls_t){.n = 0};
}

void class_samples_free(class_samples_t *s)
{
    free(s->names);
    free(s->name_offset);
    free(s->of);
    *s = (class_samples_t){.n = 0};
}

void class_result_free(class_result_t *r)
{
    class_calls_free(&r->calls);
    class_taxa_free(&r->taxa);
    free(r->names);
    free(r->name_offset);
    free(r->sizes);
    class_samples_free(&r->samples);
    class_run_free(&r->run);
    r->names = NULL;
    r->name_offset = NULL;
    r->sizes = NULL;
}

status_t class_result_write(const char *path, bool force, const class_result_t *r,
                            pool_t *pool)
{
    const int64_t n[RESULT_DIMS_MAX] = {[CLASS_TAXA] = r->taxa.n,
                                        [CLASS_READS] = r->calls.n,
                                        [CLASS_RANKS] = r->calls.n_ranks,
                                        [CLASS_SAMPLES] = r->samples.n};
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to, result_write_format(to.file, &class_result_kind) &&
                                result_write(to.file, class_h5_taxa_fields, &r->taxa, n,
                                             pool) &&
                                result_write(to.file, fields, r, n, pool) &&
                                class_h5_put_run(to.file, &r->run));
    return h5whole_close(&to, st);
}

bool class_calls_fit(const class_calls_t *c, const class_taxa_t *taxa)
{
    if (class_taxa_n_ranks(taxa) > CLASS_RANKS_MAX)
        return false;
    for (int64_t i = 0; i < c->n; i++)
        if (c->taxon[i] < -1 || c->taxon[i] >= taxa->n)
            return false;
    for (int64_t i = 0; i < c->n * c->n_ranks; i++)
        if (c->support[i] > CLASS_SUPPORT_ONE)
            return false;
    for (int64_t i = 0; i < c->n; i++) {
        int rank = c->taxon[i] < 0 ? 0 : class_taxa_rank(taxa, c->taxon[i]);

        if (rank > c->n_ranks || c->named[i] > rank || c->reversed[i] > 1 ||
            c->method[i] >= CLASS_N_METHODS)
            return false;
    }
    return true;
}

static status_t read_all(result_reader_t *r, class_result_t *out)
{
    status_t st;

    if ((st = class_h5_get_taxa(r, &out->taxa)) != ST_OK ||
        (st = result_read(r, fields, out)) != ST_OK)
        return st;
    out->calls.n = r->n[CLASS_READS];
    out->calls.n_ranks = (int)r->n[CLASS_RANKS];
    out->samples.n = out->samples.names != NULL ? r->n[CLASS_SAMPLES] : 0;
    if ((out->samples.names != NULL) != (out->samples.of != NULL))
        return result_refuse(r, "it has /samples/name or /reads/sample, not both");
    return class_calls_fit(&out->calls, &out->taxa)
               ? class_h5_get_run(r, &out->run)
               : result_refuse(r, "the values of /reads do not fit its taxa");
}

status_t class_result_read(const char *path, class_result_t *out)
{
    result_reader_t r;
    status_t st = result_read_open(path, &class_result_kind, &r);

    *out = (class_result_t){.names = NULL};
    if (st != ST_OK)
        return st;
    st = read_all(&r, out);
    result_read_close(&r);
    if (st != ST_OK)
        class_result_free(out);
    return st;
}
