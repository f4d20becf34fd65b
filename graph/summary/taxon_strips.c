/*
 * taxon_strips.c - finds the runs of one phylum in an order of sequences, and their
 * names.
 */
#include "graph/summary/heat_map.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* @return the phylum of a taxon; the taxon itself if it stands above the phyla, or is -1
 */
static int32_t strip_taxon(const taxonomy_t *t, int32_t taxon)
{
    int32_t phylum =
        taxon < 0 ? -1 : taxonomy_ancestor(t, taxon, taxonomy_phylum_rank(t));

    return phylum >= 0 ? phylum : taxon;
}

const char *taxon_strips_plain_name(const taxonomy_t *t, int32_t taxon)
{
    const char *name = taxonomy_name(t, taxon);

    return name[0] != '\0' && name[1] == '_' && name[2] == '_' ? name + 3 : name;
}

static const char no_phylum[] =
    "no phylum"; /* for the empty name in "k__Bacteria; p__" */

static const char *strip_name(const taxonomy_t *t, int32_t taxon)
{
    const char *name = taxon < 0 ? "no lineage" : taxon_strips_plain_name(t, taxon);

    return *name != '\0' || *taxonomy_name(t, taxon) == '\0' ? name : no_phylum;
}

static bool is_phylum(const taxonomy_t *t, int32_t taxon)
{
    return taxon >= 0 && taxonomy_rank(t, taxon) == taxonomy_phylum_rank(t) &&
           strcmp(strip_name(t, taxon), no_phylum) != 0;
}

status_t taxon_strips_make(const taxonomy_t *t, const int32_t *taxa, const int32_t *order,
                           int64_t n, taxon_strips_t *out)
{
    taxon_strips_t s = {.strips = malloc((size_t)(n + 1) * sizeof(*s.strips))};

    if (s.strips == NULL)
        return log_nomem("strips");
    for (int64_t begin = 0, end; begin < n; begin = end) {
        int32_t taxon = strip_taxon(t, taxa[order[begin]]);

        for (end = begin + 1; end < n && strip_taxon(t, taxa[order[end]]) == taxon; end++)
            continue;
        s.strips[s.n_strips++] = (report_strip_t){strip_name(t, taxon), begin, end};
        s.n_phyla += is_phylum(t, taxon);
    }
    *out = s;
    return ST_OK;
}

void taxon_strips_free(taxon_strips_t *s)
{
    free(s->strips);
    *s = (taxon_strips_t){0};
}
