/*
 * export_hit.h - a pair with everything that is known about its alignment, for the
 * writers of formats.
 *
 * With a CIGAR everything is known.  Without one, export_facts tells what follows from
 * the stored numbers.
 */
#pragma once

#include "io/export/export_out.h"
#include "io/pairs/identity_def.h"
#include "io/pairs/pairs_scan.h"

/* Facts that may be known about a pair, as bits. */
enum {
    EXPORT_MATCHES = 1,       /* number of matches */
    EXPORT_INNER = 2,         /* columns without end gaps */
    EXPORT_PAIRS = 4,         /* columns with two bases, and columns in all */
    EXPORT_CIGAR = 8,         /* the alignment, with the number and place of its gaps */
    EXPORT_QUERY_BASES = 16,  /* the sequences of the rows */
    EXPORT_TARGET_BASES = 32, /* the sequences of the columns */
    EXPORT_IDENTITY = 64,     /* by the file's definition */
    EXPORT_POSITIONS = 128    /* where the alignment begins and ends */
};

typedef struct {
    const pairs_hit_t *hit;
    bool scores_in_halves;      /* as in the file */
    const char *query, *target; /* names */
    int64_t m, n;               /* bases of query and target */
    bool perfect;               /* EXPORT_CIGAR: all columns are matches */
    int64_t matches;            /* EXPORT_MATCHES */
    int64_t inner;              /* EXPORT_INNER */
    int64_t pairs, columns;     /* EXPORT_PAIRS */
    /* EXPORT_CIGAR; end gaps are those of both sequences, or only of the target if the
     * query's ends count, or all that lies outside of a local alignment */
    identity_counts_t counts;
    /* EXPORT_CIGAR: bases in the end gaps, on the strand that was aligned */
    int64_t query_left, query_right, target_left, target_right;
    const uint32_t *runs; /* EXPORT_CIGAR: [n_runs] */
    int64_t n_runs;
    int64_t first_inner, end_inner; /* EXPORT_CIGAR: the runs between the end gaps */
    /* EXPORT_POSITIONS: first and last base, counted from 1, on the strand that was
     * aligned: of a global alignment those of the whole sequences */
    int64_t query_first, query_last, target_first, target_last;
    /* -1 and 0, where the law of the file's scores is not known */
    double evalue, bits;
} export_hit_t;

/*
 * @return bits: what is known about each pair of a file
 *
 * Without CIGARs this depends on the definition of identity that the file names, that is,
 * on what its matches and columns are.  If they count all columns, pairs = m + n -
 * columns. If they count columns with two bases, they are the pairs.  If they count the
 * columns of an alignment with free ends, or with only the query's ends counted, and the
 * scoring has one match, one mismatch and linear gaps, then the score determines the
 * pairs: score = match x matches + mismatch x mismatches + gap x the remaining columns.
 * With IDENTITY_MBL the file's matches are not the alignment's; then only CIGARs with =
 * and X help.  The positions of local alignments follow from CIGARs alone.
 */
unsigned export_facts(const pairs_file_t *file);

/* @return for messages: what is missing, and the option of `align` that would add it */
const char *export_facts_remedy(unsigned needed, unsigned known);

/* Write a pair. @return ST_OK, or what ends the export */
typedef status_t (*export_hit_fn_t)(void *state, const export_hit_t *hit, FILE *out);

/* Which pairs are written, and in which order. */
typedef struct {
    fraction_t id;     /* minimum identity; denominator 0: none */
    double max_evalue; /* 0: none; else the law of the file's scores is known */
    pairs_order_t order;
    /* NULL: all; else whether a pair is written */
    bool (*takes)(const void *state, const pairs_hit_t *hit);
    const void *state;
} export_pick_t;

/*
 * Write every pair with an identity of at least that picked, or every pair if the file
 * holds only scores.  Warns how many pairs were left out for having no identity.
 *
 * @param needed  facts that `write` uses; they must be known
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT, or what `write` returned
 */
status_t export_hit_each(const pairs_file_t *file, const export_pick_t *pick,
                         unsigned needed, export_hit_fn_t write, void *state,
                         FILE *out) MUST_CHECK;
