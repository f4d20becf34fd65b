/*
 * otu_export.c - the table of a clustering, made again from its groups and the samples of
 * the result file, and written in one format.
 */
#include "tools/print/otu_export.h"

#include "io/base/logmsg.h"
#include "io/export/export_file.h"
#include "io/file/whole_file.h"
#include "io/otu/biom_write.h"
#include "io/otu/otu_write.h"
#include "io/pairs/pairs_file.h"
#include "io/pairs/pairs_read.h"
#include "tools/print/otu_source.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    pairs_file_t *file;
    otu_source_t source;
    pairs_members_t members;
    pairs_samples_t samples;
    otu_table_t *table;
    taxonomy_t *taxonomy; /* NULL: none */
    otu_taxa_t taxa;
} otus_t;

/* Make the table that the groups are of: sequences that were left out are clusters of
 * their own, which are left out again. */
static status_t make_table(otus_t *o)
{
    const otu_table_t *of = o->source.groups.table;
    int32_t *label = malloc((size_t)of->n * sizeof(*label) + 1);
    status_t st;

    if (label == NULL)
        return log_nomem("the OTU table");
    for (int64_t i = 0; i < of->n; i++)
        label[i] = of->otu[i] >= 0 ? of->representative[of->otu[i]] : (int32_t)i;
    st = otu_table_create(of->n, label, pairs_sizes(o->file), &o->samples,
                          o->source.head.min_size, &o->table);
    free(label);
    if (st != ST_OK || o->table->n_otus == of->n_otus)
        return st;
    log_error("%s: it has %" PRId64 " OTUs, but %" PRId64 " have its min_size of %" PRId64
              "; give a file that `ribogrid cluster` wrote",
              o->source.path, of->n_otus, o->table->n_otus, o->source.head.min_size);
    return ST_EINPUT;
}

static status_t read_files(const otu_export_t *what, otus_t *o)
{
    status_t st;

    if ((st = pairs_open(what->pairs, &o->file)) != ST_OK ||
        (st = otu_source_read(what->groups, o->file, &o->source)) != ST_OK ||
        (st = pairs_read_members(o->file, &o->members)) != ST_OK ||
        (st = pairs_read_samples(o->file, &o->samples)) != ST_OK)
        return st;
    if ((st = make_table(o)) != ST_OK || what->taxonomy == NULL ||
        (st = taxonomy_read(what->taxonomy, &o->taxonomy)) != ST_OK)
        return st;
    return otu_taxa_find(o->taxonomy, what->taxonomy, o->file, o->table, &o->taxa);
}

static status_t write_to(const otu_export_t *what, const otus_t *o, whole_file_t *to)
{
    const otu_groups_head_t *head = &o->source.head;
    const otu_taxa_t *taxa = o->taxonomy != NULL ? &o->taxa : NULL;

    switch (what->format) {
    case OTU_EXPORT_UC:
        return export_clusters_uc(o->file, o->table, whole_file_stream(to));
    case OTU_EXPORT_MAP:
        otu_write_map(whole_file_stream(to), o->table, &o->members);
        return ST_OK;
    case OTU_EXPORT_TABLE:
        otu_write_tsv(whole_file_stream(to), o->table, taxa);
        return ST_OK;
    case OTU_EXPORT_SHARED:
        return otu_write_shared(whole_file_stream(to), o->table, &head->id);
    case OTU_EXPORT_CONSTAXONOMY:
        otu_write_constaxonomy(whole_file_stream(to), o->table, &o->taxa);
        return ST_OK;
    case OTU_EXPORT_BIOM:
        return biom_write(whole_file_tmp(to), o->table, taxa, head->program);
    default:
        biom_json_write(whole_file_stream(to), o->table, taxa, head->program);
        return ST_OK;
    }
}

status_t otu_export(const otu_export_t *what)
{
    whole_file_kind_t kind =
        what->format == OTU_EXPORT_BIOM ? WHOLE_FILE_HDF5 : WHOLE_FILE_TEXT;
    otus_t o = {.file = NULL};
    whole_file_t *to = NULL;
    status_t st = read_files(what, &o);

    if (st == ST_OK &&
        (st = whole_file_open(what->output, kind, what->force, &to)) == ST_OK)
        st = whole_file_close(to, write_to(what, &o, to));
    otu_taxa_free(&o.taxa);
    taxonomy_destroy(o.taxonomy);
    otu_table_destroy(o.table);
    pairs_samples_free(&o.samples);
    pairs_members_free(&o.members);
    otu_source_free(&o.source);
    pairs_close(o.file);
    return st;
}
