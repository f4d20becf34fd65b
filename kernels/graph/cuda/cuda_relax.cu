/*
 * cuda_relax.cu - shortest paths by relaxing arcs until nothing changes, and unordered
 * breadth-first search, where every arc counts 1.
 *
 * The working set holds the nodes whose distance fell.  Without a delta that is all
 * (Bellman-Ford).  With one, nodes at a distance of at least `threshold` wait in the far
 * set until no others are left; then the threshold rises to the smallest distance there
 * plus delta (near-far, Davidson et al. 2014).  A delta of 1, of real lengths the
 * smallest number, makes that the ordered variant: all nodes of the smallest distance at
 * once.
 *
 * A racing update may lose a smaller distance that another thread wrote.  So when nothing
 * is left, all nodes are relaxed once more, atomically, and the search goes on from those
 * that change.
 */
#include "kernels/graph/cuda/cuda_far.cuh"
#include "kernels/graph/cuda/cuda_pull.cuh"

namespace
{

template <typename P> struct relax_op_t {
    typedef typename P::word_t D;
    typedef D value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    D *distance;
    cuda_split_t split;
    uint32_t *mine, *next, *far; /* bits; mine: nullptr if the loop clears them */
    int *queue;                  /* of the next iteration, or nullptr */
    unsigned *n_next;
    D threshold;
    bool is_racy;
    unsigned long long n_visited;
    unsigned n_marked;

    __device__ bool begin(int u, cuda_row_t<D> *row) const
    {
        row->value = grid_read(&distance[relax_owner(split, u)]);
        if (mine != nullptr)
            mine[u >> 5] = 0;
        return row_begin(g, u, row);
    }

    __device__ void mark(int u, D d)
    {
        if (d >= threshold) {
            far_put(far, u);
        } else if (!(atomicOr(&next[u >> 5], bit_mask(u)) & bit_mask(u))) {
            if (queue != nullptr)
                queue[grid_append(n_next)] = u;
            else
                n_marked++;
        }
    }

    /* @return whether d is written */
    __device__ bool lower(int v, D d)
    {
        if (!is_racy)
            return atomicMin(&distance[v], d) > d;
        distance[v] = d;
        return true;
    }

    __device__ void arc(const cuda_row_t<D> &row, uint32_t a)
    {
        const int v = g.to[a];
        const D d = P::extend(g, row.value, a);

        n_visited++;
        if (d >= distance[v])
            return;
        if (lower(v, d))
            mark_parts(v, d);
        if (split.copies != nullptr)
            for (int u = v + 1, end = v + split.copies[v]; u <= end; u++)
                if (d < distance[u] && lower(u, d))
                    mark(u, d);
    }

    /* Mark a node, or the virtual nodes that it was split into. */
    __device__ void mark_parts(int v, D d)
    {
        if (split.owner == nullptr)
            return mark(v, d);
        for (int p = split.first_part[v]; p < split.first_part[v + 1]; p++)
            mark(p, d);
    }
};

/* Make the next bucket the working set: that above the threshold, or, if it is empty,
 * that from the smallest distance on.  @return its nodes; 0: the far set is empty */
template <typename P, typename D = typename P::word_t>
__device__ unsigned far_next(const relax_t<P> &s, const frontier_t &f, int n_nodes,
                             int turn, int side, D *threshold)
{
    unsigned *n_moved = &f.n_moved[turn % 3];
    unsigned long long least = *threshold, *minimum = &f.minimum[turn % 3];

    for (;;) {
        const D to = P::bucket_end(static_cast<D>(least), s.delta);
        unsigned n;

        far_take(s, *threshold, to, 0, n_nodes / 32 + 1, grid_warp(), grid_n_warps(),
                 f.bits[side], f.queue[side], n_moved, minimum);
        grid_sync();
        n = grid_read(n_moved);
        *threshold = to;
        least = grid_read(minimum);
        if (n > 0 || least == ~0ull)
            return n;
        grid_sync(); /* all have read both before anyone goes on to change them */
    }
}

/* Make all reached nodes the working set. */
template <typename P>
__device__ void take_reached(const relax_t<P> &s, int n_nodes, uint32_t *bits)
{
    for (int64_t i = grid_warp() * 32; i <= n_nodes; i += grid_n_threads()) {
        const int64_t u = i + grid_lane();
        const unsigned word = __ballot_sync(
            ALL_LANES,
            u < n_nodes &&
                grid_read(&s.distance[relax_owner(s.split, static_cast<int>(u))]) !=
                    infinite<typename P::word_t>());

        if (grid_lane() == 0)
            bits[i >> 5] = word;
    }
}

template <typename P>
GRID_KERNEL relax_kernel(cuda_graph_t g, cuda_loop_t loop, frontier_t f, adapt_t adapt,
                         relax_t<P> s)
{
    typedef typename P::word_t D;
    __shared__ loop_shared_t shared;
    relax_op_t<P> op = {g,         s.distance, s.split,
                        nullptr,   nullptr,    s.far,
                        nullptr,   nullptr,    s.delta != 0 ? s.delta : infinite<D>(),
                        s.is_racy, 0,          0};
    bool queued = true;
    adapt_noted_t noted = ADAPT_NOTHING_NOTED;
    int side = 0, turn = 0;

    for (;; turn++, side ^= 1) {
        unsigned n = grid_read(&f.n[turn % 3]);
        int choice = adapt_kept(adapt, turn);

        if (grid_is_first()) {
            f.n[(turn + 2) % 3] = f.n_moved[(turn + 2) % 3] = 0;
            f.minimum[(turn + 1) % 3] = ~0ull;
        }
        if (n == 0 && op.threshold != infinite<D>()) {
            n = far_next(s, f, g.n_nodes, turn, side, &op.threshold);
            queued = true;
        }
        if (n == 0 && op.is_racy) {
            op.is_racy = false;
            op.threshold = infinite<D>();
            take_reached(s, g.n_nodes, f.bits[side]);
            grid_sync();
            n = static_cast<unsigned>(g.n_nodes);
            queued = false;
        }
        if (n == 0)
            break;
        choice = choice >= 0 ? choice : adapt_choose(adapt, n);
        adapt_keep(adapt, turn, choice);
        adapt_note(adapt, turn, n, choice, &noted);
        if ((choice & ADAPT_BITMAP) == 0 && !queued) {
            frontier_queue_bits(f.bits[side], nullptr, g.n_nodes, f.queue[side],
                                &f.n_moved[turn % 3]);
            grid_sync();
            n = grid_read(&f.n_moved[turn % 3]);
        }
        queued = (choice & ADAPT_BITMAP) == 0;
        loop.form = adapt_template(adapt, choice, n);
        op.mine = queued ? f.bits[side] : nullptr;
        op.next = f.bits[side ^ 1];
        op.queue = queued ? f.queue[side ^ 1] : nullptr;
        op.n_next = &f.n[(turn + 1) % 3];
        op.n_marked = 0;
        if (queued)
            loop_run(op, {f.queue[side], nullptr, static_cast<int>(n)}, loop, nullptr,
                     turn, &shared);
        else
            loop_run(op, {nullptr, f.bits[side], g.n_nodes}, loop, nullptr, turn,
                     &shared);
        op.n_marked = warp_add(op.n_marked);
        if (grid_lane() == 0 && op.n_marked != 0)
            atomicAdd(op.n_next, op.n_marked);
        grid_sync();
    }
    warp_add_to(f.visited, op.n_visited);
    if (grid_is_first())
        *f.n_iterations = turn;
}

template <typename P>
__global__ void start_kernel(frontier_t f, relax_t<P> s, int n_nodes, int first, int n)
{
    const int64_t i = grid_thread();

    if (i < n_nodes) /* of virtual nodes, the owner's distance is written by each */
        s.distance[relax_owner(s.split, static_cast<int>(i))] =
            i >= first && i < first + n ? 0 : infinite<typename P::word_t>();
    if (i <= n_nodes / 32) {
        uint32_t word = 0;

        for (int u = first; u < first + n; u++)
            word |= u / 32 == i ? bit_mask(u) : 0;
        f.bits[0][i] = word;
        f.bits[1][i] = s.far[i] = 0;
    }
    if (i < 3)
        f.minimum[i] = ~0ull;
    if (i < n)
        f.queue[0][i] = first + static_cast<int>(i);
    if (i == 0)
        f.n[0] = static_cast<unsigned>(n);
}

template <typename D>
__global__ void unsplit_kernel(const D *from, const int *first_part, int n, D *to)
{
    const int64_t u = grid_thread();

    if (u < n)
        to[u] = from[first_part[u]];
}

/* The smallest neighbor one level above. */
GRID_KERNEL parent_kernel(cuda_graph_t in, const uint32_t *depth, int source, int *parent)
{
    unsigned long long seen = 0;

    for (int64_t i = grid_warp() * 32; i < in.n_nodes; i += grid_n_threads()) {
        const int64_t u = i + grid_lane();
        const uint32_t d = u < in.n_nodes ? depth[u] : 0;
        const bool has = d != 0 && d != infinite<uint32_t>();
        const int found = pull_first(
            in, has ? static_cast<int>(u) : -1, d - 1,
            [&](int v, uint32_t above) { return depth[v] == above; }, &seen);

        if (u < in.n_nodes)
            parent[u] = u == source ? source : found;
    }
}

} // namespace

template <typename P>
status_t relax_start(int n_nodes, const frontier_t &f, const relax_t<P> &s, int first,
                     int n)
{
    return grid_launch_each(start_kernel<P>, n_nodes / GRID_THREADS + 1, f, s, n_nodes,
                            first, n);
}

template <typename P>
status_t relax_run(const cuda_graph_t &g, const cuda_loop_t &loop, const frontier_t &f,
                   const adapt_t &adapt, const relax_t<P> &s, int first, int n,
                   int n_cores)
{
    status_t st = relax_start(g.n_nodes, f, s, first, n);

    return st == ST_OK ? grid_launch_few(relax_kernel<P>, n_cores, adapt.blocks_per_core,
                                         g, loop, f, adapt, s)
                       : st;
}

template <typename D>
status_t relax_unsplit(const D *from, const int *first_part, int n, D *to)
{
    return grid_launch_each(unsplit_kernel<D>, n / GRID_THREADS + 1, from, first_part, n,
                            to);
}

status_t relax_parents(const cuda_graph_t &in, const uint32_t *depth, int source,
                       int n_cores, int *parent)
{
    return grid_launch(parent_kernel, n_cores, in, depth, source, parent);
}

#define RELAX_OF(P)                                                                    \
    template status_t relax_start<P>(int, const frontier_t &, const relax_t<P> &, int, \
                                     int);                                             \
    template status_t relax_run<P>(const cuda_graph_t &, const cuda_loop_t &,          \
                                   const frontier_t &, const adapt_t &,                \
                                   const relax_t<P> &, int, int, int)

RELAX_OF(whole_path_t<uint32_t>);
RELAX_OF(whole_path_t<unsigned long long>);
RELAX_OF(real_path_t);

template status_t relax_unsplit<uint32_t>(const uint32_t *, const int *, int, uint32_t *);
template status_t relax_unsplit<unsigned long long>(const unsigned long long *,
                                                    const int *, int,
                                                    unsigned long long *);
