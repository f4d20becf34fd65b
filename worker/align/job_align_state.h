/*
 * job_align_state.h - the state that the files of the job "align" share.
 */
#ifndef RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STATE_H
#define RIBOGRID_WORKER_ALIGN_JOB_ALIGN_STATE_H

#include "io/pairs/write/pairs_hits.h"
#include "io/pairs/write/pairs_top.h"
#include "io/store/reslog.h"
#include "io/store/tile.h"
#include "kernels/align/edits/edit_filter.h"
#include "kernels/align/engine/aligner.h"
#include "kernels/align/filter/pair_filter.h"
#include "worker/align/job_align.h"

#include <time.h>

/* CIGARs of collected tiles, until they are packed. */
typedef struct {
    int64_t *tiles;      /* [tiles_capacity] tile numbers */
    int64_t *first_pair; /* [tiles_capacity] of each tile, in `start` */
    int tiles_capacity;
    int64_t *start; /* [pairs_capacity + 1] of each pair's runs */
    int64_t pairs_capacity;
    buf_t runs;       /* uint32_t each */
    buf_t *texts;     /* [threads] */
    int32_t *lengths; /* [threads][side x side] */
    int n_threads;
} job_align_cigar_t;

/* What identities follow from. */
typedef enum {
    JOB_ALIGN_AS_IT_IS,    /* matches and columns of the canonical alignment are they */
    JOB_ALIGN_BY_NUMBERS,  /* its score, matches and columns, and the lengths */
    JOB_ALIGN_BY_ALIGNMENT /* its CIGAR */
} job_align_source_t;

/* Identities of a collected batch, until they are in tiles or hits. */
typedef struct {
    identity_def_t def;
    bool count_ends;
    job_align_source_t source;
    int32_t *numerator, *denominator; /* [capacity] */
    int64_t capacity;
} job_align_identity_t;

/* The numbers of a batch that are stored as matches and columns. */
typedef struct {
    const int32_t *numerator, *denominator; /* [pairs]; NULL with scores alone */
} job_align_values_t;

/* What a filter has left out of a tile. */
typedef struct {
    int64_t n[PAIRS_STAGES_MAX];
} job_align_dropped_t;

/* The filter's last stage, and what of a batch has passed it. */
typedef struct {
    edit_filter_t *edits; /* NULL: not worth its time */
    pair_t *pairs;        /* [capacity] */
    uint8_t *keep;        /* [capacity] of what came in */
    int64_t capacity;
    int64_t *start; /* [rects_capacity + 1] of each rectangle, in `pairs` */
    int64_t rects_capacity;
} job_align_edits_t;

/* Hits of collected tiles, until they are packed. */
typedef struct {
    pairs_hit_t
        *hits;     /* [pairs_capacity] tile by tile, each tile's where its pairs were */
    int64_t *pair; /* [pairs_capacity] of each hit, in the batch */
    int64_t pairs_capacity;
    int64_t *first;               /* [tiles_capacity] of each tile, in `hits` */
    int64_t *n;                   /* [tiles_capacity] hits of each tile */
    job_align_dropped_t *dropped; /* [tiles_capacity] */
    int tiles_capacity;
    pairs_top_t *top; /* the best so far; NULL: all are wanted */
} job_align_hits_t;

/* A batch from submit to collect. */
typedef struct {
    pair_t *pairs; /* [pairs_capacity] tile by tile */
    int64_t pairs_capacity;
    pair_batch_t batch;           /* of them */
    int64_t *tiles;               /* [tiles_capacity] tile numbers */
    int64_t *first_pair;          /* [tiles_capacity + 1] of each tile, in `pairs` */
    job_align_dropped_t *dropped; /* [tiles_capacity] */
    int n_tiles, tiles_capacity;
} job_align_slot_t;

typedef struct {
    const align_opts_t *opts;
    align_spec_t spec;
    align_run_t run;
    int cancel;    /* run.cancel points here */
    seqset_t *set; /* against references: the joined one */
    tile_grid_t grid;
    int n_datasets;
    bool is_sparse;                     /* hits alone are kept */
    int n_strands;                      /* that are aligned of a pair, 1 or 2 */
    int64_t n_queries;                  /* sequences of the input */
    int64_t col_first;                  /* the set's first reference, or 0 */
    uint64_t digest, references_digest; /* the log's owner's */
    /* the log's owner */
    prepared_t prepared; /* what became of the input's records */
    buf_t text;          /* the job's text, NUL-terminated */
    char *part_path, *tmp_path;
    reslog_t *log;
    int64_t hits_bytes; /* that the log's hits will take */
    time_t started;
    /* a worker's batches */
    pool_t *pool;
    trial_cache_t *trials; /* kept between runs */
    aligner_t *aligner;
    pair_filter_t *filter; /* NULL: all pairs are aligned */
    job_align_edits_t edits;
    align_spec_t filter_spec; /* what it must hold for: job_align_identity_filtered */
    filter_rect_t *rects;     /* [rects_capacity] of a batch's tiles */
    int64_t rects_capacity;
    int piece_tiles;      /* that the filter looks at next in one go; 0: most */
    int n_top_levels;     /* at which job_align_top_search is to look */
    int64_t device_bytes; /* for what the device keeps of each pair */
    job_align_slot_t slots[ALIGNER_DEPTH];
    int newest, oldest; /* batches submitted and collected, counted from 0 */
    int32_t *values;    /* [values_capacity][n_datasets][side x side] collected tiles */
    int values_capacity;
    int32_t *scratch; /* [threads][side x side] */
    job_align_identity_t identity;
    job_align_cigar_t cigar;
    job_align_hits_t hits;
} job_align_t;

/* job_align_input.c: read and spread the sequences [all]; end in step */
status_t job_align_read(job_align_t *j, exchange_t *x);
/* Where sequence i of the set comes from: a file and its record, from 0. */
const char *job_align_origin(const job_align_t *j, int64_t i, int64_t *record);

/* job_align_batch.c */
status_t job_align_prepare(void *job, const device_t *device, pool_t *pool,
                           const char **kernel_name, double *guess);
int job_align_batch_limit(const void *job);
int job_align_depth(const void *job);
status_t job_align_submit(void *job, const int64_t *tasks, int n, int *n_begun);
/* @return how many pairs a batch may align, for memory's sake; a tile's at the least */
int64_t job_align_batch_pairs(const job_align_t *j);
status_t job_align_collect(void *job);
status_t job_align_pack(void *job, int k, int thread, buf_t *out);
void job_align_cancel(void *job);
void job_align_batch_free(job_align_t *j);

/* job_align_pairs.c */
enum { JOB_ALIGN_STAGES = 4 };
extern const char *const job_align_stages[JOB_ALIGN_STAGES]; /* of the filter */
/* Make a filter where an identity is asked for. */
status_t job_align_filter_prepare(job_align_t *j, const device_t *device);
void job_align_filter_free(job_align_t *j);
/* @return pairs of a tile that are aligned where no filter leaves any out */
int64_t job_align_tile_pairs(const job_align_t *j, int64_t task);
/* @return whether pairs may be ruled out, by the options alone: on all ranks alike */
bool job_align_may_filter(const job_align_t *j);
/* List the pairs of a slot's tiles that are to be aligned, row by row; with a filter
 * perhaps of the first tiles alone, which the slot then has. */
status_t job_align_list_pairs(job_align_t *j, job_align_slot_t *slot);
/* Likewise of one rectangle, which is the slot's only tile, with a filter.
 * @return ST_ESTOPPED once the run is cancelled */
status_t job_align_list_rect(job_align_t *j, tile_t rect, job_align_slot_t *slot);

/* job_align_edits.c */
/* Make it for --id, behind the filter, if it pays. */
status_t job_align_edits_prepare(job_align_t *j, const device_t *device);
/*
 * Look at what a batch of the filter has passed.
 *
 * @param pairs, start  as pair_filter_wait has them; out: what is left, this file's until
 *                      the next call
 * @param n_out         pairs ruled out
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE; ST_ESTOPPED once the job is cancelled
 */
status_t job_align_edits_run(job_align_t *j, int64_t n_rects, const pair_t **pairs,
                             const int64_t **start, int64_t *n_out);
/* @return bytes that a pair takes on a worker */
int64_t job_align_edits_bytes(const job_align_t *j);
void job_align_edits_free(job_align_t *j);

/* job_align_top.c */
/* @return whether bounds of queries' best hits are to be looked for, with such a filter
 */
bool job_align_top_wanted(const job_align_t *j, const align_spec_t *filter);
/* Settle how far down. @param part  what a filter is to be made for: what --id says, 0/1
 * if nothing, or, then, what suits the search */
status_t job_align_top_prepare(job_align_t *j, const device_t *device,
                               filter_shape_t shape, fraction_t *part);
/* Before the first batch: find bounds and have the filter's rows ask them; once. */
status_t job_align_top_search(job_align_t *j);

/* job_align_identity.c */
/* Settle the definition and what it follows from; the spec may then emit more. */
void job_align_identity_choose(job_align_t *j);
/* Its name, for the file; NULL: there are no identities, or none of the definitions is
 * theirs. */
const char *job_align_identity_name(const job_align_t *j);
/* What the definition's numbers are, in words, for the file. */
const char *job_align_identity_words(const job_align_t *j);
/* @return whether a filter of the spec `out` never drops a pair that reaches the least
 *         identity by the definition */
bool job_align_identity_filtered(const job_align_t *j, align_spec_t *out);
/* @return bytes that a pair's take on a worker */
int64_t job_align_identity_bytes(const job_align_t *j);
/* The identities of a batch's results; as these, or this file's until the next call. */
status_t job_align_identity_collect(job_align_t *j, const job_align_slot_t *slot,
                                    const pair_results_t *results,
                                    job_align_values_t *out);
void job_align_identity_free(job_align_t *j);

/* job_align_hits.c: of a sparse file */
status_t job_align_hits_prepare(job_align_t *j);
/* Keep the hits of a batch's results, which are the aligner's. */
status_t job_align_hits_collect(job_align_t *j, const job_align_slot_t *slot,
                                const pair_results_t *results,
                                const job_align_values_t *values);
/* The hit of a pair, whose first strand's alignment is at `at`: the better strand's.
 * @return where that one's is */
int64_t job_align_hits_at(const job_align_t *j, const job_align_slot_t *slot,
                          const pair_results_t *results, const job_align_values_t *values,
                          int64_t at, pairs_hit_t *out);
/* Append the k-th tile's record. */
status_t job_align_hits_pack(job_align_t *j, int k, int thread, buf_t *out);
void job_align_hits_free(job_align_t *j);

/* job_align_cigar.c: nothing is done where no CIGARs are wanted */
status_t job_align_cigar_prepare(job_align_t *j);
/* @return bytes that a pair's CIGAR takes on a worker, more or less */
int64_t job_align_cigar_bytes(const job_align_t *j);
/* Keep a batch's, which are the aligner's. */
status_t job_align_cigar_collect(job_align_t *j, const job_align_slot_t *slot,
                                 const pair_results_t *results);
/* Append the k-th tile's lengths and text. */
status_t job_align_cigar_pack(job_align_t *j, int k, int thread, buf_t *out);
/* Append the text of the batch's pair at `pair`, if it has any. */
status_t job_align_cigar_append(const job_align_t *j, int64_t pair, buf_t *text);
void job_align_cigar_free(job_align_t *j);

/* job_align_text.c: the job's text, j->text: everything that the result depends on */
status_t job_align_write_text(job_align_t *j);

/* job_align_store.c */
status_t job_align_check_output(job_align_t *j);
status_t job_align_open(void *job);
bool job_align_is_done(const void *job, int64_t task);
status_t job_align_store(void *job, int64_t task, int64_t version, const void *data,
                         size_t len);
status_t job_align_sync(void *job);
status_t job_align_finish(void *job, const job_report_t *report);

#endif
