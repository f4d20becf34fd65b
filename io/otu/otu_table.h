/*
 * otu_table.h - OTUs (operational taxonomic units) as a table: the members of each, and
 * how many of its reads each sample has.
 *
 * The representative of an OTU is its most abundant member; ties go to the one that comes
 * first.  OTUs are numbered from 0 by decreasing abundance; ties go to the one whose
 * representative comes first.  The name of an OTU is "Otu" and a number, counted from 1,
 * unless an earlier clustering named it (otu_previous.h) or it is a reference.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/base/status.h"
#include "io/pairs/pairs_format.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

typedef struct {
    int64_t n, n_otus;
    int32_t *otu;                   /* [n] the OTU of each sequence; -1: left out */
    int64_t *member_start;          /* [n_otus + 1] where the members of an OTU start */
    int32_t *member;                /* sequences, ascending within an OTU */
    int32_t *representative;        /* [n_otus] a sequence */
    int64_t *size;                  /* [n_otus] abundance */
    int64_t n_samples;              /* at least 1 */
    const char *const *sample_name; /* [n_samples] borrowed */
    int64_t *row_start;             /* [n_otus + 1] where the counts of an OTU start */
    int32_t *sample;                /* ascending within an OTU */
    int64_t *count;                 /* > 0 */
    int64_t n_otus_left_out;        /* OTUs below min_size */
    int64_t n_left_out;             /* sequences in none of the OTUs */
    const char **name;              /* [n_otus] of each OTU, borrowed; NULL: numbers */
    int64_t *number;                /* [n_otus] that names have, from 1 */
    int64_t last_number;            /* the highest one ever given */
    int digits;                     /* of a number in a name, at least */
    int64_t n_named;                /* OTUs before otu_table_keep */
    const char *prefix;             /* of these names; NULL: "Otu" */
} otu_table_t;

enum { OTU_NAME_BYTES = 24 };

/*
 * Build the table from a clustering.
 *
 * @param label     [n] the cluster of each sequence, as the index of one of its members;
 *                  -1: it is in none
 * @param sizes     [n] abundances; NULL: all are 1
 * @param samples   borrowed while the table lives; n = 0: one sample, "all"
 * @param min_size  OTUs with a lower abundance are left out
 * @return ST_OK or ST_ENOMEM
 */
status_t otu_table_create(int64_t n, const int32_t *label, const int64_t *sizes,
                          const pairs_samples_t *samples, int64_t min_size,
                          otu_table_t **out) MUST_CHECK;

/* Number the OTUs by their order. @return ST_OK or ST_ENOMEM (logged) */
status_t otu_table_number(otu_table_t *table) MUST_CHECK;

/* Number the OTUs by their names, as otu_table_name makes them: distinct, with numbers
 * up to last_number.  Before, otu_table_number has been called.
 * @param bad  out: the first OTU that has another name; n_otus: none
 * @return ST_OK or ST_ENOMEM (logged) */
status_t otu_table_take_names(otu_table_t *table, char *const *names,
                              int64_t *bad) MUST_CHECK;

/* List the members of each OTU from `otu` and n_left_out of the table; member_start is
 * all 0 before. */
void otu_table_list_members(otu_table_t *table);

/* Leave out the other OTUs; those that are kept keep their names.
 * @param keep  [n_otus] @return ST_OK or ST_ENOMEM (logged; the table is as before) */
status_t otu_table_keep(otu_table_t *table, const bool *keep) MUST_CHECK;

/* @return the number of OTUs with one member */
int64_t otu_table_n_single(const otu_table_t *table);

/* @return the name of an OTU: its own, or as mothur has it "Otu" (the prefix) and its
 * number, with leading zeros so that all names of a first clustering are equally long
 * @param text  storage of the latter */
const char *otu_table_name(const otu_table_t *table, int64_t otu,
                           char text[OTU_NAME_BYTES]);

/* Takes NULL. */
void otu_table_destroy(otu_table_t *table);
