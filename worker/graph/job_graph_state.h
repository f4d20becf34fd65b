/*
 * job_graph_state.h - the state of the job "graph", and the functions that its files
 * share.
 */
#ifndef RIBOGRID_WORKER_GRAPH_JOB_GRAPH_STATE_H
#define RIBOGRID_WORKER_GRAPH_JOB_GRAPH_STATE_H

#include "kernels/graph/common/graph_backend.h"
#include "kernels/graph/part/part_backend.h"
#include "worker/graph/job_graph.h"

#include <stdatomic.h>

/* A line of the log of a graph that is divided, before the nodes per block. */
#define JOB_GRAPH_PARTITION_LINE "partition="

/* The results of a collected batch, until they are packed. */
typedef struct {
    graph_result_t *results; /* [capacity] */
    int capacity;
} job_graph_collected_t;

/* What the steps of a gang have taken, on a rank or on all of them. */
typedef struct {
    int64_t n_visited; /* arcs */
    int64_t n_bytes;   /* sent to other ranks */
    double seconds;    /* without exchanges; the longest of all ranks */
    double exchange_s; /* likewise */
} job_graph_steps_t;

/* A rank of a gang, which computes its part of the graph. */
typedef struct {
    const part_backend_t *backend;
    void *kernel;                    /* the backend's state */
    void *column[GRAPH_MAX_COLUMNS]; /* [own nodes] */
    bool has_begun;                  /* the kernel has the state */
    bool is_fetched;                 /* the columns are those after the last step */
    bool is_over;                    /* that state is final */
    job_graph_steps_t steps;         /* of this rank's blocks, in all runs */
    buf_t decisions;                 /* text, equal on all ranks */
} job_graph_gang_t;

typedef struct {
    job_t base;
    const graph_opts_t *opts;
    const graph_info_t *info;
    graph_spec_t spec;
    graph_run_t run;

    /* the graph, on every rank, unless it is divided (job_graph_part.h) */
    csr_t graph;
    bool is_divided;
    part_graph_t part;
    int64_t *priority; /* [n_nodes] of spec, or NULL */
    double *x;         /* [n_nodes] of spec, or NULL */
    int32_t *sources;  /* [n_sources] ascending */
    int64_t n_sources;
    uint64_t *digest; /* [blocks] of the graph, on rank 0, or NULL (job_graph_digest.h) */

    /* rank 0, the owner of the log */
    char **names;            /* [n_nodes] or NULL */
    double read_s;           /* seconds that reading and building took */
    atomic_int checked_over; /* is_over of the block checked first; -1: none yet */

    /* every rank, as a worker */
    const graph_backend_t *backend;
    void *kernel;   /* the backend's state */
    double copy_s;  /* seconds that its creation took */
    int64_t *tasks; /* [n_submitted] of the batch in flight */
    int n_submitted, tasks_capacity;
    job_graph_collected_t collected[JOB_PLACES];
    job_graph_gang_t gang; /* if the graph is divided */
} job_graph_t;

/* ---- job_graph_input.c ---- */

/*
 * Read and build the graph and choose its sources on rank 0, and send them to the others.
 * Every rank calls it.
 *
 * @return likewise on all ranks an error of rank 0 (logged there)
 */
status_t job_graph_read(job_graph_t *j, exchange_t *x) MUST_CHECK;

/* ---- job_graph_compute.c ---- */

status_t job_graph_prepare(job_t *job, const char **kernel_name, double *guess);
void job_graph_release(job_t *job);
status_t job_graph_submit(job_t *job, const int64_t *tasks, int n, int *n_begun);
status_t job_graph_collect(job_t *job, int place);
status_t job_graph_pack(job_t *job, int place, int k, int thread, buf_t *out);

/* ---- job_graph_store.c ---- */

/* job_graph_check.c: as check_record of job_ops_t, of a graph that is not divided. */
const char *job_graph_check_result(const job_graph_t *j, const buf_t *record) MUST_CHECK;

/* @param column  [n] values of some nodes, for each column, of any alignment
 * @return NULL, or what is wrong with them, as check_record of job_ops_t does */
const char *job_graph_check_values(const job_graph_t *j, const char *const *column,
                                   int64_t n) MUST_CHECK;

/* @return whether len bytes are lines of printable text */
bool job_graph_check_lines(const void *text, size_t len);

/* As job_ops_t has them; job_graph_text.c: describe;
 * job_graph_finish.c: write_result. */
void job_graph_outputs(const job_opts_t *opts, job_outputs_t *out);
status_t job_graph_describe(job_t *job);
status_t job_graph_opened(job_t *job);
status_t job_graph_write_result(job_t *job, const job_report_t *report);

#endif
