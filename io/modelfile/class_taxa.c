/*
 * class_taxa.c - walks the tree of taxa.
 */
#include "io/modelfile/class_taxa.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

status_t class_taxa_create(int32_t n, int64_t names_bytes, class_taxa_t *out)
{
    class_taxa_t t = {.n = n};

    t.parent = malloc((size_t)n * sizeof(*t.parent) + 1);
    t.names = malloc((size_t)names_bytes + 1);
    t.name_offset = malloc(((size_t)n + 1) * sizeof(*t.name_offset));
    *out = t;
    if (t.parent != NULL && t.names != NULL && t.name_offset != NULL)
        return ST_OK;
    class_taxa_free(out);
    return log_nomem("taxa");
}

void class_taxa_free(class_taxa_t *t)
{
    free(t->parent);
    free(t->names);
    free(t->name_offset);
    *t = (class_taxa_t){.n = 0};
}

int class_taxa_rank(const class_taxa_t *t, int32_t taxon)
{
    int rank = 0;

    for (; taxon > 0; taxon = t->parent[taxon])
        rank++;
    return rank;
}

int class_taxa_n_ranks(const class_taxa_t *t)
{
    int n = 0;

    for (int32_t i = 1; i < t->n; i++) {
        int rank = class_taxa_rank(t, i);

        n = rank > n ? rank : n;
    }
    return n;
}

int32_t class_taxa_at(const class_taxa_t *t, int32_t taxon, int rank)
{
    for (int above = class_taxa_rank(t, taxon) - rank; above > 0; above--)
        taxon = t->parent[taxon];
    return taxon;
}
