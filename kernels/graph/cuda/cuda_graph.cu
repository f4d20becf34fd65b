/*
 * cuda_graph.cu - copies graphs to the device, splits nodes and divides rows for sums.
 */
#include "kernels/graph/cuda/cuda_graph.cuh"

namespace
{

/* @return the nodes that a node of a degree becomes */
int64_t n_parts(int64_t degree, int64_t mda)
{
    return degree > mda ? (degree + mda - 1) / mda : 1;
}

/* Set the number of rows and the longest one. */
void set_rows(const uint32_t *first, int64_t n_nodes, cuda_graph_t *out)
{
    out->n_nodes = static_cast<int>(n_nodes);
    for (int64_t u = out->max_degree = 0; u < n_nodes; u++)
        if (first[u + 1] - first[u] > out->max_degree)
            out->max_degree = first[u + 1] - first[u];
}

status_t put_rows(cuda_memory_t *m, const csr_t *g, const uint32_t *first, const int *to,
                  int64_t n_nodes, cuda_graph_t *out)
{
    status_t st = cuda_memory_put(m, first, n_nodes + 1, &out->first);

    set_rows(first, n_nodes, out);
    out->n_arcs = static_cast<uint32_t>(g->n_arcs);
    out->weight = nullptr;
    out->value = nullptr;
    if (st == ST_OK)
        st = cuda_memory_put(m, to, g->n_arcs, &out->to);
    if (st == ST_OK && g->weight != nullptr)
        st = cuda_memory_put(m, g->weight, g->n_arcs, &out->weight);
    if (st == ST_OK && g->value != nullptr)
        st = cuda_memory_put(m, g->value, g->n_arcs, &out->value);
    return st;
}

/* Copy rows whose arcs lead to first parts. */
status_t put_copies(cuda_memory_t *m, const csr_t *g, const uint32_t *first,
                    const int *first_part, int64_t n, cuda_graph_t *out)
{
    cuda_host_t host = {};
    int *to = cuda_host_new<int>(&host, g->n_arcs);

    if (to == nullptr)
        return log_nomem("a graph with split nodes");
    for (int64_t a = 0; a < g->n_arcs; a++)
        to[a] = first_part[g->to[a]];
    return put_rows(m, g, first, to, n, out);
}

int class_of(int64_t degree)
{
    int c = 0;

    while (c < ROW_CLASS_WARP && degree > ROW_LANE_ARCS << c)
        c++;
    return degree > ROW_BLOCK_ARCS ? ROW_CLASS_BLOCK : c;
}

status_t plan_classes(cuda_memory_t *m, const csr_t *g, cuda_plan_t *out)
{
    cuda_host_t host = {};
    int *order = cuda_host_new<int>(&host, g->n_nodes), next[N_ROW_CLASSES] = {};

    if (order == nullptr)
        return log_nomem("the order of rows");
    for (int32_t u = 0; u < g->n_nodes; u++)
        out->class_first[class_of(csr_degree(g, u)) + 1]++;
    for (int c = 0; c < N_ROW_CLASSES; c++) {
        next[c] = out->class_first[c];
        out->class_first[c + 1] += out->class_first[c];
    }
    if (out->class_first[1] == g->n_nodes)
        return ST_OK; /* without order */
    for (int32_t u = 0; u < g->n_nodes; u++)
        order[next[class_of(csr_degree(g, u))]++] = u;
    return cuda_memory_put(m, order, g->n_nodes, &out->order);
}

/* Pieces of rows, with nullptr only their numbers. */
void cut_rows(const csr_t *g, int *node, uint32_t *first, int *sum, int *cut_node,
              int *cut_sum, int64_t *n_pieces, int *n_cut, int *n_sums)
{
    *n_pieces = *n_cut = *n_sums = 0;
    for (int32_t u = 0; u < g->n_nodes; u++) {
        const bool is_cut = csr_degree(g, u) > PIECE_ARCS;
        int64_t a = g->first[u];

        if (is_cut && cut_node != nullptr) {
            cut_node[*n_cut] = u;
            cut_sum[*n_cut] = *n_sums;
        }
        *n_cut += is_cut;
        do {
            if (node != nullptr) {
                node[*n_pieces] = u;
                first[*n_pieces] = static_cast<uint32_t>(a);
                sum[*n_pieces] = is_cut ? *n_sums : -1;
            }
            ++*n_pieces;
            *n_sums += is_cut;
            a += PIECE_ARCS;
        } while (a < g->first[u + 1]);
    }
    if (node != nullptr) {
        first[*n_pieces] = static_cast<uint32_t>(g->n_arcs);
        cut_sum[*n_cut] = *n_sums;
    }
}

/* @return the number of chunks, of at most CHUNK_ARCS arcs and as many pieces each */
int chunk_pieces(const uint32_t *first, int64_t n_pieces, int *chunk_piece)
{
    int n = 0;

    for (int64_t p = 0, begin = 0; p < n_pieces; p++) {
        if (p == 0 || first[p + 1] - first[begin] > CHUNK_ARCS ||
            p - begin == CHUNK_ARCS) {
            begin = p;
            chunk_piece[n++] = static_cast<int>(p);
        }
    }
    chunk_piece[n] = static_cast<int>(n_pieces);
    return n;
}

status_t plan_pieces(cuda_memory_t *m, const csr_t *g, cuda_plan_t *out)
{
    cuda_host_t pieces = {}, cuts = {};
    int64_t n;
    int n_sums, *node, *sum, *cut_node, *cut_sum, *chunk_piece;
    uint32_t *first;
    status_t st;

    cut_rows(g, nullptr, nullptr, nullptr, nullptr, nullptr, &n, &out->n_cut, &n_sums);
    node = cuda_host_new<int>(&pieces, n);
    first = cuda_host_new<uint32_t>(&pieces, n);
    sum = cuda_host_new<int>(&pieces, n);
    chunk_piece = cuda_host_new<int>(&pieces, n);
    cut_node = cuda_host_new<int>(&cuts, out->n_cut);
    cut_sum = cuda_host_new<int>(&cuts, out->n_cut);
    if (node == nullptr || first == nullptr || sum == nullptr || chunk_piece == nullptr ||
        cut_node == nullptr || cut_sum == nullptr)
        return log_nomem("pieces of rows");
    cut_rows(g, node, first, sum, cut_node, cut_sum, &n, &out->n_cut, &n_sums);
    out->n_chunks = chunk_pieces(first, n, chunk_piece);
    if ((st = cuda_memory_put(m, node, n, &out->piece_node)) == ST_OK &&
        (st = cuda_memory_put(m, first, n + 1, &out->piece_first)) == ST_OK &&
        (st = cuda_memory_put(m, sum, n, &out->piece_sum)) == ST_OK &&
        (st = cuda_memory_put(m, chunk_piece, out->n_chunks + 1, &out->chunk_piece)) ==
            ST_OK &&
        (st = cuda_memory_put(m, cut_node, out->n_cut, &out->cut_node)) == ST_OK &&
        (st = cuda_memory_put(m, cut_sum, out->n_cut + 1, &out->cut_sum)) == ST_OK)
        st = cuda_memory_new(m, n_sums, &out->sums);
    return st;
}

} // namespace

void cuda_memory_free(cuda_memory_t *m)
{
    for (int k = 0; k < m->n; k++)
        cudaFree(m->at[k]);
    m->n = 0;
}

status_t cuda_graph_put(cuda_memory_t *m, const csr_t *g, cuda_graph_t *out)
{
    cuda_host_t host = {};
    uint32_t *first = cuda_host_new<uint32_t>(&host, g->n_nodes);

    if (first == nullptr)
        return log_nomem("a graph on the device");
    for (int64_t u = 0; u <= g->n_nodes; u++)
        first[u] = static_cast<uint32_t>(g->first[u]);
    return put_rows(m, g, first, g->to, g->n_nodes, out);
}

int64_t cuda_graph_mda(const csr_t *g)
{
    enum { BUCKETS = 10 };
    const int64_t width = (csr_max_degree(g) + BUCKETS - 1) / BUCKETS;
    int64_t n[BUCKETS] = {}, fullest = 0;

    if (width == 0)
        return 1;
    for (int32_t u = 0; u < g->n_nodes;
         u++) /* buckets: (0, width], (width, 2 width] ... */
        n[csr_degree(g, u) > 0 ? (csr_degree(g, u) - 1) / width : 0]++;
    for (int64_t k = 1; k < BUCKETS; k++)
        if (n[k] > n[fullest])
            fullest = k;
    return (fullest + 1) * width;
}

int64_t cuda_graph_split_nodes(const csr_t *g, int64_t mda)
{
    int64_t n = 0;

    for (int32_t u = 0; u < g->n_nodes; u++)
        n += n_parts(csr_degree(g, u), mda);
    return n;
}

status_t cuda_graph_split(cuda_memory_t *m, const csr_t *g, int64_t mda,
                          graph_split_t kind, const cuda_graph_t &rows, int *first_part,
                          cuda_split_t *split, cuda_graph_t *out)
{
    const int64_t n = cuda_graph_split_nodes(g, mda);
    cuda_host_t host = {};
    uint32_t *first = cuda_host_new<uint32_t>(&host, n);
    int *of_part = cuda_host_new<int>(&host, n);
    int64_t next = 0;
    status_t st;

    if (first == nullptr || of_part == nullptr)
        return log_nomem("a graph with split nodes");
    for (int32_t u = 0; u < g->n_nodes; u++) {
        const int64_t degree = csr_degree(g, u), parts = n_parts(degree, mda);

        first_part[u] = static_cast<int>(next);
        for (int64_t k = 0; k < parts; k++, next++) {
            first[next] = static_cast<uint32_t>(g->first[u] + degree * k / parts);
            of_part[next] = kind == GRAPH_SPLIT_VIRTUAL ? u
                            : k == 0                    ? static_cast<int>(parts - 1)
                                                        : 0;
        }
    }
    first[n] = static_cast<uint32_t>(g->n_arcs);
    first_part[g->n_nodes] = static_cast<int>(n);
    *split = cuda_split_t{};
    if ((st = cuda_memory_put(m, first_part, g->n_nodes + 1, &split->first_part)) !=
            ST_OK ||
        (st = cuda_memory_put(m, of_part, n,
                              kind == GRAPH_SPLIT_VIRTUAL ? &split->owner
                                                          : &split->copies)) != ST_OK)
        return st;
    if (kind == GRAPH_SPLIT_COPIES)
        return put_copies(m, g, first, first_part, n, out);
    *out = rows;
    set_rows(first, n, out);
    return cuda_memory_put(m, first, n + 1, &out->first);
}

status_t cuda_graph_plan(cuda_memory_t *m, const csr_t *g, bool with_pieces,
                         cuda_plan_t *out)
{
    *out = cuda_plan_t{};
    return with_pieces ? plan_pieces(m, g, out) : plan_classes(m, g, out);
}
