/*
 * cuda_traversal.cu - bfs and sssp: choice of the kernels, split nodes, and results.
 */
#include "kernels/graph/cuda/cuda_traversal.cuh"

#include "kernels/graph/cuda/cuda_bfs.cuh"

#include <cmath>
#include <cstdlib>
#include <cstring>

extern "C" {
#include "kernels/graph/common/path_length.h"
}

namespace
{

int64_t max_weight(const csr_t *g)
{
    int64_t max = g->weight == nullptr ? 1 : 0;

    for (int64_t a = 0; g->weight != nullptr && a < g->n_arcs; a++)
        max = g->weight[a] > max ? g->weight[a] : max;
    return max;
}

/* @return the mean weight, or 0 without weights */
double mean_weight(const csr_t *g)
{
    double sum = 0;

    if ((g->weight == nullptr && g->value == nullptr) || g->n_arcs == 0)
        return 0;
    for (int64_t a = 0; a < g->n_arcs; a++)
        sum += g->value != nullptr ? g->value[a] : g->weight[a];
    return sum / static_cast<double>(g->n_arcs);
}

/* @return the width of near-far's buckets (Davidson et al. 2014), as a word of the paths,
 * the smallest one of ordered variants, or 0: Bellman-Ford */
uint64_t delta_of(const traversal_t *s)
{
    const csr_t *g = s->context.graph;
    const double mean = mean_weight(g);
    double delta;
    uint64_t bits;

    if (s->context.spec->algorithm == GRAPH_BFS)
        return 0;
    if (s->adapt.pinned >= 0)
        return s->adapt.is_ordered ? 1 : 0;
    if (g->n_arcs == 0 || (g->weight == nullptr && g->value == nullptr))
        return 0;
    delta = s->adapt.delta * mean * static_cast<double>(g->n_nodes) /
            static_cast<double>(g->n_arcs);
    if (!s->is_real)
        return 1 + static_cast<uint64_t>(delta);
    memcpy(&bits, &delta, sizeof(bits));
    return std::isfinite(delta) ? bits : 0;
}

status_t split_nodes(traversal_t *s, int64_t mda)
{
    const csr_t *g = s->context.graph;

    s->first_part = static_cast<int *>(
        malloc(static_cast<size_t>(g->n_nodes + 1) * sizeof(*s->first_part)));
    if (s->first_part == nullptr)
        return log_nomem("a graph with split nodes");
    return cuda_graph_split(&s->memory, g, mda, s->context.run->split, s->g,
                            s->first_part, &s->parts, &s->split);
}

template <typename P> status_t launch_relax(traversal_t *s, int source)
{
    typedef typename P::word_t D;
    const bool is_bfs = s->context.spec->algorithm == GRAPH_BFS;
    D *distance = static_cast<D *>(s->distance), *unsplit = static_cast<D *>(s->unsplit);
    cuda_graph_t g = s->split;
    const bool has_copies = s->parts.copies != nullptr;
    const relax_t<P> relax = {distance, s->far, s->parts, static_cast<D>(s->delta),
                              s->context.run->update == GRAPH_RACY && !has_copies};
    int first = source, n = 1;
    status_t st;

    if (is_bfs)
        g.weight = nullptr;
    if (s->first_part != nullptr) {
        first = s->first_part[source];
        n = s->first_part[source + 1] - first;
    }
    st = relax_run(g, s->loop, s->frontier, s->adapt, relax, first, n, cuda_cores(s));
    if (st == ST_OK && has_copies)
        st = relax_unsplit(distance, s->parts.first_part, s->g.n_nodes, unsplit);
    if (st == ST_OK && is_bfs)
        st = relax_parents(s->in,
                           static_cast<const uint32_t *>(has_copies ? s->unsplit
                                                                    : s->distance),
                           source, cuda_cores(s), s->nodes[1]);
    return st;
}

status_t create(cuda_state_t *state)
{
    return traversal_create(static_cast<traversal_t *>(state), true,
                            state->context.run->split_degree);
}

status_t launch(cuda_state_t *state, const graph_task_t *task)
{
    traversal_t *s = static_cast<traversal_t *>(state);
    const int source = task->sources[0];
    status_t st = adapt_begin(&s->adapt);

    if (st != ST_OK)
        return st;
    if (s->is_ordered)
        return bfs_run(s->g, s->in, s->loop, s->frontier, s->adapt,
                       {s->nodes[0], s->nodes[1], s->found}, source, cuda_cores(s));
    if (s->is_real)
        return launch_relax<real_path_t>(s, source);
    return s->is_wide ? launch_relax<whole_path_t<unsigned long long>>(s, source)
                      : launch_relax<whole_path_t<uint32_t>>(s, source);
}

/* Add the counters of a traversal and the log of its choices to a result. */
status_t get_decisions(const traversal_t *s, graph_result_t *out)
{
    status_t st = cuda_counters_get(s, out);

    if (st == ST_OK && s->adapt.pinned < 0)
        st = adapt_print(s->adapt, &out->decisions);
    return st;
}

/* Distances in the type of the column; all bits set are -1. */
template <typename FROM, typename TO> void convert(const void *from, int64_t n, TO *to)
{
    const FROM *x = static_cast<const FROM *>(from);

    for (int64_t u = 0; u < n; u++)
        to[u] =
            x[u] == static_cast<FROM>(~static_cast<FROM>(0)) ? -1 : static_cast<TO>(x[u]);
}

} // namespace

status_t traversal_create(traversal_t *s, bool may_be_ordered, int64_t mda)
{
    const csr_t *g = s->context.graph;
    const int64_t n = g->n_nodes;
    const bool is_bfs = s->context.spec->algorithm == GRAPH_BFS;
    int64_t n_split;
    status_t st = ST_OK;

    s->split = s->g;
    if (mda != 0)
        st = split_nodes(s, mda > 0 ? mda : cuda_graph_mda(g));
    n_split = s->split.n_nodes;
    s->is_real = !is_bfs && g->value != nullptr;
    s->is_wide = s->is_real || (!is_bfs && max_weight(g) > (UINT32_MAX - 1) / (n + 1));
    if (st != ST_OK ||
        (st = adapt_create(&s->memory, s->context.spec->algorithm, s->context.run,
                           s->split, s->context.device, &s->adapt)) != ST_OK ||
        (st = cuda_scratch_create(s, static_cast<int>(n_split))) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n_split / 32 + 1, &s->far)) != ST_OK)
        return st;
    s->is_ordered = may_be_ordered && is_bfs && s->first_part == nullptr &&
                    s->context.run->update == GRAPH_ATOMIC &&
                    (s->adapt.is_ordered || s->adapt.pinned < 0);
    s->delta = delta_of(s);
    s->host = malloc(static_cast<size_t>(n + 1) * sizeof(uint64_t));
    if (s->host == nullptr)
        return log_nomem("distances");
    if (s->is_ordered) {
        if ((st = cuda_memory_new(&s->memory, n, &s->nodes[0])) == ST_OK)
            st = cuda_memory_new(&s->memory, n, &s->found);
    } else if ((st = cuda_memory_new(&s->memory, n_split * (s->is_wide ? 2 : 1),
                                     reinterpret_cast<uint32_t **>(&s->distance))) ==
               ST_OK)
        st = cuda_memory_new(&s->memory, n * (s->is_wide ? 2 : 1),
                             reinterpret_cast<uint32_t **>(&s->unsplit));
    return st == ST_OK && is_bfs ? cuda_memory_new(&s->memory, n, &s->nodes[1]) : st;
}

status_t traversal_fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const traversal_t *s = static_cast<const traversal_t *>(state);
    const int64_t n = s->g.n_nodes;
    const bool is_bfs = s->context.spec->algorithm == GRAPH_BFS;
    status_t st = get_decisions(s, out);

    if (st == ST_OK && is_bfs)
        st = cuda_get(static_cast<int *>(out->column[1]), s->nodes[1], n);
    if (st != ST_OK)
        return st;
    if (s->is_ordered)
        return cuda_get(static_cast<int *>(out->column[0]), s->nodes[0], n);
    st = cuda_get(static_cast<uint32_t *>(s->host),
                  s->parts.copies != nullptr ? s->unsplit : s->distance,
                  n * (s->is_wide ? 2 : 1));
    if (st != ST_OK)
        return st;
    if (is_bfs)
        convert<uint32_t>(s->host, n, static_cast<int32_t *>(out->column[0]));
    else if (s->is_real) {
        memcpy(out->column[0], s->host, static_cast<size_t>(n) * sizeof(path_length_t));
        path_finish(s->context.graph, static_cast<path_length_t *>(out->column[0]));
    } else if (s->is_wide)
        convert<uint64_t>(s->host, n, static_cast<int64_t *>(out->column[0]));
    else
        convert<uint32_t>(s->host, n, static_cast<int64_t *>(out->column[0]));
    return ST_OK;
}

void traversal_destroy(cuda_state_t *state)
{
    traversal_t *s = static_cast<traversal_t *>(state);

    free(s->first_part);
    free(s->host);
}

const cuda_algorithm_t cuda_traversal = {sizeof(traversal_t),
                                         true,
                                         GRAPH_CHOICE_TEMPLATE | GRAPH_CHOICE_VARIANT |
                                             GRAPH_CHOICE_UPDATE | GRAPH_CHOICE_SPLIT,
                                         create,
                                         launch,
                                         traversal_fetch,
                                         traversal_destroy};
