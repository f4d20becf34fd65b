/*
 * cuda_spmv.cu - sparse matrix times vector, in the shape of tree_sum.h.
 *
 * The matrix is copied into the quads of row_packets.h, so that a lane reads four
 * neighboring arcs at once; a warp adds up a packet.
 *
 * Each arc reads one number of the vector, and all of a large graph's do not fit into a
 * multiprocessor: what bounds the product is how fast the second-level cache gives them.
 * If many arcs lead to few columns, the numbers of these are copied into the shared
 * memory of each multiprocessor, whose warps then take one packet after the other.
 *
 * With a template, the loops of cuda_loop.cuh run over the rows.
 */
#include "kernels/graph/cuda/cuda_spmv.cuh"

extern "C" {
#include "kernels/graph/common/row_packets.h"
}

namespace
{

/* Passed to kernels by value. */
struct packets_t {
    int64_t n;
    const row_packet_t *packet;  /* [n] */
    const uint32_t *piece_first; /* [n_pieces + 1] */
    const int *target;           /* [n_pieces] */
    int4 *to;          /* by quad: nodes, or numbers of row_packets.h; -1: absent */
    int4 *weight;      /* by quad, or nullptr */
    double2 *value[2]; /* by quad the first two and the others, or nullptr */
    double *sums;
    int n_cut;                     /* rows of several pieces */
    const int *cut_node, *cut_sum; /* [n_cut], [n_cut + 1] */
};

struct hot_t {
    int n;
    const int *node; /* [n] */
    double *x;       /* [n] copies */
};

struct spmv_t : cuda_state_t {
    cuda_plan_t plan;
    packets_t packets;
    hot_t hot;
    double *x, *y; /* [n_nodes] */
};

/* ---- the default: packets ---- */

/* The quad of a lane, in the row or piece that it belongs to. */
struct place_t {
    uint32_t piece; /* of the packet */
    uint32_t index;
    int end; /* the lane after the last one of the piece */
};

__device__ inline place_t place_of(const row_packet_t &p)
{
    const unsigned until = ALL_LANES >> (31 - grid_lane());
    const unsigned after = p.heads & ~until;
    place_t at;

    at.piece = static_cast<uint32_t>(__popc(p.heads & until)) - 1;
    at.index = static_cast<uint32_t>(grid_lane() -
                                     (31 - __clz(static_cast<int>(p.heads & until))));
    at.end =
        after != 0 ? __ffs(static_cast<int>(after)) - 1 : static_cast<int>(p.n_quads);
    return at;
}

/* Copy the arcs into quads; a warp per packet.
 * @param number  of row_packets.h, or nullptr */
__global__ void pack_kernel(cuda_graph_t g, packets_t p, const int *number)
{
    const int64_t k = grid_warp();
    row_packet_t packet = {};
    place_t at;
    uint32_t a[QUAD_ARCS], quad;
    int to[QUAD_ARCS];

    if (k < p.n)
        packet = p.packet[k];
    if (grid_lane() >= packet.n_quads)
        return;
    at = place_of(packet);
    quad = packet.quad + static_cast<uint32_t>(grid_lane());
    for (uint32_t i = 0; i < QUAD_ARCS; i++) {
        const uint32_t *first = p.piece_first + packet.piece + at.piece;

        a[i] = first[0] + at.index * QUAD_ARCS + i;
        to[i] = a[i] >= first[1]    ? -1
                : number != nullptr ? number[g.to[a[i]]]
                                    : g.to[a[i]];
        a[i] = min(a[i], first[1] - 1);
    }
    p.to[quad] = {to[0], to[1], to[2], to[3]};
    if (g.value != nullptr) {
        p.value[0][quad] = {g.value[a[0]], g.value[a[1]]};
        p.value[1][quad] = {g.value[a[2]], g.value[a[3]]};
    } else if (g.weight != nullptr) {
        p.weight[quad] = {g.weight[a[0]], g.weight[a[1]], g.weight[a[2]], g.weight[a[3]]};
    }
}

/* The vector, and copies of its hot numbers. */
struct vector_t {
    const double *x, *hot;
    int n_nodes;

    __device__ double at(int to) const
    {
        if (hot != nullptr && to >= n_nodes)
            return hot[to - n_nodes];
        return to >= 0 ? __ldg(&x[to]) : 0;
    }
};

enum weights_t { UNIT, WHOLE, REAL };

/* A packet, and the quad of a lane. */
template <weights_t W> struct stage_t {
    row_packet_t packet;
    int target; /* of the lane's piece */
    int4 to, weight;
    double2 value[2];

    __device__ void read_packet(const packets_t &p, int64_t k)
    {
        packet = k < p.n ? p.packet[k] : row_packet_t{};
    }

    /* Nothing here waits for another read, but those of the packet. */
    __device__ void read_quad(const packets_t &p)
    {
        const uint32_t quad = packet.quad + static_cast<uint32_t>(grid_lane());
        const uint32_t piece = place_of(packet).piece;

        to = {-1, -1, -1, -1};
        if (grid_lane() >= packet.n_quads)
            return;
        to = __ldcs(&p.to[quad]);
        if (W == WHOLE)
            weight = __ldcs(&p.weight[quad]);
        if (W == REAL) {
            value[0] = __ldcs(&p.value[0][quad]);
            value[1] = __ldcs(&p.value[1][quad]);
        }
        target = packet.is_plain
                     ? __ldg(&p.target[packet.piece]) + static_cast<int>(piece)
                     : __ldg(&p.target[packet.piece + piece]);
    }

    __device__ double term(int to_node, double weight_of, double x_to) const
    {
        if (W == UNIT)
            return x_to;
        return to_node >= 0 ? __dmul_rn(weight_of, x_to) : 0;
    }

    /* @return the sum of the lane's quad */
    __device__ double sum(const vector_t &v) const
    {
        const double x[] = {v.at(to.x), v.at(to.y), v.at(to.z), v.at(to.w)};
        double w[QUAD_ARCS] = {1, 1, 1, 1};

        if (W == REAL)
            w[0] = value[0].x, w[1] = value[0].y, w[2] = value[1].x, w[3] = value[1].y;
        if (W == WHOLE)
            w[0] = weight.x, w[1] = weight.y, w[2] = weight.z, w[3] = weight.w;
        return __dadd_rn(__dadd_rn(term(to.x, w[0], x[0]), term(to.y, w[1], x[1])),
                         __dadd_rn(term(to.z, w[2], x[2]), term(to.w, w[3], x[3])));
    }

    /* Add up the pieces of the packet; all lanes take part. */
    __device__ void finish(const packets_t &p, const vector_t &v, double *y) const
    {
        const place_t at = place_of(packet);
        double total = sum(v);

        for (int k = 1; k < PACKET_QUADS; k *= 2) {
            const double next = __shfl_down_sync(ALL_LANES, total, k);

            if (at.index % static_cast<uint32_t>(2 * k) == 0 && grid_lane() + k < at.end)
                total = __dadd_rn(total, next);
        }
        if (at.index != 0 || grid_lane() >= at.end)
            return;
        if (target >= 0)
            y[target] = __dadd_rn(total, 0);
        else
            p.sums[-1 - target] = total;
    }
};

enum { PACKET_THREADS = 128, HOT_THREADS = 1024, HOT_WARPS = HOT_THREADS / 32 };

/* A warp per packet. */
template <weights_t W>
__global__ void __launch_bounds__(PACKET_THREADS)
    packets_kernel(packets_t p, const double *x, double *y)
{
    const vector_t v = {x, nullptr, 0};
    stage_t<W> now;

    now.read_packet(p, static_cast<int64_t>(blockIdx.x) * (PACKET_THREADS / 32) +
                           threadIdx.x / 32);
    if (now.packet.n_quads == 0)
        return;
    now.read_quad(p);
    now.finish(p, v, y);
}

__global__ void copy_hot_kernel(hot_t hot, const double *x)
{
    for (int64_t k = grid_thread(); k < hot.n; k += grid_n_threads())
        hot.x[k] = x[hot.node[k]];
}

/* A block per multiprocessor; while a warp adds up a packet, it reads the next one's
 * quads and the packet after that. */
template <weights_t W>
__global__ void __launch_bounds__(HOT_THREADS, 1)
    hot_packets_kernel(packets_t p, hot_t hot, const double *x, double *y, int n_nodes)
{
    extern __shared__ double hot_x[];
    const vector_t v = {x, hot_x, n_nodes};
    const int64_t step = static_cast<int64_t>(gridDim.x) * HOT_WARPS;
    int64_t k = static_cast<int64_t>(blockIdx.x) * HOT_WARPS + threadIdx.x / 32;
    stage_t<W> now, next;

    now.read_packet(p, k);
    next.read_packet(p, k + step);
    now.read_quad(p);
    for (int i = static_cast<int>(threadIdx.x); i < hot.n; i += HOT_THREADS)
        hot_x[i] = hot.x[i];
    __syncthreads();
    for (; k < p.n; k += step) {
        stage_t<W> after;

        after.read_packet(p, k + 2 * step);
        next.read_quad(p);
        now.finish(p, v, y);
        now = next;
        next.packet = after.packet;
    }
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

template <typename... P, typename... A>
status_t launch_sized(void (*kernel)(P...), int64_t blocks, int threads, int shared_bytes,
                      A... arguments)
{
    cudaLaunchConfig_t config = {};

    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<size_t>(shared_bytes);
    return CUDA_TRY(cudaLaunchKernelEx(&config, kernel, arguments...));
}

template <weights_t W> status_t launch_hot(const spmv_t *s)
{
    const int bytes = s->hot.n * static_cast<int>(sizeof(double));
    status_t st = CUDA_TRY(
        cudaFuncSetAttribute(hot_packets_kernel<W>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));

    if (st == ST_OK)
        st = grid_launch_each(copy_hot_kernel, cuda_cores(s), s->hot, s->x);
    return st == ST_OK ? launch_sized(hot_packets_kernel<W>, cuda_cores(s), HOT_THREADS,
                                      bytes, s->packets, s->hot, s->x, s->y, s->g.n_nodes)
                       : st;
}

template <weights_t W> status_t launch_packets(const spmv_t *s)
{
    const packets_t &p = s->packets;
    status_t st = s->hot.n > 0
                      ? launch_hot<W>(s)
                      : launch_sized(packets_kernel<W>, p.n / (PACKET_THREADS / 32) + 1,
                                     PACKET_THREADS, 0, p, s->x, s->y);

    if (st == ST_OK && p.n_cut > 0)
        st = grid_launch_each(cut_kernel, p.n_cut / GRID_WARPS + 1, p, s->y);
    return st;
}

status_t put_packets(cuda_memory_t *m, const row_packets_t &host, packets_t *out)
{
    status_t st;

    out->n = host.n_packets;
    out->n_cut = host.n_cut;
    if ((st = cuda_memory_put(m, host.packet, host.n_packets, &out->packet)) == ST_OK &&
        (st = cuda_memory_put(m, host.piece_first, host.n_pieces + 1,
                              &out->piece_first)) == ST_OK &&
        (st = cuda_memory_put(m, host.target, host.n_pieces, &out->target)) == ST_OK &&
        (st = cuda_memory_put(m, host.cut_node, host.n_cut, &out->cut_node)) == ST_OK &&
        (st = cuda_memory_put(m, host.cut_sum, host.n_cut + 1, &out->cut_sum)) == ST_OK &&
        (st = cuda_memory_new(m, host.n_sums, &out->sums)) == ST_OK)
        st = cuda_memory_new(m, host.n_quads, &out->to);
    return st;
}

/* Make the packets, and copy the arcs of the device into them. */
status_t create_packets(spmv_t *s, const int *number)
{
    const cuda_graph_t &g = s->g;
    cuda_memory_t *m = &s->memory;
    packets_t *p = &s->packets;
    row_packets_t host;
    uint32_t n_quads;
    status_t st = row_packets_create(s->context.graph, &host);

    if (st != ST_OK)
        return st;
    n_quads = host.n_quads;
    st = put_packets(m, host, p);
    row_packets_free(&host);
    for (int k = 0; st == ST_OK && g.value != nullptr && k < 2; k++)
        st = cuda_memory_new(m, n_quads, &p->value[k]);
    if (st == ST_OK && g.value == nullptr && g.weight != nullptr)
        st = cuda_memory_new(m, n_quads, &p->weight);
    return st == ST_OK
               ? grid_launch_each(pack_kernel, static_cast<int>(p->n / GRID_WARPS) + 1, g,
                                  *p, number)
               : st;
}

/* Copies pay if they are read often, and by many of the arcs. */
bool hot_pays(const csr_t *g, const hot_columns_t &hot)
{
    enum { LEAST_READS = 16, LEAST_SHARE = 5 };

    return hot.n_arcs >= static_cast<int64_t>(hot.n) * LEAST_READS &&
           hot.n_arcs >= g->n_arcs / LEAST_SHARE;
}

/* Choose hot columns, for five sixths of the shared memory: the rest is left to the
 * cache.
 * @param number  on the device, or nullptr if copies do not pay */
status_t create_hot(spmv_t *s, const int **number)
{
    const csr_t *g = s->context.graph;
    cuda_memory_t *m = &s->memory;
    hot_columns_t host;
    int bytes = 0, max;
    status_t st =
        CUDA_TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                        s->context.device->index));

    *number = nullptr;
    max = bytes / 6 * 5 / static_cast<int>(sizeof(double));
    if (st != ST_OK || g->n_arcs == 0 || g->n_nodes > INT32_MAX - max)
        return st;
    if ((st = hot_columns_create(g, max, &host)) != ST_OK)
        return st;
    if (hot_pays(g, host)) {
        s->hot.n = host.n;
        if ((st = cuda_memory_put(m, host.node, host.n, &s->hot.node)) == ST_OK &&
            (st = cuda_memory_new(m, host.n, &s->hot.x)) == ST_OK)
            st = cuda_memory_put(m, host.number, g->n_nodes, number);
    }
    hot_columns_free(&host);
    return st;
}

/* ---- by the loop templates ---- */

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
    const int *number;
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
    if ((st = CUDA_TRY(cudaMemset(s->y, 0, bytes))) == ST_OK)
        st = create_hot(s, &number);
    return st == ST_OK ? create_packets(s, number) : st;
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
