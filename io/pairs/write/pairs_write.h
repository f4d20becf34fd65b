/*
 * pairs_write.h - a result file of n x n matrices, built from the finished log.
 */
#pragma once

#include "io/base/buf.h"
#include "io/base/fraction.h"
#include "io/base/pool.h"
#include "io/pairs/pairs_format.h"
#include "io/pairs/pairs_order.h"
#include "io/result/run_info.h"
#include "io/seq/alphabet.h"
#include "io/seq/seqset.h"
#include "io/store/reslog.h"
#include "io/store/tile.h"

#include <stdbool.h>

/* The content of a new result file, except for the pairs themselves. */

/* A number of /run besides those of every file. */
typedef struct {
    const char *name;
    double number;
} pairs_run_number_t;

typedef struct {
    alphabet_t alphabet;             /* root attribute */
    const char *ends;                /* root attribute: "free", "count", "query" or
                                        "priced" */
    const char *identity;            /* root attribute; NULL: "matches / columns" */
    const char *identity_definition; /* root attribute: one of identity_def_name; NULL:
                                        not written */
    const char *job;         /* the job's text: everything that results depend on */
    int n_datasets;          /* PAIRS_N_SCORE, PAIRS_N_IDENTITY or PAIRS_N_CIGAR */
    const char *cigar_style; /* root attribute: "m" or "eqx"; NULL: no CIGARs */
    const char *score_unit;  /* root attribute: "0.5" if scores are in halves, or NULL */
    const run_info_t *run;
    const char *preparation; /* how records became sequences; NULL: not known */
    const pairs_run_number_t *run_numbers; /* [n_run_numbers] */
    int n_run_numbers;
    const int64_t *sizes;           /* [sequences] abundances, or NULL: all are 1 */
    const pairs_members_t *members; /* NULL: the sequences themselves */
    const pairs_samples_t *samples; /* NULL: none known */
    pool_t *pool;                   /* threads that compress; NULL: only the caller */
    /* files of hits: */
    bool has_strand;
    fraction_t min_identity; /* denominator 0: no minimum */
    int64_t top;             /* best hits kept per query; 0: all */
    pairs_order_t top_order;
    const char *const *stages; /* [n_stages] names of the filter's stages */
    int n_stages;
    int64_t n_taken; /* pairs whose hits are those of an earlier result: what filters
                      * dropped of them is not known */
} pairs_head_t;

/* How many pairs were filtered, aligned and kept. */
typedef struct {
    int64_t n_pairs; /* of both strands, if both were aligned */
    int64_t n_dropped[PAIRS_STAGES_MAX];
    int64_t n_aligned;
    int64_t n_kept;
    int64_t n_without_identity; /* aligned pairs; both strands count as one */
} pairs_counts_t;

/* A result file of hits, built from the finished log. */

/*
 * Write the file as h5whole does.  Memory is that of the hits of one row of tiles.
 *
 * @param force   replace an existing file
 * @param set     the sequences; for a rectangular grid queries and references, joined
 * @param log     with every tile finished, as records of pairs_hits.h
 * @param counts  out
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t pairs_write_hits(const char *path, bool force, const pairs_head_t *head,
                          const seqset_t *set, const tile_grid_t *grid,
                          const reslog_t *log, pairs_counts_t *counts) MUST_CHECK;

/* Whether two results of a tile, as the log keeps them, are the same.
 *
 * What they hold is compared, not their bytes: compressors differ from host to host. */

/*
 * Compare two packed tiles of a dense run: the number of pairs without an identity
 * (int64), then n_datasets chunks (tile_pack.h), then text (pairs_cigar_pack.h).
 *
 * @param has_text  whether there is text
 * @param equal     out; a result that cannot be decoded equals its own bytes only
 * @return ST_OK or ST_ENOMEM
 */
status_t pairs_equal_tiles(const tile_grid_t *grid, int n_datasets, bool has_text,
                           const buf_t *a, const buf_t *b, bool *equal) MUST_CHECK;

/*
 * Compare two records of hits (pairs_hits.h): the hits and their CIGARs.  The counts of
 * pairs that stages of the filter dropped depend on the batch, and are not compared.
 *
 * @param equal  as above
 * @return ST_OK or ST_ENOMEM
 */
status_t pairs_equal_hits(const buf_t *a, const buf_t *b, bool *equal) MUST_CHECK;

/* Whether a log's record can be one of a tile, before a result file is
 * made of it.
 *
 * What pairs_check.h demands of a file's pairs is demanded of a record's, and that it is
 * made of chunks that HDF5 can read. */

/* What the job's records have in common; all is borrowed. */
typedef struct {
    const seqset_t *set;
    const tile_grid_t *grid;
    int n_datasets;
    bool is_sparse;       /* records of hits */
    bool has_strands;     /* hits of either strand */
    bool counts_bases;    /* matches are bases of the longer sequence: IDENTITY_MBL */
    const char *end_gaps; /* operations of end gaps, which are no columns: "ID", "D", "".
                           * NULL: the identity is not that of the alignment */
    int n_end_gaps;       /* runs of them at either end, at most 2 */
    bool marks_matches;   /* CIGARs have = and X */
    fraction_t min_identity; /* of hits */
    int64_t min_score, max_score;
} pairs_record_job_t;

/*
 * Check the record of a tile.
 *
 * @return NULL, or why it cannot be one: a static text, as log_check_fn wants it
 */
const char *pairs_record_check(const pairs_record_job_t *job, int64_t tile,
                               const buf_t *record) MUST_CHECK;

/*
 * The same for what pairs_tiles_read makes: the number of the tile's pairs without an
 * identity is not compared but written.
 */
const char *pairs_record_count(const pairs_record_job_t *job, int64_t tile,
                               buf_t *record) MUST_CHECK;

/*
 * Make the log's file the result, complete and on disk, under the log's name
 * (reslog_h5.h).  After a failure it is the log that it was.
 *
 * @param log     with every tile finished.  A record is the number of the tile's pairs
 *                without an identity (int64_t), then a packed tile (tile_pack.h, and
 *                pairs_cigar_pack.h for CIGARs)
 * @param counts  out
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t pairs_write(const pairs_head_t *head, const seqset_t *set,
                     const tile_grid_t *grid, const reslog_t *log,
                     pairs_counts_t *counts) MUST_CHECK;
