/*
 * cuda_adapt.cu - parameters of the adaptive runtime, and its log as text.
 */
#include "kernels/graph/cuda/cuda_adapt.cuh"

namespace
{

/* T1, T2 and T3 of the method: first values for an H200, not tuned yet. */
constexpr uint32_t LOW_MEAN_DEGREE = 8, LOW_MAX_DEGREE = 64;
constexpr unsigned SMALL_SET_PER_CORE = 192;
constexpr double LARGE_SET_FRACTION = 0.06;
constexpr uint32_t WARP_MEAN_DEGREE = 64; /* below it, a "block" is one warp */

void pin(graph_variant_t variant, adapt_t *a)
{
    const int k = static_cast<int>(variant) - GRAPH_O_T_BM; /* O, U; T, B; BM, QU */

    a->is_ordered = k < 4;
    a->may_pull = false;
    a->pinned = ((k & 2) != 0 ? ADAPT_BLOCKS : 0) | ((k & 1) == 0 ? ADAPT_BITMAP : 0);
}

} // namespace

status_t adapt_create(cuda_memory_t *m, const graph_run_t *run, const cuda_graph_t &g,
                      const device_t *device, adapt_t *out)
{
    const uint32_t mean = g.n_arcs / static_cast<uint32_t>(g.n_nodes > 0 ? g.n_nodes : 1);
    status_t st;

    *out = adapt_t{};
    out->pinned = -1;
    out->threads = GRAPH_THREAD_MAPPED;
    out->blocks = GRAPH_TEMPLATE_AUTO;
    out->small_set = SMALL_SET_PER_CORE * static_cast<unsigned>(device->n_cores);
    out->large_set = static_cast<unsigned>(LARGE_SET_FRACTION * g.n_nodes);
    out->low_degree = mean < LOW_MEAN_DEGREE && g.max_degree <= LOW_MAX_DEGREE;
    out->may_pull = run->loop_template == GRAPH_TEMPLATE_AUTO;
    if (run->variant != GRAPH_VARIANT_AUTO) {
        pin(run->variant, out);
        out->blocks = mean < WARP_MEAN_DEGREE ? GRAPH_WARP_MAPPED : GRAPH_BLOCK_MAPPED;
    }
    if (run->loop_template != GRAPH_TEMPLATE_AUTO)
        out->threads = out->blocks = run->loop_template;
    if ((st = cuda_memory_new(m, ADAPT_LOG_ENTRIES, &out->log)) == ST_OK)
        st = cuda_memory_new(m, 1, &out->n_logged);
    return st;
}

status_t adapt_print(const adapt_t &a, buf_t *out)
{
    adapt_entry_t entries[ADAPT_LOG_ENTRIES];
    int n = 0;
    status_t st = CUDA_TRY(cudaMemcpy(&n, a.n_logged, sizeof(n), cudaMemcpyDeviceToHost));

    if (st == ST_OK && n > 0)
        st =
            CUDA_TRY(cudaMemcpy(entries, a.log, static_cast<size_t>(n) * sizeof(*entries),
                                cudaMemcpyDeviceToHost));
    for (int k = 0; st == ST_OK && k < n; k++) {
        const adapt_entry_t &e = entries[k];

        if ((e.choice & ADAPT_PULL) != 0)
            st =
                buf_printf(out, "iteration %d: %u nodes: pull\n", e.iteration, e.n_nodes);
        else
            st = buf_printf(out, "iteration %d: %u nodes: %c_%c_%s\n", e.iteration,
                            e.n_nodes, a.is_ordered ? 'O' : 'U',
                            (e.choice & ADAPT_BLOCKS) != 0 ? 'B' : 'T',
                            (e.choice & ADAPT_BITMAP) != 0 ? "BM" : "QU");
    }
    if (st == ST_OK && n == ADAPT_LOG_ENTRIES)
        st = buf_printf(out, "(later choices were not logged)\n");
    return st;
}
