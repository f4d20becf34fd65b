/*
 * part_cuda.cu - the frame of the algorithms of a gang on GPUs: their states and
 * their times.
 */
#include "kernels/graph/part_cuda/part_cuda.cuh"

extern "C" {
#include "io/base/clock.h"
}

#include <cstdlib>

namespace
{

const part_cuda_algorithm_t *const algorithms[GRAPH_N_ALGORITHMS] = {
    /* GRAPH_BFS */ &part_cuda_bfs,
    /* GRAPH_SSSP */ nullptr,
    /* GRAPH_PAGERANK */ &part_cuda_pagerank,
    /* GRAPH_BETWEENNESS */ nullptr,
    /* GRAPH_SPMV */ nullptr,
    /* GRAPH_COMPONENTS */ &part_cuda_components,
};

const part_cuda_algorithm_t *algorithm(const part_cuda_t *c)
{
    return algorithms[c->context.spec->algorithm];
}

bool takes(graph_algorithm_t algorithm)
{
    return algorithms[algorithm] != nullptr;
}

constexpr int64_t MAX_ARCS = UINT32_MAX - (1 << 20); /* indexes beyond rows must fit */

void destroy(void *state)
{
    part_cuda_t *c = static_cast<part_cuda_t *>(state);

    if (c == nullptr)
        return;
    cudaSetDevice(c->context.device->index);
    cuda_memory_free(&c->memory);
    if (algorithm(c)->destroy != nullptr)
        algorithm(c)->destroy(c);
    part_comm_free(&c->comm);
    free(c->staged);
    free(c);
}

int64_t n_arcs_of(const csr_rows_t *rows)
{
    return rows->first != nullptr ? rows->first[rows->end - rows->begin] : 0;
}

status_t create(const part_context_t *context, void **state)
{
    const part_graph_t *p = context->graph;
    const size_t bytes = algorithms[context->spec->algorithm]->state_bytes;
    part_cuda_t *c;

    if (n_arcs_of(&p->out) > MAX_ARCS || n_arcs_of(&p->in) > MAX_ARCS) {
        log_error("a GPU takes at most %lld arcs of a divided graph; start more ranks",
                  static_cast<long long>(MAX_ARCS));
        return ST_EDEVICE;
    }
    if ((c = static_cast<part_cuda_t *>(calloc(1, bytes))) == nullptr)
        return log_nomem("a graph backend");
    c->context = *context;
    *state = c;
    return ST_OK;
}

status_t enter(part_cuda_t *c, gang_t *gang)
{
    c->comm.gang = gang;
    return CUDA_TRY(cudaSetDevice(c->context.device->index));
}

status_t begin(void *state, gang_t *gang, int64_t k)
{
    part_cuda_t *c = static_cast<part_cuda_t *>(state);
    const status_t st = enter(c, gang);

    return st == ST_OK ? algorithm(c)->begin(c, k) : st;
}

status_t step(void *state, gang_t *gang, int64_t k, part_step_report_t *out)
{
    part_cuda_t *c = static_cast<part_cuda_t *>(state);
    const double start = clock_now_s(), exchange_s = c->comm.seconds;
    const int64_t n_bytes = c->comm.n_bytes;
    status_t st = enter(c, gang);

    if (st == ST_OK && (st = algorithm(c)->step(c, k, out)) == ST_OK)
        st = CUDA_TRY(cudaDeviceSynchronize());
    out->seconds = clock_now_s() - start;
    out->exchange_s = c->comm.seconds - exchange_s;
    out->n_bytes = c->comm.n_bytes - n_bytes;
    return st;
}

status_t fetch(void *state)
{
    part_cuda_t *c = static_cast<part_cuda_t *>(state);
    const status_t st = CUDA_TRY(cudaSetDevice(c->context.device->index));

    return st == ST_OK ? algorithm(c)->fetch(c) : st;
}

} // namespace

extern "C" const part_backend_t part_cuda_backend = {
    /* .base = */ {/* .name = */ "cuda", /* .kind = */ DEVICE_CUDA, /* .rate = */ 5e9},
    /* .takes = */ takes,
    /* .create = */ create,
    /* .begin = */ begin,
    /* .step = */ step,
    /* .fetch = */ fetch,
    /* .destroy = */ destroy,
};
