/*
 * part_cuda_state.cu - what the algorithms of a gang on GPUs share: rows and loops on the
 * device, and exchanges of what is there.
 */
#include "kernels/graph/part_cuda/part_cuda.cuh"

extern "C" {
#include "io/base/clock.h"
}

#include <cstdlib>

namespace
{

constexpr uint32_t LB_THRESHOLD = 32;

/* @return the bytes up to the end of the last block */
int64_t extent(int n_ranks, const int64_t *len, const int64_t *at)
{
    int64_t end = 0;

    for (int r = 0; r < n_ranks; r++)
        end = at[r] + len[r] > end ? at[r] + len[r] : end;
    return end;
}

status_t reserve_staged(part_cuda_t *c, int64_t bytes)
{
    if (static_cast<size_t>(bytes) <= c->staged_bytes)
        return ST_OK;
    free(c->staged);
    c->staged_bytes = 0;
    if ((c->staged = malloc(static_cast<size_t>(bytes))) == nullptr)
        return log_nomem("an exchange");
    c->staged_bytes = static_cast<size_t>(bytes);
    return ST_OK;
}

/* Copy a rank's block for itself, where there is no other rank. */
status_t copy_own(void *to, const void *from, int64_t len)
{
    return to == from || len == 0
               ? ST_OK
               : CUDA_TRY(cudaMemcpy(to, from, static_cast<size_t>(len),
                                     cudaMemcpyDeviceToDevice));
}

/* Copy what arrived from each rank to the device. */
status_t put_received(char *out, const char *from, int n_ranks, const int64_t *len,
                      const int64_t *at)
{
    status_t st = ST_OK;

    for (int r = 0; st == ST_OK && r < n_ranks; r++)
        if (len[r] > 0)
            st = part_cuda_put(out + at[r], from + at[r], len[r]);
    return st;
}

} // namespace

status_t part_cuda_exchange(part_cuda_t *c, const void *in, const int64_t *send_len,
                            const int64_t *send_at, void *out, const int64_t *recv_len,
                            const int64_t *recv_at)
{
    gang_t *g = c->comm.gang;
    const int64_t sent = extent(g->n_ranks, send_len, send_at);
    const int64_t received = extent(g->n_ranks, recv_len, recv_at);
    status_t st = CUDA_TRY(cudaDeviceSynchronize());
    const double start = clock_now_s();

    if (st != ST_OK)
        return st;
    if (g->memory == GANG_DEVICE) {
        st = g->alltoallv(g, in, send_len, send_at, out, recv_len, recv_at);
    } else if (g->n_ranks == 1) {
        st = copy_own(static_cast<char *>(out) + recv_at[0],
                      static_cast<const char *>(in) + send_at[0], send_len[0]);
    } else if ((st = reserve_staged(c, sent + received + 1)) == ST_OK) {
        char *from = static_cast<char *>(c->staged), *to = from + sent;

        if ((st = part_cuda_get(from, in, sent)) == ST_OK &&
            (st = g->alltoallv(g, from, send_len, send_at, to, recv_len, recv_at)) ==
                ST_OK)
            st =
                put_received(static_cast<char *>(out), to, g->n_ranks, recv_len, recv_at);
    }
    for (int r = 0; r < g->n_ranks; r++)
        c->comm.n_bytes += r != g->rank ? send_len[r] : 0;
    c->comm.seconds += clock_now_s() - start;
    return st;
}

status_t part_cuda_gather(part_cuda_t *c, const void *in, const int64_t *len, void *out,
                          const int64_t *at)
{
    gang_t *g = c->comm.gang;
    const int64_t own = len[g->rank], all = extent(g->n_ranks, len, at);
    status_t st = CUDA_TRY(cudaDeviceSynchronize());
    const double start = clock_now_s();

    if (st != ST_OK)
        return st;
    if (g->memory == GANG_DEVICE) {
        st = g->allgatherv(g, in, len, out, at);
    } else if (g->n_ranks == 1) {
        st = copy_own(static_cast<char *>(out) + at[0], in, own);
    } else if ((st = reserve_staged(c, own + all + 1)) == ST_OK) {
        char *from = static_cast<char *>(c->staged), *to = from + own;

        if ((st = part_cuda_get(from, in, own)) == ST_OK &&
            (st = g->allgatherv(g, from, len, to, at)) == ST_OK)
            st = part_cuda_put(out, to, all);
    }
    c->comm.n_bytes += own * (g->n_ranks - 1);
    c->comm.seconds += clock_now_s() - start;
    return st;
}

status_t part_cuda_put_rows(part_cuda_t *c, const csr_rows_t *rows, cuda_graph_t *out)
{
    csr_t g = {};

    g.n_nodes = rows->end - rows->begin;
    g.n_arcs = rows->first[g.n_nodes];
    g.first = rows->first;
    g.to = rows->to;
    return cuda_graph_put(&c->memory, &g, out);
}

status_t part_cuda_create_loop(part_cuda_t *c, const cuda_graph_t &rows, cuda_loop_t *out)
{
    const int64_t n = loop_list_size(rows.n_nodes, rows.n_arcs);
    cuda_loop_t loop = {};
    status_t st;

    loop.form = GRAPH_TEMPLATE_AUTO;
    loop.lb_threshold = LB_THRESHOLD;
    adapt_loop(c->context.spec->algorithm, rows, &loop);
    if ((st = cuda_memory_new(&c->memory, n, &loop.small)) == ST_OK &&
        (st = cuda_memory_new(&c->memory, n, &loop.large)) == ST_OK &&
        (st = cuda_memory_new(&c->memory, n, &loop.start)) == ST_OK)
        st = cuda_memory_new(&c->memory, 3, &loop.tail);
    *out = loop;
    return st;
}

status_t part_cuda_reset_loop(const cuda_loop_t &loop)
{
    return CUDA_TRY(cudaMemset(loop.tail, 0, 3 * sizeof(*loop.tail)));
}
