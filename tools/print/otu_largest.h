/*
 * otu_largest.h - the largest OTUs of a report: members, representatives, lineages,
 * samples.
 */
#ifndef RIBOGRID_TOOLS_PRINT_OTU_LARGEST_H
#define RIBOGRID_TOOLS_PRINT_OTU_LARGEST_H

#include "io/otu/otu_table.h"
#include "io/pairs/pairs_file.h"
#include "io/report/report_data.h"
#include "io/seq/taxonomy.h"

/* How many are shown. */
enum { OTU_LARGEST_MAX = 20 };

typedef struct {
    report_otu_t rows[OTU_LARGEST_MAX];
    char *lineages[OTU_LARGEST_MAX]; /* NULL: none */
    int64_t *counts;                 /* of samples */
    pairs_samples_t samples;
} otu_largest_t;

/*
 * Describe the largest OTUs of a file's sequences.
 *
 * @param table     of the sequences, or closed-reference OTUs of the queries
 * @param taxonomy  NULL: no lineages
 * @param taxa      [n] the taxon of each sequence, or of its reference; -1: none
 * @param show      its members on the largest OTUs are set; they point into out
 * @param out       zeroed; release with otu_largest_free, also after an error
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t otu_largest_find(const otu_table_t *table, const pairs_file_t *file,
                          const taxonomy_t *taxonomy, const int32_t *taxa,
                          report_otus_t *show, otu_largest_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void otu_largest_free(otu_largest_t *largest);

#endif
