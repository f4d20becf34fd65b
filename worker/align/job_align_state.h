/*
 * job_align_state.h - the state of the job "align", which its files share.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STATE_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STATE_H

#include "io/pairs/write/pairs_hits.h"
#include "io/pairs/write/pairs_write.h"
#include "io/store/tile.h"
#include "kernels/align/search/search.h"
#include "worker/align/job_align.h"

/* What the options and the alphabet amount to: set once, by job_align_spec_settle, and
 * never changed. */
typedef struct {
    align_spec_t align; /* of the aligner; emits CIGARs if identities need them, too */
    int n_datasets;     /* of the result file */
    identity_def_t identity;
    bool count_ends; /* in the definition of identity */
    search_source_t source;
    const char *identity_name;     /* for the file; NULL: no definition applies */
    const char *identity_words;    /* for the file; NULL: matches / columns */
    align_spec_t filter;           /* the spec that filters are created for */
    bool filter_is_lossless;       /* whether they pass every pair that is to be kept */
    bool is_scored[ALPHABET_SIZE]; /* with a matrix: the codes that it has scores for */
    uint64_t matrix_digest;
} job_align_spec_t;

/* The results of a collected batch, until its tiles are packed. */
typedef struct {
    pairs_hits_t
        *tiles;      /* [tiles_capacity] of a dense run without hits, but with CIGARs */
    int32_t *values; /* [tiles_capacity][n_datasets][side x side]; NULL: sparse */
    int tiles_capacity;
} job_align_collected_t;

/* Another kernel, which computes single tiles again. */
typedef struct {
    aligner_t *aligner; /* NULL: not needed so far */
    search_batch_t batch;
    job_align_collected_t collected;
} job_align_checker_t;

typedef struct {
    job_t base;
    const align_opts_t *opts;
    align_opts_t for_proteins; /* opts lead here if the sequences are proteins */
    job_align_spec_t spec;
    align_run_t run;
    seqset_t *set; /* queries, then their reverse complements, then references */
    tile_grid_t grid;
    bool is_sparse;       /* only hits are kept */
    int n_strands;        /* strands of a query that are aligned, 1 or 2 */
    int64_t n_queries;    /* sequences of the input */
    int64_t col_first;    /* index of the first reference, or 0 */
    int64_t n_references; /* 0: all against all */

    /* rank 0, the owner of the log */
    uint64_t digest, references_digest, sizes_digest;
    prepared_t prepared;        /* how the records of the input became sequences */
    int64_t hits_bytes;         /* bytes in the result file of the hits in the log */
    pairs_record_job_t records; /* that the log may have */

    /* every rank, as a worker */
    tile_t *tiles; /* [tiles_capacity] of the batch to be submitted */
    int tiles_capacity;
    search_t *search;
    int64_t device_bytes; /* of the device's memory, for what it keeps of each pair */
    search_batch_t batches[ALIGNER_DEPTH];
    int newest, oldest; /* batches submitted and collected so far */
    job_align_collected_t collected[JOB_PLACES];
    int32_t *scratch; /* [threads][side x side] */
    device_t cpu;
    job_align_checker_t checkers[2]; /* another kernel, and the definition */
} job_align_t;

#endif
