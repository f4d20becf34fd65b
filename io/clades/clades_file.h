/*
 * clades_file.h - counts of the pairs of any two ranges of taxonomic order by identity:
 * an integral histogram, as an HDF5 file (docs/file-format.md, docs/clades.md).
 *
 * Sequences are in taxonomic order, so that a taxon is a range of positions.  Cuts divide
 * the positions into blocks.  A pair has its first sequence before its second one.  For
 * two cuts a <= b the file has the numbers of pairs, by bins of identity, whose first
 * sequence lies before a and whose second one lies before b; those of ranges between cuts
 * are sums and differences of four of them.
 */
#pragma once

#include "io/base/arrays.h"
#include "io/base/fraction.h"
#include "io/base/pool.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t clades_file_kind;

/* Bins of equal width, after which follows one of identity 1 alone. */
enum { CLADES_MAX_BINS = 10000 };

/* The level of two sequences is twice the rank of their lowest common taxon (the root's
 * is 0), and 1 more if a lineage ends there.  So pairs within a taxon of rank r have a
 * level of at least 2r; those that are certainly not within one have an even level below.
 */
enum { CLADES_MAX_RANKS = 31, CLADES_MAX_LEVELS = 2 * CLADES_MAX_RANKS + 2 };

/* Values of an integral histogram: 32 GiB before they are compressed. */
#define CLADES_MAX_VALUES (INT64_C(1) << 32)

/* What a file holds but its integral histogram; or what it will be made of. */
typedef struct {
    int64_t n;        /* sequences */
    int64_t n_taxa;   /* with the root, which is the first */
    int64_t n_ranks;  /* of lineages */
    int64_t n_levels; /* 2 n_ranks + 2 */
    int64_t n_cuts;   /* blocks between cuts, which are n_cuts + 1 positions */
    int64_t n_bins;   /* with that of identity 1 */

    /* in taxonomic order */
    char **name;  /* [n] */
    int32_t *row; /* [n] of the file of pairs */

    /* in taxonomic order, a taxon before those in it */
    char **taxon_name;    /* [n_taxa] the root's is empty */
    int32_t *parent;      /* [n_taxa] the root's is 0 */
    int32_t *begin, *end; /* [n_taxa] positions */

    int64_t *cut; /* [n_cuts + 1] positions, from 0 to n */

    /* of pairs of a level */
    int64_t *level_count;    /* [n_levels][n_bins] */
    int32_t *best_matches;   /* [n][n_levels] the highest identity of a sequence; */
    int32_t *best_columns;   /* columns = 0: none */
    fraction_t min_identity; /* pairs below it are not in the file of pairs; 0/0: all
                              * are */
    uint64_t digest;         /* of the file of pairs */
    char *job;               /* lines "name=value": all that the content depends on */
    run_info_t info;
} clades_t;

/* What is known before pairs are read, as it travels; without names of sequences. */
extern const arrays_t clades_arrays;

/* Free all but `info`; takes a zeroed one, too. */
void clades_free(clades_t *c);

/* @return the values of an integral histogram */
int64_t clades_n_values(int64_t n_cuts, int64_t n_bins);

/* @return the rank of a taxon, 0: the root */
int clades_rank(const clades_t *c, int64_t taxon);

/* @return the number of the cut at a position, or of the last one before it */
int64_t clades_cut_before(const clades_t *c, int64_t position);

/* A file in the making. */
typedef struct clades_writer clades_writer_t;

/*
 * Begin a file, which appears complete or not at all.
 *
 * @param force  replace an existing file
 * @param pool   threads that compress, borrowed until the end, or NULL
 * @return ST_OK, or ST_ENOMEM, ST_EIO or ST_EINPUT (logged), after which nothing has to
 *         be closed
 */
status_t clades_writer_open(const char *path, bool force, const clades_t *c, pool_t *pool,
                            clades_writer_t **out) MUST_CHECK;

/* Append n values of the integral histogram: for a of 1 to n_cuts, for b of a to n_cuts,
 * by bins. @return ST_OK or ST_EIO (logged) */
status_t clades_writer_add(clades_writer_t *w, const int64_t *values,
                           int64_t n) MUST_CHECK;

/* Close the file, and give it its name if all went well; remove it otherwise.
 * @param st  what came of writing @return st, or what closing came to */
status_t clades_writer_close(clades_writer_t *w, status_t st) MUST_CHECK;

/* A file that is read. */
typedef struct clades_file clades_file_t;

/* Open a file, and read and check all but its integral histogram.
 * @param head  out: the file's
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t clades_file_open(const char *path, clades_file_t **out,
                          const clades_t **head) MUST_CHECK;

/*
 * Read what the histogram has for a cut and those from another one on.
 *
 * @param a, b, n  a <= b; cuts b .. b + n - 1
 * @param out      [n][n_bins]
 * @return ST_OK, ST_EIO or ST_EINPUT (logged)
 */
status_t clades_file_read(clades_file_t *f, int64_t a, int64_t b, int64_t n,
                          int64_t *out) MUST_CHECK;

/* Log that counts are impossible. @return ST_EINPUT */
status_t clades_file_refuse(const clades_file_t *f);

/*
 * Count pairs of two ranges of blocks, a0 .. a1-1 and b0 .. b1-1: of the same range
 * (within it), or of one before the other.
 *
 * @param count  [n_bins] the counts are added to it
 * @return ST_OK, ST_EIO or ST_EINPUT (logged)
 */
status_t clades_file_count(clades_file_t *f, int64_t a0, int64_t a1, int64_t b0,
                           int64_t b1, int64_t *count) MUST_CHECK;

/* Takes NULL. */
void clades_file_close(clades_file_t *f);
