/*
 * otu_table.h - OTUs (operational taxonomic units) as a table: which sequences each has,
 * how many reads of it each sample holds.
 *
 * OTUs are numbered from 0 by abundance, greatest first; of equal ones first that whose
 * representative comes first.  The representative is the most abundant member, of equal
 * ones the first.
 */
#ifndef RIBOGRID_IO_OTU_OTU_TABLE_H
#define RIBOGRID_IO_OTU_OTU_TABLE_H

#include "io/base/fraction.h"
#include "io/base/status.h"
#include "io/pairs/pairs_format.h"
#include "io/seq/seqset.h"

typedef struct {
    int64_t n, n_otus;
    int32_t *otu;                        /* [n] of each sequence; -1: left out */
    int64_t *member_start;               /* [n_otus + 1] where an OTU's members start */
    int32_t *member;                     /* sequences, ascending within an OTU */
    int32_t *representative;             /* [n_otus] a sequence */
    int64_t *size;                       /* [n_otus] abundance */
    int64_t n_samples;                   /* at least 1 */
    const char *const *sample_name;      /* [n_samples] borrowed */
    int64_t *row_start;                  /* [n_otus + 1] where an OTU's counts start */
    int32_t *sample;                     /* ascending within an OTU */
    int64_t *count;                      /* > 0 */
    int64_t n_otus_left_out, n_left_out; /* below the least abundance; their sequences */
} otu_table_t;

enum { OTU_NAME_BYTES = 24 };

/*
 * Make the table.
 *
 * @param label     [n] each sequence's OTU, by any one of its sequences
 * @param sizes     [n] abundances; NULL: all 1
 * @param samples   borrowed as long as the table lives; n = 0: one column, "all"
 * @param min_size  OTUs of a lower abundance are left out
 * @return ST_OK or ST_ENOMEM
 */
status_t otu_table_create(int64_t n, const int32_t *label, const int64_t *sizes,
                          const pairs_samples_t *samples, int64_t min_size,
                          otu_table_t **out) MUST_CHECK;

/* Name an OTU as mothur does: "Otu", and its number from 1 in as many digits as the last
 * one's. */
void otu_table_name(const otu_table_t *table, int64_t otu, char name[OTU_NAME_BYTES]);

/* Takes NULL. */
void otu_table_destroy(otu_table_t *table);

#endif
