/*
 * identity_def.h - the identity of an alignment by the definitions of other programs, as
 * exact integers.
 *
 * Each definition depends on the alignment's runs and the two lengths.  vsearch: Rognes
 * et al. 2016, doi:10.7717/peerj.2584, option --iddef; mothur: Schloss et al. 2009,
 * doi:10.1128/AEM.01541-09, option calc= of dist.seqs.  docs/identity.md works out an
 * example of each.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    IDENTITY_CDHIT = 0,     /* matches / shorter sequence */
    IDENTITY_ALL_COLUMNS,   /* matches / columns, end gaps included */
    IDENTITY_INNER_COLUMNS, /* matches / columns without end gaps */
    IDENTITY_MBL,           /* 1 - (mismatches + gaps of any length) / longer sequence */
    IDENTITY_BLAST,         /* as IDENTITY_ALL_COLUMNS */
    IDENTITY_ONEGAP,        /* mothur: a gap of any length is one column */
    IDENTITY_NOGAPS,        /* mothur: columns with a gap are left out */
    IDENTITY_EACHGAP,       /* mothur: each base against a gap is a column */
    IDENTITY_ONEGAP_ENDS,   /* mothur's default: as onegap, with end gaps that are free in
                             * the alignment but count in its distance */
    IDENTITY_DEFS
} identity_def_t;

/* The names that users give: "0" to "4" as in vsearch, then those of mothur, and
 * "onegap-ends". */
extern const char *const identity_def_name[IDENTITY_DEFS];

/*
 * @return the definition that equals matches / columns of the canonical alignment
 *         (kernels/align/common/align_spec.h): IDENTITY_INNER_COLUMNS with free ends,
 * whose end gaps are no columns, else IDENTITY_ALL_COLUMNS
 */
identity_def_t identity_def_canonical(bool count_ends);

/* @return whether numerator and denominator are always the canonical alignment's matches
 *         and columns */
bool identity_def_is_canonical(identity_def_t def, bool count_ends);

/* @return whether bases that a gene has beyond the ends of a fragment lower their
 *         identity; otherwise a fragment is close to every gene that contains it, or one
 *         similar to it */
bool identity_def_counts_overhang(identity_def_t def, bool count_ends);

/* @return whether an alignment with columns may have no identity, because the definition
 *         counts none of them */
bool identity_def_may_lack_columns(identity_def_t def, bool count_ends);

/* @return in words what numerator and denominator are */
const char *identity_def_words(identity_def_t def, bool count_ends);

typedef struct {
    int64_t numerator, denominator; /* a denominator of 0: no identity */
} identity_value_t;

/*
 * The columns of an alignment.  Its end gaps, as vsearch defines them, are its first and
 * last run if these are gaps.  Its margins, as mothur defines them, are everything before
 * the first column with two bases and after the last one.  The two differ only if a gap
 * of one sequence meets a gap of the other at an end.
 */
typedef struct {
    int64_t matches, mismatches;         /* columns with two bases */
    int64_t gap_letters, gap_runs;       /* all gaps: bases in them, and their number */
    int64_t end_letters, end_runs;       /* end gaps */
    int64_t margin_letters, margin_runs; /* gaps in the margins */
} identity_counts_t;

/*
 * Count an alignment's columns.
 *
 * @param runs     [n_runs] of =, X, M, I and D; neighbouring runs of I differ, and of D
 * @param matches  the number of matches among the columns of M
 */
identity_counts_t identity_def_count(const uint32_t *runs, int64_t n_runs,
                                     int64_t matches);

/*
 * @param count_ends  whether end gaps count, for mothur's onegap and eachgap; the other
 *                    definitions decide that themselves
 * @param m, n        bases of the query and of the target
 * @return the identity of an alignment whose columns are counted
 */
identity_value_t identity_def_of_counts(identity_def_t def, bool count_ends,
                                        const identity_counts_t *counts, int64_t m,
                                        int64_t n);
