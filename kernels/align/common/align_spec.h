/*
 * align_spec.h - what an alignment is: scores, ends, output.
 *
 * The canonical alignment of a pair has the best score, then the most matching columns,
 * then the fewest columns.  With free ends a gap at either end of either sequence costs
 * nothing and is no column.  With the query's ends counted, those of the target alone are
 * free: the query, an amplicon say, is aligned whole to a part of the target.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_COMMON_ALIGN_SPEC_H
#define RIBOGRID_KERNELS_ALIGN_COMMON_ALIGN_SPEC_H

#include "io/base/fraction.h"
#include "io/seq/matrix_file.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

/* What an aligner yields: each also what those before it do. */
typedef enum {
    EMIT_SCORE,
    EMIT_IDENTITY, /* matches and columns */
    EMIT_CIGAR     /* the canonical alignment itself, as nw_reference.h has it */
} align_emit_t;

extern const char *const align_emit_name[3]; /* "score", "identity", "cigar" */

typedef enum { ENDS_FREE, ENDS_COUNT, ENDS_QUERY } align_ends_t;

extern const char *const align_ends_name[3]; /* "free", "count", "query" */

/* When two letters of which at least one is a code match. */
typedef enum {
    AMBIGUITY_N_MISMATCH, /* when their sets meet, but N matches nothing */
    AMBIGUITY_MATCH,      /* when their sets meet */
    AMBIGUITY_MISMATCH    /* never */
} align_ambiguity_t;

/* What a gap of k bases scores. */
typedef enum {
    GAPS_LINEAR /* k times `gap` */
} align_gaps_t;

/* How columns are scored. */
typedef enum {
    SCORING_TWO_VALUED, /* a match or a mismatch: align_scoring_set */
    SCORING_MATRIX      /* a score per pair of codes: align_scoring_set_matrix */
} align_scoring_kind_t;

typedef struct {
    align_gaps_t gaps;
    int32_t gap;                                 /* the score of one gap base, < 0 */
    int32_t score[ALPHABET_SIZE][ALPHABET_SIZE]; /* [code][code] of a column */
    uint8_t is_match[ALPHABET_SIZE]
                    [ALPHABET_SIZE]; /* whether a column counts as a match */
    bool two_valued; /* no matrix: score is match where sets meet, else mismatch */
    int32_t match, mismatch; /* the two values */
    uint8_t
        set_of[ALPHABET_SIZE]; /* two_valued: letters match where these meet (AND != 0) */
} align_scoring_t;

typedef struct {
    align_emit_t emit;
    align_ends_t ends;
    align_scoring_t scoring;
    fraction_t min_overlap; /* free ends: a pair has no identity with fewer columns than
                             * this fraction of the shorter sequence */
} align_spec_t;

/* @return whether gaps at the ends against letters of the query, or else of the target,
 *         cost nothing and are no columns */
static inline bool align_end_is_free(const align_spec_t *spec, bool of_query)
{
    return spec->ends == ENDS_FREE || (spec->ends == ENDS_QUERY && !of_query);
}

/* Fill in the scores of match, mismatch and gap. */
void align_scoring_set(align_scoring_t *s, align_ambiguity_t ambiguity, int32_t match,
                       int32_t mismatch, int32_t gap);

/* Fill in the scores of a matrix; a match is the same letter. */
void align_scoring_set_matrix(align_scoring_t *s, const score_matrix_t *matrix,
                              int32_t gap);

/* Every cell's score of a pair of at most m and n letters lies within these. */
typedef struct {
    int64_t min, max;
} align_range_t;

align_range_t align_range(const align_spec_t *spec, int64_t m, int64_t n);

/*
 * Apply min_overlap: a pair with too few columns has no identity.
 *
 * @return whether matches and columns of a pair of m and n letters are to be kept
 */
static inline bool align_overlap_suffices(const align_spec_t *spec, int64_t m, int64_t n,
                                          int32_t columns)
{
    int64_t shorter = m < n ? m : n;

    return spec->ends != ENDS_FREE || columns * spec->min_overlap.denominator >=
                                          spec->min_overlap.numerator * shorter;
}

/* @return whether matches and columns are wanted */
static inline bool align_has_identity(const align_spec_t *spec)
{
    return spec->emit != EMIT_SCORE;
}

/*
 * Tell which pairs have a CIGAR under EMIT_CIGAR: those with an identity.
 *
 * @return whether one of m and n letters with so many columns has
 */
static inline bool align_has_cigar(const align_spec_t *spec, int64_t m, int64_t n,
                                   int32_t columns)
{
    return columns > 0 && align_overlap_suffices(spec, m, n, columns);
}

static inline align_scoring_kind_t align_scoring_kind(const align_scoring_t *s)
{
    return s->two_valued ? SCORING_TWO_VALUED : SCORING_MATRIX;
}

#endif
