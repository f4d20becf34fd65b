/*
 * nbc_classes.c - numbers the lowest taxa of references.
 */
#include "kernels/classify/nbc_model.h"

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

/* Number the classes in the order of a walk over the tree, which visits a taxon before
 * its children.
 *
 * @param number  [n_taxa] in: 0 for a class, -1 for another taxon; out: its number, or -1
 * @param at      [n_taxa] zeros; scratch
 */
static void number_classes(const int32_t *parent, int32_t n_taxa, int32_t *number,
                           int32_t *at)
{
    /* at: first how many classes are the taxon or below it; once its turn has come, the
     * first number of its next child */
    for (int32_t taxon = n_taxa - 1; taxon >= 0; taxon--) {
        at[taxon] += number[taxon] == 0;
        if (parent[taxon] >= 0)
            at[parent[taxon]] += at[taxon];
    }
    for (int32_t taxon = 0; taxon < n_taxa; taxon++) {
        const int32_t n = at[taxon], first = parent[taxon] >= 0 ? at[parent[taxon]] : 0;

        if (parent[taxon] >= 0)
            at[parent[taxon]] += n;
        at[taxon] = first;
        if (number[taxon] == 0) {
            number[taxon] = first;
            at[taxon]++;
        }
    }
}

status_t nbc_classes_create(const int32_t *parent, int32_t n_taxa,
                            const int32_t *taxon_of, int64_t n_refs, nbc_classes_t *out,
                            int32_t *class_of)
{
    nbc_classes_t c = {0};
    int32_t *number = malloc(((size_t)n_taxa + 1) * sizeof(*number)); /* -1: no class */
    int32_t *at = calloc((size_t)n_taxa + 1, sizeof(*at));

    c.taxon = malloc(((size_t)n_taxa + 1) * sizeof(*c.taxon));
    if (number == NULL || at == NULL || c.taxon == NULL)
        goto fail;
    memset(number, -1, ((size_t)n_taxa + 1) * sizeof(*number));
    for (int64_t i = 0; i < n_refs; i++)
        if (taxon_of[i] >= 0)
            number[taxon_of[i]] = 0;
    number_classes(parent, n_taxa, number, at);
    for (int32_t taxon = 0; taxon < n_taxa; taxon++) {
        const int rank = rank_of(parent, taxon);

        if (number[taxon] < 0)
            continue;
        c.taxon[number[taxon]] = taxon;
        c.n++;
        c.n_ranks = rank > c.n_ranks ? rank : c.n_ranks;
    }
    c.lineage = malloc(((size_t)c.n * (size_t)c.n_ranks + 1) * sizeof(*c.lineage));
    if (c.lineage == NULL)
        goto fail;
    fill_lineages(parent, &c);
    for (int64_t i = 0; i < n_refs; i++)
        class_of[i] = taxon_of[i] >= 0 ? number[taxon_of[i]] : -1;
    free(number);
    free(at);
    *out = c;
    return ST_OK;
fail:
    free(number);
    free(at);
    nbc_classes_free(&c);
    return log_nomem("classes of references");
}

void nbc_classes_free(nbc_classes_t *c)
{
    free(c->taxon);
    free(c->lineage);
    *c = (nbc_classes_t){0};
}
