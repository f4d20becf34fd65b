/*
 * test_part_cpu.c - ranks that divide a graph compute the bytes of `serial`, for graphs
 * of all shapes and any number of ranks and threads, also when others go on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/graph/common/graph_backend.h"
#include "kernels/graph/part/part_backend.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_graph.h"
#include "tests/support/part_run.h"

#include <string.h>

static const graph_algorithm_t algorithms[] = {GRAPH_PAGERANK, GRAPH_COMPONENTS,
                                               GRAPH_BFS};

static void compare(const csr_t *g, const graph_spec_t *spec, int32_t source,
                    const part_run_t *how, const char *what)
{
    const graph_info_t *info = graph_info(spec->algorithm);
    const graph_run_t choice = {0};
    const device_t device = device_cpu();
    graph_context_t context = {&device, NULL, g, spec, &choice};
    graph_task_t task = {&source, info->has_sources};
    graph_result_t want, got;
    part_run_t run = *how;

    run.backend = &part_cpu_backend;
    run.device = &device;
    run.graph = g;
    run.spec = spec;
    run.source = source;
    assert_int_equal(made_graph_compute(&serial_graph_backend, &context, &task, &want),
                     ST_OK);
    assert_int_equal(graph_result_create(info, g->n_nodes, &got), ST_OK);
    assert_int_equal(part_run(&run, &got), ST_OK);
    for (int c = 0; c < info->n_columns; c++)
        if (memcmp(got.column[c], want.column[c],
                   (size_t)(g->n_nodes * graph_type_bytes(info->columns[c].type))) != 0)
            fail_msg("%s, %s on %d ranks, then %d: %s differs", info->name, what,
                     how->n_ranks, how->n_ranks_later, info->columns[c].name);
    assert_int_equal(got.n_iterations, want.n_iterations);
    graph_result_free(&got);
    graph_result_free(&want);
}

/* All algorithms on a graph. @param how  ranks and threads */
static void compare_all(const made_graph_t *what, const part_run_t *how)
{
    csr_t g = made_graph(what);
    char text[80];

    snprintf(text, sizeof(text), "shape %d, %d nodes, %s", what->shape, (int)what->n,
             what->is_directed ? "directed" : "undirected");
    for (size_t i = 0; i < 3 && g.n_nodes > 0; i++) {
        graph_spec_t spec = made_graph_spec(algorithms[i]);

        compare(&g, &spec, (int32_t)(g.n_nodes / 2), how, text);
        spec.dangling = GRAPH_DANGLING_LEAK;
        if (algorithms[i] == GRAPH_PAGERANK)
            compare(&g, &spec, 0, how, text);
    }
    csr_free(&g);
}

static void any_number_of_ranks_returns_the_bytes_of_serial(void **state)
{
    const int64_t sizes[] = {1, 3, 64, 300, 1500};
    const int ranks[] = {1, 2, 3, 5};

    (void)state;
    for (int shape = MADE_ISOLATED; shape < MADE_N_SHAPES; shape++)
        for (size_t i = 0; i < 5; i++)
            for (int d = 0; d < 2; d++)
                for (int r = 0; r < 4; r++) {
                    made_graph_t what = {.shape = (made_shape_t)shape,
                                         .n = sizes[i],
                                         .is_directed = d == 1,
                                         .seed = 7};
                    part_run_t how = {.n_threads = 1 + r % 2,
                                      .n_ranks = ranks[r],
                                      .stop_after = -1};

                    if (shape != MADE_COMPLETE || sizes[i] <= 300)
                        compare_all(&what, &how);
                }
}

static void other_ranks_go_on_from_the_columns(void **state)
{
    (void)state;
    for (int64_t stop = 0; stop < 6; stop++)
        for (int d = 0; d < 2; d++) {
            made_graph_t what = {.shape = MADE_RMAT,
                                 .n = 1000,
                                 .is_directed = d == 1,
                                 .seed = 3};
            part_run_t how = {.n_threads = 2,
                              .n_ranks = 1 + (int)stop % 3,
                              .stop_after = stop,
                              .n_ranks_later = 3 - (int)stop % 3};

            compare_all(&what, &how);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_ranks_returns_the_bytes_of_serial),
        cmocka_unit_test(other_ranks_go_on_from_the_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
