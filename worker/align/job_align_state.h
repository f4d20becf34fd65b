/*
 * job_align_state.h - the state of the job "align", which its files share.
 */
#pragma once

#include "io/pairs/write/pairs_hits.h"
#include "io/pairs/write/pairs_write.h"
#include "io/prepare/protein_blocks.h"
#include "io/store/tile.h"
#include "kernels/align/search/search.h"
#include "worker/align/align_opts.h"
#include "worker/align/job_align_spec.h"
#include "worker/exchange.h"
#include "worker/job.h"

/* The results of a collected batch, until its tiles are packed. */
typedef struct {
    pairs_hits_t
        *tiles;      /* [tiles_capacity] of a dense run without hits, but with CIGARs */
    int32_t *values; /* [tiles_capacity][n_datasets][side x side]; NULL: sparse */
    int tiles_capacity;
} job_align_collected_t;

/* References whose blocks are held: first .. end-1. */
typedef struct {
    int64_t first, end;
} job_align_held_t;

/* Another kernel, which computes single tiles again. */
typedef struct {
    aligner_t *aligner; /* NULL: not needed so far */
    search_batch_t batch;
    job_align_collected_t collected;
} job_align_checker_t;

/* The result that is extended; zeroed: none. */
typedef struct {
    int64_t n; /* its sequences, the first ones of this job; of queries */
    alphabet_t alphabet;
    bool is_against;
    char *job, *preparation; /* its text, and how its records were prepared */
    int64_t job_len, preparation_len;
    char *options; /* both, which the options of this job lead into */
    /* rank 0 */
    prepare_previous_t before;
    int64_t sample_len, n_counts; /* of its arrays */
    buf_t lacking; /* of its tiles: those that the log did not have when it was opened */
} align_old_t;

typedef struct {
    job_t base;
    const align_opts_t *opts;
    align_opts_t for_proteins; /* opts lead here if the sequences are proteins */
    job_align_spec_t spec;
    evalue_t law; /* of the scores, with a maximum E-value */
    align_run_t run;
    align_old_t old;
    seqset_t *set;         /* queries, then their reverse complements, then references */
    protein_db_t database; /* the references, if they are a built database */
    protein_blocks_t *blocks; /* that has the set then; NULL: the set is in memory */
    int32_t in_blocks;        /* each rank reads the references, in blocks */
    int32_t
        *order; /* [n_queries] in which centroids are chosen; NULL: all hits are kept */
    tile_grid_t grid;
    bool is_sparse;       /* only hits are kept */
    int n_strands;        /* strands of a query that are aligned, 1 or 2 */
    int64_t n_queries;    /* sequences of the input */
    int64_t col_first;    /* index of the first reference, or 0 */
    int64_t n_references; /* 0: all against all */

    /* rank 0, the owner of the log */
    seq_files_t files; /* of the input */
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
    job_align_held_t held[ALIGNER_DEPTH]; /* by them */
    int newest, oldest;                   /* batches submitted and collected so far */
    job_align_collected_t collected[JOB_PLACES];
    int32_t *scratch; /* [threads][side x side] */
    device_t cpu;
    job_align_checker_t checkers[2]; /* another kernel, and the definition */
} job_align_t;

/* job_align.c */

/* Take what follows from the options of the job alone. */
void job_align_take(job_align_t *j);

/* Cut the pairs of the set into tasks. */
void job_align_plan(job_align_t *j);

/* job_align_batch.c: the job "align" on a worker: batches of tiles, as job_ops_t has
 * them. */

status_t job_align_prepare(job_t *job, const char **kernel_name, double *guess);
void job_align_release(job_t *job); /* undo prepare */
status_t job_align_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_align_collect(job_t *job, int place);
status_t job_align_pack(job_t *job, int place, int k, int thread, buf_t *out);
status_t job_align_check(job_t *job, int64_t task, job_how_t how, buf_t *out);
status_t job_align_equal(const job_t *job, const buf_t *a, const buf_t *b, bool *equal);

/* @return whether pairs may be ruled out; it depends on options and sequences alone, so
 *         that all ranks agree */
bool job_align_may_filter(const job_align_t *j);

/* @return the tiles; likewise */
tile_grid_t job_align_grid(const job_align_t *j);

/* @return whether all pairs are scored before some are aligned; likewise */
bool job_align_scores_first(const job_align_t *j);

/* job_align_memory.c: how large batches may be (align_memory.h) */

/* @return tiles of a batch, at most */
int job_align_batch_limit(const job_align_t *j);

/* @return what a batch may align, and the filters take at a time */
search_limits_t job_align_limits(const job_align_t *j);

/* @return bytes of this rank's memory that are left to the residues of a built database
 */
int64_t job_align_window(const job_align_t *j);

/* @return whether the kernel lets a GPU hold a part of the references at a time */
bool job_align_may_window(const job_align_t *j);

/* @return whether it does: all would leave too little memory */
bool job_align_in_windows(const job_align_t *j, const device_t *device);

/* @return those for batches: --memory is for both */
int64_t job_align_batch_bytes(const job_align_t *j);

/* job_align_input.c: the sequences of the job "align", on every rank. */

/*
 * Read and prepare the sequences on rank 0, and send them to the others.  Every rank
 * calls it.
 *
 * @return likewise on all ranks an error of rank 0 (logged there)
 */
status_t job_align_read(job_align_t *j, exchange_t *x) MUST_CHECK;

/* @return the file that sequence i of the set was read from
 * @param record  out: its record in that file, counted from 0 */
const char *job_align_origin(const job_align_t *j, int64_t i, int64_t *record);

/* job_align_store.c: the job "align" on rank 0, which owns the log and the result file.
 */

/* As job_ops_t has them; job_align_text.c: describe. */
status_t job_align_describe(job_t *job);
const char *job_align_check_record(job_t *job, int64_t task, int64_t version,
                                   const buf_t *record);
status_t job_align_opened(job_t *job);
status_t job_align_note_result(job_t *job, int64_t task, int64_t version,
                               const void *data, size_t len);
status_t job_align_write_result(job_t *job, const job_report_t *report);

/* job_align_child.c: the child that reads HDF5 files. */

/* What a child_fetch of the job asks for. */
typedef enum {
    ALIGN_CHILD_OLD = JOB_CHILD_FIRST, /* the earlier run */
    ALIGN_CHILD_TILES,                 /* its tiles */
    ALIGN_CHILD_DATABASE               /* `against` */
} job_align_question_t;

/* As job_ops_t has it. */
status_t job_align_reader(job_opts_t *opts, job_reader_t *out) MUST_CHECK;

/* job_align_extend.c: the result of an earlier run. */

/* [child] Answer the questions for it and for its tiles. */
status_t job_align_send_old(const align_opts_t *o) MUST_CHECK;
status_t job_align_send_tiles(const align_opts_t *o, buf_t *out) MUST_CHECK;

/* Create the stream that it travels in. */
status_t job_align_old_stream(int *out) MUST_CHECK;

/* As job_ops_t has it. */
bool job_align_is_old(const job_t *job, int64_t task);

/* Read its sequences on rank 0, and take its options on every rank.
 * @return likewise on all ranks */
status_t job_align_extend_begin(job_align_t *j, exchange_t *x) MUST_CHECK;

status_t job_align_bring(job_t *job, job_put_t *put, void *ctx) MUST_CHECK;

/* [log] Find the tiles that the log lacks. @return ST_OK or ST_ENOMEM */
status_t job_align_list_tiles(job_align_t *j) MUST_CHECK;

void job_align_old_free(align_old_t *old);

/* job_align_text.c */

/* Append how records were prepared, as lines, and a NUL. */
status_t job_align_describe_preparation(const job_align_t *j, buf_t *text) MUST_CHECK;

/* Set the options that were not given to those in the lines of an earlier job and of its
 * preparation.
 * @param text  changed; the options lead into it
 * @return ST_OK, or ST_EINPUT: others were given, or the text is damaged (logged) */
status_t job_align_take_options(job_align_t *j, char *text) MUST_CHECK;

/* Compare what does not depend on the sequences alone. @param there  text of the job
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged) */
status_t job_align_compare_options(const job_align_t *j, const char *there) MUST_CHECK;
