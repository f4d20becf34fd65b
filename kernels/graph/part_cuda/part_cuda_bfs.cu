/*
 * part_cuda_bfs.cu - breadth-first search on the GPUs of several ranks, one level per
 * step, as in part_bfs.c.
 *
 * Pushing, all arcs of a node go at once: the smallest parent of a node remains by
 * atomicMin, in parent[] of this rank's nodes, in offer[] of the others'.  The first
 * offer to a node of another rank puts it on a list; a later level may lower offer[], but
 * sends nothing.
 */
#include "kernels/graph/cuda/cuda_pull.cuh"
#include "kernels/graph/part_cuda/part_cuda.cuh"

#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

/* It pulls as part_bfs.c does. */
enum { PULL_ARCS = 14, PULL_NODES = 24 };

enum { COUNT_NODES, COUNT_ARCS, COUNT_VISITED, COUNT_N };

struct offer_t {
    int node, parent;
};

/* Passed to kernels by value. */
struct search_t {
    cuda_graph_t out, in; /* this rank's nodes from 0, targets by their numbers */
    int first_node, n_own;
    int next_depth;
    int *depth, *parent; /* [own] INT_MAX: not reached */
    int *offer;          /* [n_nodes] of other ranks' nodes; INT_MAX: none */
    int *list;           /* [n_nodes] such nodes that got their first offer */
    unsigned *n_list;
    uint32_t *level, *next;     /* bits of this rank's nodes */
    uint32_t *all;              /* bits of all nodes */
    unsigned long long *counts; /* [COUNT_N] */
};

struct bfs_t : part_cuda_t {
    search_t search;
    cuda_loop_t loop;
    offer_t *offers; /* device: sent, then received */
    int64_t offers_capacity;
    offer_t *sent, *received; /* host */
    int64_t sent_capacity, received_capacity;
    int64_t *places;     /* [4][n_ranks] */
    int64_t n[2];        /* nodes and arcs of the level, on all ranks */
    int64_t n_arcs_left; /* out of nodes that are not reached yet */
    bool pulls;
};

/* Offer a parent to one of this rank's nodes. */
__device__ void offer_own(const search_t &s, int i, int parent)
{
    if (grid_read(&s.depth[i]) >= s.next_depth && grid_read(&s.parent[i]) > parent &&
        atomicMin(&s.parent[i], parent) == INT_MAX) {
        s.depth[i] = s.next_depth;
        atomicOr(&s.next[i >> 5], bit_mask(i));
    }
}

struct push_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    search_t s;
    unsigned long long n_visited;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        return row_begin(g, u, row);
    }

    __device__ void arc(const cuda_row_t<no_value_t> &row, uint32_t a)
    {
        const int v = g.to[a], i = v - s.first_node, u = s.first_node + row.node;

        n_visited++;
        if (i >= 0 && i < s.n_own)
            offer_own(s, i, u);
        else if (grid_read(&s.offer[v]) > u && atomicMin(&s.offer[v], u) == INT_MAX)
            s.list[grid_append(s.n_list)] = v;
    }
};

GRID_KERNEL push_kernel(search_t s, cuda_loop_t loop)
{
    __shared__ loop_shared_t shared;
    push_op_t op = {s.out, s, 0};

    loop_run(op, {nullptr, s.level, s.n_own}, loop, nullptr, 0, &shared);
    warp_add_to(&s.counts[COUNT_VISITED], op.n_visited);
}

/* Pairs of the nodes on the list. */
__global__ void list_offers_kernel(search_t s, unsigned n, offer_t *to)
{
    const int64_t k = grid_thread();

    if (k < n) {
        to[k].node = s.list[k];
        to[k].parent = s.offer[s.list[k]];
    }
}

__global__ void take_offers_kernel(search_t s, int64_t n, const offer_t *from)
{
    const int64_t k = grid_thread();

    if (k < n)
        offer_own(s, from[k].node - s.first_node, from[k].parent);
}

GRID_KERNEL pull_kernel(search_t s)
{
    unsigned long long n_visited = 0;

    for (int64_t i = grid_warp() * 32; i < s.n_own; i += grid_n_threads()) {
        const int64_t u = i + grid_lane();
        const bool open = u < s.n_own && s.depth[u] == INT_MAX;
        const int v = pull_first(
            s.in, open ? static_cast<int>(u) : -1, 0,
            [&](int x, uint32_t) { return bit_of(s.all, x); }, &n_visited);
        const unsigned found = __ballot_sync(ALL_LANES, v >= 0);

        if (v >= 0) {
            s.depth[u] = s.next_depth;
            s.parent[u] = v;
        }
        if (grid_lane() == 0)
            s.next[i >> 5] = found;
    }
    warp_add_to(&s.counts[COUNT_VISITED], n_visited);
}

/* Count the nodes whose bits are set, and their arcs. */
GRID_KERNEL count_kernel(search_t s, const uint32_t *bits)
{
    unsigned long long n_nodes = 0, n_arcs = 0;

    for (int64_t i = grid_warp() * 32; i < s.n_own; i += grid_n_threads()) {
        const int64_t u = i + grid_lane();

        if (u < s.n_own && bit_of(bits, static_cast<int>(u))) {
            n_nodes++;
            n_arcs += s.out.first[u + 1] - s.out.first[u];
        }
    }
    warp_add_to(&s.counts[COUNT_NODES], n_nodes);
    warp_add_to(&s.counts[COUNT_ARCS], n_arcs);
}

__global__ void fill_kernel(int *x, int64_t n, int value)
{
    const int64_t i = grid_thread();

    if (i < n)
        x[i] = value;
}

int64_t n_words(int64_t n_nodes)
{
    return (n_nodes + 31) / 32;
}

int blocks_for(int64_t n)
{
    return static_cast<int>(n / GRID_THREADS + 1);
}

status_t clear_bits(uint32_t *bits, int64_t n_nodes)
{
    return CUDA_TRY(
        cudaMemset(bits, 0, static_cast<size_t>(n_words(n_nodes)) * sizeof(*bits)));
}

/* Count a level on all ranks. @param n_visited  arcs that this rank looked at */
status_t count_level(bfs_t *s, const uint32_t *bits, int64_t *n_visited)
{
    unsigned long long counts[COUNT_N] = {};
    status_t st = grid_launch(count_kernel, part_cuda_cores(s), s->search, bits);

    if (st != ST_OK || (st = part_cuda_get(counts, s->search.counts, COUNT_N)) != ST_OK)
        return st;
    s->n[COUNT_NODES] = static_cast<int64_t>(counts[COUNT_NODES]);
    s->n[COUNT_ARCS] = static_cast<int64_t>(counts[COUNT_ARCS]);
    *n_visited = static_cast<int64_t>(counts[COUNT_VISITED]);
    st = part_comm_add(&s->comm, s->n, 2);
    s->n_arcs_left -= s->n[COUNT_ARCS];
    return st;
}

status_t create_arrays(bfs_t *s)
{
    part_graph_t *p = s->context.graph;
    const int64_t n_own = part_graph_n_own(p), n = p->n_nodes;
    search_t *d = &s->search;
    cuda_memory_t *m = &s->memory;
    status_t st;

    s->places = static_cast<int64_t *>(
        calloc(4 * static_cast<size_t>(p->n_ranks), sizeof(*s->places)));
    if (s->places == nullptr)
        return log_nomem("a breadth-first search");
    if ((st = part_cuda_put_rows(s, &p->out, &d->out)) != ST_OK)
        return st;
    d->in = d->out;
    if (!p->is_symmetric && (st = part_cuda_put_rows(s, &p->in, &d->in)) != ST_OK)
        return st;
    d->first_node = static_cast<int>(p->out.begin);
    d->n_own = static_cast<int>(n_own);
    if ((st = cuda_memory_new(m, n_own, &d->depth)) == ST_OK &&
        (st = cuda_memory_new(m, n_own, &d->parent)) == ST_OK &&
        (st = cuda_memory_new(m, n, &d->offer)) == ST_OK &&
        (st = cuda_memory_new(m, n, &d->list)) == ST_OK &&
        (st = cuda_memory_new(m, 1, &d->n_list)) == ST_OK &&
        (st = cuda_memory_new(m, n_words(n_own), &d->level)) == ST_OK &&
        (st = cuda_memory_new(m, n_words(n_own), &d->next)) == ST_OK &&
        (st = cuda_memory_new(m, n_words(n) + 1, &d->all)) == ST_OK &&
        (st = cuda_memory_new(m, COUNT_N, &d->counts)) == ST_OK)
        st = part_cuda_create_loop(s, d->out, &s->loop);
    return st;
}

/* Bring the columns to the device, and find the level in them. */
status_t put_columns(bfs_t *s, int64_t k)
{
    const part_graph_t *p = s->context.graph;
    const int64_t n_own = part_graph_n_own(p);
    const int64_t source = s->context.source - p->out.begin;
    int *depth = static_cast<int *>(s->context.column[0]);
    int *parent = static_cast<int *>(s->context.column[1]);
    uint32_t *level = static_cast<uint32_t *>(
        calloc(static_cast<size_t>(n_words(n_own)) + 1, sizeof(*level)));
    int64_t n_reached = 0;
    status_t st;

    if (level == nullptr)
        return log_nomem("a breadth-first search");
    for (int64_t i = 0; i < n_own; i++) {
        if (k == 0) {
            depth[i] = i == source ? 0 : -1;
            parent[i] = i == source ? s->context.source : -1;
        }
        if (depth[i] == k)
            level[i / 32] |= 1u << (i % 32);
        else if (depth[i] >= 0)
            n_reached += p->out.first[i + 1] - p->out.first[i];
        depth[i] = depth[i] < 0 ? INT_MAX : depth[i];
        parent[i] = parent[i] < 0 ? INT_MAX : parent[i];
    }
    if ((st = part_cuda_put(s->search.level, level, n_words(n_own))) == ST_OK &&
        (st = part_cuda_put(s->search.depth, depth, n_own)) == ST_OK &&
        (st = part_cuda_put(s->search.parent, parent, n_own)) == ST_OK)
        st = part_comm_add(&s->comm, &n_reached, 1);
    free(level);
    s->n_arcs_left = p->n_arcs - n_reached;
    return st;
}

status_t reset_counts(bfs_t *s)
{
    status_t st =
        CUDA_TRY(cudaMemset(s->search.counts, 0, COUNT_N * sizeof(*s->search.counts)));

    return st == ST_OK ? CUDA_TRY(cudaMemset(s->search.n_list, 0, sizeof(unsigned))) : st;
}

status_t begin(part_cuda_t *state, int64_t k)
{
    bfs_t *s = static_cast<bfs_t *>(state);
    const int64_t n = s->context.graph->n_nodes;
    int64_t n_visited;
    status_t st;

    if ((st = create_arrays(s)) != ST_OK || (st = put_columns(s, k)) != ST_OK ||
        (st = grid_launch_each(fill_kernel, blocks_for(n), s->search.offer, n,
                               INT_MAX)) != ST_OK ||
        (st = reset_counts(s)) != ST_OK)
        return st;
    return count_level(s, s->search.level, &n_visited);
}

status_t pull(bfs_t *s)
{
    const part_graph_t *p = s->context.graph;
    int64_t *len = s->places, *at = len + p->n_ranks;
    status_t st;

    for (int r = 0; r < p->n_ranks; r++) {
        at[r] = n_words(p->cut[r]) * static_cast<int64_t>(sizeof(uint32_t));
        len[r] = n_words(p->cut[r + 1]) * static_cast<int64_t>(sizeof(uint32_t)) - at[r];
    }
    if ((st = part_cuda_gather(s, s->search.level, len, s->search.all, at)) != ST_OK ||
        (st = grid_launch(pull_kernel, part_cuda_cores(s), s->search)) != ST_OK)
        return st;
    return clear_bits(s->search.level, s->search.n_own);
}

/* Make room for n offers on the host. */
status_t reserve_host(offer_t **offers, int64_t *capacity, int64_t n)
{
    if (n <= *capacity)
        return ST_OK;
    free(*offers);
    *capacity = 0;
    *offers = static_cast<offer_t *>(malloc(static_cast<size_t>(n) * sizeof(**offers)));
    if (*offers == nullptr)
        return log_nomem("a breadth-first search");
    *capacity = n;
    return ST_OK;
}

/* Make room for n offers on the device. */
status_t reserve_device(bfs_t *s, int64_t n)
{
    void *at = nullptr;
    status_t st;

    if (n <= s->offers_capacity)
        return ST_OK;
    cudaFree(s->offers);
    s->offers = nullptr;
    s->offers_capacity = 0;
    st = CUDA_TRY(cudaMalloc(&at, static_cast<size_t>(2 * n) * sizeof(offer_t)));
    if (st == ST_OK) {
        s->offers = static_cast<offer_t *>(at);
        s->offers_capacity = 2 * n;
    }
    return st == ST_ENOMEM ? ST_EDEVICE : st;
}

/* Fetch the offers to other ranks' nodes, in the order of the ranks.
 * @param len, at  [n_ranks] out: bytes */
status_t fetch_offers(bfs_t *s, int64_t *len, int64_t *at)
{
    const part_graph_t *p = s->context.graph;
    unsigned n = 0;
    status_t st = part_cuda_get(&n, s->search.n_list, 1);

    if (st != ST_OK || (st = reserve_device(s, n)) != ST_OK ||
        (st = reserve_host(&s->received, &s->received_capacity, n)) != ST_OK ||
        (st = reserve_host(&s->sent, &s->sent_capacity, n)) != ST_OK)
        return st;
    memset(len, 0, static_cast<size_t>(p->n_ranks) * sizeof(*len));
    memset(at, 0, static_cast<size_t>(p->n_ranks) * sizeof(*at));
    if (n == 0)
        return ST_OK;
    if ((st = grid_launch_each(list_offers_kernel, blocks_for(n), s->search, n,
                               s->offers)) != ST_OK ||
        (st = part_cuda_get(s->received, s->offers, n)) != ST_OK)
        return st;
    for (unsigned k = 0; k < n; k++)
        len[part_graph_holder(p, s->received[k].node)] += sizeof(offer_t);
    for (int r = 1; r < p->n_ranks; r++)
        at[r] = at[r - 1] + len[r - 1];
    for (unsigned k = 0; k < n; k++) {
        int64_t *to = &at[part_graph_holder(p, s->received[k].node)];

        s->sent[*to / static_cast<int64_t>(sizeof(offer_t))] = s->received[k];
        *to += sizeof(offer_t);
    }
    for (int r = 0; r < p->n_ranks; r++)
        at[r] -= len[r];
    return ST_OK;
}

status_t exchange_offers(bfs_t *s)
{
    const int n = s->context.graph->n_ranks;
    int64_t *send = s->places, *send_at = send + n, *recv = send + 2 * n,
            *recv_at = send + 3 * n, total, n_offers;
    status_t st;

    if ((st = fetch_offers(s, send, send_at)) != ST_OK ||
        (st = part_comm_lengths(&s->comm, send, recv, recv_at, &total)) != ST_OK)
        return st;
    n_offers = total / static_cast<int64_t>(sizeof(offer_t));
    if ((st = reserve_host(&s->received, &s->received_capacity, n_offers)) != ST_OK ||
        (st = reserve_device(s, n_offers)) != ST_OK ||
        (st = part_comm_exchange(&s->comm, s->sent, send, send_at, s->received, recv,
                                 recv_at)) != ST_OK ||
        n_offers == 0)
        return st;
    if ((st = part_cuda_put(s->offers, s->received, n_offers)) != ST_OK)
        return st;
    return grid_launch_each(take_offers_kernel, blocks_for(n_offers), s->search, n_offers,
                            s->offers);
}

/* The loop sets the bits of the level to 0. */
status_t push(bfs_t *s)
{
    status_t st;

    if ((st = clear_bits(s->search.next, s->search.n_own)) != ST_OK ||
        (st = part_cuda_reset_loop(s->loop)) != ST_OK ||
        (st = grid_launch(push_kernel, part_cuda_cores(s), s->search, s->loop)) != ST_OK)
        return st;
    return s->context.graph->n_ranks > 1 ? exchange_offers(s) : ST_OK;
}

bool choose_pull(const bfs_t *s)
{
    const int64_t n_nodes = s->context.graph->n_nodes;

    if (s->pulls)
        return s->n[COUNT_NODES] >= n_nodes / PULL_NODES;
    return s->n[COUNT_ARCS] > s->n_arcs_left / PULL_ARCS &&
           s->n[COUNT_ARCS] > n_nodes / PULL_ARCS;
}

status_t step(part_cuda_t *state, int64_t k, part_step_report_t *out)
{
    bfs_t *s = static_cast<bfs_t *>(state);
    const bool pulled = s->pulls;
    uint32_t *level = s->search.level;
    status_t st = reset_counts(s);

    s->pulls = choose_pull(s);
    if (k == 0 || s->pulls != pulled)
        snprintf(out->decision, sizeof(out->decision),
                 "level %" PRId64 ": %s, from %" PRId64 " nodes", k + 1,
                 s->pulls ? "pull" : "push", s->n[COUNT_NODES]);
    s->search.next_depth = static_cast<int>(k + 1);
    if (st == ST_OK)
        st = s->pulls ? pull(s) : push(s);
    if (st != ST_OK)
        return st;
    s->search.level = s->search.next;
    s->search.next = level;
    st = count_level(s, s->search.level, &out->n_visited);
    out->is_over = s->n[COUNT_NODES] == 0;
    return st;
}

status_t fetch(part_cuda_t *state)
{
    const bfs_t *s = static_cast<const bfs_t *>(state);
    int *depth = static_cast<int *>(s->context.column[0]);
    int *parent = static_cast<int *>(s->context.column[1]);
    status_t st = part_cuda_get(depth, s->search.depth, s->search.n_own);

    if (st == ST_OK)
        st = part_cuda_get(parent, s->search.parent, s->search.n_own);
    for (int i = 0; st == ST_OK && i < s->search.n_own; i++)
        if (depth[i] == INT_MAX)
            depth[i] = parent[i] = -1;
    return st;
}

void destroy(part_cuda_t *state)
{
    bfs_t *s = static_cast<bfs_t *>(state);

    cudaFree(s->offers);
    free(s->sent);
    free(s->received);
    free(s->places);
}

} // namespace

const part_cuda_algorithm_t part_cuda_bfs = {sizeof(bfs_t), begin, step, fetch, destroy};
