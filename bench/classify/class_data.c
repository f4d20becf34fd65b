/*
 * class_data.c - reads genes and lineages; builds models without some genes.
 */
#include "bench/classify/class_bench.h"

#include "io/base/logmsg.h"
#include "io/seq/fasta.h"
#include "kernels/primers/search/primer_cut.h"

#include <stdlib.h>
#include <string.h>

static status_t cut(const char *path, const primer_trim_t *primers, pool_t *pool,
                    seqset_t *genes)
{
    const seq_files_t files = seq_files_named(path);
    int32_t *kept = malloc(((size_t)genes->n + 1) * sizeof(*kept));
    primer_cut_t *cuts = NULL;
    status_t st = kept != NULL ? primer_cut_find(primers, genes, pool, &cuts)
                               : log_nomem("the genes");

    if (st == ST_OK)
        st = primer_trim_set(&files, primers, cuts, genes, kept);
    free(cuts);
    free(kept);
    return st;
}

/* Keep the genes that have a lineage, and number their classes. */
static status_t number_classes(class_data_t *d)
{
    const int32_t n_taxa = taxonomy_n_taxa(d->taxonomy);
    const size_t n_genes = (size_t)d->genes->n + 1;
    int32_t *parent = malloc((size_t)n_taxa * sizeof(*parent));
    int32_t *taxon_of = malloc(n_genes * sizeof(*taxon_of));
    int32_t *kept = d->record = malloc(n_genes * sizeof(*kept));
    int64_t n = 0;
    status_t st = ST_OK;

    d->class_of = malloc(n_genes * sizeof(*d->class_of));
    if (parent == NULL || taxon_of == NULL || kept == NULL || d->class_of == NULL) {
        st = log_nomem("the classes of genes");
    } else {
        for (int32_t i = 0; i < n_taxa; i++)
            parent[i] = i == TAXONOMY_ROOT
                            ? -1
                            : taxonomy_ancestor(d->taxonomy, i,
                                                taxonomy_rank(d->taxonomy, i) - 1);
        for (int64_t i = 0; i < d->genes->n; i++) {
            taxon_of[n] = taxonomy_find(d->taxonomy, seqset_name(d->genes, i));
            if (taxon_of[n] > TAXONOMY_ROOT)
                kept[n++] = (int32_t)i;
        }
        d->n_left_out += d->genes->n - n;
        seqset_keep(d->genes, kept, n);
        st = nbc_classes_create(parent, n_taxa, taxon_of, n, &d->classes, d->class_of);
    }
    free(parent);
    free(taxon_of);
    return st;
}

status_t class_data_read(const char *genes, const char *taxonomy,
                         const primer_trim_t *primers, int n_threads, class_data_t *out)
{
    const fasta_opts_t opts = {.alphabet = ALPHABET_DNA};
    int64_t n_read;
    status_t st;

    out->path = genes;
    out->device = device_cpu();
    out->options = (nbc_options_t){.n_resamples = 100, .seed = 1};
    if ((st = pool_create(n_threads > 0 ? n_threads : out->device.n_cores, &out->pool)) !=
            ST_OK ||
        (st = fasta_read(genes, &opts, NULL, &out->genes)) != ST_OK ||
        (st = taxonomy_read(taxonomy, &out->taxonomy)) != ST_OK)
        return st;
    n_read = out->genes->n;
    if (primers->text != NULL &&
        (st = cut(genes, primers, out->pool, out->genes)) != ST_OK)
        return st;
    out->n_left_out = n_read - out->genes->n;
    out->n_records = out->genes->n;
    out->digest = seqset_digest(out->genes);
    out->is_cut = primers->text != NULL;
    return number_classes(out);
}

void class_data_free(class_data_t *d)
{
    nbc_classes_free(&d->classes);
    free(d->class_of);
    free(d->record);
    seqset_destroy(d->genes);
    taxonomy_destroy(d->taxonomy);
    pool_destroy(d->pool);
}

status_t class_subset_create(const class_data_t *d, const bool *left_out,
                             class_subset_t *out)
{
    status_t st;

    *out = (class_subset_t){
        .class_of = malloc(((size_t)d->genes->n + 1) * sizeof(*out->class_of))};
    if (out->class_of == NULL)
        return log_nomem("the classes of genes");
    for (int64_t i = 0; i < d->genes->n; i++)
        out->class_of[i] = left_out != NULL && left_out[i] ? -1 : d->class_of[i];
    st = nbc_model_create(d->genes, out->class_of, &d->classes, d->pool, &out->model);
    if (st == ST_OK)
        st = class_statistics_create(out->model, d->pool, &out->known);
    out->nbc =
        (nbc_context_t){.device = &d->device, .model = out->model, .options = d->options};
    return st;
}

void class_subset_free(class_subset_t *s)
{
    class_statistics_free(&s->known);
    nbc_model_destroy(s->model);
    free(s->class_of);
    *s = (class_subset_t){0};
}
