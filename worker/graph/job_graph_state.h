/*
 * job_graph_state.h - the state of the job "graph", which its files share.
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

#endif
