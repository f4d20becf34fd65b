/*
 * job_align_state.h - the state of the job "align", which its files share.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STATE_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STATE_H

#include "io/pairs/write/pairs_hits.h"
#include "io/pairs/write/pairs_record.h"
#include "io/pairs/write/pairs_top.h"
#include "io/store/tile.h"
#include "kernels/align/edits/edit_filter.h"
#include "kernels/align/engine/aligner.h"
#include "kernels/align/filter/pair_filter.h"
#include "worker/align/job_align.h"

/* What identities are computed from. */
typedef enum {
    JOB_ALIGN_FROM_CANONICAL, /* they are matches / columns of the canonical alignment */
    JOB_ALIGN_FROM_COUNTS,    /* its score, matches and columns, and the two lengths */
    JOB_ALIGN_FROM_CIGAR      /* its CIGAR */
} job_align_source_t;

/* What the options and the alphabet amount to: set once, by job_align_spec_settle, and
 * never changed. */
typedef struct {
    align_spec_t align; /* of the aligner; emits CIGARs if identities need them, too */
    int n_datasets;     /* of the result file */
    identity_def_t identity;
    bool count_ends; /* in the definition of identity */
    job_align_source_t source;
    const char *identity_name;     /* for the file; NULL: no definition applies */
    const char *identity_words;    /* for the file; NULL: matches / columns */
    align_spec_t filter;           /* the spec that filters are created for */
    bool filter_is_lossless;       /* whether they pass every pair that is to be kept */
    bool is_scored[ALPHABET_SIZE]; /* with a matrix: the codes that it has scores for */
    uint64_t matrix_digest;
} job_align_spec_t;

/* Identities of a collected batch, until they are in tiles or hits. */
typedef struct {
    int32_t *numerator, *denominator; /* [capacity] */
    int64_t capacity;
} job_align_identity_t;

/* What is stored as matches and columns of a batch's pairs. */
typedef struct {
    const int32_t *numerator, *denominator; /* [pairs]; NULL with scores alone */
} job_align_values_t;

/* The stages of the filters, in the order in which they rule pairs out. */
enum { JOB_ALIGN_STAGES = 4 };

/* Pairs of a tile that each stage has ruled out. */
typedef struct {
    int64_t n[PAIRS_STAGES_MAX];
} job_align_dropped_t;

/* The filter by edit distance, which runs after the k-mer filter. */
typedef struct {
    edit_filter_t *edits; /* NULL: not worth its time */
    pair_t *pairs;        /* [capacity] that pass */
    uint8_t *keep;        /* [capacity] one per pair of the input */
    int64_t capacity;
    int64_t *start; /* [rects_capacity + 1] each rectangle's first pair, in `pairs` */
    int64_t rects_capacity;
} job_align_edits_t;

/* Hits of a collected batch. */
typedef struct {
    pairs_hit_t *hits; /* [pairs_capacity] a tile's are where its pairs were */
    int32_t *text_len; /* [pairs_capacity] bytes of each hit's CIGAR */
    int64_t pairs_capacity;
    int64_t *first;               /* [tiles_capacity] each tile's first hit */
    int64_t *n;                   /* [tiles_capacity] hits of each tile */
    job_align_dropped_t *dropped; /* [tiles_capacity] */
    int tiles_capacity;
} job_align_hits_t;

/* The results of a collected batch, until its tiles are packed. */
typedef struct {
    int64_t *n_without; /* [tiles_capacity] a tile's pairs without an identity */
    buf_t *texts;       /* [tiles_capacity] a tile's CIGARs, pair by pair or hit by hit */
    int32_t *values;    /* [tiles_capacity][n_datasets][side x side]; NULL: sparse */
    int tiles_capacity;
    job_align_hits_t hits; /* of a sparse run */
} job_align_collected_t;

/* A batch from submit to collect; its buffers are reused and grow on demand. */
typedef struct {
    pair_t *pairs; /* [pairs_capacity] tile by tile */
    int64_t pairs_capacity;
    pair_batch_t batch;           /* of these pairs */
    int64_t *tiles;               /* [tiles_capacity] tile numbers */
    int64_t *first_pair;          /* [tiles_capacity + 1] each tile's first, in `pairs` */
    job_align_dropped_t *dropped; /* [tiles_capacity] */
    int n_tiles, tiles_capacity;
} job_align_slot_t;

/* Another kernel, which computes single tiles again. */
typedef struct {
    aligner_t *aligner; /* NULL: not needed so far */
    job_align_slot_t slot;
    job_align_collected_t collected;
} job_align_checker_t;

/* The tiles of a slot on their way through the filters, some tiles at a time.  While one
 * piece is taken into the slot, the filter works on the next. */
typedef struct {
    bool is_done;
    int first, end; /* the current piece: tiles first .. end-1 of the slot */
    int n_begun;    /* tiles given to the filter so far, at least `end` */
    /* of the current piece, until the next call */
    const pair_t *pairs;   /* that have passed */
    const int64_t *start;  /* [rectangles + 1] each rectangle's first pair */
    filter_counts_t n_out; /* ruled out by the k-mer filter */
    int64_t n_by_edits;    /* ruled out by the edit filter */
    /* of all pieces taken */
    int64_t n_dropped[JOB_ALIGN_STAGES];
} job_align_pieces_t;

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
    trial_cache_t *trials; /* kept between runs */
    aligner_t *aligner;
    pair_filter_t *filter; /* NULL: all pairs are aligned */
    job_align_edits_t edits;
    double passed; /* estimated fraction of all pairs that the filters pass; 0: unknown */
    filter_rect_t *rects; /* [rects_capacity] of a batch's tiles */
    int64_t rects_capacity;
    int piece_tiles;      /* tiles of the filter's next piece; 0: not set yet */
    int n_bound_levels;   /* levels that job_align_bounds_find has still to search */
    int64_t device_bytes; /* of the device's memory, for what it keeps of each pair */
    job_align_slot_t slots[ALIGNER_DEPTH];
    int newest, oldest; /* batches submitted and collected so far */
    job_align_collected_t collected[JOB_PLACES];
    int32_t *scratch; /* [threads][side x side] */
    device_t cpu;
    job_align_checker_t checkers[2]; /* another kernel, and the definition */
    job_align_identity_t identity;
    pairs_top_t *top; /* each query's best hits so far; NULL: all hits are kept */
} job_align_t;

#endif
