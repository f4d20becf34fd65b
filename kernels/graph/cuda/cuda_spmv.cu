/*
 * cuda_spmv.cu - sparse matrix times vector, in the shape of tree_sum.h.
 *
 * The matrix is copied into quads: four neighboring arcs of a row, the last ones of which
 * may be absent, so that a lane reads them at once.  Quads of neighboring rows are put
 * into packets, one quad per lane of a warp, and the sum of a quad with the next one,
 * with the one after that, ... is the tree of the row.  Rows of more quads are cut into
 * pieces, which are subtrees.
 *
 * With a template, the loops of cuda_loop.cuh run over the rows.
 */
#include "kernels/graph/cuda/cuda_backend.cuh"

#include <algorithm>

namespace
{

enum { QUAD_ARCS = 4, PACKET_QUADS = 32, PACKET_ARCS = QUAD_ARCS * PACKET_QUADS };

/* Read at once. */
struct alignas(16) packet_t {
    uint32_t quad;  /* the first one */
    uint32_t heads; /* bits: quads that begin a row, or a piece */
    uint32_t piece; /* of the first quad */
    uint32_t n_quads;
};

/* Passed to kernels by value. */
struct packets_t {
    int64_t n;
    const packet_t *packet;      /* [n] */
    const uint32_t *piece_first; /* [n_pieces + 1] arcs, ascending */
    const int *target;           /* [n_pieces] a node, or -1 - a place in sums */
    int4 *to;                    /* by quad; -1: absent */
    int4 *weight;                /* by quad, or nullptr */
    double2 *value[2];           /* by quad the first two and the others, or nullptr */
    double *sums;
    int n_cut;                     /* rows of several pieces */
    const int *cut_node, *cut_sum; /* [n_cut], [n_cut + 1] the first one in sums */
};

struct spmv_t : cuda_state_t {
    cuda_plan_t plan;
    packets_t packets;
    double *x, *y; /* [n_nodes] */
};

/* ---- the default: packets ---- */

/* The quad of a lane, in the row or piece that it belongs to. */
struct place_t {
    uint32_t piece, index;
    int end; /* the lane after the last one of the piece */
};

__device__ inline place_t place_of(const packet_t &p)
{
    const unsigned until = ALL_LANES >> (31 - grid_lane());
    const unsigned after = p.heads & ~until;
    place_t at;

    at.piece = p.piece + static_cast<uint32_t>(__popc(p.heads & until)) - 1;
    at.index = static_cast<uint32_t>(grid_lane() -
                                     (31 - __clz(static_cast<int>(p.heads & until))));
    at.end =
        after != 0 ? __ffs(static_cast<int>(after)) - 1 : static_cast<int>(p.n_quads);
    return at;
}

/* Copy the arcs into quads; a warp per packet. */
__global__ void pack_kernel(cuda_graph_t g, packets_t p)
{
    const int64_t k = grid_warp();
    packet_t packet = {};
    place_t at;
    uint32_t a[QUAD_ARCS], quad;
    int to[QUAD_ARCS];

    if (k < p.n)
        packet = p.packet[k];
    if (static_cast<uint32_t>(grid_lane()) >= packet.n_quads)
        return;
    at = place_of(packet);
    quad = packet.quad + static_cast<uint32_t>(grid_lane());
    for (uint32_t i = 0; i < QUAD_ARCS; i++) {
        const uint32_t end = p.piece_first[at.piece + 1];

        a[i] = p.piece_first[at.piece] + at.index * QUAD_ARCS + i;
        to[i] = a[i] < end ? g.to[a[i]] : -1;
        a[i] = min(a[i], end - 1);
    }
    p.to[quad] = {to[0], to[1], to[2], to[3]};
    if (g.value != nullptr) {
        p.value[0][quad] = {g.value[a[0]], g.value[a[1]]};
        p.value[1][quad] = {g.value[a[2]], g.value[a[3]]};
    } else if (g.weight != nullptr) {
        p.weight[quad] = {g.weight[a[0]], g.weight[a[1]], g.weight[a[2]], g.weight[a[3]]};
    }
}

enum weights_t { UNIT, WHOLE, REAL };

/* The arcs of a lane's quad, and then their terms. */
template <weights_t W> struct quad_t {
    int4 to, weight;
    double2 value[2];
    double x[QUAD_ARCS];

    __device__ void read(const packets_t &p, uint32_t quad)
    {
        to = __ldcs(&p.to[quad]);
        if (W == WHOLE)
            weight = __ldcs(&p.weight[quad]);
        if (W == REAL) {
            value[0] = __ldcs(&p.value[0][quad]);
            value[1] = __ldcs(&p.value[1][quad]);
        }
    }

    __device__ void gather(const double *vector)
    {
        x[0] = to.x >= 0 ? __ldg(&vector[to.x]) : 0;
        x[1] = to.y >= 0 ? __ldg(&vector[to.y]) : 0;
        x[2] = to.z >= 0 ? __ldg(&vector[to.z]) : 0;
        x[3] = to.w >= 0 ? __ldg(&vector[to.w]) : 0;
    }

    __device__ double term(int to_node, double weight_of, double x_to) const
    {
        if (W == UNIT)
            return x_to;
        return to_node >= 0 ? __dmul_rn(weight_of, x_to) : 0;
    }

    __device__ double sum() const
    {
        if (W == REAL)
            return sum_of(value[0].x, value[0].y, value[1].x, value[1].y);
        return W == WHOLE ? sum_of(weight.x, weight.y, weight.z, weight.w)
                          : sum_of(1, 1, 1, 1);
    }

    __device__ double sum_of(double a, double b, double c, double d) const
    {
        return __dadd_rn(__dadd_rn(term(to.x, a, x[0]), term(to.y, b, x[1])),
                         __dadd_rn(term(to.z, c, x[2]), term(to.w, d, x[3])));
    }
};

/* Add up the rows of a packet, and write their sums. */
__device__ inline void finish(const packets_t &p, const packet_t &packet, double sum,
                              double *y)
{
    const place_t at = place_of(packet);
    int target;

    for (int k = 1; k < PACKET_QUADS; k *= 2) {
        const double next = __shfl_down_sync(ALL_LANES, sum, k);

        if (at.index % static_cast<uint32_t>(2 * k) == 0 && grid_lane() + k < at.end)
            sum = __dadd_rn(sum, next);
    }
    if (at.index != 0 || grid_lane() >= at.end)
        return;
    target = p.target[at.piece];
    if (target >= 0)
        y[target] = __dadd_rn(sum, 0);
    else
        p.sums[-1 - target] = sum;
}

enum { AHEAD = 2 }; /* packets of a warp, whose reads do not wait for one another */

template <weights_t W>
__global__ void __launch_bounds__(GRID_THREADS)
    packets_kernel(packets_t p, const double *x, double *y)
{
    const int64_t first = grid_warp() * AHEAD;
    packet_t packet[AHEAD];
    quad_t<W> quad[AHEAD];

#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        packet[k] = first + k < p.n ? p.packet[first + k] : packet_t{};
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
        quad[k].to = {-1, -1, -1, -1};
        if (static_cast<uint32_t>(grid_lane()) < packet[k].n_quads)
            quad[k].read(p, packet[k].quad + static_cast<uint32_t>(grid_lane()));
    }
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        quad[k].gather(x);
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        if (packet[k].n_quads != 0)
            finish(p, packet[k], quad[k].sum(), y);
}

/* Add up the pieces of cut rows; a warp per row. */
__global__ void cut_kernel(packets_t p, double *y)
{
    const int64_t k = grid_warp();
    double sum;

    if (k >= p.n_cut)
        return;
    sum = row_sum_group([&](uint32_t i) { return p.sums[i]; },
                        static_cast<uint32_t>(p.cut_sum[k]),
                        static_cast<uint32_t>(p.cut_sum[k + 1]), 32, grid_lane());
    if (grid_lane() == 0)
        y[p.cut_node[k]] = sum;
}

template <weights_t W> status_t launch_packets(const spmv_t *s)
{
    const packets_t &p = s->packets;
    const int blocks = static_cast<int>(p.n / (GRID_WARPS * AHEAD)) + 1;
    status_t st = grid_launch_each(packets_kernel<W>, blocks, p, s->x, s->y);

    if (st == ST_OK && p.n_cut > 0)
        st = grid_launch_each(cut_kernel, p.n_cut / GRID_WARPS + 1, p, s->y);
    return st;
}

/* Packets on the host; with nullptr they are only counted. */
struct packing_t {
    packet_t *packet;
    uint32_t *piece_first;
    int *target, *cut_node, *cut_sum;
    int64_t n_packets, n_pieces;
    uint32_t n_quads;
    int n_cut, n_sums;
    packet_t last;
};

/* Append the arcs from `first` on, at most those of a packet. */
void add_piece(packing_t *p, uint32_t first, uint32_t n_arcs, int target)
{
    const uint32_t n_quads = (n_arcs + QUAD_ARCS - 1) / QUAD_ARCS;

    if (p->n_packets == 0 || p->last.n_quads + n_quads > PACKET_QUADS) {
        p->last = {p->n_quads, 0, static_cast<uint32_t>(p->n_pieces), 0};
        p->n_packets++;
    }
    p->last.heads |= 1u << p->last.n_quads;
    p->last.n_quads += n_quads;
    p->n_quads += n_quads;
    if (p->packet != nullptr) {
        p->packet[p->n_packets - 1] = p->last;
        p->piece_first[p->n_pieces] = first;
        p->target[p->n_pieces] = target;
    }
    p->n_pieces++;
}

/* Cut rows into pieces, from an empty packing but for its arrays. */
void pack_rows(const csr_t *g, packing_t *p)
{
    for (int32_t u = 0; u < g->n_nodes; u++) {
        const bool is_cut = csr_degree(g, u) > PACKET_ARCS;

        if (is_cut && p->packet != nullptr) {
            p->cut_node[p->n_cut] = u;
            p->cut_sum[p->n_cut] = p->n_sums;
        }
        p->n_cut += is_cut;
        for (int64_t a = g->first[u]; a < g->first[u + 1]; a += PACKET_ARCS)
            add_piece(p, static_cast<uint32_t>(a),
                      static_cast<uint32_t>(std::min(g->first[u + 1] - a,
                                                     static_cast<int64_t>(PACKET_ARCS))),
                      is_cut ? -1 - p->n_sums++ : u);
    }
    if (p->packet == nullptr)
        return;
    p->piece_first[p->n_pieces] = static_cast<uint32_t>(g->n_arcs);
    p->cut_sum[p->n_cut] = p->n_sums;
}

status_t put_packing(cuda_memory_t *m, const packing_t &host, packets_t *out)
{
    status_t st;

    out->n = host.n_packets;
    out->n_cut = host.n_cut;
    if ((st = cuda_memory_put(m, host.packet, host.n_packets, &out->packet)) == ST_OK &&
        (st = cuda_memory_put(m, host.piece_first, host.n_pieces + 1,
                              &out->piece_first)) == ST_OK &&
        (st = cuda_memory_put(m, host.target, host.n_pieces, &out->target)) == ST_OK &&
        (st = cuda_memory_put(m, host.cut_node, host.n_cut, &out->cut_node)) == ST_OK &&
        (st = cuda_memory_put(m, host.cut_sum, host.n_cut + 1, &out->cut_sum)) == ST_OK)
        st = cuda_memory_new(m, host.n_sums, &out->sums);
    return st;
}

/* Make the packets, and copy the arcs of the device into them. */
status_t create_packets(spmv_t *s)
{
    const cuda_graph_t &g = s->g;
    cuda_memory_t *m = &s->memory;
    packets_t *p = &s->packets;
    packing_t n = {}, host = {};
    cuda_host_t memory = {};
    status_t st;

    pack_rows(s->context.graph, &n);
    host.packet = cuda_host_new<packet_t>(&memory, n.n_packets);
    host.piece_first = cuda_host_new<uint32_t>(&memory, n.n_pieces);
    host.target = cuda_host_new<int>(&memory, n.n_pieces);
    host.cut_node = cuda_host_new<int>(&memory, n.n_cut);
    host.cut_sum = cuda_host_new<int>(&memory, n.n_cut);
    if (host.packet == nullptr || host.piece_first == nullptr || host.target == nullptr ||
        host.cut_node == nullptr || host.cut_sum == nullptr)
        return log_nomem("packets of a matrix");
    pack_rows(s->context.graph, &host);
    if ((st = put_packing(m, host, p)) != ST_OK ||
        (st = cuda_memory_new(m, n.n_quads, &p->to)) != ST_OK)
        return st;
    for (int k = 0; st == ST_OK && g.value != nullptr && k < 2; k++)
        st = cuda_memory_new(m, n.n_quads, &p->value[k]);
    if (st == ST_OK && g.value == nullptr && g.weight != nullptr)
        st = cuda_memory_new(m, n.n_quads, &p->weight);
    return st == ST_OK ? grid_launch_each(pack_kernel,
                                          static_cast<int>(p->n / GRID_WARPS) + 1, g, *p)
                       : st;
}

/* ---- by the loop templates ---- */

struct spmv_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g;
    const double *x;
    double *y;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        row->node = u;
        row->first = g.first[u];
        row->end = g.first[u + 1];
        return true;
    }

    __device__ double term(uint32_t a) const
    {
        const double x_to = __ldg(&x[g.to[a]]);

        if (g.value != nullptr)
            return __dmul_rn(g.value[a], x_to);
        return g.weight != nullptr ? __dmul_rn(static_cast<double>(g.weight[a]), x_to)
                                   : x_to;
    }

    __device__ void finish(int u, double sum) const
    {
        y[u] = sum;
    }
};

GRID_KERNEL spmv_kernel(cuda_graph_t g, cuda_loop_t loop, cuda_plan_t plan,
                        const double *x, double *y)
{
    __shared__ loop_shared_t shared;
    spmv_op_t op = {g, x, y};

    loop_run(op, {nullptr, nullptr, g.n_nodes}, loop, &plan, 0, &shared);
}

/* ---- the algorithm ---- */

status_t create(cuda_state_t *state)
{
    spmv_t *s = static_cast<spmv_t *>(state);
    const int64_t n = s->g.n_nodes;
    const size_t bytes = static_cast<size_t>(n) * sizeof(double);
    status_t st;

    if ((st = cuda_scratch_create(s, s->g.n_nodes)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &s->x)) != ST_OK ||
        (st = cuda_memory_new(&s->memory, n, &s->y)) != ST_OK ||
        (st = CUDA_TRY(cudaMemcpy(s->x, s->context.spec->x, bytes,
                                  cudaMemcpyHostToDevice))) != ST_OK)
        return st;
    if (s->loop.form != GRAPH_TEMPLATE_AUTO)
        return cuda_graph_plan(&s->memory, s->context.graph,
                               s->loop.form == GRAPH_MERGE_PATH, &s->plan);
    /* Rows without arcs are in no packet. */
    st = CUDA_TRY(cudaMemset(s->y, 0, bytes));
    return st == ST_OK ? create_packets(s) : st;
}

status_t launch(cuda_state_t *state, const graph_task_t *)
{
    spmv_t *s = static_cast<spmv_t *>(state);

    if (s->loop.form != GRAPH_TEMPLATE_AUTO)
        return grid_launch(spmv_kernel, cuda_cores(s), s->g, s->loop, s->plan, s->x,
                           s->y);
    if (s->g.value != nullptr)
        return launch_packets<REAL>(s);
    return s->g.weight != nullptr ? launch_packets<WHOLE>(s) : launch_packets<UNIT>(s);
}

status_t fetch(cuda_state_t *state, const graph_task_t *, graph_result_t *out)
{
    const spmv_t *s = static_cast<const spmv_t *>(state);

    out->n_iterations = 1;
    out->n_visited = s->context.graph->n_arcs;
    return cuda_get(static_cast<double *>(out->column[0]), s->y, s->g.n_nodes);
}

} // namespace

const cuda_algorithm_t cuda_spmv = {sizeof(spmv_t), false,  GRAPH_CHOICE_TEMPLATE,
                                    create,         launch, fetch,
                                    nullptr};
