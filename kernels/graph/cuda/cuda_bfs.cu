/*
 * cuda_bfs.cu - ordered breadth-first search.
 *
 * A level is a set of nodes, in a queue or a bitmap.  Pushing, each arc of a node offers
 * the node as parent by atomicMin on the pair of its depth and its parent, which one read
 * tests: the first offer finds the node, and the smallest one remains.  Pulling, each
 * node not yet visited searches its row, which ascends, for a node of the level: the
 * first is the smallest.  It pulls while the level has many arcs (Beamer et al. 2012).
 */
#include "kernels/graph/cuda/cuda_bfs.cuh"

#include "kernels/graph/cuda/cuda_cluster.cuh"
#include "kernels/graph/cuda/cuda_pull.cuh"

namespace
{

constexpr unsigned PULL_ARCS =
    14;                        /* it pulls when a level has one in PULL_ARCS arcs left */
constexpr int PULL_NODES = 24; /* and until it has fewer than one in PULL_NODES nodes */

/* If a level has as many arcs as one in COUNTED_NODES nodes of the graph, the arcs of the
 * next level's nodes are not counted as these are found, which takes 1 to 3 % of the
 * time. That level is pulled if it has many nodes, as after a pulled one. */
constexpr int COUNTED_NODES = 64;

/* A depth and a parent in one number: the smaller depth first, then the smaller parent.
 */
typedef unsigned long long found_t;
constexpr found_t NOT_FOUND = ~0ull;

__device__ inline found_t found_by(int depth, int parent)
{
    return static_cast<found_t>(depth) << 32 | static_cast<unsigned>(parent);
}

/* The nodes of a level and their arcs in one number, so that one addition counts and one
 * read gets both.  The nodes are the lower half, which queues have as their tail.  Arcs
 * fit, as those of a whole graph do. */
typedef unsigned long long counts_t;

__device__ inline counts_t counts_of(unsigned n, unsigned n_arcs)
{
    return static_cast<counts_t>(n_arcs) << 32 | n;
}

struct bfs_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;
    struct fetched_t {
        int v;
        found_t offer, old;
    };
    cuda_graph_t g;
    bfs_t s;
    int level; /* of the nodes in the set */
    uint32_t *next;
    int *queue; /* of the next level; nullptr: bits */
    counts_t *next_counts;
    bool counts_arcs;
    unsigned n_found, n_found_arcs;
    unsigned long long n_visited;
    uint32_t last_first, last_end; /* the arcs of the node found last: they are added with
                                    * the next one's, so that nothing waits for them */

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        return row_begin(g, u, row);
    }

    __device__ void count_last_arcs()
    {
        n_found_arcs += last_end - last_first;
    }

    /* Count a node of the next level. */
    __device__ void count(int v)
    {
        if (counts_arcs) {
            count_last_arcs();
            last_first = g.first[v];
            last_end = g.first[v + 1];
        }
        n_found++;
    }

    __device__ void fetch(const cuda_row_t<no_value_t> &row, uint32_t a, fetched_t *x)
    {
        x->v = g.to[a];
        x->offer = found_by(level + 1, row.node);
        n_visited++;
    }

    __device__ void look(fetched_t *x) const
    {
        x->old = grid_read(&s.found[x->v]);
    }

    __device__ bool wants(const fetched_t &x) const
    {
        return x.offer < x.old;
    }

    __device__ void act(const fetched_t &x)
    {
        if (atomicMin(&s.found[x.v], x.offer) != NOT_FOUND)
            return;
        count(x.v); /* first: its reads overlap with the append */
        if (queue != nullptr)
            queue[grid_append(reinterpret_cast<unsigned *>(next_counts))] = x.v;
        else
            atomicOr(&next[x.v >> 5], bit_mask(x.v));
    }

    /* Add what the threads of a block counted.  Most warps find nodes for a bitmap, so
     * the block adds once; few do for a queue, whose nodes were counted as appended. */
    __device__ void add_counts()
    {
        __shared__ counts_t of_warp[GRID_WARPS];
        const bool by_block = queue == nullptr;
        const unsigned n = by_block ? warp_add(n_found) : 0;
        unsigned n_arcs = 0;
        counts_t sum;

        if (counts_arcs) {
            count_last_arcs();
            n_arcs = warp_add(n_found_arcs);
        }
        sum = counts_of(n, n_arcs);
        if (by_block) {
            if (grid_lane() == 0)
                of_warp[threadIdx.x / 32] = sum;
            __syncthreads();
            if (threadIdx.x == 0)
                for (int k = 1; k < GRID_WARPS; k++)
                    sum += of_warp[k];
        }
        if ((by_block ? threadIdx.x : threadIdx.x % 32) == 0 && sum != 0)
            atomicAdd(next_counts, sum);
    }
};

__device__ void pull_level(bfs_op_t &op, const cuda_graph_t &in, const uint32_t *bits)
{
    for (int64_t i = grid_warp() * 32; i <= in.n_nodes; i += grid_n_threads()) {
        const int64_t u = i + grid_lane();
        const bool open = u < in.n_nodes && grid_read(&op.s.found[u]) == NOT_FOUND;
        const int v = pull_first(
            in, open ? static_cast<int>(u) : -1, 0,
            [&](int x, uint32_t) { return bit_of(bits, x); }, &op.n_visited);
        const unsigned found = __ballot_sync(ALL_LANES, v >= 0);

        if (v >= 0) {
            op.s.found[u] = found_by(op.level + 1, v);
            op.n_found++;
        }
        if (grid_lane() == 0)
            op.next[i >> 5] = found;
    }
}

/* @return the arcs of n nodes of the mean degree, at most UINT32_MAX */
__device__ unsigned estimate_arcs(const adapt_t &adapt, unsigned n)
{
    const unsigned long long n_arcs =
        static_cast<unsigned long long>(n) * adapt.mean_degree;

    return n_arcs >> 32 != 0 ? UINT32_MAX : static_cast<unsigned>(n_arcs);
}

/* What one thread of a block reads and chooses for the others. */
struct decision_t {
    unsigned n;      /* nodes of the level */
    unsigned n_left; /* arcs of nodes that no level had so far */
    int choice;
    bool counts_arcs; /* of the next level's nodes */
};

/* Choose how to go on from a level of n nodes with n_arcs arcs.
 * @param before  decided for the level before; n_left is already that of this one */
__device__ int choose(const adapt_t &adapt, const decision_t &before, unsigned n,
                      unsigned n_arcs, int n_nodes)
{
    const bool by_nodes =
        (before.choice & ADAPT_PULL) != 0 || (adapt.counts_arcs && !before.counts_arcs);
    int choice;

    if (adapt.may_pull &&
        (by_nodes ? n > static_cast<unsigned>(n_nodes / PULL_NODES)
                  : n_arcs > before.n_left / PULL_ARCS && n_arcs > adapt.small_set))
        return ADAPT_PULL;
    choice = adapt_choose(adapt, n);
    if (adapt.pinned >= 0 ? (choice & ADAPT_BITMAP) == 0 : n_arcs <= adapt.large_set)
        choice |= ADAPT_QUEUES;
    return choice;
}

/*
 * Decide how to go on from a level, by all threads of a block.  If each warp of the grid
 * read the counters, the reads of one word would queue in the cache, and all warps would
 * issue the same instructions.
 *
 * @param counts    of the level
 * @param may_cluster  a cluster may take it
 * @param d         in shared memory: the decision of the level before, changed
 */
__device__ decision_t decide(const adapt_t &adapt, const counts_t *counts, int turn,
                             int n_nodes, bool may_cluster, decision_t *d)
{
    if (threadIdx.x == 0) {
        const int kept = adapt_kept(adapt, turn);
        const counts_t both = grid_read(counts);
        const unsigned n = static_cast<unsigned>(both);
        const unsigned n_arcs =
            d->counts_arcs ? static_cast<unsigned>(both >> 32) : estimate_arcs(adapt, n);

        d->n = n;
        d->n_left -= min(n_arcs, d->n_left);
        /* a barrier of the grid lies between two clusters */
        d->choice =
            kept >= 0 ? kept
            : may_cluster && n <= CLUSTER_ENTER && (d->choice & ADAPT_CLUSTER) == 0
                ? ADAPT_BLOCKS | ADAPT_CLUSTER
                : choose(adapt, *d, n, n_arcs, n_nodes);
        d->counts_arcs = adapt.counts_arcs && !adapt.replays &&
                         (d->choice & (ADAPT_PULL | ADAPT_CLUSTER)) == 0 &&
                         n_arcs < static_cast<unsigned>(n_nodes / COUNTED_NODES);
    }
    __syncthreads();
    return *d;
}

/* Where the level is. */
struct place_t {
    bool queued;   /* in a queue; both bitmaps are 0 then */
    bool is_dirty; /* the next level's bitmap is not 0 */
    int side;
};

/* Put the level where the choice wants it. */
__device__ unsigned move_level(const frontier_t &f, int choice, int n_nodes, int turn,
                               unsigned n, place_t *p)
{
    uint32_t *bits = f.bits[p->side];
    const bool pulls = (choice & ADAPT_PULL) != 0;
    const bool wants_bits = pulls || (choice & ADAPT_BITMAP) != 0;

    if (p->queued && wants_bits) {
        frontier_set_bits(f.queue[p->side], n, bits);
        grid_sync();
    } else if (!p->queued && !wants_bits) {
        frontier_queue_bits(bits, f.bits[p->side ^ 1], n_nodes, f.queue[p->side],
                            &f.n_moved[turn % 3]);
        grid_sync();
        n = grid_read(&f.n_moved[turn % 3]);
        p->is_dirty = false;
    } else if (p->is_dirty && !pulls) {
        frontier_clear(f.bits[p->side ^ 1], n_nodes);
        grid_sync();
        p->is_dirty = false;
    }
    p->queued = !wants_bits;
    return n;
}

/* Search levels by the cluster, from one of n nodes on. @param turn  the first level */
__device__ void cluster_levels(bfs_op_t &op, const frontier_t &f,
                               const cuda_cluster_t &cluster, int turn, unsigned n,
                               int n_ended)
{
    op.n_visited +=
        cuda_cluster_run<NOT_FOUND>(cluster, f, turn, n, n_ended,
                                    [&](int level, int u, int v) {
                                        return atomicMin(&op.s.found[v],
                                                         found_by(level + 1, u));
                                    });
}

/* Wait for the cluster; all threads of a block call it.
 * @param last  in shared memory: the arcs that the cluster passed are subtracted
 * @return the next level */
__device__ int wait_for_cluster(const adapt_t &adapt, const frontier_t &f, int n_ended,
                                decision_t *last)
{
    const int turn = cuda_cluster_wait(f, n_ended);

    if (threadIdx.x == 0) {
        last->n_left -=
            min(estimate_arcs(adapt, grid_read(f.cluster_passed)), last->n_left);
        last->counts_arcs = false;
    }
    return turn;
}

__device__ void write_tree(const bfs_t &s, int n_nodes)
{
    for (int64_t u = grid_thread(); u < n_nodes; u += grid_n_threads()) {
        const found_t found = grid_read(&s.found[u]);

        s.depth[u] = found == NOT_FOUND ? -1 : static_cast<int>(found >> 32);
        s.parent[u] = static_cast<int>(found & 0xffffffffu);
    }
}

/* @param CLUSTERS  the grid has one block per core, and a cluster takes small levels */
template <bool CLUSTERS>
__global__ void __launch_bounds__(GRID_THREADS, CLUSTERS ? 1 : GRID_BLOCKS_PER_CORE)
    bfs_kernel(cuda_graph_t g, cuda_graph_t in, cuda_loop_t loop, frontier_t f,
               adapt_t adapt, bfs_t s)
{
    __shared__ loop_shared_t shared;
    __shared__ decision_t last;
    bfs_op_t op = {g, s, 0, nullptr, nullptr, nullptr, false, 0, 0, 0, 0, 0};
    const bool has_cluster = CLUSTERS && sync_cluster_size() > 1 && adapt.pinned < 0;
    const counts_t *counts = f.n_both;
    place_t place = {true, false, 0};
    adapt_noted_t noted = ADAPT_NOTHING_NOTED;
    int turn = 0, n_loops = 0, n_clusters_ended = 0;
    int step = 0; /* levels of the grid */

    if (threadIdx.x == 0)
        last = {0, g.n_arcs, 0, adapt.counts_arcs && !adapt.replays};
    for (;; turn++, step++) {
        const decision_t decision =
            decide(adapt, counts, turn, g.n_nodes, has_cluster && place.queued, &last);
        const int choice = decision.choice;
        unsigned n = decision.n;

        if (n == 0)
            break;
        place.side = turn % 2;
        adapt_keep(adapt, turn, choice);
        adapt_note(adapt, turn, n, choice & ~ADAPT_QUEUES, &noted);
        if (CLUSTERS && (choice & ADAPT_CLUSTER) != 0) {
            __shared__ cuda_cluster_shared_t cluster;

            n_clusters_ended++;
            if (cuda_cluster_has_block())
                cluster_levels(op, f,
                               {&cluster, f.queue, g, sync_cluster_rank(),
                                sync_cluster_size()},
                               turn, n, n_clusters_ended);
            turn = wait_for_cluster(adapt, f, n_clusters_ended, &last) - 1;
            step--;
            counts = f.cluster_counts;
            continue;
        }
        if (grid_is_first())
            f.n_both[(step + 2) % 3] = f.n_moved[(step + 2) % 3] = 0;
        n = move_level(f, choice, g.n_nodes, step, n, &place);
        op.level = turn;
        op.counts_arcs = decision.counts_arcs;
        op.next = f.bits[place.side ^ 1];
        op.next_counts = &f.n_both[(step + 1) % 3];
        counts = op.next_counts;
        op.n_found = op.n_found_arcs = op.last_first = op.last_end = 0;
        if ((choice & ADAPT_PULL) != 0) {
            pull_level(op, in, f.bits[place.side]);
            place.is_dirty = true;
        } else {
            const bool queues = (choice & ADAPT_QUEUES) != 0;

            loop.form = adapt_template(adapt, choice, n);
            op.queue = queues ? f.queue[place.side ^ 1] : nullptr;
            if (place.queued)
                loop_run(op, {f.queue[place.side], nullptr, static_cast<int>(n)}, loop,
                         nullptr, n_loops, &shared);
            else
                loop_run(op, {nullptr, f.bits[place.side], g.n_nodes}, loop, nullptr,
                         n_loops, &shared);
            n_loops++;
            place.queued = queues;
        }
        op.add_counts();
        op.queue = nullptr;
        grid_sync();
    }
    write_tree(s, g.n_nodes);
    warp_add_to(f.visited, op.n_visited);
    if (grid_is_first())
        *f.n_iterations = turn;
}

__global__ void start_kernel(cuda_graph_t g, frontier_t f, bfs_t s, int source)
{
    const int64_t i = grid_thread();

    if (i < g.n_nodes)
        s.found[i] = i == source ? found_by(0, source) : NOT_FOUND;
    if (i <= g.n_nodes / 32)
        f.bits[0][i] = f.bits[1][i] = 0;
    if (i == 0) {
        f.queue[0][0] = source;
        f.n_both[0] = counts_of(1, g.first[source + 1] - g.first[source]);
    }
}

} // namespace

status_t bfs_run(const cuda_graph_t &g, const cuda_graph_t &in, const cuda_loop_t &loop,
                 const frontier_t &f, const adapt_t &adapt, const bfs_t &s, int source,
                 int n_cores)
{
    const status_t st =
        grid_launch_each(start_kernel, g.n_nodes / GRID_THREADS + 1, g, f, s, source);

    if (st != ST_OK)
        return st;
    if (adapt.low_degree && adapt.blocks_per_core == 1)
        return cuda_cluster_launch(bfs_kernel<true>, n_cores, g, in, loop, f, adapt, s);
    return grid_launch_few(bfs_kernel<false>, n_cores, adapt.blocks_per_core, g, in, loop,
                           f, adapt, s);
}
