/*
 * test_cpu_trees.c - counts of leaves, by `serial` and by `cpu`, beside a plain recursion
 * and on trees that are deep or wide.
 */
#include "tests/support/unit_test.h"

#include "io/base/pool.h"
#include "tests/support/made_graph.h"
#include "tests/support/made_leaf_counts.h"

#include <stdlib.h>
#include <string.h>

static const graph_backend_t *const backends[] = {&serial_graph_backend,
                                                  &cpu_graph_backend};

static pool_t *pool;

static int begin(void **state)
{
    (void)state;
    return pool_create(3, &pool) == ST_OK ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    pool_destroy(pool);
    return 0;
}

/* Both backends find these counts in a sample. */
static void assert_counts(const csr_t *g, const leaf_counts_t *leaves, int64_t sample,
                          const int64_t *want)
{
    const device_t device = device_cpu();
    const graph_run_t run = {0};
    const graph_task_t task = {NULL, 0, sample};
    graph_spec_t spec = made_graph_spec(GRAPH_DESCENDANTS);
    const graph_context_t context = {&device, pool, g, &spec, &run};

    spec.leaves = leaves;
    for (int b = 0; b < 2; b++) {
        graph_result_t r;

        assert_int_equal(made_graph_compute(backends[b], &context, &task, &r), ST_OK);
        assert_memory_equal(r.count, want, (size_t)g->n_nodes * sizeof(*want));
        graph_result_free(&r);
    }
}

static int64_t sum_below(const csr_t *g, int32_t u, int64_t *count)
{
    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
        count[u] += sum_below(g, g->to[a], count);
    return count[u];
}

static void random_trees_are_those_of_a_recursion(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        csr_t g = made_graph(&(made_graph_t){MADE_TREE, MADE_NO_WEIGHTS,
                                             (int64_t)(seed * seed + 1), true, seed});
        leaf_counts_t leaves = made_leaf_counts(&g);
        int64_t *want = malloc((size_t)g.n_nodes * sizeof(*want));
        bool *has_parent = calloc((size_t)g.n_nodes, sizeof(*has_parent));

        assert_true(want != NULL && has_parent != NULL);
        for (int64_t a = 0; a < g.n_arcs; a++)
            has_parent[g.to[a]] = true;
        for (int64_t s = 0; s < leaves.n_samples; s++) {
            leaf_counts_spread(&leaves, s, g.n_nodes, want);
            for (int32_t u = 0; u < g.n_nodes; u++)
                if (!has_parent[u])
                    (void)sum_below(&g, u, want);
            assert_counts(&g, &leaves, s + 1, want);
        }
        free(want);
        free(has_parent);
        arrays_free(&leaf_counts_arrays, &leaves);
        csr_free(&g);
    }
}

enum { N_LARGE = 1000000 };

/* Arcs from u to u + 1, or from 0 to all. */
static csr_t large_tree(bool is_chain)
{
    csr_t g;

    assert_int_equal(csr_create(N_LARGE, N_LARGE - 1, false, false, &g), ST_OK);
    for (int32_t u = 0; u <= N_LARGE; u++)
        g.first[u] = u == 0 ? 0 : is_chain && u < N_LARGE ? u : N_LARGE - 1;
    for (int32_t a = 0; a < N_LARGE - 1; a++)
        g.to[a] = a + 1;
    return g;
}

static void a_chain_has_the_count_of_its_leaf(void **state)
{
    int64_t first[] = {0, 1}, count[] = {INT64_MAX};
    int32_t node[] = {N_LARGE - 1};
    const leaf_counts_t leaves = {
        .n_samples = 1, .first = first, .n = 1, .node = node, .count = count};
    int64_t *want = malloc(N_LARGE * sizeof(*want));
    csr_t g = large_tree(true);

    (void)state;
    assert_non_null(want);
    for (int u = 0; u < N_LARGE; u++)
        want[u] = INT64_MAX;
    assert_counts(&g, &leaves, 1, want);
    free(want);
    csr_free(&g);
}

/* Every second leaf of a star has its number as count. */
static void the_root_of_a_star_has_the_sum(void **state)
{
    enum { N = N_LARGE / 2 };
    int64_t first[] = {0, N - 1}, *count = malloc(N * sizeof(*count)),
            *want = calloc(N_LARGE, sizeof(*want));
    int32_t *node = malloc(N * sizeof(*node));
    const leaf_counts_t leaves = {
        .n_samples = 1, .first = first, .n = N - 1, .node = node, .count = count};
    csr_t g = large_tree(false);

    (void)state;
    assert_true(count != NULL && want != NULL && node != NULL);
    for (int32_t k = 0; k < N - 1; k++) {
        node[k] = 2 * (k + 1);
        want[node[k]] = count[k] = node[k];
    }
    want[0] = INT64_C(2) * (N - 1) * N / 2;
    assert_counts(&g, &leaves, 1, want);
    free(count);
    free(want);
    free(node);
    csr_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_are_those_of_a_recursion),
        cmocka_unit_test(a_chain_has_the_count_of_its_leaf),
        cmocka_unit_test(the_root_of_a_star_has_the_sum),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
