/*
 * part_cuda_pagerank.cu - PageRank on the GPUs of several ranks.
 *
 * Rows are added up as in one process (cuda_loop.cuh); then a thread block adds up the
 * changes and the dangling ranks of one block of nodes at a time.
 */
#include "kernels/graph/part_cuda/part_cuda.cuh"

extern "C" {
#include "kernels/graph/part/part_halo.h"
}

#include <cstdlib>

namespace
{

/* Passed to kernels by value. */
struct ranks_t {
    const uint32_t *out_first;        /* [own + 1] of the arcs out of a node */
    double *rank, *change, *dangling; /* [own] */
    const double *share;              /* [own + ghosts] */
    double *next_share;               /* likewise */
    part_sums_t *sums;                /* [own blocks] */
    int64_t block;                    /* nodes */
    double damping, base;
};

struct pagerank_t : part_cuda_t {
    part_halo_t halo;
    cuda_graph_t in;
    cuda_plan_t plan;
    cuda_loop_t loop;
    ranks_t ranks;
    double *share[2];
    const int *sent;   /* [halo.n_sent] */
    double *packed;    /* likewise */
    part_sums_t *all;  /* [blocks] on the device */
    part_sums_t *host; /* [blocks] */
    int64_t *places;   /* [2][n_ranks] of part_sums_places */
    part_sums_t total;
};

struct rank_op_t {
    typedef no_value_t value_t;
    static constexpr bool is_sum = true;
    cuda_graph_t g;
    ranks_t s;

    __device__ bool begin(int u, cuda_row_t<no_value_t> *row) const
    {
        row_begin(g, u, row);
        return true;
    }

    __device__ double term(uint32_t a) const
    {
        return s.share[g.to[a]];
    }

    /* Divide a rank among the arcs of a node. */
    __device__ void divide(int u, double rank) const
    {
        const uint32_t degree = s.out_first[u + 1] - s.out_first[u];

        s.rank[u] = rank;
        s.dangling[u] = degree > 0 ? 0 : rank;
        s.next_share[u] = degree > 0 ? __ddiv_rn(rank, static_cast<double>(degree)) : 0;
    }

    __device__ void finish(int u, double sum) const
    {
        const double rank = __dadd_rn(s.base, __dmul_rn(s.damping, sum));

        s.change[u] = fabs(__dadd_rn(rank, -s.rank[u]));
        divide(u, rank);
    }
};

__device__ double sum_block(const double *x, int64_t begin, int64_t end,
                            loop_shared_t *shared)
{
    return row_sum_block([&](uint32_t u) { return grid_read(&x[u]); },
                         static_cast<uint32_t>(begin), static_cast<uint32_t>(end),
                         shared->sums);
}

/* Update the ranks, or divide them as they are. */
GRID_KERNEL rank_kernel(cuda_graph_t in, cuda_loop_t loop, cuda_plan_t plan, ranks_t s,
                        bool updates)
{
    __shared__ loop_shared_t shared;
    rank_op_t op = {in, s};

    if (updates) {
        loop_run(op, {nullptr, nullptr, in.n_nodes}, loop, &plan, 0, &shared);
    } else {
        for (int64_t u = grid_thread(); u < in.n_nodes; u += grid_n_threads()) {
            s.change[u] = 0;
            op.divide(static_cast<int>(u), s.rank[u]);
        }
    }
    grid_sync();
    for (int64_t b = blockIdx.x; b * s.block < in.n_nodes; b += gridDim.x) {
        const int64_t begin = b * s.block;
        const int64_t end = min(begin + s.block, static_cast<int64_t>(in.n_nodes));
        const double change = sum_block(s.change, begin, end, &shared);
        const double dangling = sum_block(s.dangling, begin, end, &shared);

        if (threadIdx.x == 0) {
            s.sums[b].change = change;
            s.sums[b].dangling = dangling;
        }
    }
}

__global__ void pack_kernel(const int *sent, int64_t n, const double *share,
                            double *packed)
{
    for (int64_t i = grid_thread(); i < n; i += grid_n_threads())
        packed[i] = share[sent[i]];
}

/* Compute this rank's part, then the sums of all. */
status_t run_kernel(pagerank_t *s, bool updates)
{
    const part_graph_t *p = s->context.graph;
    const int64_t n_blocks = part_graph_n_blocks(p->n_nodes);
    int64_t *len = s->places, *at = len + p->n_ranks;
    status_t st;

    if ((st = part_cuda_reset_loop(s->loop)) != ST_OK ||
        (st = grid_launch(rank_kernel, part_cuda_cores(s), s->in, s->loop, s->plan,
                          s->ranks, updates)) != ST_OK)
        return st;
    part_sums_places(p, len, at);
    if ((st = part_cuda_gather(s, s->ranks.sums, len, s->all, at)) != ST_OK ||
        (st = part_cuda_get(s->host, s->all, n_blocks)) != ST_OK)
        return st;
    s->total = part_sums_add_up(p, s->host);
    return ST_OK;
}

status_t put_graph(pagerank_t *s, const csr_rows_t *in)
{
    const part_graph_t *p = s->context.graph;
    const int64_t n_own = part_graph_n_own(p);
    csr_rows_t out = p->out;
    cuda_graph_t degrees = {};
    csr_t rows = {};
    status_t st;

    rows.n_nodes = n_own;
    rows.n_arcs = in->first[n_own];
    rows.first = in->first;
    rows.to = in->to;
    if ((st = part_cuda_put_rows(s, in, &s->in)) != ST_OK ||
        (st = part_cuda_create_loop(s, s->in, &s->loop)) != ST_OK ||
        (st = cuda_graph_plan(&s->memory, &rows, s->loop.form == GRAPH_MERGE_PATH,
                              &s->plan)) != ST_OK)
        return st;
    s->ranks.out_first = s->in.first;
    if (p->is_symmetric)
        return ST_OK;
    uint32_t *first =
        static_cast<uint32_t *>(malloc(static_cast<size_t>(n_own + 1) * sizeof(*first)));

    if (first == nullptr)
        return log_nomem("PageRank");
    for (int64_t u = 0; u <= n_own; u++)
        first[u] = static_cast<uint32_t>(out.first[u]);
    st = cuda_memory_put(&s->memory, first, n_own + 1, &degrees.first);
    s->ranks.out_first = degrees.first;
    free(first);
    return st;
}

status_t create_arrays(pagerank_t *s)
{
    const part_graph_t *p = s->context.graph;
    const int64_t n_own = part_graph_n_own(p), n_all = n_own + s->halo.n_ghosts;
    const int64_t n_blocks = part_graph_n_blocks(p->n_nodes);
    cuda_memory_t *m = &s->memory;
    status_t st;

    s->host = static_cast<part_sums_t *>(
        calloc(static_cast<size_t>(n_blocks) + 1, sizeof(*s->host)));
    s->places = static_cast<int64_t *>(
        calloc(2 * static_cast<size_t>(p->n_ranks), sizeof(*s->places)));
    if (s->host == nullptr || s->places == nullptr)
        return log_nomem("PageRank");
    if ((st = cuda_memory_new(m, n_own, &s->ranks.rank)) == ST_OK &&
        (st = cuda_memory_new(m, n_own, &s->ranks.change)) == ST_OK &&
        (st = cuda_memory_new(m, n_own, &s->ranks.dangling)) == ST_OK &&
        (st = cuda_memory_new(m, n_all, &s->share[0])) == ST_OK &&
        (st = cuda_memory_new(m, n_all, &s->share[1])) == ST_OK &&
        (st = cuda_memory_new(m, n_blocks, &s->ranks.sums)) == ST_OK &&
        (st = cuda_memory_new(m, n_blocks, &s->all)) == ST_OK &&
        (st = cuda_memory_new(m, s->halo.n_sent, &s->packed)) == ST_OK)
        st = cuda_memory_put(m, s->halo.sent, s->halo.n_sent, &s->sent);
    return st;
}

status_t begin(part_cuda_t *state, int64_t k)
{
    pagerank_t *s = static_cast<pagerank_t *>(state);
    part_graph_t *p = s->context.graph;
    csr_rows_t *in = part_graph_in(p);
    double *rank = static_cast<double *>(s->context.column[0]);
    const int64_t n_own = part_graph_n_own(p);
    status_t st = part_halo_create(p, in, &s->comm, &s->halo);

    if (st != ST_OK || (st = put_graph(s, in)) != ST_OK ||
        (st = create_arrays(s)) != ST_OK)
        return st;
    for (int64_t u = 0; k == 0 && u < n_own; u++)
        rank[u] = 1 / static_cast<double>(p->n_nodes);
    if ((st = part_cuda_put(s->ranks.rank, rank, n_own)) != ST_OK)
        return st;
    s->ranks.damping = s->context.spec->damping;
    s->ranks.block = p->block;
    s->ranks.next_share = s->share[0];
    return run_kernel(s, false);
}

status_t step(part_cuda_t *state, int64_t k, part_step_report_t *out)
{
    pagerank_t *s = static_cast<pagerank_t *>(state);
    const part_graph_t *p = s->context.graph;
    const graph_spec_t *spec = s->context.spec;
    part_halo_t *h = &s->halo;
    double *share = s->ranks.next_share; /* of the step before */
    status_t st;

    st = grid_launch_each(pack_kernel, static_cast<int>(h->n_sent / GRID_THREADS + 1),
                          s->sent, h->n_sent, share, s->packed);
    if (st == ST_OK)
        st = part_cuda_exchange(s, s->packed, h->send_bytes, h->send_bytes_at,
                                share + h->n_own, h->recv_bytes, h->recv_bytes_at);
    if (st != ST_OK)
        return st;
    s->ranks.share = share;
    s->ranks.next_share = share == s->share[0] ? s->share[1] : s->share[0];
    s->ranks.base = part_sums_base(spec, p->n_nodes, &s->total);
    if ((st = run_kernel(s, true)) != ST_OK)
        return st;
    out->is_over = k + 1 >= spec->max_iterations || !(s->total.change >= spec->tolerance);
    out->n_visited = s->in.n_arcs;
    return ST_OK;
}

status_t fetch(part_cuda_t *state)
{
    const pagerank_t *s = static_cast<const pagerank_t *>(state);

    return part_cuda_get(static_cast<double *>(s->context.column[0]), s->ranks.rank,
                         s->halo.n_own);
}

void destroy(part_cuda_t *state)
{
    pagerank_t *s = static_cast<pagerank_t *>(state);

    part_halo_free(&s->halo);
    free(s->host);
    free(s->places);
}

} // namespace

const part_cuda_algorithm_t part_cuda_pagerank = {sizeof(pagerank_t), begin, step, fetch,
                                                  destroy};
