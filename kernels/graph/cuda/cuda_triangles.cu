/*
 * cuda_triangles.cu - triangles by arcs from the smaller degree to the larger (Schank,
 * Wagner 2005).
 *
 * Nodes are numbered by their places in the order of descending degree, and a row has the
 * neighbors that come before a node, ascending.  A triangle r < q < p is found once: q
 * and r are in the row of p, and r in that of q.  For each p its triangles are counted by
 * q and r in shared memory, and then added to the counts of the nodes.
 */
#include "kernels/graph/cuda/cuda_order.cuh"

namespace
{

enum {
    SHORT_ROW = 32,   /* a warp looks for all pairs of the row in the rows of the graph */
    SLOTS = 4096,     /* longer rows are put into a hash table of a block ... */
    PART = SLOTS / 4, /* ... this number of nodes at a time */
    MIN_SLOTS = 128,
};

/* Passed to kernels by value. */
struct counts_t {
    cuda_graph_t earlier;      /* rows by place */
    int n_large;               /* places whose rows may be long */
    const int *node;           /* by place */
    unsigned long long *count; /* [n_nodes] by place */
    long long *triangles;      /* [n_nodes] by node */
};

struct triangles_t : cuda_state_t {
    cuda_order_t order;
    counts_t counts;
};

struct triangles_shared_t {
    int key[SLOTS]; /* a node, or -1 */
    unsigned found[SLOTS];
};

__device__ void clear_counts(const counts_t &s)
{
    for (int64_t p = grid_thread(); p < s.earlier.n_nodes; p += grid_n_threads())
        s.count[p] = 0;
    grid_sync();
}

__device__ void write_counts(const counts_t &s)
{
    grid_sync();
    for (int64_t p = grid_thread(); p < s.earlier.n_nodes; p += grid_n_threads())
        s.triangles[s.node[p]] = static_cast<long long>(grid_read(&s.count[p]));
}

/* @return whether a node is among to[first .. end-1], which ascend */
__device__ bool row_has(const int *to, uint32_t first, uint32_t end, int node)
{
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        const int x = to[middle];

        if (x == node)
            return true;
        if (x < node)
            first = middle + 1;
        else
            end = middle;
    }
    return false;
}

/* ---- short rows: a warp each ---- */

/* Pair t of 0 1, 0 2, 1 2, 0 3 ... */
__device__ void pair_of(int t, int *i, int *j)
{
    *j = static_cast<int>((1 + sqrtf(static_cast<float>(8 * t + 1))) / 2);
    *i = t - *j * (*j - 1) / 2;
}

/* @param found  [SHORT_ROW] of the warp */
__device__ void count_pairs(const counts_t &s, int p, uint32_t first, int k,
                            unsigned *found, unsigned long long *seen)
{
    const int *to = s.earlier.to;
    unsigned mine = 0, n_pairs = static_cast<unsigned>(k * (k - 1) / 2);

    found[grid_lane()] = 0;
    __syncwarp();
    for (unsigned t = static_cast<unsigned>(grid_lane()); t < n_pairs; t += 32, ++*seen) {
        int i, j, q;

        pair_of(static_cast<int>(t), &i, &j);
        q = to[first + static_cast<uint32_t>(j)];
        if (row_has(to, s.earlier.first[q], s.earlier.first[q + 1],
                    to[first + static_cast<uint32_t>(i)])) {
            atomicAdd(&found[i], 1u);
            atomicAdd(&found[j], 1u);
            mine++;
        }
    }
    __syncwarp();
    if (grid_lane() < k && found[grid_lane()] != 0)
        atomicAdd(&s.count[to[first + static_cast<uint32_t>(grid_lane())]],
                  static_cast<unsigned long long>(found[grid_lane()]));
    warp_add_to(&s.count[p], mine);
    __syncwarp();
}

__device__ void count_short_rows(const counts_t &s, triangles_shared_t *shared,
                                 unsigned long long *seen)
{
    unsigned *found = &shared->found[threadIdx.x / 32 * SHORT_ROW];

    for (int64_t tile = grid_warp() * 32; tile < s.earlier.n_nodes;
         tile += grid_n_threads()) {
        const int64_t p = tile + grid_lane();
        const uint32_t first = p < s.earlier.n_nodes ? s.earlier.first[p] : 0;
        const uint32_t k = p < s.earlier.n_nodes ? s.earlier.first[p + 1] - first : 0;

        for (unsigned todo = __ballot_sync(ALL_LANES, k >= 2 && k <= SHORT_ROW);
             todo != 0; todo &= todo - 1) {
            const int owner = __ffs(static_cast<int>(todo)) - 1;

            count_pairs(s, static_cast<int>(tile) + owner,
                        __shfl_sync(ALL_LANES, first, owner),
                        static_cast<int>(__shfl_sync(ALL_LANES, k, owner)), found, seen);
        }
    }
}

/* ---- long rows: a block each ---- */

/* A hash table of a part of a row, in shared memory. */
struct table_t {
    int *key;
    unsigned *found;
    unsigned shift, mask;
};

__device__ unsigned slot_of(const table_t &t, int node)
{
    return static_cast<unsigned>(node) * 2654435761u >> t.shift;
}

__device__ void table_fill(table_t *t, const int *nodes, int n)
{
    unsigned slots = MIN_SLOTS;

    t->shift = 25; /* 2^(32 - shift) slots */
    for (; slots < 4 * static_cast<unsigned>(n); slots *= 2)
        t->shift--;
    t->mask = slots - 1;
    for (unsigned k = threadIdx.x; k < slots; k += GRID_THREADS) {
        t->key[k] = -1;
        t->found[k] = 0;
    }
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < n; k += GRID_THREADS) {
        unsigned slot = slot_of(*t, nodes[k]);

        while (atomicCAS(&t->key[slot], -1, nodes[k]) != -1)
            slot = (slot + 1) & t->mask;
    }
    __syncthreads();
}

/* @return a node's slot, or -1 */
__device__ int table_find(const table_t &t, int node)
{
    unsigned slot = slot_of(t, node);
    int key;

    while ((key = t.key[slot]) != node) {
        if (key < 0)
            return -1;
        slot = (slot + 1) & t.mask;
    }
    return static_cast<int>(slot);
}

/* Look for the nodes of lanes in the table. @return 1 if it is there */
__device__ unsigned table_count(const table_t &t, int node)
{
    const int slot = node >= 0 ? table_find(t, node) : -1;

    if (slot >= 0)
        atomicAdd(&t.found[slot], 1u);
    return slot >= 0;
}

/* Each lane has the row of one node q, or none; the warp takes one after the other, and
 * reads the next 32 arcs before it looks for those it has.
 * @return the number of the lane's arcs that lead into the table */
__device__ unsigned count_rows(const table_t &t, const int *to, uint32_t first,
                               uint32_t end, unsigned long long *seen)
{
    const unsigned has = __ballot_sync(ALL_LANES, first < end);
    unsigned todo = has, found = 0;
    int owner = 0, next = -1;
    uint32_t at = 0, last = 0;

    *seen += end - first;
    if (has != 0) {
        owner = __ffs(static_cast<int>(has)) - 1;
        at = __shfl_sync(ALL_LANES, first, owner) + static_cast<uint32_t>(grid_lane());
        last = __shfl_sync(ALL_LANES, end, owner);
        next = at < last ? to[at] : -1;
    }
    while (todo != 0) {
        const int node = next, of = owner;
        unsigned n;

        at += 32;
        if (at - static_cast<uint32_t>(grid_lane()) >= last) {
            todo &= todo - 1;
            owner = todo != 0 ? __ffs(static_cast<int>(todo)) - 1 : owner;
            at =
                __shfl_sync(ALL_LANES, first, owner) + static_cast<uint32_t>(grid_lane());
            last = __shfl_sync(ALL_LANES, end, owner);
        }
        next = todo != 0 && at < last ? to[at] : -1;
        n = static_cast<unsigned>(
            __popc(__ballot_sync(ALL_LANES, table_count(t, node) != 0)));
        found += grid_lane() == of ? n : 0;
    }
    return found;
}

__device__ void count_long_row(const counts_t &s, int p, triangles_shared_t *shared,
                               unsigned long long *seen)
{
    const int *to = s.earlier.to;
    const uint32_t end = s.earlier.first[p + 1];
    table_t t = {shared->key, shared->found, 0, 0};
    unsigned long long n_triangles = 0;

    for (uint32_t part = s.earlier.first[p]; part < end; part += PART) {
        table_fill(&t, to + part, static_cast<int>(min(end - part, uint32_t{PART})));
        for (uint32_t base = part + 1 + threadIdx.x / 32; base < end;
             base += 32 * GRID_WARPS) {
            const uint32_t a = base + static_cast<uint32_t>(grid_lane()) * GRID_WARPS;
            const int q = a < end ? to[a] : -1;
            const unsigned found = count_rows(t, to, q >= 0 ? s.earlier.first[q] : 0,
                                              q >= 0 ? s.earlier.first[q + 1] : 0, seen);
            const int slot = found != 0 ? table_find(t, q) : -1;

            if (slot >= 0)
                atomicAdd(&t.found[slot], found);
            else if (found != 0)
                atomicAdd(&s.count[q], static_cast<unsigned long long>(found));
            n_triangles += found;
        }
        __syncthreads();
        for (unsigned k = threadIdx.x; k <= t.mask; k += GRID_THREADS)
            if (t.key[k] >= 0 && t.found[k] != 0)
                atomicAdd(&s.count[t.key[k]],
                          static_cast<unsigned long long>(t.found[k]));
        __syncthreads();
    }
    warp_add_to(&s.count[p], n_triangles);
}

GRID_KERNEL triangles_kernel(counts_t s, unsigned long long *visited)
{
    __shared__ triangles_shared_t shared;
    unsigned long long n_visited = 0;

    clear_counts(s);
    for (int p = static_cast<int>(blockIdx.x); p < s.n_large;
         p += static_cast<int>(gridDim.x))
        if (s.earlier.first[p + 1] - s.earlier.first[p] > SHORT_ROW)
            count_long_row(s, p, &shared, &n_visited);
    __syncthreads();
    count_short_rows(s, &shared, &n_visited);
    write_counts(s);
    warp_add_to(visited, n_visited);
}

/* ---- by the loop templates: for each arc, common neighbors by a thread ---- */

struct triangles_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = false;
    cuda_graph_t g;
    unsigned long long *count;
    unsigned long long n_visited;

    __device__ bool begin(int p, cuda_row_t<no_value_t> *row) const
    {
        return row_begin(g, p, row);
    }

    /* The nodes before q in its row are looked for in the row of q, or the other way
     * round. */
    __device__ void arc(const cuda_row_t<no_value_t> &row, uint32_t a)
    {
        const int q = g.to[a];
        const uint32_t first = g.first[q], end = g.first[q + 1];
        const bool is_shorter = a - row.first < end - first;
        const uint32_t from = is_shorter ? row.first : first,
                       until = is_shorter ? a : end;
        unsigned long long n = 0;

        for (uint32_t i = from; i < until; i++)
            if (row_has(g.to, is_shorter ? first : row.first, is_shorter ? end : a,
                        g.to[i])) {
                atomicAdd(&count[g.to[i]], 1ull);
                n++;
            }
        n_visited += until - from;
        if (n > 0) {
            atomicAdd(&count[q], n);
            atomicAdd(&count[row.node], n);
        }
    }
};

GRID_KERNEL arcs_kernel(cuda_loop_t loop, counts_t s, unsigned long long *visited)
{
    __shared__ loop_shared_t shared;
    triangles_op_t op = {s.earlier, s.count, 0};

    clear_counts(s);
    loop_run(op, {nullptr, nullptr, s.earlier.n_nodes}, loop, nullptr, 0, &shared);
    write_counts(s);
    warp_add_to(visited, op.n_visited);
}

/* ---- the algorithm ---- */

status_t create(cuda_state_t *state)
{
    triangles_t *s = static_cast<triangles_t *>(state);
    counts_t *c = &s->counts;
    const int64_t n = s->g.n_nodes;
    status_t st;

    if ((st = cuda_scratch_create(s, s->g.n_nodes)) != ST_OK ||
        (st = cuda_order_create(s, &s->order)) != ST_OK ||
        (st = cuda_order_rows(s, s->order, &c->earlier)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &c->count)) != ST_OK)
        return st;
    c->node = s->order.node;
    c->n_large = cuda_order_above(s->context.graph, SHORT_ROW);
    return cuda_memory_new(&s->memory, n, &c->triangles);
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    triangles_t *s = static_cast<triangles_t *>(state);

    if (s->loop.form == GRAPH_TEMPLATE_AUTO)
        return grid_launch(triangles_kernel, cuda_cores(s), s->counts,
                           s->frontier.visited);
    return grid_launch(arcs_kernel, cuda_cores(s), s->loop, s->counts,
                       s->frontier.visited);
}

status_t fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const triangles_t *s = static_cast<const triangles_t *>(state);
    status_t st = cuda_counters_get(s, out);

    out->n_iterations = 1;
    return st == ST_OK ? cuda_get(static_cast<long long *>(out->column[0]),
                                  s->counts.triangles, s->g.n_nodes)
                       : st;
}

} // namespace

const cuda_algorithm_t cuda_triangles = {
    sizeof(triangles_t), false, GRAPH_CHOICE_TEMPLATE, create, launch, fetch, nullptr};
