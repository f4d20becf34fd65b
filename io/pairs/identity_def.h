/*
 * identity_def.h - what share of an alignment is called its identity: the definitions of
 * other programs, as exact integers.
 *
 * Each follows from an alignment's runs and from the two lengths.  vsearch: Rognes et al.
 * 2016, doi:10.7717/peerj.2584, option --iddef; mothur: Schloss et al. 2009,
 * doi:10.1128/AEM.01541-09, option calc= of dist.seqs.  docs/identity.md works an
 * example of each.
 */
#ifndef RIBOGRID_IO_PAIRS_IDENTITY_DEF_H
#define RIBOGRID_IO_PAIRS_IDENTITY_DEF_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    IDENTITY_CDHIT = 0,     /* matches / shorter sequence */
    IDENTITY_ALL_COLUMNS,   /* matches / columns, end gaps among them */
    IDENTITY_INNER_COLUMNS, /* matches / columns without end gaps */
    IDENTITY_MBL,           /* 1 - (mismatches + gaps of any length) / longer sequence */
    IDENTITY_BLAST,         /* as IDENTITY_ALL_COLUMNS */
    IDENTITY_ONEGAP,        /* mothur: a gap is one column, however long */
    IDENTITY_NOGAPS,        /* mothur: columns with a gap are left out */
    IDENTITY_EACHGAP,       /* mothur: each letter against a gap is a column */
    IDENTITY_DEFS
} identity_def_t;

/* The words by which users name them: "0" to "4" as vsearch, then mothur's. */
extern const char *const identity_def_name[IDENTITY_DEFS];

/* Find one by its word. @return whether there is such */
bool identity_def_find(const char *name, identity_def_t *out);

/*
 * The definition by which matches / columns of the canonical alignment
 * (kernels/align/common/align_spec.h) are the identity: with free ends, where end gaps
 * are no columns, IDENTITY_INNER_COLUMNS, else IDENTITY_ALL_COLUMNS.
 */
identity_def_t identity_def_canonical(bool count_ends);

/* @return whether numerator and denominator are the canonical alignment's matches and
 *         columns, whatever the pair */
bool identity_def_is_canonical(identity_def_t def, bool count_ends);

/* What numerator and denominator are, in words. */
const char *identity_def_words(identity_def_t def, bool count_ends);

typedef struct {
    int64_t numerator, denominator; /* a denominator of 0: no identity */
} identity_value_t;

/*
 * What an alignment consists of.  Its ends are its first run and its last one, where
 * these are gaps (vsearch's view); its margins all that stands before the first column
 * with two letters and after the last one (mothur's).  Only where a gap of one sequence
 * meets one of the other at an end do the two differ.
 */
typedef struct {
    int64_t matches, mismatches;         /* columns with two letters */
    int64_t gap_letters, gap_runs;       /* all */
    int64_t end_letters, end_runs;       /* of these at the ends */
    int64_t margin_letters, margin_runs; /* of these in the margins */
} identity_counts_t;

/*
 * Count an alignment's columns.
 *
 * @param runs     [n_runs] of =, X, M, I and D; neighbours may be of one operation
 *                 only among =, X and M
 * @param matches  how many columns of M are matches
 */
identity_counts_t identity_def_count(const uint32_t *runs, int64_t n_runs,
                                     int64_t matches);

/* The value by a definition, of an alignment that has been counted. */
identity_value_t identity_def_of_counts(identity_def_t def, bool count_ends,
                                        const identity_counts_t *counts, int64_t m,
                                        int64_t n);

/*
 * The identity of an alignment by a definition.
 *
 * @param count_ends  whether end gaps count, for mothur's onegap and eachgap; the others
 *                    settle that themselves
 * @param runs        [n_runs] of =, X, I and D
 * @param m, n        letters of the query and of the target
 */
identity_value_t identity_def_value(identity_def_t def, bool count_ends,
                                    const uint32_t *runs, int64_t n_runs, int64_t m,
                                    int64_t n);

#endif
