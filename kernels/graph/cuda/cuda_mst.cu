/*
 * cuda_mst.cu - minimum spanning forest by Boruvka's algorithm (1926).
 *
 * In each round the edges between trees are kept, and each of them lowers the smallest
 * key of both its trees; then those that are smallest join their trees (Fallin et al.
 * 2023).  Keys and arcs, which break ties, are a total order, so the forest is that of
 * Kruskal's algorithm, and joins make no cycle.
 *
 * In dense graphs the lightest edges, about two per node, have their rounds first: they
 * leave few trees, within which most of the other edges are (Osipov et al. 2009).
 *
 * The key of an integer weight has the arc in its lower half; real weights need all bits,
 * and a second pass finds the smallest arc among equal keys.
 */
#include "kernels/graph/cuda/cuda_backend.cuh"
#include "kernels/graph/cuda/cuda_sets.cuh"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace
{

typedef unsigned long long edge_key_t;

constexpr edge_key_t NO_KEY = ~0ull;
constexpr uint32_t NO_ARC = UINT32_MAX;

/* Edges between trees. */
struct mst_edges_t {
    int2 *ends; /* roots */
    edge_key_t *key;
    uint32_t *arc; /* nullptr: in the key */
};

/* Passed to kernels by value. */
struct mst_t {
    uint32_t n_edges;
    const uint32_t *before;    /* [n_nodes + 1] edges u - v, u < v, of smaller u */
    int *source;               /* [n_edges] u */
    uint32_t *arc;             /* [n_edges] u -> v */
    int *tree;                 /* [n_nodes] cuda_sets.cuh */
    mst_edges_t kept[2];       /* [n_edges] each */
    edge_key_t *smallest[2];   /* [n_nodes] by root: the smallest key */
    uint32_t *smallest_arc[2]; /* [n_nodes] ... and arc of this key, or nullptr */
    uint32_t *chosen;          /* [n_arcs] bits: the forest */
    edge_key_t light;          /* edges of smaller keys are joined first; or 0 */
    unsigned *n_kept;          /* [3] used in turn */
    int *n_rounds;
};

struct mst_state_t : cuda_state_t {
    mst_t mst;
    uint32_t *bits; /* [n_arcs / 32 + 1] on the host: mst.chosen */
};

enum { LANE_EDGES = 4, WARP_EDGES = 32 * LANE_EDGES };

/* @return bits that are ordered as real numbers are */
__host__ __device__ edge_key_t key_of_bits(edge_key_t bits)
{
    return bits >> 63 != 0 ? ~bits : bits | 1ull << 63;
}

__host__ __device__ edge_key_t key_of_weight(int weight, uint32_t arc)
{
    return static_cast<edge_key_t>(static_cast<unsigned>(weight)) << 32 | arc;
}

template <bool IS_REAL> __device__ edge_key_t key_of(const cuda_graph_t &g, uint32_t arc)
{
    if constexpr (IS_REAL) /* -0 + 0 = 0 */
        return key_of_bits(
            static_cast<edge_key_t>(__double_as_longlong(__dadd_rn(g.value[arc], 0))));
    else
        return key_of_weight(g.weight != nullptr ? g.weight[arc] : 1, arc);
}

/* List all edges; the arcs to larger nodes are the end of a row. */
struct list_op_t {
    typedef uint32_t value_t; /* place of an edge - its arc */
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    const uint32_t *before;
    int *source;
    uint32_t *arcs;

    __device__ bool begin(int u, cuda_row_t<uint32_t> *row) const
    {
        row->node = u;
        row->end = g.first[u + 1];
        row->first = row->end - (before[u + 1] - before[u]);
        row->value = before[u + 1] - row->end;
        return row->first < row->end;
    }

    __device__ void arc(const cuda_row_t<uint32_t> &row, uint32_t a) const
    {
        source[a + row.value] = row.node;
        arcs[a + row.value] = a;
    }
};

struct edge_t {
    int u, v;
    edge_key_t key;
    uint32_t arc;
};

template <typename T> __device__ void lower(T *to, T x)
{
    if (x < *to) /* else the atomic operation would change nothing */
        atomicMin(to, x);
}

/*
 * Keep the edges that lead from one tree to another, and find the smallest key of each.
 *
 * @param edge_at  bool(uint32_t i, edge_t *): the i-th edge; false: leave it out
 */
template <bool IS_REAL, typename EDGE_AT>
__device__ void keep_edges(EDGE_AT edge_at, uint32_t n, const mst_t &m, int turn)
{
    const mst_edges_t to = m.kept[turn % 2];
    edge_key_t *smallest = m.smallest[turn % 2];
    const unsigned lanes_below = (1u << grid_lane()) - 1;

    for (int64_t first = grid_warp() * WARP_EDGES; first < n;
         first += grid_n_warps() * WARP_EDGES) {
        edge_t e[LANE_EDGES];
        unsigned kept[LANE_EDGES], place = 0;

#pragma unroll
        for (int k = 0; k < LANE_EDGES; k++) {
            const int64_t i = first + k * 32 + grid_lane();
            bool is_kept = i < n && edge_at(static_cast<uint32_t>(i), &e[k]);

            if (is_kept) {
                e[k].u = sets_root(m.tree, e[k].u);
                e[k].v = sets_root(m.tree, e[k].v);
                is_kept = e[k].u != e[k].v;
            }
            if (is_kept) {
                lower(&smallest[e[k].u], e[k].key);
                lower(&smallest[e[k].v], e[k].key);
            }
            kept[k] = __ballot_sync(ALL_LANES, is_kept);
            place += static_cast<unsigned>(__popc(kept[k]));
        }
        if (grid_lane() == 0 && place > 0)
            place = atomicAdd(&m.n_kept[turn % 3], place);
        place = __shfl_sync(ALL_LANES, place, 0);
#pragma unroll
        for (int k = 0; k < LANE_EDGES; k++) {
            if (kept[k] >> grid_lane() & 1) {
                const unsigned at =
                    place + static_cast<unsigned>(__popc(kept[k] & lanes_below));

                to.ends[at] = make_int2(e[k].u, e[k].v);
                to.key[at] = e[k].key;
                if (IS_REAL)
                    to.arc[at] = e[k].arc;
            }
            place += static_cast<unsigned>(__popc(kept[k]));
        }
    }
}

/* Among equal keys, find the smallest arc of each tree. */
__device__ void find_arcs(const mst_t &m, unsigned n, int turn)
{
    const mst_edges_t from = m.kept[turn % 2];
    const edge_key_t *smallest = m.smallest[turn % 2];
    uint32_t *smallest_arc = m.smallest_arc[turn % 2];

    for (int64_t i = grid_thread(); i < n; i += grid_n_threads()) {
        const int2 ends = from.ends[i];
        const edge_key_t key = from.key[i];

        if (key == smallest[ends.x])
            lower(&smallest_arc[ends.x], from.arc[i]);
        if (key == smallest[ends.y])
            lower(&smallest_arc[ends.y], from.arc[i]);
    }
}

/* Join trees by their smallest edges, and prepare the next turn. */
template <bool IS_REAL>
__device__ void join_trees(const cuda_graph_t &g, const mst_t &m, unsigned n, int turn)
{
    const mst_edges_t from = m.kept[turn % 2];
    const edge_key_t *smallest = m.smallest[turn % 2];
    const uint32_t *smallest_arc = m.smallest_arc[turn % 2];

    for (int64_t i = grid_thread(); i < n; i += grid_n_threads()) {
        const int2 ends = from.ends[i];
        const edge_key_t key = from.key[i];
        const uint32_t arc = IS_REAL ? from.arc[i] : static_cast<uint32_t>(key);
        const auto is_smallest = [&](int root) {
            return key == smallest[root] && (!IS_REAL || arc == smallest_arc[root]);
        };

        if (is_smallest(ends.x) || is_smallest(ends.y)) {
            sets_join(m.tree, ends.x, ends.y);
            atomicOr(&m.chosen[arc >> 5], 1u << (arc & 31));
        }
    }
    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads()) {
        m.smallest[(turn + 1) % 2][u] = NO_KEY;
        if (IS_REAL)
            m.smallest_arc[(turn + 1) % 2][u] = NO_ARC;
    }
    if (grid_is_first())
        m.n_kept[(turn + 2) % 3] = 0;
}

template <bool IS_REAL> __device__ void start(const cuda_graph_t &g, const mst_t &m)
{
    for (int64_t u = grid_thread(); u < g.n_nodes; u += grid_n_threads()) {
        m.tree[u] = static_cast<int>(u);
        m.smallest[0][u] = NO_KEY;
        if (IS_REAL)
            m.smallest_arc[0][u] = NO_ARC;
    }
    for (int64_t w = grid_thread(); w <= g.n_arcs / 32; w += grid_n_threads())
        m.chosen[w] = 0;
}

template <bool IS_REAL> GRID_KERNEL mst_kernel(cuda_graph_t g, cuda_loop_t loop, mst_t m)
{
    __shared__ loop_shared_t shared;
    list_op_t list = {g, m.before, m.source, m.arc};
    int turn = 0;

    start<IS_REAL>(g, m);
    loop_run(list, {nullptr, nullptr, g.n_nodes}, loop, nullptr, 0, &shared);
    grid_sync();
    for (int is_heavy = m.light == 0; is_heavy < 2; is_heavy++) {
        const auto listed = [&](uint32_t i, edge_t *e) {
            e->arc = m.arc[i];
            e->u = m.source[i];
            e->v = g.to[e->arc];
            e->key = key_of<IS_REAL>(g, e->arc);
            return (e->key >= m.light) == (is_heavy != 0);
        };

        keep_edges<IS_REAL>(listed, m.n_edges, m, turn);
        grid_sync();
        for (unsigned n; (n = grid_read(&m.n_kept[turn % 3])) > 0; turn++) {
            const mst_edges_t from = m.kept[turn % 2];
            const auto kept = [&](uint32_t i, edge_t *e) {
                const int2 ends = from.ends[i];

                e->u = ends.x;
                e->v = ends.y;
                e->key = from.key[i];
                e->arc = IS_REAL ? from.arc[i] : 0;
                return true;
            };

            if (IS_REAL) {
                find_arcs(m, n, turn);
                grid_sync();
            }
            join_trees<IS_REAL>(g, m, n, turn);
            grid_sync();
            keep_edges<IS_REAL>(kept, n, m, turn + 1);
            grid_sync();
        }
    }
    if (grid_is_first())
        *m.n_rounds = turn;
}

/* @return a key so that about two edges per node are lighter, or 0 in sparse graphs */
edge_key_t light_key(const csr_t *g, int64_t n_edges)
{
    enum { SAMPLES = 1024, LIGHT_PER_NODE = 2, MIN_PER_NODE = 6 };
    edge_key_t sample[SAMPLES];

    if (n_edges < SAMPLES || n_edges / MIN_PER_NODE < g->n_nodes)
        return 0;
    for (int64_t k = 0; k < SAMPLES; k++) {
        const int64_t arc = g->n_arcs / SAMPLES * k;

        if (g->value != nullptr) {
            const double x = g->value[arc] + 0.0;
            edge_key_t bits;

            memcpy(&bits, &x, sizeof(bits));
            sample[k] = key_of_bits(bits);
        } else {
            sample[k] = key_of_weight(csr_weight(g, arc), static_cast<uint32_t>(arc));
        }
    }
    std::sort(sample, sample + SAMPLES);
    return sample[SAMPLES * LIGHT_PER_NODE * g->n_nodes / n_edges];
}

status_t put_before(cuda_memory_t *m, const csr_t *g, mst_t *out)
{
    uint32_t *before = static_cast<uint32_t *>(
        malloc(static_cast<size_t>(g->n_nodes + 1) * sizeof(*before)));
    status_t st;

    if (before == nullptr)
        return log_nomem("a spanning forest");
    before[0] = 0;
    for (int64_t u = 0; u < g->n_nodes; u++) {
        const int32_t *row = g->to + g->first[u], *end = g->to + g->first[u + 1];

        before[u + 1] =
            before[u] + static_cast<uint32_t>(end - std::upper_bound(row, end, u));
    }
    out->n_edges = before[g->n_nodes];
    st = cuda_memory_put(m, before, g->n_nodes + 1, &out->before);
    free(before);
    return st;
}

status_t put_edges(cuda_memory_t *m, const csr_t *host, const cuda_graph_t &g, mst_t *out)
{
    status_t st = put_before(m, host, out);

    if (st == ST_OK)
        st = cuda_memory_new(m, out->n_edges, &out->source);
    if (st == ST_OK)
        st = cuda_memory_new(m, out->n_edges, &out->arc);
    for (int k = 0; st == ST_OK && k < 2; k++) {
        mst_edges_t *kept = &out->kept[k];

        if ((st = cuda_memory_new(m, out->n_edges, &kept->ends)) != ST_OK ||
            (st = cuda_memory_new(m, out->n_edges, &kept->key)) != ST_OK ||
            (st = cuda_memory_new(m, g.n_nodes, &out->smallest[k])) != ST_OK ||
            g.value == nullptr)
            continue;
        if ((st = cuda_memory_new(m, out->n_edges, &kept->arc)) == ST_OK)
            st = cuda_memory_new(m, g.n_nodes, &out->smallest_arc[k]);
    }
    return st;
}

int64_t n_words(const cuda_graph_t &g)
{
    return g.n_arcs / 32 + 1;
}

status_t create(cuda_state_t *state)
{
    mst_state_t *s = static_cast<mst_state_t *>(state);
    cuda_memory_t *m = &s->memory;
    status_t st = cuda_scratch_create(s, s->g.n_nodes);

    s->bits = static_cast<uint32_t *>(
        malloc(static_cast<size_t>(n_words(s->g)) * sizeof(*s->bits)));
    if (s->bits == nullptr)
        return log_nomem("a spanning forest");
    if (st != ST_OK || (st = put_edges(m, s->context.graph, s->g, &s->mst)) != ST_OK ||
        (st = cuda_memory_new(m, s->g.n_nodes, &s->mst.tree)) != ST_OK ||
        (st = cuda_memory_new(m, n_words(s->g), &s->mst.chosen)) != ST_OK)
        return st;
    s->mst.n_kept = s->frontier.n;
    s->mst.n_rounds = s->frontier.n_iterations;
    s->mst.light = light_key(s->context.graph, s->mst.n_edges);
    return ST_OK;
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    const mst_state_t *s = static_cast<const mst_state_t *>(state);

    return grid_launch(s->g.value != nullptr ? mst_kernel<true> : mst_kernel<false>,
                       cuda_cores(s), s->g, s->loop, s->mst);
}

status_t fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const mst_state_t *s = static_cast<const mst_state_t *>(state);
    status_t st = cuda_get(s->bits, s->mst.chosen, n_words(s->g));

    if (st == ST_OK)
        st = cuda_counters_get(s, out);
    if (st != ST_OK)
        return st;
    free(out->arcs);
    out->n_arcs = 0;
    out->arcs = static_cast<int64_t *>(
        malloc(static_cast<size_t>(s->g.n_nodes + 1) * sizeof(*out->arcs)));
    if (out->arcs == nullptr)
        return log_nomem("a spanning forest");
    for (int64_t w = 0; w < n_words(s->g); w++)
        for (uint32_t word = s->bits[w]; word != 0; word &= word - 1)
            out->arcs[out->n_arcs++] = w * 32 + __builtin_ctz(word);
    out->n_visited += s->context.graph->n_arcs;
    return ST_OK;
}

void destroy(cuda_state_t *state)
{
    free(static_cast<mst_state_t *>(state)->bits);
}

} // namespace

const cuda_algorithm_t cuda_mst = {
    sizeof(mst_state_t), false, GRAPH_CHOICE_TEMPLATE, create, launch, fetch, destroy};
