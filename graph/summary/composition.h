/*
 * composition.h - how many reads of each sample have which taxon.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/modelfile/class_names.h"
#include "io/prepare/abundance.h"
#include "io/seq/taxonomy.h"

/* consensus.c: the consensus lineage of a query's hits.
 *
 * As in QIIME 2's consensus classifiers (Bokulich et al. 2018, Microbiome 6:90): at each
 * rank, from the highest down, the consensus has the taxon that at least a given fraction
 * of all hits share.  It ends at the first rank without such a taxon.  Hits whose
 * lineages end above a rank count as hits that do not share its taxa. */

/*
 * Find the consensus of hits.
 *
 * @param min   the fraction, above 1/2, so that at most one taxon reaches it
 * @param taxa  [n] the lowest taxon of each hit
 * @return the lowest taxon of the consensus; TAXONOMY_ROOT if no taxon reaches the
 * fraction or there are no hits
 */
int32_t consensus_of(const taxonomy_t *t, const fraction_t *min, const int32_t *taxa,
                     int64_t n);

/* @return the number of hits at or below a taxon */
int64_t consensus_count(const taxonomy_t *t, const int32_t *taxa, int64_t n,
                        int32_t taxon);

/* A rank of lineages. */
typedef struct {
    int number;  /* counted from 1 */
    char letter; /* of prefixes such as "g__"; 0: none */
} composition_rank_t;

/*
 * Parse a rank: "domain" (or "kingdom"), "phylum", "class", "order", "family", "genus",
 * "species", or a number from 1.
 *
 * A name is the rank of that number, without a leading "Root"; in lineages with prefixes
 * ("g__Bacillus") it is the rank of that prefix.
 *
 * @return whether it is one
 */
bool composition_rank_parse(const char *text, composition_rank_t *out);

/* @return the length of a lineage down to its taxon of a rank; 0: it has none */
size_t composition_taxon_len(const char *lineage, composition_rank_t rank);

/* Counts of reads.  Rows are the largest taxa, the largest first, then all other taxa,
 * then reads without a taxon of the rank. */
typedef struct {
    int64_t n_taxa;    /* that occur */
    int n_shown;       /* of these, the largest */
    char **taxa;       /* [n_shown] lineages down to the rank */
    int64_t n_samples; /* at least 1 */
    int64_t *counts;   /* [n_shown + 2][n_samples] */
} composition_t;

/*
 * Count.
 *
 * @param reads  abundances of the reads; without samples all reads are one sample
 * @param max    taxa to be shown
 * @param out    released by composition_free
 * @return ST_OK or ST_ENOMEM
 */
status_t composition_make(const class_names_t *names, const abundance_t *reads,
                          composition_rank_t rank, int max,
                          composition_t *out) MUST_CHECK;

void composition_free(composition_t *c);
