/*
 * job_program_state.h - the state of the job "graph run", and the functions that its
 * files share.
 *
 * There is one task, the program.  Its record is a job_program_head_t, the graph, if the
 * program has changed it, and the columns; of a program that has failed, which its rank
 * has logged, the head alone, and that ends the run.
 */
#pragma once

#include "graph/program/rg_gpu.h"
#include "graph/program/rg_native.h"
#include "worker/job_output.h"
#include "worker/program/program_opts.h"

typedef struct {
    int64_t has_failed;
    int64_t n_iterations, n_visited;
    double seconds, copy_s, compile_s;
    int64_t is_on_gpu;
    int64_t is_changed; /* the record has a graph */
    int64_t n_nodes, n_arcs, weights;
} job_program_head_t;

/* A record; points into it. */
typedef struct {
    job_program_head_t head;
    csr_t graph;           /* as the program leaves it; a changed one: is_symmetric is not
                            * set */
    const uint8_t *values; /* the columns, each of [n_nodes] of its type */
} job_program_record_t;

typedef struct {
    job_t base;
    const program_opts_t *opts;

    /* every rank */
    int64_t n_text;
    char *text; /* [n_text] of the program, with a NUL */
    rg_program_t program;
    csr_t graph;
    program_params_t params; /* the text on rank 0 alone */

    /* rank 0 */
    graph_nodes_t nodes;
    double read_s; /* seconds that reading and building took */

    /* every rank, as a worker */
    rg_gpu_t *gpu;       /* or NULL */
    rg_native_t *native; /* NULL, and no GPU: the interpreter */
    double compile_s;
} job_program_t;

/* Of the task. */
typedef struct {
    bool has_failed;
    rg_result_t result;
} job_program_found_t;

/* ---- job_program_compute.c: as job_ops_t has them ---- */

status_t job_program_prepare(job_t *job, const char **kernel_name, double *guess);
void job_program_release(job_t *job);
void job_program_free_result(void *found);
status_t job_program_collect(job_t *job, int place);

/* @return the graph as a program has left it */
const csr_t *job_program_graph_of(const job_program_t *j, const rg_result_t *r);

/* ---- job_program_record.c: likewise ---- */

status_t job_program_pack(job_t *job, int place, int k, int thread, buf_t *out);
const char *job_program_check_record(job_t *job, int64_t task, int64_t version,
                                     const buf_t *record) MUST_CHECK;
status_t job_program_note_result(job_t *job, int64_t task, int64_t version,
                                 const void *data, size_t len);

/* @param out  borrows the record @return NULL, or why no run makes this record */
const char *job_program_open_record(const job_program_t *j, const buf_t *record,
                                    job_program_record_t *out) MUST_CHECK;

/* @return the first output attribute from a symbol on, or NULL */
const rg_symbol_t *job_program_output_from(const rg_symbol_t *s);

/* ---- job_program_store.c: likewise ---- */

void job_program_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_program_describe(job_t *job);
status_t job_program_write_result(job_t *job, const job_report_t *report);
