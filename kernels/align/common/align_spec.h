/*
 * align_spec.h - the definition of an alignment: scores, ends, output.
 *
 * The canonical alignment of a pair has the best score, then the most matching columns,
 * then the fewest columns; nw_reference.h defines which one it is if that leaves several.
 *
 * Results depend on the spec and the sequences only.  How they are computed is in
 * align_run.h.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/seq/cigar.h"
#include "io/seq/matrix_file.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

/* What is computed.  Each includes those before it. */
typedef enum {
    EMIT_SCORE,
    EMIT_IDENTITY, /* matches and columns */
    EMIT_CIGAR     /* the canonical alignment itself */
} align_emit_t;

extern const char *const align_emit_name[3]; /* "score", "identity", "cigar" */

/* Free end gaps cost nothing and are no columns; counted ones are gaps like any other. */
typedef enum {
    ENDS_FREE,   /* all end gaps are free */
    ENDS_COUNT,  /* all end gaps count */
    ENDS_QUERY,  /* gaps against the query's ends count, those against the target's are
                  * free: all of the query, say an amplicon, is aligned to a part of the
                  * target */
    ENDS_PRICED, /* end gaps have costs of their own, and are no columns */
    ENDS_LOCAL   /* local alignment (Smith and Waterman 1981): any part of the query is
                  * aligned to any part of the target; what lies outside is no column and
                  * free */
} align_ends_t;

enum { ALIGN_N_ENDS = 5 };

/* "free", "count", "query", "priced", "local" */
extern const char *const align_ends_name[ALIGN_N_ENDS];

/* When two bases match if at least one of them is an ambiguity code.  Matches score as
 * others do, except with AMBIGUITY_NEUTRAL. */
typedef enum {
    AMBIGUITY_N_MISMATCH, /* if they may be the same base, but N matches nothing */
    AMBIGUITY_MATCH,      /* if they may be the same base */
    AMBIGUITY_MISMATCH,   /* never */
    AMBIGUITY_SAME,       /* if they are the same code, as in mothur */
    AMBIGUITY_NEUTRAL     /* if they may be the same base; all such columns, mismatches
                           * too, score 0, as in vsearch */
} align_ambiguity_t;

extern const char *const align_ambiguity_name[5]; /* "n-mismatch", ... "neutral" */

/* What a gap scores: its first base, and each further one. */
typedef struct {
    int32_t open, extend; /* open <= extend <= 0 */
} align_gap_t;

/* The gap model: what a gap of k bases scores. */
typedef enum {
    GAPS_LINEAR, /* k * gap */
    GAPS_AFFINE  /* gap_open + (k - 1) * gap */
} align_gaps_t;

/* How columns are scored. */
typedef enum {
    SCORING_TWO_VALUED, /* matches and mismatches of sets: align_scoring_set */
    SCORING_MATRIX      /* a score per pair of codes: align_scoring_set_matrix, or
                         * align_scoring_set with AMBIGUITY_SAME or AMBIGUITY_NEUTRAL */
} align_scoring_kind_t;

typedef struct {
    alphabet_t alphabet; /* of the sequences */
    align_gaps_t gaps;
    int32_t gap;      /* < 0 */
    int32_t gap_open; /* <= gap; linear: gap */
    /* of a column, by the codes of alphabet.h; is_match: it counts as a match */
    int32_t score[ALPHABET_SIZE][ALPHABET_SIZE];
    uint8_t is_match[ALPHABET_SIZE][ALPHABET_SIZE];
    /* instead of a matrix: `match` if set_of[a] & set_of[b] is not 0, else `mismatch` */
    bool two_valued;
    int32_t match, mismatch;
    uint8_t set_of[ALPHABET_SIZE]; /* codes match only if these intersect */
    bool same_code;                /* and only if the codes are equal */
    /* a matrix in which plain bases score `match` >= 0 or `mismatch` <= 0, and all other
     * columns 0 */
    bool neutral;
} align_scoring_t;

typedef struct {
    align_emit_t emit;
    align_ends_t ends;
    align_gap_t end_gap; /* ENDS_PRICED: of each terminal gap */
    align_scoring_t scoring;
    fraction_t min_overlap; /* unless ends count: a pair has no identity with fewer
                             * columns than this fraction of the shorter sequence */
    bool join_columns;      /* EMIT_CIGAR: columns of two bases are M, not = and X */
} align_spec_t;

/* Of terminal gaps against bases of the query, or of the target. */
align_gap_t align_end_gap(const align_spec_t *spec, bool of_query);

/* @return what a gap of `len` bases scores */
static inline int64_t align_gap_score(align_gap_t gap, int64_t len)
{
    return len > 0 ? gap.open + (len - 1) * gap.extend : 0;
}

/* @return whether end gaps against bases of the query, or of the target, are columns */
static inline bool align_end_is_counted(const align_spec_t *spec, bool of_query)
{
    return spec->ends == ENDS_COUNT || (spec->ends == ENDS_QUERY && of_query);
}

/* Score columns of DNA by match and mismatch. */
void align_scoring_set(align_scoring_t *s, align_ambiguity_t ambiguity, int32_t match,
                       int32_t mismatch, int32_t gap);

/* Score columns by a matrix, of its alphabet; equal letters count as matches, X and X
 * too. */
void align_scoring_set_matrix(align_scoring_t *s, const score_matrix_t *matrix,
                              int32_t gap);

/* @return how vsearch aligns, with its defaults: the alignment, of any overlap */
align_spec_t align_spec_vsearch(void);

/* Score gaps by GAPS_AFFINE, or if open and extend are equal by GAPS_LINEAR. */
void align_scoring_set_gap(align_scoring_t *s, align_gap_t gap);

/* @return what the gaps inside an alignment score */
static inline align_gap_t align_scoring_gap(const align_scoring_t *s)
{
    return (align_gap_t){s->gap_open, s->gap};
}

/* Scores, from the lowest to the highest. */
typedef struct {
    int64_t min, max;
} align_range_t;

/* @return the scores of columns, over all pairs of letters */
align_range_t align_scoring_range(const align_scoring_t *s);

/* @return bounds of the score of every cell, for pairs of at most m and n bases */
align_range_t align_range(const align_spec_t *spec, int64_t m, int64_t n);

/* @return whether terminal gaps of both sequences are no columns, so that min_overlap
 *         applies */
static inline bool align_ends_limit_overlap(align_ends_t ends)
{
    return ends == ENDS_FREE || ends == ENDS_PRICED || ends == ENDS_LOCAL;
}

/*
 * Apply min_overlap: a pair with too few columns has no identity.
 *
 * @return whether a pair of m and n bases keeps its matches and columns
 */
static inline bool align_overlap_suffices(const align_spec_t *spec, int64_t m, int64_t n,
                                          int32_t columns)
{
    int64_t shorter = m < n ? m : n;

    return !align_ends_limit_overlap(spec->ends) ||
           columns * spec->min_overlap.denominator >=
               spec->min_overlap.numerator * shorter;
}

/* @return whether gaps or end gaps need more than one value per cell (nw_values_t) */
static inline bool align_is_affine(const align_spec_t *spec)
{
    return spec->scoring.gaps == GAPS_AFFINE || spec->ends == ENDS_PRICED;
}

/* @return whether matches and columns are computed */
static inline bool align_has_identity(const align_spec_t *spec)
{
    return spec->emit != EMIT_SCORE;
}

/* @return whether a pair has a CIGAR under EMIT_CIGAR: it does if it has an identity */
static inline bool align_has_cigar(const align_spec_t *spec, int64_t m, int64_t n,
                                   int32_t columns)
{
    return columns > 0 && align_overlap_suffices(spec, m, n, columns);
}

/* @return the operation of a column of two bases in the runs of a CIGAR */
static inline cigar_op_t align_column_op(const align_spec_t *spec, bool is_match)
{
    return spec->join_columns ? CIGAR_M : is_match ? CIGAR_EQ : CIGAR_X;
}

/*
 * Describe how the bases A, C, G and T are scored.
 *
 * @param match, mismatch  out: the scores of equal and of different bases, if true
 * @return whether by a match and a mismatch, and only equal ones match
 */
bool align_scoring_is_plain(const align_scoring_t *s, int32_t *match, int32_t *mismatch);

static inline align_scoring_kind_t align_scoring_kind(const align_scoring_t *s)
{
    return s->two_valued ? SCORING_TWO_VALUED : SCORING_MATRIX;
}
