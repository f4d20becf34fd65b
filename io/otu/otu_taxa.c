/*
 * otu_taxa.c - looking up representatives, by their names or by those of their OTUs.
 */
#include "io/otu/otu_taxa.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEY_BYTES = OTU_NAME_BYTES + 32 };

int32_t otu_taxa_of(const taxonomy_t *t, char *const *names, const otu_table_t *table,
                    int64_t otu)
{
    char text[OTU_NAME_BYTES], key[KEY_BYTES];
    const char *name = otu_table_name(table, otu, text);
    int32_t taxon;

    if (table->name != NULL) /* of references, which representatives are not */
        return taxonomy_find(t, name);
    taxon = taxonomy_find(t, names[table->representative[otu]]);
    if (taxon >= 0 || (taxon = taxonomy_find(t, name)) >= 0)
        return taxon;
    snprintf(key, sizeof(key), "%s;size=%" PRId64, name, table->size[otu]);
    return taxonomy_find(t, key);
}

/* Log that OTUs have no lineage. @return ST_EINPUT */
static status_t refuse(const char *path, char *const *names, const otu_table_t *table,
                       int64_t n_missing, int64_t first)
{
    char text[OTU_NAME_BYTES];
    const char *name = otu_table_name(table, first, text);

    if (table->name != NULL)
        log_error("%s has no lineage for %" PRId64 " references that are OTUs, the first "
                  "is %s; give the taxonomy of the references, or --allow-missing",
                  path, n_missing, name);
    else
        log_error("%s has no lineage for %" PRId64
                  " OTUs, the first is %s (%s); classify all representatives, by "
                  "`ribogrid classify` or `ribogrid taxonomy`, or give --allow-missing",
                  path, n_missing, name, names[table->representative[first]]);
    return ST_EINPUT;
}

/* Names of OTUs are numbers, which another clustering has as well: then there are as many
 * lineages as OTUs, but those that have none. */
static status_t check_names(const taxonomy_t *taxonomy, const char *path,
                            char *const *names, const otu_table_t *table,
                            int64_t n_missing)
{
    int64_t n_numbered = 0;

    for (int64_t k = 0; table->name == NULL && k < table->n_otus; k++)
        n_numbered += taxonomy_find(taxonomy, names[table->representative[k]]) < 0;
    if (table->name != NULL || n_numbered == n_missing ||
        taxonomy_n(taxonomy) == table->n_otus - n_missing ||
        (table->n_named > table->n_otus && taxonomy_n(taxonomy) == table->n_named))
        return ST_OK;
    log_error("%s has lineages of %" PRId64 " OTUs, but there are %" PRId64
              " here; give those of the representatives of this clustering",
              path, taxonomy_n(taxonomy), table->n_otus);
    return ST_EINPUT;
}

status_t otu_taxa_find(const taxonomy_t *taxonomy, const char *path, char *const *names,
                       const otu_table_t *table, bool allow_missing, otu_taxa_t *out)
{
    otu_taxa_t taxa = {.taxonomy = taxonomy, .n = table->n_otus};
    int64_t n_missing = 0, first = -1;
    status_t st;

    if ((taxa.taxon = malloc((size_t)taxa.n * sizeof(*taxa.taxon) + 1)) == NULL)
        return log_nomem("the lineages of OTUs");
    for (int64_t k = 0; k < taxa.n; k++) {
        int rank;

        if ((taxa.taxon[k] = otu_taxa_of(taxonomy, names, table, k)) < 0) {
            first = n_missing++ == 0 ? k : first;
            taxa.taxon[k] = TAXONOMY_ROOT;
        }
        rank =
            taxa.taxon[k] == TAXONOMY_ROOT ? 1 : taxonomy_rank(taxonomy, taxa.taxon[k]);
        taxa.n_ranks = rank > taxa.n_ranks ? rank : taxa.n_ranks;
    }
    st = n_missing > 0 && !allow_missing
             ? refuse(path, names, table, n_missing, first)
             : check_names(taxonomy, path, names, table, n_missing);
    if (st != ST_OK) {
        otu_taxa_free(&taxa);
        return st;
    }
    if (n_missing > 0)
        log_info("%s has no lineage for %" PRId64 " of %" PRId64
                 " OTUs, which are " OTU_TAXA_MISSING,
                 path, n_missing, taxa.n);
    *out = taxa;
    return ST_OK;
}

const char *otu_taxa_name(const otu_taxa_t *t, int64_t otu, int rank)
{
    const int32_t taxon = taxonomy_ancestor(t->taxonomy, t->taxon[otu], rank);

    if (t->taxon[otu] == TAXONOMY_ROOT)
        return rank == 1 ? OTU_TAXA_MISSING : NULL;
    return taxon >= 0 ? taxonomy_name(t->taxonomy, taxon) : NULL;
}

void otu_taxa_free(otu_taxa_t *t)
{
    free(t->taxon);
    *t = (otu_taxa_t){.n = 0};
}
