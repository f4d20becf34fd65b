/*
 * asv_result.c - writes and reads results of `denoise`.
 */
#include "io/amplicon/asv_result.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { READS = 1, ASVS, BASES, SAMPLES, COUNTS };

static const result_dim_t dims[RESULT_DIMS_MAX] = {
    [READS] = {"n", "a read", "reads", INT32_MAX},
    [ASVS] = {"k", "an ASV", "ASVs", INT32_MAX},
    [BASES] = {"b", "a base", "bases", 0},
    [SAMPLES] = {"s", "a sample", "samples", INT32_MAX},
    [COUNTS] = {"c", "a count", "counts", 0},
};

#define SIZES                     \
    {                             \
        RESULT_WITHIN, 1, 9e15, 0 \
    }
#define AT(member) offsetof(asv_result_t, member)

static const result_field_t read_fields[] = {
    {.name = "/reads/name",
     .type = RESULT_TEXTS,
     .at = AT(names),
     .shape = {READS},
     .meaning = "names, in the order of the input"},
    {.name = "/reads/size",
     .type = RESULT_INT64,
     .at = AT(size),
     .shape = {READS},
     .check = SIZES,
     .meaning = "abundances"},
    {.name = "/reads/mismatches",
     .type = RESULT_INT32,
     .at = AT(mismatches),
     .shape = {READS},
     .check = {RESULT_WITHIN, -1, INT32_MAX, 0},
     .unit = "bases",
     .meaning = "with the centroid of its ASV; -1: it is in none"},
    {.name = "/samples/name",
     .type = RESULT_TEXTS,
     .at = AT(samples),
     .shape = {SAMPLES},
     .meaning = "`all` if the input has no samples"},
    {.name = "/run@job",
     .type = RESULT_TEXT,
     .at = AT(job),
     .meaning = "everything that the content depends on, as lines `name=value`"},
    {.name = NULL},
};

#undef AT
#define AT(member) offsetof(otu_table_t, member)

static const result_field_t table_fields[] = {
    {.name = "/reads/asv",
     .type = RESULT_INT32,
     .at = AT(otu),
     .shape = {READS},
     .check = {RESULT_INDEX, -1, 0, ASVS},
     .meaning = "the ASV of each read; -1: it is less abundant than the minimum"},
    {.name = "/asvs/size",
     .type = RESULT_INT64,
     .at = AT(size),
     .shape = {ASVS},
     .check = SIZES,
     .meaning = "abundance: the sum of those of its reads; they fall"},
    {.name = "/asvs/centroid",
     .type = RESULT_INT32,
     .at = AT(representative),
     .shape = {ASVS},
     .check = {RESULT_INDEX, 0, 0, READS},
     .meaning = "the read that it is"},
    {.name = "/asvs/row_start",
     .type = RESULT_INT64,
     .at = AT(row_start),
     .shape = {ASVS},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, COUNTS},
     .meaning = "ASV k has the counts `count[row_start[k]:row_start[k + 1]]`"},
    {.name = "/asvs/sample",
     .type = RESULT_INT32,
     .at = AT(sample),
     .shape = {COUNTS},
     .check = {RESULT_INDEX, 0, 0, SAMPLES},
     .meaning = "the sample of each count, ascending within an ASV"},
    {.name = "/asvs/count",
     .type = RESULT_INT64,
     .at = AT(count),
     .shape = {COUNTS},
     .check = SIZES,
     .meaning = "how often a sample has the reads of an ASV"},
    {.name = NULL},
};

#undef AT
#define AT(member) offsetof(seqset_t, member)

static const result_field_t asv_fields[] = {
    {.name = "/asvs/name",
     .type = RESULT_NAMES,
     .at = AT(names),
     .at_offset = AT(name_offset),
     .shape = {ASVS},
     .meaning = "`Asv01` and so on, in descending order of abundance"},
    {.name = "/asvs/offset",
     .type = RESULT_INT64,
     .at = AT(offset),
     .shape = {ASVS},
     .plus = 1,
     .check = {RESULT_DIVIDES, 0, 0, BASES},
     .meaning = "ASV k is `letters[offset[k]:offset[k + 1]]`"},
    {.name = "/asvs/letters",
     .type = RESULT_BASES,
     .at = AT(letters),
     .shape = {BASES},
     .meaning = "all ASVs end to end, in ASCII"},
    {.name = NULL},
};

const result_kind_t asv_result_kind = {
    .title = "ASVs",
    .maker = "ribogrid denoise",
    .format = "ribogrid-asvs",
    .major = 1,
    .minor = 0,
    .what = "a result of `ribogrid denoise`",
    .dims = dims,
    .tables = {read_fields, table_fields, asv_fields},
};

/* ---- writing ---- */

/* Copy the centroids, with the names of their ASVs. */
static status_t make_asvs(const otu_table_t *t, const seqset_t *reads, seqset_t **out)
{
    seqset_builder_t b = {.alphabet = ALPHABET_DNA};
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < t->n_otus; k++) {
        const int64_t read = t->representative[k];
        char text[OTU_NAME_BYTES];
        const char *name = otu_table_name(t, k, text);

        st = seqset_builder_add(&b, name, strlen(name), seqset_letters(reads, read),
                                (size_t)seqset_len(reads, read));
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&b, out);
    seqset_builder_free(&b);
    return st;
}

static status_t write_all(const char *path, bool force, const asv_result_t *r,
                          pool_t *pool)
{
    const otu_table_t *t = r->table;
    const int64_t n[RESULT_DIMS_MAX] = {[READS] = t->n,
                                        [ASVS] = t->n_otus,
                                        [BASES] = r->asvs->offset[t->n_otus],
                                        [SAMPLES] = t->n_samples,
                                        [COUNTS] = t->row_start[t->n_otus]};
    h5whole_t to;
    status_t st = h5whole_open(path, force, &to);

    if (st != ST_OK)
        return st;
    st = h5whole_check(&to, result_write_format(to.file, &asv_result_kind) &&
                                run_info_write(to.file, &r->info) &&
                                result_write(to.file, read_fields, r, n, pool) &&
                                result_write(to.file, table_fields, t, n, pool) &&
                                result_write(to.file, asv_fields, r->asvs, n, pool));
    return h5whole_close(&to, st);
}

status_t asv_result_write(const char *path, bool force, const asv_result_t *r,
                          const seqset_t *reads, pool_t *pool)
{
    asv_result_t all = *r;
    const char **names = malloc(((size_t)reads->n + 1) * sizeof(*names));
    status_t st = names != NULL ? make_asvs(r->table, reads, &all.asvs)
                                : log_nomem("names of reads");

    if (st == ST_OK) {
        for (int64_t i = 0; i < reads->n; i++)
            names[i] = seqset_name(reads, i);
        all.names = (char **)names;
        all.samples = (char **)(uintptr_t)r->table->sample_name;
        st = write_all(path, force, &all, pool);
        seqset_destroy(all.asvs);
    }
    free(names);
    return st;
}

/* ---- reading ---- */

/* @return NULL, or what is wrong with the counts of an ASV */
static const char *check_counts(const otu_table_t *t, int64_t k)
{
    int64_t sum = 0;

    for (int64_t c = t->row_start[k]; c < t->row_start[k + 1]; c++) {
        if (c > t->row_start[k] && t->sample[c] <= t->sample[c - 1])
            return "has samples that do not ascend";
        if (t->count[c] > t->size[k] - sum)
            return "has counts above its abundance";
        sum += t->count[c];
    }
    return sum == t->size[k] ? NULL : "has counts below its abundance";
}

/* @return NULL, or what is wrong with an ASV */
static const char *check_asv(const asv_result_t *r, int64_t k)
{
    const otu_table_t *t = r->table;
    int64_t sum = 0;

    for (int64_t m = t->member_start[k]; m < t->member_start[k + 1]; m++) {
        const int64_t size = r->size[t->member[m]];

        if (size > t->size[k] - sum)
            return "has reads above its abundance";
        sum += size;
    }
    if (sum != t->size[k])
        return "has reads below its abundance";
    if (t->otu[t->representative[k]] != k)
        return "has a centroid that is another one's read";
    if (k > 0 && t->size[k] > t->size[k - 1])
        return "is more abundant than the one before it";
    return check_counts(t, k);
}

static status_t check(const result_reader_t *from, const asv_result_t *r)
{
    const otu_table_t *t = r->table;

    for (int64_t i = 0; i < t->n; i++)
        if ((t->otu[i] < 0) != (r->mismatches[i] < 0))
            return result_refuse(from,
                                 "read %" PRId64 " has mismatches without an ASV, "
                                 "or the reverse",
                                 i + 1);
    for (int64_t k = 0; k < t->n_otus; k++) {
        const char *wrong = check_asv(r, k);

        if (wrong != NULL)
            return result_refuse(from, "ASV %" PRId64 " %s", k + 1, wrong);
    }
    return ST_OK;
}

/* Fill in what the file does not have. */
static status_t complete(const result_reader_t *from, asv_result_t *r)
{
    otu_table_t *t = r->table;

    t->n = from->n[READS];
    t->n_otus = r->asvs->n = from->n[ASVS];
    t->n_samples = from->n[SAMPLES];
    t->sample_name = (const char *const *)r->samples;
    t->prefix = ASV_RESULT_PREFIX;
    for (int64_t i = 0; i < t->n; i++)
        t->n_left_out += t->otu[i] < 0;
    t->member = malloc(((size_t)t->n + 1) * sizeof(*t->member));
    t->member_start = calloc((size_t)t->n_otus + 1, sizeof(*t->member_start));
    if (t->member == NULL || t->member_start == NULL)
        return log_nomem("ASVs");
    otu_table_list_members(t);
    return otu_table_number(t);
}

static status_t read_all(result_reader_t *from, asv_result_t *out)
{
    status_t st = run_info_read(from, &out->info);

    out->table = calloc(1, sizeof(*out->table));
    out->asvs = calloc(1, sizeof(*out->asvs));
    if (out->table == NULL || out->asvs == NULL)
        return log_nomem("ASVs");
    out->asvs->alphabet = ALPHABET_DNA;
    if (st != ST_OK || (st = result_read(from, read_fields, out)) != ST_OK ||
        (st = result_read(from, table_fields, out->table)) != ST_OK ||
        (st = result_read(from, asv_fields, out->asvs)) != ST_OK ||
        (st = complete(from, out)) != ST_OK)
        return st;
    return check(from, out);
}

status_t asv_result_read(const char *path, asv_result_t *out)
{
    result_reader_t from;
    status_t st = result_read_open(path, &asv_result_kind, &from);

    *out = (asv_result_t){.names = NULL};
    if (st != ST_OK)
        return st;
    st = read_all(&from, out);
    result_read_close(&from);
    if (st != ST_OK)
        asv_result_free(out);
    return st;
}

void asv_result_free(asv_result_t *r)
{
    run_info_free(&r->info);
    result_free(read_fields, r);
    otu_table_destroy(r->table);
    seqset_destroy(r->asvs);
    *r = (asv_result_t){.names = NULL};
}
