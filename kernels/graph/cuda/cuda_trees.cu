/*
 * cuda_trees.cu - trees from their leaves upwards.
 *
 * A leaf is written once, and read as one bit: nodes are read four at a time, and so are
 * arcs.  Only arcs to inner nodes need their parents, which are searched for in first[].
 * Then a thread takes an inner node whose children are all leaves, and climbs: it adds
 * what it has found to the parent, and goes on with the parent only if all other inner
 * children have been there.  Each node is visited once, at any depth, and no level waits
 * for another.  The lanes of a warp whose nodes have the same parent add to it together.
 */
#include "kernels/graph/cuda/cuda_trees.cuh"

namespace
{

/* Nodes per lane, and arcs per lane: as many loads are under way at the same time. */
enum { QUAD = 4, QUADS = 4, TILE_NODES = 32 * QUAD, TILE_ARCS = QUADS * TILE_NODES };

/* Set four neighboring values, of which n are there. */
template <typename T> __device__ void put_quad(T *to, const T (&x)[QUAD], int64_t n)
{
    if (n >= QUAD)
        for (unsigned k = 0; k < sizeof(x) / sizeof(int4); k++)
            __stcs(&reinterpret_cast<int4 *>(to)[k],
                   reinterpret_cast<const int4 *>(x)[k]);
    else
        for (int k = 0; k < n; k++)
            to[k] = x[k];
}

/* Four neighboring numbers of n. */
template <typename T> __device__ void get_quad(const T *from, int64_t n, T (&x)[QUAD])
{
    if (n >= QUAD)
        *reinterpret_cast<int4 *>(x) = __ldcs(reinterpret_cast<const int4 *>(from));
    else
        for (int k = 0; k < QUAD; k++)
            x[k] = k < n ? from[k] : T{};
}

/*
 * What is known of a node; passed to kernels by value.
 *
 *   LINKS_LEAVES  leaves need their parents
 *   start         sets four neighboring nodes, leaves to their values
 *   begin, give   between barriers: what leaves have, and what they add to their parents
 *   own           sets an inner node to what its leaves add
 *   of, add       what a node that is complete adds to its parent
 */
struct sums_t {
    typedef unsigned long long value_t; /* 2^32 times the descendants, and the leaves */
    static constexpr bool LINKS_LEAVES = false;
    int *descendants, *leaves; /* [n_nodes] */

    __device__ void start(int64_t u, int64_t n, unsigned inner) const
    {
        alignas(16) const int none[QUAD] = {};
        alignas(16) int ones[QUAD];

        for (int k = 0; k < QUAD; k++)
            ones[k] = !(inner >> k & 1);
        put_quad(&descendants[u], none, n);
        put_quad(&leaves[u], ones, n);
    }

    __device__ void begin() const
    {
    }

    __device__ void give(const int *) const
    {
    }

    __device__ void own(int u, int n_leaves) const
    {
        descendants[u] = leaves[u] = n_leaves;
    }

    __device__ value_t of(int u) const
    {
        return (grid_read(&descendants[u]) + 1ull) << 32 |
               static_cast<unsigned>(grid_read(&leaves[u]));
    }

    __device__ static value_t both(value_t a, value_t b)
    {
        return a + b;
    }

    __device__ void add(int up, value_t x) const
    {
        atomicAdd(&descendants[up], static_cast<int>(x >> 32));
        atomicAdd(&leaves[up], static_cast<int>(x));
    }
};

struct heights_t {
    typedef int value_t;
    static constexpr bool LINKS_LEAVES = false;
    int *height; /* [n_nodes] */

    __device__ void start(int64_t u, int64_t n, unsigned) const
    {
        alignas(16) const int none[QUAD] = {};

        put_quad(&height[u], none, n);
    }

    __device__ void begin() const
    {
    }

    __device__ void give(const int *) const
    {
    }

    __device__ void own(int u, int) const
    {
        height[u] = 1;
    }

    __device__ int of(int u) const
    {
        return grid_read(&height[u]) + 1;
    }

    __device__ static int both(int a, int b)
    {
        return max(a, b);
    }

    __device__ void add(int up, int levels) const
    {
        atomicMax(&height[up], levels);
    }
};

/* Have the first one of the lanes with the same parent add what all of them have.
 * @param up  -1: the lane has none @return how many lanes it does that for; otherwise 0
 */
template <class V>
__device__ int add_together(const V &values, int up, typename V::value_t own)
{
    const unsigned siblings = __match_any_sync(ALL_LANES, up);
    typename V::value_t sum = own;

    if (siblings == ALL_LANES)
        for (int k = 1; k < 32; k *= 2)
            sum = V::both(sum, __shfl_xor_sync(ALL_LANES, sum, k));
    else
        for (unsigned left = up < 0 ? 0 : siblings & (siblings - 1); left != 0;
             left &= left - 1) {
            const int lane = __ffs(static_cast<int>(left)) - 1;
            const typename V::value_t its = __shfl_sync(siblings, own, lane);

            sum = V::both(sum, its);
        }
    if (up < 0 || grid_lane() != __ffs(static_cast<int>(siblings)) - 1)
        return 0;
    values.add(up, sum);
    return __popc(siblings);
}

/* The counts of a sample. */
struct counts_t {
    typedef unsigned long long value_t;
    static constexpr bool LINKS_LEAVES = true;
    unsigned long long *count; /* [n_nodes] */
    const int *leaf;           /* [n_given] those whose counts are not 0 */
    const int64_t *given;
    int64_t n_given;

    __device__ void start(int64_t u, int64_t n, unsigned) const
    {
        alignas(16) const unsigned long long none[QUAD] = {};

        put_quad(&count[u], none, n);
    }

    __device__ void begin() const
    {
        for (int64_t i = grid_thread(); i < n_given; i += grid_n_threads())
            count[leaf[i]] = static_cast<unsigned long long>(given[i]);
    }

    __device__ void give(const int *parent) const
    {
        for (int64_t i = grid_warp() * 32; i < n_given; i += grid_n_threads()) {
            const int64_t k = i + grid_lane();
            const bool has = k < n_given;

            add_together(*this, has ? parent[leaf[k]] : -1,
                         has ? static_cast<unsigned long long>(given[k]) : 0);
            __syncwarp();
        }
    }

    __device__ void own(int, int) const
    {
    }

    __device__ unsigned long long of(int u) const
    {
        return grid_read(&count[u]);
    }

    __device__ static unsigned long long both(unsigned long long a, unsigned long long b)
    {
        return a + b;
    }

    __device__ void add(int up, unsigned long long sum) const
    {
        if (sum != 0)
            atomicAdd(&count[up], sum);
    }
};

/* Of inner nodes, or of all nodes if leaves are linked; passed to kernels by value. */
struct links_t {
    cuda_graph_t g;
    int *parent, *missing; /* [n_nodes]; inner children that are not done */
    uint32_t *inner;       /* [n_nodes / 32 + 1] bits of inner nodes */
};

template <class V> struct trees_t : cuda_state_t {
    V values;
    int *parent, *missing;
};

/* Have all leaves, and clear inner nodes. */
template <class V> __device__ void start_nodes(const links_t &t, const V &values)
{
    const int64_t n = t.g.n_nodes;

    for (int64_t tile = grid_warp() * TILE_NODES; tile <= n;
         tile += grid_n_warps() * TILE_NODES) {
        const int64_t u = tile + QUAD * grid_lane(), word = u >> 5;
        alignas(16) const int none[QUAD] = {-1, -1, -1, -1};
        alignas(16) uint32_t first[QUAD];
        uint32_t inner = 0, bits, next;

        get_quad(&t.g.first[u], n + 1 - u, first);
        next = __shfl_down_sync(ALL_LANES, first[0], 1);
        if (grid_lane() == 31 && u + QUAD <= n)
            next = t.g.first[u + QUAD];
        for (int k = 0; k < QUAD; k++) {
            const uint32_t end = k < QUAD - 1 ? first[(k + 1) % QUAD] : next;

            inner |= static_cast<unsigned>(u + k < n && end > first[k]) << k;
            if (!V::LINKS_LEAVES && (inner >> k & 1))
                t.parent[u + k] = -1;
            if (inner >> k & 1)
                t.missing[u + k] = 0;
        }
        if (V::LINKS_LEAVES)
            put_quad(&t.parent[u], none, n - u);
        values.start(u, n - u, inner);
        bits = inner << (QUAD * (grid_lane() % 8));
        for (int k = 1; k < 8; k *= 2)
            bits |= __shfl_xor_sync(ALL_LANES, bits, k);
        if (grid_lane() % 8 == 0 && word <= n >> 5)
            t.inner[word] = bits;
    }
}

/* The arcs to inner nodes, as an operation of loop_run, and by arcs. */
template <class V> struct link_op_t : links_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        return row_begin(g, u, row);
    }

    __device__ void arc(const cuda_row_t<no_value_t> &row, uint32_t a) const
    {
        const int child = g.to[a];
        const bool is_inner = bit_of(inner, child);

        if (V::LINKS_LEAVES || is_inner)
            parent[child] = row.node;
        if (is_inner)
            atomicAdd(&missing[row.node], 1);
    }
};

/* @return the node of low to high - 1 that an arc begins at; all lanes search together */
__device__ inline int64_t search_by_warp(const uint32_t *first, int64_t low, int64_t high,
                                         uint32_t a)
{
    while (high - low > 1) {
        const int64_t step = (high - low + 31) / 32, at = low + (grid_lane() + 1) * step;
        const bool is_before = at < high && first[at] <= a;

        low += __popc(__ballot_sync(ALL_LANES, is_before)) * step;
        high = min(low + step, high);
    }
    return low;
}

/* The same, by one lane. */
__device__ inline int search(const uint32_t *first, int64_t low, int64_t high, uint32_t a)
{
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;

        (first[middle] <= a ? low : high) = middle;
    }
    return static_cast<int>(low);
}

/* Link a child, or none, per lane. @param a  the arc that leads to it */
__device__ inline void link_arc(const links_t &t, bool has, bool is_inner, int64_t low,
                                int64_t high, int64_t a)
{
    const int up = has ? search(t.g.first, low, high, static_cast<uint32_t>(a)) : -1;
    const unsigned siblings = __match_any_sync(ALL_LANES, is_inner ? up : -1);

    if (has)
        t.parent[t.g.to[a]] = up;
    if (is_inner && grid_lane() == __ffs(static_cast<int>(siblings)) - 1)
        atomicAdd(&t.missing[up], __popc(siblings));
}

/* Each lane has four arcs of each quarter of a tile. */
template <class V> __device__ void link_by_arcs(const links_t &t)
{
    const int64_t n = t.g.n_arcs;

    for (int64_t tile = grid_warp() * TILE_ARCS; tile < n;
         tile += grid_n_warps() * TILE_ARCS) {
        const int64_t mine = tile + QUAD * grid_lane();
        alignas(16) int child[QUADS][QUAD];
        unsigned linked = 0, inner = 0;
        int64_t low, high;

#pragma unroll
        for (int q = 0; q < QUADS; q++)
            get_quad(&t.g.to[mine + q * TILE_NODES], n - mine - q * TILE_NODES, child[q]);
#pragma unroll
        for (int k = 0; k < QUADS * QUAD; k++) {
            const unsigned is_arc = mine + k / QUAD * TILE_NODES + k % QUAD < n;
            const unsigned is_inner = bit_of(t.inner, child[k / QUAD][k % QUAD]);

            linked |= is_arc << k;
            inner |= (is_arc & is_inner) << k;
        }
        linked = V::LINKS_LEAVES ? linked : inner;
        if (!__any_sync(ALL_LANES, linked != 0))
            continue;
        low = search_by_warp(t.g.first, 0, t.g.n_nodes, static_cast<uint32_t>(tile));
        high = 1 + search_by_warp(t.g.first, low, t.g.n_nodes,
                                  static_cast<uint32_t>(min(tile + TILE_ARCS, n) - 1));
#pragma unroll 1
        for (int k = 0; k < QUADS * QUAD; k++)
            if (__any_sync(ALL_LANES, linked >> k & 1))
                link_arc(t, linked >> k & 1, inner >> k & 1, low, high,
                         mine + k / QUAD * TILE_NODES + k % QUAD);
    }
}

/*
 * Call TAKE for the nodes of the bitmap, one per lane, or -1; all lanes call.  A warp has
 * four neighboring words here and there, because inner nodes often are neighbors.
 *
 * @param take  bool(int u): whether the node keeps its bit
 */
template <class TAKE> __device__ void take_inner(const links_t &t, TAKE take)
{
    const int64_t n_words = (t.g.n_nodes >> 5) + 1;

    for (int64_t group = grid_warp(); group * QUAD < n_words;
         group += 32 / QUAD * grid_n_warps()) {
        const int64_t mine =
            (group + grid_lane() / QUAD * grid_n_warps()) * QUAD + grid_lane() % QUAD;
        const uint32_t word = mine < n_words ? grid_read(&t.inner[mine]) : 0;
        uint32_t kept = 0;

        for (unsigned todo = __ballot_sync(ALL_LANES, word != 0); todo != 0;
             todo &= todo - 1) {
            const int owner = __ffs(static_cast<int>(todo)) - 1;
            const uint32_t its = __shfl_sync(ALL_LANES, word, owner);
            const int64_t u = __shfl_sync(ALL_LANES, mine, owner) * 32 + grid_lane();
            const bool keeps = take(its >> grid_lane() & 1 ? static_cast<int>(u) : -1);
            const unsigned all = __ballot_sync(ALL_LANES, keeps);

            kept = grid_lane() == owner ? all : kept;
        }
        if (kept != word)
            t.inner[mine] = kept;
    }
}

/* Add a node that is complete to its parent, and go on with that, if it was the last. */
template <class V> __device__ void climb(const links_t &t, const V &values, int u)
{
    int up = u >= 0 ? t.parent[u] : -1;
    const int n = add_together(values, up, up >= 0 ? values.of(u) : 0);

    if (n > 0)
        for (int done = n; trees_are_last(&t.missing[up], done); done = 1) {
            const int next = t.parent[up];

            if (next < 0)
                break;
            values.add(next, values.of(up));
            up = next;
        }
    __syncwarp();
}

template <class V>
GRID_KERNEL trees_kernel(links_t t, cuda_loop_t loop, V values,
                         unsigned long long *visited)
{
    __shared__ loop_shared_t shared;

    start_nodes(t, values);
    grid_sync();
    values.begin();
    if (loop.form == GRAPH_TEMPLATE_AUTO) {
        link_by_arcs<V>(t);
    } else {
        link_op_t<V> op = {t};

        loop_run(op, {nullptr, nullptr, t.g.n_nodes}, loop, nullptr, 0, &shared);
    }
    grid_sync();
    values.give(t.parent);
    take_inner(t, [&](int u) { /* keeps those whose children are all leaves */
                               const int n_inner = u >= 0 ? grid_read(&t.missing[u]) : 1;

                               if (u >= 0)
                                   values.own(u, static_cast<int>(t.g.first[u + 1] -
                                                                  t.g.first[u]) -
                                                     n_inner);
                               return n_inner == 0;
    });
    grid_sync();
    take_inner(t, [&](int u) {
        climb(t, values, u);
        return false;
    });
    if (grid_is_first())
        *visited = t.g.n_arcs;
}

template <class V> status_t create_trees(trees_t<V> *s)
{
    status_t st = cuda_scratch_create(s, s->g.n_nodes);

    if (st == ST_OK)
        st = cuda_memory_new(&s->memory, s->g.n_nodes, &s->parent);
    return st == ST_OK ? cuda_memory_new(&s->memory, s->g.n_nodes, &s->missing) : st;
}

/* Descendants and leaves, and the counts of samples. */
struct descendants_t : trees_t<sums_t> {
    counts_t counts;
};

status_t create_counts(descendants_t *s, const leaf_counts_t *leaves)
{
    status_t st = cuda_memory_new(&s->memory, s->g.n_nodes, &s->counts.count);

    if (st == ST_OK)
        st = cuda_memory_put(&s->memory, leaves->node, leaves->n, &s->counts.leaf);
    return st == ST_OK
               ? cuda_memory_put(&s->memory, leaves->count, leaves->n, &s->counts.given)
               : st;
}

status_t create_descendants(cuda_state_t *state)
{
    descendants_t *s = static_cast<descendants_t *>(state);
    const leaf_counts_t *leaves = s->context.spec->leaves;
    status_t st = create_trees(s);

    if (st == ST_OK)
        st = cuda_memory_new(&s->memory, s->g.n_nodes, &s->values.descendants);
    if (st == ST_OK)
        st = cuda_memory_new(&s->memory, s->g.n_nodes, &s->values.leaves);
    return st == ST_OK && leaves != nullptr && leaves->n_samples > 0
               ? create_counts(s, leaves)
               : st;
}

status_t create_heights(cuda_state_t *state)
{
    trees_t<heights_t> *s = static_cast<trees_t<heights_t> *>(state);
    status_t st = create_trees(s);

    return st == ST_OK ? cuda_memory_new(&s->memory, s->g.n_nodes, &s->values.height)
                       : st;
}

template <class V, class W> status_t launch(trees_t<V> *s, const W &values)
{
    const links_t links = {s->g, s->parent, s->missing, s->frontier.bits[0]};

    return grid_launch(trees_kernel<W>, cuda_cores(s), links, s->loop, values,
                       s->frontier.visited);
}

status_t launch_heights(cuda_state_t *state, const graph_task_t *)
{
    trees_t<heights_t> *s = static_cast<trees_t<heights_t> *>(state);

    return launch(s, s->values);
}

status_t launch_descendants(cuda_state_t *state, const graph_task_t *task)
{
    descendants_t *s = static_cast<descendants_t *>(state);
    counts_t counts = s->counts;

    if (task->sample == 0)
        return launch(s, s->values);
    const int64_t *first = &s->context.spec->leaves->first[task->sample - 1];
    counts.leaf += first[0];
    counts.given += first[0];
    counts.n_given = first[1] - first[0];
    return launch(s, counts);
}

/* Copy a column of a result to the host. */
status_t get_column(const cuda_state_t *s, graph_result_t *out, int column,
                    const int *values)
{
    return cuda_get(static_cast<int *>(out->column[column]), values, s->g.n_nodes);
}

status_t fetch_descendants(cuda_state_t *state, const graph_task_t *task,
                           graph_result_t *out)
{
    const descendants_t *s = static_cast<const descendants_t *>(state);
    status_t st = cuda_counters_get(s, out);

    out->n_iterations = 1;
    if (st == ST_OK && task->sample > 0)
        return cuda_get(out->count, s->counts.count, s->g.n_nodes);
    if (st == ST_OK)
        st = get_column(s, out, 0, s->values.descendants);
    return st == ST_OK ? get_column(s, out, 1, s->values.leaves) : st;
}

status_t fetch_heights(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const trees_t<heights_t> *s = static_cast<const trees_t<heights_t> *>(state);
    status_t st = cuda_counters_get(s, out);

    out->n_iterations = 1;
    return st == ST_OK ? get_column(s, out, 0, s->values.height) : st;
}

} // namespace

const cuda_algorithm_t cuda_descendants = {sizeof(descendants_t),
                                           false,
                                           GRAPH_CHOICE_TEMPLATE,
                                           create_descendants,
                                           launch_descendants,
                                           fetch_descendants,
                                           nullptr};

const cuda_algorithm_t cuda_heights = {sizeof(trees_t<heights_t>),
                                       false,
                                       GRAPH_CHOICE_TEMPLATE,
                                       create_heights,
                                       launch_heights,
                                       fetch_heights,
                                       nullptr};
