/*
 * export_hit.h - a pair with all that is known of its alignment, for writers of formats.
 *
 * A CIGAR tells everything.  Without one, what the stored numbers determine is known all
 * the same: see export_facts.
 */
#ifndef RIBOGRID_IO_EXPORT_EXPORT_HIT_H
#define RIBOGRID_IO_EXPORT_EXPORT_HIT_H

#include "io/export/export_out.h"
#include "io/pairs/identity_def.h"
#include "io/pairs/pairs_scan.h"

/* What can be known of a pair, as bits. */
enum {
    EXPORT_MATCHES = 1,         /* columns that are matches */
    EXPORT_INNER = 2,           /* columns without end gaps */
    EXPORT_PAIRS = 4,           /* columns with two letters, and columns in all */
    EXPORT_CIGAR = 8,           /* how many gaps, where, the alignment itself */
    EXPORT_QUERY_LETTERS = 16,  /* the letters of the rows' sequences */
    EXPORT_TARGET_LETTERS = 32, /* those of the columns' */
    EXPORT_IDENTITY = 64        /* by the file's definition */
};

typedef struct {
    const pairs_hit_t *hit;
    const char *query, *target; /* names */
    int64_t m, n;               /* letters of query and target */
    bool perfect;               /* with a CIGAR: every column of all is a match */
    /* With EXPORT_MATCHES, EXPORT_INNER, EXPORT_PAIRS, EXPORT_PAIRS, EXPORT_CIGAR: */
    int64_t matches, inner, pairs, columns;
    identity_counts_t counts; /* ends: of both, or of the target alone where the query's
                                 ends count; no margins are looked at */
    /* Letters in the end gaps, of the strand that was aligned; EXPORT_CIGAR. */
    int64_t query_left, query_right, target_left, target_right;
    const uint32_t *runs; /* [n_runs] EXPORT_CIGAR */
    int64_t n_runs;
} export_hit_t;

/*
 * @return bits: what is known of each pair of a file
 *
 * Without CIGARs it goes by the definition of identity that the file names: what its
 * matches and columns are.  Where these are all columns, pairs = m + n - columns; where
 * they are those with two letters, they are the pairs.  Where they are those of the
 * alignment with free ends, or with the query's counted, and letters have two scores, the
 * score tells the pairs: score = match x matches + mismatch x mismatches + gap x the rest
 * of the columns.  By IDENTITY_MBL the file's matches are none: then only CIGARs with =
 * and X tell anything.
 */
unsigned export_facts(const pairs_file_t *file);

/* The name of the first bit that is wanted and not known: what to ask `align` for. */
const char *export_facts_remedy(unsigned wanted, unsigned known);

/* Write a pair. @return ST_OK, or what ends the export */
typedef status_t (*export_hit_fn_t)(void *state, const export_hit_t *hit,
                                    export_out_t *out);

/*
 * Write every pair that has an identity of at least `id`; of a file of scores alone every
 * pair.  Says how many have none.
 *
 * @param wanted  what write looks at; known of the file
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT, or what `write` returned
 */
status_t export_hit_each(const pairs_file_t *file, const fraction_t *id, unsigned wanted,
                         export_hit_fn_t write, void *state,
                         export_out_t *out) MUST_CHECK;

#endif
