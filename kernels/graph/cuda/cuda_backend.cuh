/*
 * cuda_backend.cuh - what the graph backend "cuda" keeps between tasks.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_BACKEND_CUH
#define RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_BACKEND_CUH

#include "kernels/graph/cuda/cuda_bfs.cuh"
#include "kernels/graph/cuda/cuda_components.cuh"
#include "kernels/graph/cuda/cuda_relax.cuh"
#include "kernels/graph/cuda/cuda_sums.cuh"

extern "C" {
#include "kernels/graph/cuda/cuda_graph_backend.h"
}

struct cuda_state_t {
    graph_context_t context;
    cuda_memory_t memory;
    cudaEvent_t begun, ended;
    cuda_graph_t g, in; /* in: arcs reversed; g itself in symmetric graphs */
    cuda_plan_t plan;
    cuda_loop_t loop;
    char *counters; /* set to 0 before each task */
    frontier_t frontier;
    adapt_t adapt;

    /* traversals; distances are of split nodes */
    cuda_graph_t split;
    const int *copies, *first_copy; /* nullptr: not split */
    int *first_copy_host;
    bool is_wide; /* distances need 64 bits */
    void *distance, *unsplit, *host;
    uint32_t *far;
    uint64_t delta;
    int *nodes[2];    /* [n_nodes] results */
    double *reals[7]; /* [n_nodes] */
    pagerank_t pagerank;
};

/* One algorithm: what it allocates, and how it computes a task between two events. */
struct cuda_algorithm_t {
    bool reads_arcs_in;
    status_t (*create)(cuda_state_t *s);
    status_t (*launch)(cuda_state_t *s, const graph_task_t *task);
    status_t (*fetch)(cuda_state_t *s, const graph_task_t *task, graph_result_t *out);
    unsigned obeys; /* GRAPH_CHOICE_... */
};

/* @return nullptr if the backend lacks it */
const cuda_algorithm_t *cuda_algorithm(const graph_context_t *context);

#endif
