/*
 * otu_largest.c - collects what a report shows of the largest OTUs.
 */
#include "tools/print/otu_largest.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/pairs/pairs_read.h"

#include <stdlib.h>

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
            t->name != NULL ? t->name[k] : pairs_name(file, representative);
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
