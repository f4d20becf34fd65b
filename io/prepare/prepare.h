/*
 * prepare.h - turns the records of a FASTA file into the sequences to align: reads
 * abundances, cuts primers, filters, orients and dereplicates.
 */
#ifndef RIBOGRID_IO_PREPARE_PREPARE_H
#define RIBOGRID_IO_PREPARE_PREPARE_H

#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/pairs/pairs_format.h"
#include "io/prepare/primer_trim.h"
#include "io/prepare/seq_filter.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

typedef struct {
    bool sizein;             /* read sizes from the names, ";size=N" */
    const char *count_table; /* path of a count_table of mothur, or NULL */
    const char *samples;     /* path of a table of names, samples and counts, or NULL */
    primer_trim_t primers;
    seq_filter_t filter;
    bool orient;       /* orient reverse-complemented records; otherwise they only cause a
                          warning */
    bool both_strands; /* both will be aligned: reversed records need no warning */
    bool derep;        /* dereplicate */
} prepare_opts_t;

/* What prepare_set finds out besides changing the set. */
typedef struct {
    int64_t *size;           /* [set->n] abundances, or NULL: all 1 */
    pairs_members_t members; /* records of each sequence; n = 0: not dereplicated */
    pairs_samples_t samples; /* n = 0: no samples */
    char *member_names;      /* storage of members.name */
    char *sample_names;      /* storage of samples.name */
    int32_t *record;         /* [set->n] index of the first record of each sequence */
    int64_t n_records;       /* records in the input */
    seq_filter_report_t dropped;
    int64_t n_reverse; /* records that looked reverse-complemented */
    int64_t n_unknown; /* records of unknown strand */
} prepared_t;

/* @return options that change nothing */
prepare_opts_t prepare_defaults(void);

/* @return an error message if the options are invalid, else NULL */
const char *prepare_misuse(const prepare_opts_t *opts);

/*
 * Prepare a set and log what was dropped, oriented and dereplicated, one line per step.
 *
 * The order of the steps is: sizes (each record needs one), primers, filter,
 * orientation, dereplication.  A dereplicated sequence has the name and position of its
 * first record.
 *
 * @param input  the name of the set in messages
 * @param set    changed in place; after an error it can only be destroyed
 * @param out    release with prepare_free
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT or ST_EUSAGE (prepare_misuse, logged)
 */
status_t prepare_set(const char *input, const prepare_opts_t *opts, seqset_t *set,
                     prepared_t *out) MUST_CHECK;

/* @return a digest of sizes, members and samples. @param n  sequences */
uint64_t prepare_digest(const prepared_t *p, int64_t n);

void prepare_free(prepared_t *p);

#endif
