/*
 * otu_source.c - OTUs by clustering or from a file, and their description.
 */
#include "tools/print/report_parts.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/pairs/pairs_read.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void show_table(otu_source_t *s, const otu_table_t *t)
{
    s->otus = (report_otus_t){.file = s->path,
                              .method = s->head.method,
                              .id = s->head.id,
                              .n_otus = t->n_otus,
                              .n_single = otu_table_n_single(t),
                              .size = t->size,
                              .min_size = s->head.min_size,
                              .n_left_out = t->n_left_out};
}

fraction_t otu_source_default_id(const pairs_file_t *file)
{
    const fraction_t usual = {97, 100}, min_identity = file->min_identity;

    return fraction_reached(&min_identity, usual.numerator, usual.denominator)
               ? usual
               : min_identity;
}

status_t otu_source_cluster(const cluster_args_t *args, const pairs_file_t *file,
                            otu_source_t *out)
{
    static const pairs_samples_t no_samples;
    int64_t n = file->rows.n;
    int32_t *label = malloc((size_t)n * sizeof(*label) + 1);
    otu_source_t s = {.table = NULL};
    status_t st = label != NULL ? cluster_args_check(args, file) : log_nomem("labels");

    if (st == ST_OK)
        st = cluster_args_run(args, file, label, &s.head, NULL);
    if (st == ST_OK)
        st = otu_table_create(n, label, file->sizes, &no_samples, 1, &s.table);
    free(label);
    if (st != ST_OK)
        return st;
    show_table(&s, s.table);
    *out = s;
    return ST_OK;
}

/* Check that the OTUs of a file have the abundances of the given sequences. */
static status_t check_sizes(const otu_source_t *s, const pairs_file_t *file)
{
    const otu_table_t *t = s->groups.table;

    for (int64_t k = 0; k < t->n_otus; k++) {
        int64_t size = 0;

        for (int64_t m = t->member_start[k]; m < t->member_start[k + 1]; m++)
            size += pairs_size(file, t->member[m]);
        if (size != t->size[k]) {
            log_error("%s: OTU %" PRId64 " has an abundance of %" PRId64
                      ", but its sequences have %" PRId64
                      " in %s; give the groups file of a clustering of that file",
                      s->path, k + 1, t->size[k], size, file->path);
            return ST_EINPUT;
        }
    }
    return ST_OK;
}

/* Check that a file has all pairs that were close when the OTUs were found. */
static status_t check_identity(const otu_source_t *s, const pairs_file_t *file)
{
    const fraction_t *id = &s->groups.head.id;
    fraction_t min_identity = file->min_identity;
    char id_text[FRACTION_RATIO_BYTES], min_text[FRACTION_RATIO_BYTES];

    if (fraction_reached(&min_identity, id->numerator, id->denominator))
        return ST_OK;
    log_error("%s: its OTUs are at %s, but %s holds only pairs with an identity of at "
              "least %s; give the file that was clustered",
              s->path, fraction_to_ratio(id, id_text), file->path,
              fraction_to_ratio(&min_identity, min_text));
    return ST_EINPUT;
}

status_t otu_source_read(const char *path, const pairs_file_t *file, otu_source_t *out)
{
    otu_source_t s = {.path = path};
    status_t st = otu_groups_read(path, &s.groups);

    if (st == ST_OK)
        st = otu_groups_check_names(&s.groups, path, file, false);
    if (st == ST_OK)
        st = check_sizes(&s, file);
    if (st == ST_OK)
        st = check_identity(&s, file);
    if (st != ST_OK) {
        otu_source_free(&s);
        return st;
    }
    s.head = s.groups.head;
    show_table(&s, s.groups.table);
    *out = s;
    return ST_OK;
}

const otu_table_t *otu_source_table(const otu_source_t *s)
{
    return s->table != NULL ? s->table : s->groups.table;
}

void otu_source_describe(const otu_source_t *s, FILE *to)
{
    const otu_groups_head_t *h = &s->head;
    char id[FRACTION_RATIO_BYTES];

    if (s->path != NULL)
        fprintf(to, "report\tOTUs\t%s\n", s->path);
    fprintf(to, "report\tOTU method\t%s\nreport\tOTU identity\t%s\n", h->method,
            fraction_to_ratio(&h->id, id));
    if (h->order != NULL)
        fprintf(to, "report\tOTU order\t%s\n", h->order);
    if (h->seed >= 0)
        fprintf(to, "report\tOTU seed\t%" PRId64 "\n", h->seed);
    if (h->starts >= 0)
        fprintf(to, "report\tOTU starts\t%" PRId64 "\n", h->starts);
    if (h->min_size > 1)
        fprintf(to, "report\tOTU minimum size\t%" PRId64 "\n", h->min_size);
    if (!isnan(h->mcc))
        fprintf(to, "report\tOTU MCC\t%.4f\n", h->mcc);
}

void otu_source_free(otu_source_t *s)
{
    otu_table_destroy(s->table);
    otu_groups_free(&s->groups);
    *s = (otu_source_t){.table = NULL};
}

/* ---- the largest ---- */

static status_t find_lineage(const taxonomy_t *t, int32_t taxon, char **out)
{
    buf_t text = {0};
    status_t st = ST_OK;

    if (taxon < 0 || taxonomy_rank(t, taxon) == 0)
        return ST_OK;
    st = taxonomy_append(t, taxon, ";", &text);
    if (st == ST_OK)
        st = buf_append(&text, "", 1);
    if (st != ST_OK) {
        buf_free(&text);
        return st;
    }
    *out = (char *)text.data;
    return ST_OK;
}

/* Add the abundances of an OTU's members in each sample. */
static void count_samples(const otu_table_t *t, int64_t otu, const pairs_samples_t *s,
                          int64_t *counts)
{
    for (int64_t m = t->member_start[otu]; m < t->member_start[otu + 1]; m++)
        for (int64_t k = s->row_start[t->member[m]]; k < s->row_start[t->member[m] + 1];
             k++)
            counts[s->sample[k]] += s->count[k];
}

status_t otu_largest_find(const otu_table_t *t, const pairs_file_t *file,
                          const taxonomy_t *taxonomy, const int32_t *taxa,
                          report_otus_t *show, otu_largest_t *out)
{
    const int64_t n = t->n_otus < OTU_LARGEST_MAX ? t->n_otus : OTU_LARGEST_MAX;
    status_t st = pairs_read_samples(file, &out->samples);

    if (st != ST_OK)
        return st;
    out->counts = calloc((size_t)(n * out->samples.n) + 1, sizeof(*out->counts));
    if (out->counts == NULL)
        return log_nomem("abundances");
    for (int64_t k = 0; st == ST_OK && k < n; k++) {
        const int32_t representative = t->representative[k];
        const char *name =
            t->name != NULL ? t->name[k] : file->rows.names[representative];
        int64_t *counts = out->counts + k * out->samples.n;

        if (taxonomy != NULL)
            st = find_lineage(taxonomy, taxa[representative], &out->lineages[k]);
        if (out->samples.n > 0)
            count_samples(t, k, &out->samples, counts);
        out->rows[k] = (report_otu_t){t->member_start[k + 1] - t->member_start[k], name,
                                      out->lineages[k], counts};
    }
    if (st != ST_OK)
        return st;
    show->largest = out->rows;
    show->n_largest = n;
    show->samples = (const char *const *)out->samples.name;
    show->n_samples = out->samples.n;
    show->has_lineages = taxonomy != NULL;
    show->are_references = t->name != NULL;
    return ST_OK;
}

void otu_largest_free(otu_largest_t *o)
{
    for (int k = 0; k < OTU_LARGEST_MAX; k++)
        free(o->lineages[k]);
    free(o->counts);
    pairs_samples_free(&o->samples);
    *o = (otu_largest_t){.counts = NULL};
}
