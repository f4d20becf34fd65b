/*
 * job_primers_state.h - the state of the job "primers", and the functions that its files
 * share.
 *
 * A task is a block of reads, or of pairs of reads.  Its record is the number of regions
 * in them, and the regions (primer_region_t), by read and pair of primers.
 */
#pragma once

#include "io/reads/reads.h"
#include "io/seq/taxonomy.h"
#include "kernels/primers/search/primer_search.h"
#include "worker/job_output.h"
#include "worker/primers/primers_opts.h"

enum { JOB_PRIMERS_BLOCK = 4096 };

typedef struct {
    job_t base;
    const primers_opts_t *opts;

    /* on every rank */
    base_planes_t text;   /* of all reads; of pairs of reads they alternate */
    int64_t pairs_bytes;  /* of the next */
    primer_pair_t *pairs; /* [n_pairs] */
    int n_pairs;

    /* rank 0 */
    reads_t reads[2];         /* the second one only of pairs of reads */
    primer_panel_t panel;     /* without its pairs */
    taxonomy_t *taxonomy;     /* NULL: no coverage */
    device_t cpu;             /* of the next */
    primer_search_t *checker; /* what may be in a record; and its patterns */

    /* every rank, as a worker */
    primer_search_t *search;
} job_primers_t;

/* @return how many files of reads there are: 2 of pairs */
static inline int job_primers_n_files(const job_primers_t *j)
{
    return j->opts->reads[1] != NULL ? 2 : 1;
}

/* @return reads, or pairs of them */
static inline int64_t job_primers_n_reads(const job_primers_t *j)
{
    return j->text.n / job_primers_n_files(j);
}

/* @return how many reads a task has */
static inline int64_t job_primers_len(const job_primers_t *j, int64_t task)
{
    const int64_t left = job_primers_n_reads(j) - task * JOB_PRIMERS_BLOCK;

    return left < JOB_PRIMERS_BLOCK ? left : JOB_PRIMERS_BLOCK;
}

static inline primer_search_opts_t job_primers_search_opts(const job_primers_t *j)
{
    return (primer_search_opts_t){.max_mismatches =
                                      primer_trim_mismatches(&j->opts->primers),
                                  .max_gaps = (int)j->opts->gaps,
                                  .three_prime = (int)j->opts->three_prime,
                                  .are_pairs = job_primers_n_files(j) == 2};
}

/* ---- job_primers_input.c ---- */

/* [all] Read on rank 0, and pass to all ranks what is searched. */
status_t job_primers_read(job_primers_t *j, exchange_t *x) MUST_CHECK;

/* ---- job_primers_store.c ---- */

void job_primers_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_primers_describe(job_t *job);
const char *job_primers_check_record(job_t *job, int64_t task, int64_t version,
                                     const buf_t *record) MUST_CHECK;
status_t job_primers_write_result(job_t *job, const job_report_t *report);

/* Read the regions of a task. @param record  scratch
 * @param out  in the record @return ST_OK, or an error (logged) */
status_t job_primers_load(const job_primers_t *j, int64_t task, buf_t *record,
                          const primer_region_t **out, int64_t *n) MUST_CHECK;

/* ---- primer_hits.c: a line for each primer of each region ---- */

void primer_hits_head(FILE *to);
void primer_hits_write(const job_primers_t *j, int64_t first, const primer_region_t *r,
                       FILE *to);

/* ---- primer_coverage.c: what share of the genes of each taxon a pair amplifies ---- */

/* Zeroed: none. */
typedef struct {
    int n_levels;    /* at 0 .. n_levels - 1 mismatches */
    int64_t *genes;  /* [taxa] */
    int64_t *counts; /* [pairs][taxa][n_levels] of genes, by mismatches */
    int32_t *taxon;  /* [reads] the lowest taxon of each gene; -1: it has no lineage */
} primer_coverage_t;

/* Begin: count the genes of each taxon. @return ST_OK, ST_ENOMEM or ST_EINPUT (no gene
 * has a lineage) */
status_t primer_coverage_begin(const job_primers_t *j, primer_coverage_t *out) MUST_CHECK;

/* Count a region. @param read  from the first of all on */
void primer_coverage_add(const job_primers_t *j, primer_coverage_t *c, int64_t read,
                         const primer_region_t *r);

/* Write the outputs of the options. */
status_t primer_coverage_write(const job_primers_t *j,
                               const primer_coverage_t *c) MUST_CHECK;

void primer_coverage_free(primer_coverage_t *c);
