/*
 * cuda_backend.cuh - the frame of the algorithms of the graph backend "cuda".
 *
 * Each algorithm is one cuda_algorithm_t, in a file of its own.  What it keeps between
 * tasks is a struct of its own that begins with a cuda_state_t.
 */
#pragma once

#include "kernels/graph/cuda/cuda_frontier.cuh"

extern "C" {
#include "kernels/graph/common/graph_backend.h"
}

struct cuda_algorithm_t;

/* What all algorithms keep. */
struct cuda_state_t {
    const cuda_algorithm_t *algorithm;
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
    cuda_components, cuda_mst, cuda_mis, cuda_coloring, cuda_triangles, cuda_descendants,
    cuda_heights;

/* More arcs are not taken: indexes beyond rows must fit. */
constexpr int64_t CUDA_MAX_ARCS = UINT32_MAX - (1 << 20);

/* The functions of a row of the table: graph_backend_t. */
status_t cuda_state_create(const graph_context_t *context,
                           const cuda_algorithm_t *algorithm, void **state) MUST_CHECK;
status_t cuda_state_compute(void *state, const graph_task_t *task,
                            graph_result_t *out) MUST_CHECK;
void cuda_state_destroy(void *state);

/* Copy n elements to the host. */
template <typename T> status_t cuda_get(T *to, const void *from, int64_t n)
{
    return CUDA_TRY(
        cudaMemcpy(to, from, static_cast<size_t>(n) * sizeof(T), cudaMemcpyDeviceToHost));
}

constexpr uint32_t CUDA_LB_THRESHOLD = 32;

/* Allocate the queues of the loops, and choose their template. */
inline status_t cuda_loop_create(cuda_state_t *s, int64_t n_nodes)
{
    const graph_run_t *run = s->context.run;
    const int64_t n_listed = loop_list_size(n_nodes, s->g.n_arcs);
    cuda_loop_t *loop = &s->loop;
    status_t st;

    loop->form = graph_template_choice(run->loop_template) == GRAPH_CHOICE_TEMPLATE
                     ? run->loop_template
                     : GRAPH_TEMPLATE_AUTO;
    loop->lb_threshold = run->lb_threshold > 0 ? static_cast<uint32_t>(run->lb_threshold)
                                               : CUDA_LB_THRESHOLD;
    adapt_loop(s->context.spec->algorithm, s->g, loop);
    if ((st = cuda_memory_new(&s->memory, n_nodes, &loop->small)) == ST_OK &&
        (st = cuda_memory_new(&s->memory, n_listed, &loop->large)) == ST_OK)
        st = cuda_memory_new(&s->memory, n_listed, &loop->start);
    return st;
}

/* Allocate the frontier and the queues of the loops, for graphs of n_nodes nodes. */
MUST_CHECK inline status_t cuda_scratch_create(cuda_state_t *s, int n_nodes)
{
    status_t st = frontier_create(&s->memory, n_nodes, &s->counters, &s->frontier);

    if (st == ST_OK)
        st = cuda_loop_create(s, n_nodes);
    /* The last words of the block of counters. */
    s->loop.tail = reinterpret_cast<unsigned long long *>(
        s->counters + FRONTIER_COUNTER_BYTES - 3 * sizeof(*s->loop.tail));
    return st;
}

/* Add the counters of the frontier to a result. */
MUST_CHECK inline status_t cuda_counters_get(const cuda_state_t *s, graph_result_t *out)
{
    unsigned long long visited = 0;
    int n_iterations = 0;
    status_t st = cuda_get(&visited, s->frontier.visited, 1);

    if (st == ST_OK)
        st = cuda_get(&n_iterations, s->frontier.n_iterations, 1);
    out->n_visited += static_cast<int64_t>(visited);
    out->n_iterations += n_iterations;
    return st;
}

inline int cuda_cores(const cuda_state_t *s)
{
    return s->context.device->n_cores;
}
