/*
 * cuda_order.cu - sorts nodes on the host, and the arcs to earlier nodes on the device:
 * as numbers of a place and the place that comes before it.
 */
#include "kernels/graph/cuda/cuda_order.cuh"

#include <cstdlib>
#include <cub/device/device_radix_sort.cuh>

extern "C" {
#include "io/graphfile/radix_sort.h"
#include "kernels/graph/common/graph_priority.h"
}

namespace
{

typedef unsigned long long pair_t; /* place << bits | earlier place */

struct host_arrays_t {
    uint64_t *key, *spare_key;
    int32_t *node, *spare_node, *place;
};

bool allocate(int64_t n, host_arrays_t *a)
{
    const size_t size = static_cast<size_t>(n) + 1;

    a->key = static_cast<uint64_t *>(malloc(size * sizeof(*a->key)));
    a->spare_key = static_cast<uint64_t *>(malloc(size * sizeof(*a->key)));
    a->node = static_cast<int32_t *>(malloc(size * sizeof(*a->node)));
    a->spare_node = static_cast<int32_t *>(malloc(size * sizeof(*a->node)));
    a->place = static_cast<int32_t *>(malloc(size * sizeof(*a->place)));
    return a->key != nullptr && a->spare_key != nullptr && a->node != nullptr &&
           a->spare_node != nullptr && a->place != nullptr;
}

void release(host_arrays_t *a)
{
    free(a->key);
    free(a->spare_key);
    free(a->node);
    free(a->spare_node);
    free(a->place);
}

void sort_nodes(const graph_context_t *context, host_arrays_t *a)
{
    const csr_t *g = context->graph;

    for (int32_t u = 0; u < g->n_nodes; u++) {
        a->key[u] = context->spec->algorithm == GRAPH_MIS
                        ? graph_mis_key(context->spec, g, u)
                        : graph_coloring_key(g, u);
        a->node[u] = u;
    }
    radix_sort({a->key, a->node, nullptr}, {a->spare_key, a->spare_node, nullptr},
               g->n_nodes, 64);
    for (int32_t p = 0; p < g->n_nodes; p++)
        a->place[a->node[p]] = p;
}

__global__ void pairs_kernel(cuda_graph_t g, const int *place, int bits, unsigned *n,
                             pair_t *pairs)
{
    for (int64_t u = grid_warp(); u < g.n_nodes; u += grid_n_warps())
        for (uint32_t a = g.first[u] + static_cast<uint32_t>(grid_lane());
             a < g.first[u + 1]; a += 32) {
            const int p = place[u], earlier = place[g.to[a]];

            if (earlier < p)
                pairs[grid_append(n)] =
                    static_cast<pair_t>(p) << bits | static_cast<pair_t>(earlier);
        }
}

/* @return how many of the ascending pairs are less than x */
__device__ uint32_t n_below(const pair_t *pairs, uint32_t n, pair_t x)
{
    uint32_t low = 0;

    while (n > 0) {
        const uint32_t half = n / 2;

        if (pairs[low + half] < x) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

__global__ void rows_kernel(const pair_t *pairs, uint32_t n, int bits, int n_nodes,
                            uint32_t *first, int *to)
{
    for (int64_t p = grid_thread(); p <= n_nodes; p += grid_n_threads())
        first[p] = n_below(pairs, n, static_cast<pair_t>(p) << bits);
    for (int64_t a = grid_thread(); a < n; a += grid_n_threads())
        to[a] = static_cast<int>(pairs[a] & ((static_cast<pair_t>(1) << bits) - 1));
}

/* @param temporary  freed by the caller */
status_t make_rows(cuda_state_t *s, const cuda_order_t &order, cuda_memory_t *temporary,
                   uint32_t *first, int *to, uint32_t *n_arcs)
{
    const int64_t max = s->g.n_arcs / 2;
    const int n_blocks = cuda_cores(s) * 8;
    pair_t *pairs = nullptr, *spare = nullptr;
    unsigned *n = nullptr;
    char *space = nullptr;
    size_t bytes = 0;
    int bits = 1;
    status_t st;

    while (bits < 31 && s->g.n_nodes >> bits != 0)
        bits++;
    if ((st = cuda_memory_new(temporary, max, &pairs)) != ST_OK ||
        (st = cuda_memory_new(temporary, max, &spare)) != ST_OK ||
        (st = cuda_memory_new(temporary, 1, &n)) != ST_OK ||
        (st = CUDA_TRY(cudaMemset(n, 0, sizeof(*n)))) != ST_OK ||
        (st = grid_launch_each(pairs_kernel, n_blocks, s->g, order.place, bits, n,
                               pairs)) != ST_OK ||
        (st = cuda_get(n_arcs, n, 1)) != ST_OK)
        return st;
    cub::DoubleBuffer<pair_t> both(pairs, spare);
    if ((st = CUDA_TRY(cub::DeviceRadixSort::SortKeys(nullptr, bytes, both,
                                                      static_cast<int64_t>(*n_arcs), 0,
                                                      2 * bits))) != ST_OK ||
        (st = cuda_memory_new(temporary, static_cast<int64_t>(bytes), &space)) != ST_OK ||
        (st = CUDA_TRY(cub::DeviceRadixSort::SortKeys(
             space, bytes, both, static_cast<int64_t>(*n_arcs), 0, 2 * bits))) != ST_OK)
        return st;
    st = grid_launch_each(rows_kernel, n_blocks,
                          static_cast<const pair_t *>(both.Current()), *n_arcs, bits,
                          s->g.n_nodes, first, to);
    return st == ST_OK ? CUDA_TRY(cudaDeviceSynchronize()) : st;
}

} // namespace

status_t cuda_order_create(cuda_state_t *s, cuda_order_t *out)
{
    const int64_t n = s->context.graph->n_nodes;
    host_arrays_t host = {};
    status_t st = ST_OK;

    if (!allocate(n, &host))
        st = log_nomem("an order of nodes");
    if (st == ST_OK) {
        sort_nodes(&s->context, &host);
        st = cuda_memory_put(&s->memory, host.node, n, &out->node);
    }
    if (st == ST_OK)
        st = cuda_memory_put(&s->memory, host.place, n, &out->place);
    release(&host);
    return st;
}

status_t cuda_order_rows(cuda_state_t *s, const cuda_order_t &order, cuda_graph_t *out)
{
    cuda_memory_t temporary = {};
    uint32_t *first = nullptr;
    int *to = nullptr;
    status_t st;

    *out = cuda_graph_t{};
    out->n_nodes = s->g.n_nodes;
    out->max_degree = s->g.max_degree;
    if ((st = cuda_memory_new(&s->memory, s->g.n_nodes + 1, &first)) == ST_OK &&
        (st = cuda_memory_new(&s->memory, s->g.n_arcs / 2, &to)) == ST_OK)
        st = make_rows(s, order, &temporary, first, to, &out->n_arcs);
    out->first = first;
    out->to = to;
    cuda_memory_free(&temporary);
    return st;
}

int cuda_order_above(const csr_t *g, int64_t degree)
{
    int n = 0;

    for (int32_t u = 0; u < g->n_nodes; u++)
        n += csr_degree(g, u) > degree;
    return n;
}
