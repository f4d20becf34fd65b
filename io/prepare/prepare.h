/*
 * prepare.h - what is done to a set of records before its pairs are aligned: sizes are
 * read, unfit records dropped, reverse complements found, equal sequences joined.
 */
#ifndef RIBOGRID_IO_PREPARE_PREPARE_H
#define RIBOGRID_IO_PREPARE_PREPARE_H

#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/pairs/pairs_format.h"
#include "io/prepare/seq_filter.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

typedef struct {
    bool sizein;             /* sizes stand in the names, as ";size=N" */
    const char *count_table; /* a file of mothur's, or NULL */
    const char *samples;     /* a table of names, samples and counts, or NULL */
    seq_filter_t filter;
    bool orient; /* turn reverse complements round; else they are only named */
    bool derep;  /* join equal sequences */
} prepare_opts_t;

/* The set itself is changed in place. */
typedef struct {
    int64_t *size;           /* [set->n] abundances, or NULL: all 1 */
    pairs_members_t members; /* n = 0: the sequences themselves */
    pairs_samples_t samples; /* n = 0: none known */
    char *member_names;      /* what members.name points into */
    char *sample_names;      /* likewise */
    int32_t *record;         /* [set->n] of each sequence, the first record's index */
    int64_t n_records;       /* read */
    seq_filter_report_t dropped;
    int64_t n_reverse; /* records that look reverse-complemented, turned if `orient` */
    int64_t n_unknown; /* records whose strand nothing tells */
} prepared_t;

/* @return the options under which nothing is dropped or joined */
prepare_opts_t prepare_defaults(void);

/* @return what is wrong with the options, for the user, or NULL */
const char *prepare_misuse(const prepare_opts_t *opts);

/*
 * Prepare a set, and say in a line each what was dropped, turned and joined.
 *
 * The steps in their order: sizes (each record needs one), filter, strands, joining.
 * Joined sequences have the name and the place of their first record.
 *
 * @param input  how messages name the set
 * @param set    changed in place; after an error only fit to be destroyed
 * @param out    on success the caller's, to be given back with prepare_free
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT or ST_EUSAGE (prepare_misuse, logged)
 */
status_t prepare_set(const char *input, const prepare_opts_t *opts, seqset_t *set,
                     prepared_t *out) MUST_CHECK;

/* @return a digest of sizes, members and samples; `n` sequences */
uint64_t prepare_digest(const prepared_t *p, int64_t n);

void prepare_free(prepared_t *p);

#endif
