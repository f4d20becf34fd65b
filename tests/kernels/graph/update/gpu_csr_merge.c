/*
 * gpu_csr_merge.c - graphs that are updated on a GPU are those of the CPU.
 *
 * usage: gpu_csr_merge [SCALE]: without SCALE random graphs; with it, an R-MAT graph of
 * 2^SCALE nodes from which a million arcs are removed, and to which they are added: the
 * fastest of five, beside building the graph again.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if any
 * graph differs, 77 without a GPU.
 */
#include "io/base/clock.h"
#include "io/graphfile/make/graph_make.h"
#include "kernels/graph/update/csr_merge_gpu.h"
#include "tests/support/gpu_case.h"
#include "tests/support/update_case.h"

enum { CASES = 300, TIMES = 5, MILLION = 1000000 };

static int compare(pool_t *pool, csr_merge_gpu_t *gpu)
{
    rng_t rng = rng_seed(1);
    int n_failed = 0;

    for (int i = 0; i < CASES; i++) {
        const bool is_large = i % 50 == 49;
        const update_case_t c = {
            .n_ids = 1 + (int64_t)rng_below(&rng, is_large ? 100000 : 90),
            .n_edges = (int64_t)rng_below(&rng, is_large ? 1000000 : 1500),
            .n_changes = (int64_t)rng_below(&rng, is_large ? 100000 : 120),
            .numbers = i % 4,
            .is_spread = i % 3 == 0};

        if (!update_case_agrees(&rng, &c, pool, csr_merge_on_gpu, gpu)) {
            printf("case %d: FAILED\n", i);
            n_failed++;
        }
    }
    printf("%d of %d graphs differ\n", n_failed, CASES);
    return n_failed > 0;
}

/* Update five times on the CPU, and five times on the GPU.
 * @param got  the updated graph @return whether the last ones of both are equal */
static bool update(const char *what, const csr_t *g, csr_update_t *how, pool_t *pool,
                   csr_merge_gpu_t *gpu, csr_t *got)
{
    double cpu_s = 1e9, kernels_s = 1e9, copying_s = 0;
    csr_t want = {0};
    bool good = true;

    for (int i = 0; good && i < 2 * TIMES; i++) {
        const bool on_gpu = i >= TIMES;
        csr_t *to = on_gpu ? got : &want;
        const double begin = clock_now_s();
        csr_changes_t changes = {0};

        how->merge = on_gpu ? csr_merge_on_gpu : NULL;
        how->ctx = gpu;
        csr_free(to);
        good = csr_update(g, how, pool, to, &changes) == ST_OK;
        csr_changes_free(&changes);
        if (!on_gpu && clock_now_s() - begin < cpu_s)
            cpu_s = clock_now_s() - begin;
        if (on_gpu && gpu->seconds < kernels_s) {
            kernels_s = gpu->seconds;
            copying_s = gpu->copying_s;
        }
    }
    good = good && update_case_same(got, &want);
    printf("%s a million arcs: kernels %.3f ms, %.0f M/s; copying %.1f ms; the CPU, with "
           "sorting them, %.1f ms%s\n",
           what, 1e3 * kernels_s, MILLION / kernels_s / 1e6, 1e3 * copying_s, 1e3 * cpu_s,
           good ? "" : ": FAILED");
    csr_free(&want);
    return good;
}

static int measure(int scale, pool_t *pool, csr_merge_gpu_t *gpu)
{
    const graph_make_options_t rmat = {.kind = GRAPH_MAKE_RMAT,
                                       .seed = 1,
                                       .scale = scale,
                                       .edge_factor = 16};
    const csr_options_t as_given = {0};
    csr_change_t change = {.path = "changes"};
    csr_update_t remove = {.remove = &change}, add = {.add = &change};
    graph_edges_t edges = {0};
    csr_t g = {0}, less = {0}, more = {0};
    bool good = graph_make(&rmat, pool, &edges) == ST_OK &&
                graph_edges_create(MILLION, false, false, &change.edges) == ST_OK;
    double begin;

    for (int64_t i = 0; good && i < MILLION / 2; i++) { /* edges, of two arcs */
        const int64_t k = i * (edges.n / (MILLION / 2));

        good = graph_edges_add(&change.edges, edges.source[k], edges.target[k]) == ST_OK;
    }
    begin = clock_now_s();
    good = good && csr_build(&edges, &as_given, pool, &g) == ST_OK;
    if (good)
        printf("%lld arcs, built in %.1f ms\n", (long long)g.n_arcs,
               1e3 * (clock_now_s() - begin));
    good = good && update("removing", &g, &remove, pool, gpu, &less) &&
           update("adding", &less, &add, pool, gpu, &more);
    csr_free(&g);
    csr_free(&less);
    csr_free(&more);
    graph_edges_free(&edges);
    graph_edges_free(&change.edges);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    device_t cpu, device;
    csr_merge_gpu_t gpu = {0};
    pool_t *pool;
    int code = gpu_case_begin(0, &cpu, &device, &pool);

    if (code != EXIT_SUCCESS)
        return code;
    gpu.index = device.index;
    code = argc > 1 ? measure(atoi(argv[1]), pool, &gpu) : compare(pool, &gpu);
    pool_destroy(pool);
    return code;
}
