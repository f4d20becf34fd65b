/*
 * cuda_backend.cuh - the frame of the algorithms of the graph backend "cuda".
 *
 * Each algorithm is one cuda_algorithm_t, in a file of its own.  What it keeps between
 * tasks is a struct of its own that begins with a cuda_state_t.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_BACKEND_CUH
#define RIBOGRID_KERNELS_GRAPH_CUDA_CUDA_BACKEND_CUH

#include "kernels/graph/cuda/cuda_frontier.cuh"

extern "C" {
#include "kernels/graph/cuda/cuda_graph_backend.h"
}

/* What all algorithms keep. */
struct cuda_state_t {
    graph_context_t context;
    cuda_memory_t memory; /* freed with the state */
    cudaEvent_t begun, ended;
    cuda_graph_t g, in; /* in: arcs reversed; g itself in symmetric graphs */
    csr_t reversed;     /* in on the host while states are created; nothing in symmetric
                           graphs */

    /* of cuda_scratch_create */
    cuda_loop_t loop;
    char *counters; /* set to 0 before each task */
    frontier_t frontier;
};

/* One algorithm: what it allocates, and how it computes a task between two events. */
struct cuda_algorithm_t {
    size_t state_bytes; /* of a struct that begins with a cuda_state_t; set to 0 */
    bool reads_arcs_in;
    unsigned obeys; /* GRAPH_CHOICE_... */
    status_t (*create)(cuda_state_t *state);
    status_t (*launch)(cuda_state_t *state, const graph_task_t *task);
    status_t (*fetch)(cuda_state_t *state, const graph_task_t *task, graph_result_t *out);
    void (*destroy)(cuda_state_t *state); /* frees host memory; or nullptr */
};

extern const cuda_algorithm_t cuda_traversal, cuda_pagerank, cuda_betweenness, cuda_spmv,
    cuda_components, cuda_mst, cuda_mis, cuda_coloring, cuda_triangles;

/* Allocate the frontier and the queues of the loops, for graphs of so many nodes. */
status_t cuda_scratch_create(cuda_state_t *s, int n_nodes) MUST_CHECK;

/* Add the counters of the frontier to a result. */
status_t cuda_counters_get(const cuda_state_t *s, graph_result_t *out) MUST_CHECK;

/* Copy n elements to the host. */
template <typename T> status_t cuda_get(T *to, const void *from, int64_t n)
{
    return CUDA_TRY(
        cudaMemcpy(to, from, static_cast<size_t>(n) * sizeof(T), cudaMemcpyDeviceToHost));
}

inline int cuda_cores(const cuda_state_t *s)
{
    return s->context.device->n_cores;
}

#endif
