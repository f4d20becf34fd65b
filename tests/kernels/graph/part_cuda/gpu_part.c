/*
 * gpu_part.c - ranks that divide a graph compute the bytes of `serial` on a GPU, for
 * graphs of all shapes, any number of ranks, and when others go on.
 *
 * The ranks are threads that share one GPU; the gang's memory is the host's.
 */
#include "kernels/graph/common/graph_backend.h"
#include "kernels/graph/part/part_backend.h"
#include "tests/support/made_graph.h"
#include "tests/support/part_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const graph_algorithm_t algorithms[] = {GRAPH_PAGERANK, GRAPH_COMPONENTS,
                                               GRAPH_BFS};
static int n_passed, n_failed;

/* @return whether the columns and the number of iterations are equal */
static bool is_same(const graph_info_t *info, int64_t n_nodes, const graph_result_t *a,
                    const graph_result_t *b)
{
    for (int c = 0; c < info->n_columns; c++)
        if (memcmp(a->column[c], b->column[c],
                   (size_t)(n_nodes * graph_type_bytes(info->columns[c].type))) != 0)
            return false;
    return a->n_iterations == b->n_iterations;
}

/* Compare one algorithm with `serial`. */
static void compare(const part_run_t *run, const char *what)
{
    const graph_info_t *info = graph_info(run->spec->algorithm);
    const graph_run_t choice = {0};
    graph_context_t context = {run->device, NULL, run->graph, run->spec, &choice};
    graph_task_t task = {&run->source, info->has_sources, 0};
    graph_result_t want, got;

    if (made_graph_compute(&serial_graph_backend, &context, &task, &want) != ST_OK ||
        graph_result_create(info, run->graph->n_nodes, &got) != ST_OK)
        abort();
    if (part_run(run, &got) == ST_OK && is_same(info, run->graph->n_nodes, &got, &want)) {
        n_passed++;
    } else {
        n_failed++;
        printf("FAILED: %s, %s on %d ranks, then %d\n", info->name, what, run->n_ranks,
               run->n_ranks_later);
    }
    graph_result_free(&got);
    graph_result_free(&want);
}

/* All algorithms on a graph. @param run  device and ranks */
static void compare_all(const made_graph_t *what, part_run_t run)
{
    csr_t g = made_graph(what);
    char text[80];

    snprintf(text, sizeof(text), "shape %d, %d nodes, %s", what->shape, (int)what->n,
             what->is_directed ? "directed" : "undirected");
    run.backend = &part_cuda_backend;
    run.graph = &g;
    run.n_threads = 1;
    for (size_t i = 0; i < 3 && g.n_nodes > 0; i++) {
        graph_spec_t spec = made_graph_spec(algorithms[i]);

        run.spec = &spec;
        run.source = (int32_t)(g.n_nodes / 2);
        spec.dangling = what->is_directed ? GRAPH_DANGLING_LEAK : GRAPH_DANGLING_SPREAD;
        compare(&run, text);
    }
    csr_free(&g);
}

/* @param large  nodes of the largest graphs */
static void compare_shapes(const device_t *device, int64_t large)
{
    const int64_t sizes[] = {3, 200, large};
    const int ranks[] = {1, 2, 5};

    for (int shape = MADE_ISOLATED; shape < MADE_N_SHAPES; shape++)
        for (int i = 0; i < 3; i++)
            for (int d = 0; d < 2; d++) {
                made_graph_t what = {.shape = (made_shape_t)shape,
                                     .n = sizes[i],
                                     .is_directed = d == 1,
                                     .seed = 7};
                part_run_t run = {.device = device,
                                  .n_ranks = ranks[(shape + i + d) % 3],
                                  .stop_after = -1};

                if (shape != MADE_COMPLETE || sizes[i] <= 200)
                    compare_all(&what, run);
            }
}

static void compare_resumed(const device_t *device, int64_t n)
{
    for (int stop = 0; stop < 4; stop++) {
        made_graph_t what = {.shape = MADE_RMAT,
                             .n = n,
                             .is_directed = stop % 2 == 1,
                             .seed = 3};
        part_run_t run = {.device = device,
                          .n_ranks = 1 + stop % 3,
                          .stop_after = stop,
                          .n_ranks_later = 3 - stop % 3};

        compare_all(&what, run);
    }
}

/* @param argv[1]  nodes of the largest graphs */
int main(int argc, char **argv)
{
    int64_t large = argc > 1 ? strtoll(argv[1], NULL, 10) : 20000;
    device_t devices[DEVICES_MAX];

    if (device_list_cuda(devices) == 0) {
        printf("skipped: %s\n", device_cuda_absence());
        return 77;
    }
    compare_shapes(&devices[0], large);
    compare_resumed(&devices[0], large);
    printf("%d passed, %d failed\n", n_passed, n_failed);
    return n_failed > 0;
}
