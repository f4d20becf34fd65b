/*
 * cuda_algorithms.cu - the algorithms of the graph backend "cuda": what each allocates,
 * launches and copies back.
 */
#include "kernels/graph/cuda/cuda_backend.cuh"

#include <cstdlib>

namespace
{

template <typename T> status_t get(T *to, const void *from, int64_t n)
{
    return CUDA_TRY(
        cudaMemcpy(to, from, static_cast<size_t>(n) * sizeof(T), cudaMemcpyDeviceToHost));
}

int cores(const cuda_state_t *s)
{
    return s->context.device->n_cores;
}

/* Add the counters of a traversal and the log of its choices to a result. */
status_t get_counters(const cuda_state_t *s, graph_result_t *out)
{
    unsigned long long visited = 0;
    int n_iterations = 0;
    status_t st = get(&visited, s->frontier.visited, 1);

    if (st == ST_OK)
        st = get(&n_iterations, s->frontier.n_iterations, 1);
    out->n_visited += static_cast<int64_t>(visited);
    out->n_iterations += n_iterations;
    return st;
}

status_t get_decisions(const cuda_state_t *s, graph_result_t *out)
{
    status_t st = get_counters(s, out);

    if (st == ST_OK && s->adapt.pinned < 0)
        st = adapt_print(s->adapt, &out->decisions);
    return st;
}

constexpr uint32_t LB_THRESHOLD = 32;

status_t create_loop(cuda_state_t *s, int64_t n_nodes)
{
    const graph_run_t *run = s->context.run;
    cuda_loop_t *loop = &s->loop;
    status_t st;

    loop->form = run->loop_template;
    loop->lb_threshold =
        run->lb_threshold > 0 ? static_cast<uint32_t>(run->lb_threshold) : LB_THRESHOLD;
    if ((st = cuda_memory_new(&s->memory, n_nodes, &loop->small)) == ST_OK &&
        (st = cuda_memory_new(&s->memory, n_nodes, &loop->large)) == ST_OK)
        st = cuda_memory_new(&s->memory, n_nodes, &loop->start);
    return st;
}

/* Allocate the frontier and the queues of the loops, for graphs of so many nodes. */
status_t create_scratch(cuda_state_t *s, int n_nodes)
{
    status_t st = frontier_create(&s->memory, n_nodes, &s->counters, &s->frontier);

    if (st == ST_OK)
        st = create_loop(s, n_nodes);
    /* The last words of the block of counters. */
    s->loop.tail = reinterpret_cast<unsigned long long *>(
        s->counters + FRONTIER_COUNTER_BYTES - 3 * sizeof(*s->loop.tail));
    return st;
}

/* ---- bfs and sssp ---- */

bool is_ordered_bfs(const cuda_state_t *s)
{
    return s->context.spec->algorithm == GRAPH_BFS && s->copies == nullptr &&
           s->context.run->update == GRAPH_ATOMIC &&
           (s->adapt.is_ordered || s->adapt.pinned < 0);
}

int64_t max_weight(const csr_t *g)
{
    int64_t max = g->weight == nullptr ? 1 : 0;

    for (int64_t a = 0; g->weight != nullptr && a < g->n_arcs; a++)
        max = g->weight[a] > max ? g->weight[a] : max;
    return max;
}

/* @return the width of near-far's buckets (Davidson et al. 2014), 1 of ordered variants,
 * or 0: Bellman-Ford */
uint64_t delta_of(const cuda_state_t *s)
{
    const csr_t *g = s->context.graph;
    double sum = 0;

    if (s->context.spec->algorithm == GRAPH_BFS)
        return 0;
    if (s->adapt.pinned >= 0)
        return s->adapt.is_ordered ? 1 : 0;
    if (g->weight == nullptr || g->n_arcs == 0)
        return 0;
    for (int64_t a = 0; a < g->n_arcs; a++)
        sum += g->weight[a];
    return 1 + static_cast<uint64_t>(32 * (sum / static_cast<double>(g->n_arcs)) *
                                     static_cast<double>(g->n_nodes) /
                                     static_cast<double>(g->n_arcs));
}

status_t split_nodes(cuda_state_t *s, int64_t mda)
{
    const csr_t *g = s->context.graph;
    status_t st;

    s->first_copy_host = static_cast<int *>(
        malloc(static_cast<size_t>(g->n_nodes + 1) * sizeof(*s->first_copy_host)));
    if (s->first_copy_host == nullptr)
        return log_nomem("a graph with split nodes");
    st = cuda_graph_split(&s->memory, g, mda, s->first_copy_host, &s->copies, &s->split);
    return st == ST_OK ? cuda_memory_put(&s->memory, s->first_copy_host, g->n_nodes + 1,
                                         &s->first_copy)
                       : st;
}

status_t create_traversal(cuda_state_t *s)
{
    const csr_t *g = s->context.graph;
    const int64_t n = g->n_nodes, mda = s->context.run->split_degree;
    const bool is_bfs = s->context.spec->algorithm == GRAPH_BFS;
    int64_t n_split;
    status_t st = ST_OK;

    s->split = s->g;
    if (mda != 0)
        st = split_nodes(s, mda > 0 ? mda : cuda_graph_mda(g));
    n_split = s->split.n_nodes;
    s->is_wide = !is_bfs && max_weight(g) > (UINT32_MAX - 1) / (n + 1);
    if (st != ST_OK ||
        (st = adapt_create(&s->memory, s->context.run, s->split, s->context.device,
                           &s->adapt)) != ST_OK ||
        (st = create_scratch(s, static_cast<int>(n_split))) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n_split / 32 + 1, &s->far)) != ST_OK)
        return st;
    s->delta = delta_of(s);
    s->host = malloc(static_cast<size_t>(n + 1) * sizeof(uint64_t));
    if (s->host == nullptr)
        return log_nomem("distances");
    if (is_ordered_bfs(s))
        st = cuda_memory_new(&s->memory, n, &s->nodes[0]);
    else if ((st = cuda_memory_new(&s->memory, n_split * (s->is_wide ? 2 : 1),
                                   reinterpret_cast<uint32_t **>(&s->distance))) == ST_OK)
        st = cuda_memory_new(&s->memory, n * (s->is_wide ? 2 : 1),
                             reinterpret_cast<uint32_t **>(&s->unsplit));
    return st == ST_OK && is_bfs ? cuda_memory_new(&s->memory, n, &s->nodes[1]) : st;
}

template <typename D> status_t launch_relax(cuda_state_t *s, int source)
{
    const bool is_bfs = s->context.spec->algorithm == GRAPH_BFS;
    D *distance = static_cast<D *>(s->distance), *unsplit = static_cast<D *>(s->unsplit);
    cuda_graph_t g = s->split;
    const relax_t<D> relax = {distance, s->far, s->copies, static_cast<D>(s->delta),
                              s->context.run->update == GRAPH_RACY &&
                                  s->copies == nullptr};
    int first = source, n_copies = 0;
    status_t st;

    if (is_bfs)
        g.weight = nullptr;
    if (s->copies != nullptr) {
        first = s->first_copy_host[source];
        n_copies = s->first_copy_host[source + 1] - first - 1;
    }
    st = relax_run(g, s->loop, s->frontier, s->adapt, relax, first, n_copies, cores(s));
    if (st == ST_OK && s->copies != nullptr)
        st = relax_unsplit(distance, s->first_copy, s->g.n_nodes, unsplit);
    if (st == ST_OK && is_bfs)
        st = relax_parents(s->in,
                           static_cast<const uint32_t *>(
                               s->copies != nullptr ? s->unsplit : s->distance),
                           source, cores(s), s->nodes[1]);
    return st;
}

status_t launch_traversal(cuda_state_t *s, const graph_task_t *task)
{
    const int source = task->sources[0];
    status_t st = CUDA_TRY(cudaMemsetAsync(s->adapt.n_logged, 0, sizeof(int)));

    if (st != ST_OK)
        return st;
    if (is_ordered_bfs(s))
        return bfs_run(s->g, s->in, s->loop, s->frontier, s->adapt,
                       {s->nodes[0], s->nodes[1], s->far}, source, cores(s));
    return s->is_wide ? launch_relax<unsigned long long>(s, source)
                      : launch_relax<uint32_t>(s, source);
}

/* Distances in the type of the column; all bits set are -1. */
template <typename FROM, typename TO> void convert(const void *from, int64_t n, TO *to)
{
    const FROM *x = static_cast<const FROM *>(from);

    for (int64_t u = 0; u < n; u++)
        to[u] =
            x[u] == static_cast<FROM>(~static_cast<FROM>(0)) ? -1 : static_cast<TO>(x[u]);
}

status_t fetch_traversal(cuda_state_t *s, const graph_task_t *, graph_result_t *out)
{
    const int64_t n = s->g.n_nodes;
    const bool is_bfs = s->context.spec->algorithm == GRAPH_BFS;
    status_t st = get_decisions(s, out);

    if (st == ST_OK && is_bfs)
        st = get(static_cast<int *>(out->column[1]), s->nodes[1], n);
    if (st != ST_OK)
        return st;
    if (is_ordered_bfs(s))
        return get(static_cast<int *>(out->column[0]), s->nodes[0], n);
    st = get(static_cast<uint32_t *>(s->host),
             s->copies != nullptr ? s->unsplit : s->distance, n * (s->is_wide ? 2 : 1));
    if (st != ST_OK)
        return st;
    if (is_bfs)
        convert<uint32_t>(s->host, n, static_cast<int32_t *>(out->column[0]));
    else if (s->is_wide)
        convert<uint64_t>(s->host, n, static_cast<int64_t *>(out->column[0]));
    else
        convert<uint32_t>(s->host, n, static_cast<int64_t *>(out->column[0]));
    return ST_OK;
}

/* ---- components ---- */

status_t create_components(cuda_state_t *s)
{
    status_t st = create_scratch(s, s->g.n_nodes);

    return st == ST_OK ? cuda_memory_new(&s->memory, s->g.n_nodes, &s->nodes[0]) : st;
}

status_t launch_components(cuda_state_t *s, const graph_task_t *)
{
    return components_run(s->g, s->in, s->loop, cores(s), s->frontier.bits[0],
                          s->nodes[0], s->frontier.visited);
}

status_t fetch_components(cuda_state_t *s, const graph_task_t *, graph_result_t *out)
{
    status_t st = get_counters(s, out);

    out->n_iterations = 1;
    return st == ST_OK
               ? get(static_cast<int *>(out->column[0]), s->nodes[0], s->g.n_nodes)
               : st;
}

/* ---- spmv and pagerank ---- */

status_t create_plan(cuda_state_t *s, const csr_t *rows)
{
    const bool with_pieces = s->context.run->loop_template == GRAPH_MERGE_PATH;
    status_t st = create_scratch(s, s->g.n_nodes);

    return st == ST_OK ? cuda_graph_plan(&s->memory, rows, with_pieces, &s->plan) : st;
}

status_t create_spmv(cuda_state_t *s)
{
    const int64_t n = s->g.n_nodes;
    status_t st = create_plan(s, s->context.graph);

    for (int k = 0; st == ST_OK && k < 2; k++)
        st = cuda_memory_new(&s->memory, n, &s->reals[k]);
    return st == ST_OK ? CUDA_TRY(cudaMemcpy(s->reals[0], s->context.spec->x,
                                             static_cast<size_t>(n) * sizeof(double),
                                             cudaMemcpyHostToDevice))
                       : st;
}

status_t launch_spmv(cuda_state_t *s, const graph_task_t *)
{
    return sums_spmv(s->g, s->loop, s->plan, s->reals[0], cores(s), s->reals[1]);
}

status_t fetch_spmv(cuda_state_t *s, const graph_task_t *, graph_result_t *out)
{
    out->n_iterations = 1;
    out->n_visited = s->context.graph->n_arcs;
    return get(static_cast<double *>(out->column[0]), s->reals[1], s->g.n_nodes);
}

status_t create_pagerank(cuda_state_t *s)
{
    const csr_t *g = s->context.graph;
    const graph_spec_t *spec = s->context.spec;
    const int64_t max = spec->max_iterations;
    csr_t reversed = {};
    status_t st;

    if (g->is_symmetric) {
        st = create_plan(s, g);
    } else if ((st = csr_transpose(g, &reversed)) == ST_OK) {
        st = create_plan(s, &reversed);
        csr_free(&reversed);
    }
    for (int k = 0; st == ST_OK && k < 7; k++)
        st = cuda_memory_new(&s->memory, g->n_nodes, &s->reals[k]);
    s->pagerank = {s->g.first,
                   s->reals[0],
                   s->reals[1],
                   s->reals[2],
                   {s->reals[3], s->reals[4]},
                   s->reals[5],
                   s->reals[6],
                   spec->damping,
                   (1 - spec->damping) / static_cast<double>(g->n_nodes),
                   spec->tolerance,
                   spec->dangling == GRAPH_DANGLING_SPREAD,
                   static_cast<int>(max < INT32_MAX ? max : INT32_MAX),
                   s->frontier.n_iterations};
    return st;
}

status_t launch_pagerank(cuda_state_t *s, const graph_task_t *)
{
    return sums_pagerank(s->in, s->loop, s->plan, s->pagerank, cores(s));
}

status_t fetch_pagerank(cuda_state_t *s, const graph_task_t *, graph_result_t *out)
{
    status_t st = get_counters(s, out);

    out->n_visited = out->n_iterations * s->context.graph->n_arcs;
    return st == ST_OK
               ? get(static_cast<double *>(out->column[0]), s->reals[0], s->g.n_nodes)
               : st;
}

constexpr cuda_algorithm_t traversal = {true, create_traversal, launch_traversal,
                                        fetch_traversal,
                                        GRAPH_CHOICE_TEMPLATE | GRAPH_CHOICE_VARIANT |
                                            GRAPH_CHOICE_UPDATE | GRAPH_CHOICE_SPLIT};
constexpr cuda_algorithm_t components = {true, create_components, launch_components,
                                         fetch_components, GRAPH_CHOICE_TEMPLATE};
constexpr cuda_algorithm_t spmv = {false, create_spmv, launch_spmv, fetch_spmv,
                                   GRAPH_CHOICE_TEMPLATE};
constexpr cuda_algorithm_t pagerank = {true, create_pagerank, launch_pagerank,
                                       fetch_pagerank, GRAPH_CHOICE_TEMPLATE};

} // namespace

const cuda_algorithm_t *cuda_algorithm(const graph_context_t *context)
{
    switch (context->spec->algorithm) {
    case GRAPH_BFS:
    case GRAPH_SSSP:
        return &traversal;
    case GRAPH_COMPONENTS:
        return &components;
    case GRAPH_SPMV:
        return &spmv;
    case GRAPH_PAGERANK:
        return &pagerank;
    default:
        return nullptr;
    }
}
