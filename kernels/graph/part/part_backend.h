/*
 * part_backend.h - the interface of graph kernels that work in a gang: each rank computes
 * its own nodes, step by step, and exchanges what the others need.
 *
 * The results are those of the backend "serial" (kernels/graph/serial), byte for byte, on
 * any number of ranks.
 */
#pragma once

#include "io/base/pool.h"
#include "kernels/device/backend.h"
#include "kernels/gang/gang.h"
#include "kernels/graph/common/graph_spec.h"
#include "kernels/graph/part/part_graph.h"

/* Borrowed until the backend is destroyed. */
typedef struct {
    const device_t *device;
    pool_t *pool;        /* NULL: the caller alone */
    part_graph_t *graph; /* a backend may renumber the targets of its arcs */
    const graph_spec_t *spec;
    int32_t source;                  /* bfs */
    void *column[GRAPH_MAX_COLUMNS]; /* [own nodes] of the types in graph_info_t */
} part_context_t;

enum { PART_DECISION_BYTES = 80 };

/* A step on this rank, apart from is_over and decision, which are those of all. */
typedef struct {
    bool is_over;                       /* the state is final */
    int64_t n_visited;                  /* arcs that were looked at */
    int64_t n_bytes;                    /* sent to other ranks */
    double seconds;                     /* of the step, with exchange_s */
    double exchange_s;                  /* of exchanges, with waiting for other ranks */
    char decision[PART_DECISION_BYTES]; /* how it was computed; empty: as always */
} part_step_report_t;

typedef struct {
    backend_t base; /* rate: arcs */

    /* @return whether it computes the algorithm, one that is divisible (graph_info_t) */
    bool (*takes)(graph_algorithm_t algorithm);

    /* Allocate what computing needs. @return ST_OK, ST_ENOMEM, ST_EDEVICE, ST_ELOST */
    status_t (*create)(const part_context_t *context, void **state);

    /* Take over the columns as they are after k steps; at first, with k = 0, set the
     * state before all steps.  Called once, before the first step. */
    status_t (*begin)(void *state, gang_t *gang, int64_t k);

    /* Compute step k together with the other ranks. @param out  zeroed
     * @return ST_OK, ST_ENOMEM, ST_ELOST, or an error of the gang */
    status_t (*step)(void *state, gang_t *gang, int64_t k, part_step_report_t *out);

    /* Bring the columns up to date, after begin. */
    status_t (*fetch)(void *state);

    /* Takes NULL. */
    void (*destroy)(void *state);
} part_backend_t;

/* On the threads of a pool, and on GPUs. */
extern const part_backend_t part_cpu_backend, part_cuda_backend;
