/*
 * nbc_classes.c - numbers the lowest taxa of references.
 */
#include "kernels/classify/nbc_classes.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

static int rank_of(const int32_t *parent, int32_t taxon)
{
    int rank = 0;

    for (; parent[taxon] >= 0; taxon = parent[taxon])
        rank++;
    return rank;
}

static void fill_lineages(const int32_t *parent, nbc_classes_t *c)
{
    for (int32_t k = 0; k < c->n; k++) {
        int rank = rank_of(parent, c->taxon[k]);

        for (int r = c->n_ranks; r > rank; r--)
            c->lineage[(int64_t)(r - 1) * c->n + k] = -1;
        for (int32_t taxon = c->taxon[k]; rank > 0; taxon = parent[taxon])
            c->lineage[(int64_t)--rank * c->n + k] = taxon;
    }
}

status_t nbc_classes_create(const int32_t *parent, int32_t n_taxa,
                            const int32_t *taxon_of, int64_t n_refs, nbc_classes_t *out,
                            int32_t *class_of)
{
    nbc_classes_t c = {0};
    int32_t *number = malloc(((size_t)n_taxa + 1) * sizeof(*number)); /* -1: no class */

    c.taxon = malloc(((size_t)n_taxa + 1) * sizeof(*c.taxon));
    if (number == NULL || c.taxon == NULL)
        goto fail;
    memset(number, -1, ((size_t)n_taxa + 1) * sizeof(*number));
    for (int64_t i = 0; i < n_refs; i++)
        if (taxon_of[i] >= 0)
            number[taxon_of[i]] = 0;
    for (int32_t taxon = 0; taxon < n_taxa; taxon++) {
        int rank;

        if (number[taxon] < 0)
            continue;
        number[taxon] = c.n;
        c.taxon[c.n++] = taxon;
        rank = rank_of(parent, taxon);
        c.n_ranks = rank > c.n_ranks ? rank : c.n_ranks;
    }
    c.lineage = malloc(((size_t)c.n * (size_t)c.n_ranks + 1) * sizeof(*c.lineage));
    if (c.lineage == NULL)
        goto fail;
    fill_lineages(parent, &c);
    for (int64_t i = 0; i < n_refs; i++)
        class_of[i] = taxon_of[i] >= 0 ? number[taxon_of[i]] : -1;
    free(number);
    *out = c;
    return ST_OK;
fail:
    free(number);
    nbc_classes_free(&c);
    return log_nomem("classes of references");
}

void nbc_classes_free(nbc_classes_t *c)
{
    free(c->taxon);
    free(c->lineage);
    *c = (nbc_classes_t){0};
}
