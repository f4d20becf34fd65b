/*
 * align_store.h - pairs in memory as the result file of the job "align", by what the job
 * itself makes that file with: the log of its tiles.
 */
#pragma once

#include "worker/align/align_opts.h"
#include "worker/align/job_align_spec.h"

/* All pairs that the job would store, sorted by query, then by target; borrowed. */
typedef struct {
    const align_opts_t *opts; /* settled for the alphabet */
    const job_align_spec_t *spec;
    seqset_t *queries;
    const seqset_t *references; /* NULL: all against all */
    int64_t n;
    const int32_t *query, *target, *score; /* [n] */
    const int32_t *matches, *columns;      /* [n], or NULL: scores alone */
    const int8_t *strand;                  /* [n], or NULL: all 1 */
    const int64_t *cigar_start;            /* [n + 1], or NULL */
    const uint32_t *runs;                  /* [cigar_start[n]] */
} align_pairs_t;

/* How the file was made, and by which threads it is. */
typedef struct {
    const char *program, *command, *device;
    pool_t *pool;
} align_store_run_t;

/*
 * Write a file, which appears complete or not at all; one that exists is replaced.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO, ST_EINPUT or ST_EBUSY (logged)
 */
status_t align_store_write(const align_pairs_t *pairs, const align_store_run_t *run,
                           const char *path) MUST_CHECK;
