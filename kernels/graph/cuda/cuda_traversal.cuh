/*
 * cuda_traversal.cuh - what bfs and sssp keep between tasks, and their results.
 */
#pragma once

#include "kernels/graph/cuda/cuda_backend.cuh"
#include "kernels/graph/cuda/cuda_relax.cuh"

/* Distances are of split nodes. */
struct traversal_t : cuda_state_t {
    adapt_t adapt;
    cuda_graph_t split;
    cuda_split_t parts;
    int *first_part; /* [n_nodes + 1] on the host; nullptr: not split */
    bool is_ordered; /* bfs level by level; otherwise distances are relaxed */
    bool is_real;    /* distances are doubles; */
    bool is_wide;    /* they need 64 bits */
    void *distance, *unsplit, *host;
    uint32_t *far;
    unsigned long long *found;
    uint64_t delta;
    int *nodes[2]; /* [n_nodes] results */
};

/* @param may_be_ordered  whether bfs may go level by level
 * @param mda             degree to split nodes at; 0: none, -1: from the histogram */
status_t traversal_create(traversal_t *s, bool may_be_ordered, int64_t mda) MUST_CHECK;

/* Functions of a cuda_algorithm_t, whose state begins with a traversal_t. */
status_t traversal_fetch(cuda_state_t *state, const graph_task_t *task,
                         graph_result_t *out) MUST_CHECK;
void traversal_destroy(cuda_state_t *state);
