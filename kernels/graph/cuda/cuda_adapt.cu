/*
 * cuda_adapt.cu - parameters of the adaptive runtime, and its log as text.
 */
#include "kernels/graph/cuda/cuda_adapt.cuh"

#include <algorithm>

namespace
{

/* T1, T2 and T3 of the method, and what else was tuned on an H200. */
constexpr double LOW_MEAN_DEGREE = 8;
constexpr uint32_t LOW_MAX_DEGREE = 64; /* a thread with a longer row keeps its warp */
constexpr double SMALL_SET_PER_CORE = 192;
constexpr double WIDE_ARCS_PER_CORE = 1024; /* bfs: merge-path, if a thread has an arc */
constexpr double LARGE_SET_FRACTION = 0.06;

/* Widths of buckets, in mean weights per mean degree: narrow ones relax fewer arcs twice,
 * wide ones have fewer barriers, which pays on small graphs with hubs. */
constexpr double DELTA = 8;
constexpr double LOW_DEGREE_DELTA = 128;
constexpr double HUB_DELTA = 256;
constexpr double HUB = 256; /* maximum by mean degree */
constexpr double HUB_NODES_PER_CORE = 12000;

constexpr uint32_t WARP_MEAN_DEGREE = 256; /* below it, a "block" is one warp */
constexpr double SKEW = 8; /* maximum by mean degree: above it, merge-path */

/* bfs: maximum by mean degree; above it, arcs of a level are counted.  Otherwise its
 * nodes are taken to have the mean degree: no hub makes their arcs many times as many. */
constexpr double COUNTED_SKEW = 32;

/* Graphs of low degree have many small levels, whose time is that of the barriers: one
 * block per core has threads enough for a level. */
constexpr int LOW_DEGREE_BLOCKS = 1;

/* Templates of loops over all nodes where the default is not the best; the first line
 * that fits is taken. */
constexpr struct {
    graph_algorithm_t algorithm;
    bool low_degree; /* only in graphs of low degree */
    uint32_t above;  /* maximum degree */
    graph_template_t form;
    uint32_t lb_threshold; /* 0: as it was */
} loop_rules[] = {
    /* The lanes of a warp that share a row contend for its root, so a thread takes a row
     * alone unless the others would wait for it. */
    {GRAPH_COMPONENTS, false, 1024, GRAPH_DBUF_GLOBAL, 1024},
    {GRAPH_COMPONENTS, false, 0, GRAPH_THREAD_MAPPED, 0},
    /* Rows of a few arcs have less work than a warp would share. */
    {GRAPH_TRIANGLES, true, 0, GRAPH_THREAD_MAPPED, 0},
};

void pin(graph_variant_t variant, adapt_t *a)
{
    const int k = static_cast<int>(variant) - GRAPH_O_T_BM; /* O, U; T, B; BM, QU */

    a->is_ordered = k < 4;
    a->may_pull = false;
    a->pinned = ((k & 2) != 0 ? ADAPT_BLOCKS : 0) | ((k & 1) == 0 ? ADAPT_BITMAP : 0);
}

double tuned(double asked, double measured)
{
    return asked > 0 ? asked : measured;
}

double mean_degree(const cuda_graph_t &g)
{
    return static_cast<double>(g.n_arcs) / std::max(g.n_nodes, 1);
}

bool has_low_degree(const cuda_graph_t &g, double low)
{
    return mean_degree(g) < low && g.max_degree <= LOW_MAX_DEGREE;
}

double bucket_width(const cuda_graph_t &g, bool low_degree, int n_cores)
{
    if (low_degree)
        return LOW_DEGREE_DELTA;
    return g.max_degree > HUB * mean_degree(g) && g.n_nodes < HUB_NODES_PER_CORE * n_cores
               ? HUB_DELTA
               : DELTA;
}

} // namespace

void adapt_loop(graph_algorithm_t algorithm, const cuda_graph_t &g, cuda_loop_t *loop)
{
    for (const auto &rule : loop_rules)
        if (loop->form == GRAPH_TEMPLATE_AUTO && rule.algorithm == algorithm &&
            g.max_degree > rule.above &&
            (!rule.low_degree || has_low_degree(g, LOW_MEAN_DEGREE))) {
            loop->form = rule.form;
            if (rule.lb_threshold > 0)
                loop->lb_threshold = rule.lb_threshold;
        }
}

adapt_t adapt_tune(graph_algorithm_t algorithm, const graph_run_t *run,
                   const cuda_graph_t &g, int n_cores)
{
    const graph_tuning_t &tuning = run->tuning;
    const double mean = mean_degree(g);
    const double wide_arcs = algorithm == GRAPH_SSSP ? 0 : WIDE_ARCS_PER_CORE;
    adapt_t a = {};

    a.pinned = -1;
    a.threads = GRAPH_THREAD_MAPPED;
    a.blocks = GRAPH_TEMPLATE_AUTO;
    a.wide = g.max_degree > tuned(tuning.skew, SKEW) * mean ? GRAPH_MERGE_PATH
                                                            : GRAPH_TEMPLATE_AUTO;
    a.small_set =
        static_cast<unsigned>(tuned(tuning.small_set, SMALL_SET_PER_CORE * n_cores));
    a.wide_set = static_cast<unsigned>(
        tuned(tuning.wide_set, std::min(static_cast<double>(a.small_set),
                                        wide_arcs * n_cores / std::max(mean, 1.0))));
    a.large_set =
        static_cast<unsigned>(tuned(tuning.large_set, LARGE_SET_FRACTION) * g.n_nodes);
    a.low_degree = has_low_degree(g, tuned(tuning.low_degree, LOW_MEAN_DEGREE));
    a.blocks_per_core = static_cast<int>(
        tuned(tuning.blocks_per_core, a.low_degree ? LOW_DEGREE_BLOCKS : 0));
    a.delta = tuned(tuning.delta, bucket_width(g, a.low_degree, n_cores));
    a.may_pull = run->loop_template == GRAPH_TEMPLATE_AUTO;
    a.counts_arcs =
        g.max_degree > COUNTED_SKEW * mean && run->variant == GRAPH_VARIANT_AUTO;
    a.mean_degree = static_cast<unsigned>(mean) + 1;
    if (run->variant != GRAPH_VARIANT_AUTO) {
        pin(run->variant, &a);
        a.blocks = a.wide =
            mean < WARP_MEAN_DEGREE ? GRAPH_WARP_MAPPED : GRAPH_BLOCK_MAPPED;
    }
    if (run->loop_template != GRAPH_TEMPLATE_AUTO)
        a.threads = a.blocks = a.wide = run->loop_template;
    return a;
}

status_t adapt_create(cuda_memory_t *m, graph_algorithm_t algorithm,
                      const graph_run_t *run, const cuda_graph_t &g,
                      const device_t *device, adapt_t *out)
{
    status_t st;

    *out = adapt_tune(algorithm, run, g, device->n_cores);
    if ((st = cuda_memory_new(m, ADAPT_LOG_ENTRIES, &out->log)) == ST_OK &&
        (st = cuda_memory_new(m, 1, &out->n_logged)) == ST_OK && run->tuning.replay > 0)
        st = cuda_memory_new(m, ADAPT_REPLAYED, &out->kept);
    return st;
}

status_t adapt_begin(adapt_t *a)
{
    a->replays = a->kept != nullptr && a->was_begun;
    a->was_begun = true;
    return CUDA_TRY(cudaMemsetAsync(a->n_logged, 0, sizeof(int)));
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
        else if ((e.choice & ADAPT_CLUSTER) != 0)
            st = buf_printf(out, "iteration %d: %u nodes: one cluster\n", e.iteration,
                            e.n_nodes);
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
