/*
 * cuda_betweenness.cu - betweenness: how many sources are computed at once, and by which
 * threads.
 */
#include "kernels/graph/cuda/cuda_brandes.cuh"

namespace
{

enum { NONE_REFUSED_BYTE = 0x7f }; /* of a number above all places in a task */

/* How rows are divided, by the template. */
void divide_rows(const cuda_loop_t &loop, brandes_t *b)
{
    enum { STEPS = 8 }; /* of a group of lanes, before a warp takes a row */

    b->warp_from = b->block_from = loop.lb_threshold;
    b->lanes = 1;
    switch (loop.form) {
    case GRAPH_THREAD_MAPPED:
        b->warp_from = b->block_from = UINT32_MAX;
        break;
    case GRAPH_WARP_MAPPED:
        b->lanes = 32;
        b->warp_from = b->block_from = UINT32_MAX;
        break;
    case GRAPH_BLOCK_MAPPED:
        b->warp_from = b->block_from = 0;
        break;
    case GRAPH_DUAL_QUEUE:
    case GRAPH_DBUF_GLOBAL:
    case GRAPH_DBUF_SHARED:
        break;
    default: /* about two steps for a row of the mean degree */
        while (b->lanes < 32 &&
               static_cast<int64_t>(b->lanes) * ROW_LANE_ARCS * b->g.n_nodes <
                   b->g.n_arcs)
            b->lanes *= 2;
        b->warp_from = static_cast<uint32_t>(b->lanes) * ROW_LANE_ARCS * STEPS;
        b->block_from = ROW_BLOCK_ARCS;
    }
}

/* Choose where searches are, and how many there are at once. */
status_t choose_sizes(int n_cores, brandes_t *b)
{
    enum { BESIDE_PER_TEAM = 4, FREE_FRACTION = 4 };
    const size_t small_bytes = brandes_bytes(true, b->g.n_nodes);
    const size_t row_bytes = static_cast<size_t>(b->g.n_nodes) * sizeof(double);
    size_t free_bytes = 0, total = 0, n;
    int device = 0, max_shared = 0;
    status_t st = CUDA_TRY(cudaGetDevice(&device));

    if (st != ST_OK ||
        (st = CUDA_TRY(cudaDeviceGetAttribute(
             &max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device))) != ST_OK ||
        (st = CUDA_TRY(cudaMemGetInfo(&free_bytes, &total))) != ST_OK)
        return st;
    b->is_small = small_bytes + brandes_shared_bytes() <= static_cast<size_t>(max_shared);
    b->search_bytes = brandes_bytes(b->is_small, b->g.n_nodes);
    n = free_bytes / FREE_FRACTION / (b->search_bytes + BESIDE_PER_TEAM * row_bytes + 1);
    b->n_blocks = n_cores;
    b->n_teams = n < 1                              ? 1
                 : n < static_cast<size_t>(n_cores) ? static_cast<int>(n)
                                                    : n_cores;
    b->n_beside = BESIDE_PER_TEAM * b->n_teams;
    return ST_OK;
}

status_t create(cuda_state_t *state)
{
    betweenness_t *s = static_cast<betweenness_t *>(state);
    cuda_memory_t *m = &s->memory;
    brandes_t *b = &s->brandes;
    status_t st = cuda_scratch_create(s, s->g.n_nodes);

    b->g = s->g;
    b->in = s->in;
    divide_rows(s->loop, b);
    if (st != ST_OK || (st = choose_sizes(cuda_cores(s), b)) != ST_OK ||
        (st = cuda_memory_new(m, b->g.n_nodes, &b->centrality)) != ST_OK ||
        (st = cuda_memory_new(m, 1, &b->refused)) != ST_OK ||
        (st = cuda_memory_new(m, b->n_teams, &b->arrived)) != ST_OK ||
        (st = cuda_memory_new(m, b->n_beside, &b->sources)) != ST_OK ||
        (st = cuda_memory_new(m, static_cast<int64_t>(b->n_beside) * b->g.n_nodes,
                              &b->dependency)) != ST_OK)
        return st;
    return b->is_small
               ? ST_OK
               : cuda_memory_new(m, b->n_teams * static_cast<int64_t>(b->search_bytes),
                                 &b->searches);
}

status_t run(const betweenness_t *s, int n_sources, int64_t first)
{
    return brandes_run(s->brandes, n_sources, first);
}

status_t launch(cuda_state_t *state, const graph_task_t *task)
{
    return betweenness_launch(static_cast<betweenness_t *>(state), task, run);
}

} // namespace

status_t betweenness_launch(const betweenness_t *s, const graph_task_t *task,
                            status_t (*run)(const betweenness_t *s, int n_sources,
                                            int64_t first))
{
    const brandes_t &b = s->brandes;
    const int64_t n = task->n_sources, n_launches = (n + b.n_beside - 1) / b.n_beside;
    const size_t bytes = static_cast<size_t>(b.g.n_nodes) * sizeof(*b.centrality);
    status_t st =
        CUDA_TRY(cudaMemsetAsync(b.refused, NONE_REFUSED_BYTE, sizeof(*b.refused)));

    if (st == ST_OK)
        st = CUDA_TRY(cudaMemsetAsync(b.centrality, 0, bytes));
    for (int64_t k = 0; st == ST_OK && k < n_launches; k++) {
        const int64_t first = n * k / n_launches, end = n * (k + 1) / n_launches;

        st = CUDA_TRY(cudaMemcpyAsync(b.sources, task->sources + first,
                                      static_cast<size_t>(end - first) * sizeof(int),
                                      cudaMemcpyHostToDevice));
        if (st == ST_OK)
            st = run(s, static_cast<int>(end - first), first);
    }
    return st;
}

status_t betweenness_fetch(cuda_state_t *state, const graph_task_t *task,
                           graph_result_t *out)
{
    const betweenness_t *s = static_cast<const betweenness_t *>(state);
    int refused = 0;
    status_t st = cuda_get(&refused, s->brandes.refused, 1);

    if (st == ST_OK && refused < task->n_sources)
        return graph_refuse_paths(s->context.spec, s->context.graph,
                                  task->sources[refused]);
    if (st == ST_OK)
        st = cuda_get(static_cast<double *>(out->column[0]), s->brandes.centrality,
                      s->g.n_nodes);
    out->n_iterations += task->n_sources;
    out->n_visited += 2 * task->n_sources * s->context.graph->n_arcs;
    return st;
}

const cuda_algorithm_t cuda_betweenness = {
    sizeof(betweenness_t), true,   GRAPH_CHOICE_TEMPLATE, create, launch,
    betweenness_fetch,     nullptr};
