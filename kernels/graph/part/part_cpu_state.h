/*
 * part_cpu_state.h - what the algorithms of a gang share that compute on the threads of a
 * pool.
 */
#pragma once

#include "kernels/graph/part/part_backend.h"
#include "kernels/graph/part/part_comm.h"

/* What the algorithms share. */
typedef struct {
    part_context_t context;
    part_comm_t comm;
    void *own; /* of the algorithm */
} part_cpu_t;

/* An algorithm, with functions as those of part_backend_t. */
typedef struct {
    status_t (*create)(part_cpu_t *c);
    status_t (*begin)(part_cpu_t *c, int64_t k);
    status_t (*step)(part_cpu_t *c, int64_t k, part_step_report_t *out);
    void (*destroy)(part_cpu_t *c); /* also after a create that failed */
} part_cpu_algorithm_t;

extern const part_cpu_algorithm_t part_cpu_pagerank, part_cpu_bfs, part_cpu_components;

/* Call fn for each of this rank's blocks: a range of its nodes, counted from 0. */
typedef void (*part_cpu_fn_t)(void *ctx, int64_t begin, int64_t end);
void part_cpu_for(const part_cpu_t *c, part_cpu_fn_t fn, void *ctx);
