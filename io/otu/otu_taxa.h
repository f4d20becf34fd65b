/*
 * otu_taxa.h - the lineages of OTUs: those of their representatives, from a table.
 */
#pragma once

#include "io/otu/otu_table.h"
#include "io/seq/taxonomy.h"

typedef struct {
    const taxonomy_t *taxonomy; /* borrowed */
    int32_t *taxon;             /* [n_otus] */
    int64_t n;
    int n_ranks; /* maximum of all OTUs */
} otu_taxa_t;

/* Find the lineage of an OTU, as otu_taxa_find does. @return a taxon, or -1 */
int32_t otu_taxa_of(const taxonomy_t *taxonomy, char *const *names,
                    const otu_table_t *table, int64_t otu);

/* The lineage of an OTU that has none: a name at the first rank, as of QIIME 2. */
#define OTU_TAXA_MISSING "Unassigned"

/*
 * Find the lineage of each OTU in a taxonomy.
 *
 * It may be listed under the name of the representative, or under the OTU's own: as in
 * PREFIX.reps.fasta, "Otu001", or with its size "Otu001;size=19".  OTUs that are
 * references are listed under these.  Where names of
 * OTUs are needed, there have to be as many lineages as OTUs.
 *
 * @param path  of the taxonomy, for messages
 * @param names of the sequences that were clustered
 * @param allow_missing  OTUs without a lineage are OTU_TAXA_MISSING (a line counts them);
 *                       else they are an error
 * @param out   release with otu_taxa_free
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (an OTU has no lineage, or they are of another
 *         clustering)
 */
status_t otu_taxa_find(const taxonomy_t *taxonomy, const char *path, char *const *names,
                       const otu_table_t *table, bool allow_missing,
                       otu_taxa_t *out) MUST_CHECK;

/* @return the name of an OTU's taxon at a rank, from 1; NULL: its lineage ends above */
const char *otu_taxa_name(const otu_taxa_t *taxa, int64_t otu, int rank);

/* Takes a zeroed one, too. */
void otu_taxa_free(otu_taxa_t *taxa);
