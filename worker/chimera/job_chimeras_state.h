/*
 * job_chimeras_state.h - the state of the job "chimeras", and the functions that its
 * files share.
 */
#pragma once

#include "worker/chimera/chimera_decide.h"
#include "worker/chimera/chimera_opts.h"
#include "worker/job_output.h"

/* Reads of a task. */
enum { JOB_CHIMERAS_BLOCK = 256 };

/* The hits of a batch. */
typedef struct {
    chimera_hits_t *hits; /* [capacity] task by task */
    int64_t capacity;
} job_chimeras_batch_t;

typedef struct {
    job_t base;
    const chimera_opts_t *opts;

    /* on every rank */
    amplicon_reads_t in;  /* de novo by falling abundance, else as in the input */
    seqset_t *references; /* NULL: de novo */
    int64_t *n_targets;   /* [reads] the first of the targets that may be parents */

    /* every rank, as a worker */
    chimera_search_t *search;
    job_chimeras_batch_t collected[JOB_PLACES];
} job_chimeras_t;

static inline const seqset_t *job_chimeras_targets(const job_chimeras_t *j)
{
    return j->references != NULL ? j->references : j->in.reads;
}

/* @return hits of a part that are kept: none of references has to be left out */
static inline int job_chimeras_n_hits(const job_chimeras_t *j)
{
    return j->references != NULL ? CHIMERA_PARENTS : CHIMERA_HITS_MAX;
}

/* @return the number of tasks */
static inline int64_t job_chimeras_n_tasks(const job_chimeras_t *j)
{
    return (j->in.reads->n + JOB_CHIMERAS_BLOCK - 1) / JOB_CHIMERAS_BLOCK;
}

/* @return the first read after those of a task */
static inline int64_t job_chimeras_end(const job_chimeras_t *j, int64_t task)
{
    const int64_t end = (task + 1) * JOB_CHIMERAS_BLOCK;

    return end < j->in.reads->n ? end : j->in.reads->n;
}

/* ---- job_chimeras_input.c ---- */

/*
 * Read the reads and references on rank 0, sort reads by their abundance, and send them
 * to the others.  Every rank calls it.
 *
 * @return likewise on all ranks an error of rank 0 (logged there)
 */
status_t job_chimeras_read(job_chimeras_t *j, exchange_t *x) MUST_CHECK;

/* ---- job_chimeras_store.c ---- */

void job_chimeras_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_chimeras_describe(job_t *job);
const char *job_chimeras_check_record(job_t *job, int64_t task, int64_t version,
                                      const buf_t *record) MUST_CHECK;
status_t job_chimeras_write_result(job_t *job, const job_report_t *report);
