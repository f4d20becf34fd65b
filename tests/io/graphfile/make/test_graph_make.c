/*
 * test_graph_make.c - generated graphs have their sizes and degrees, and are the same on
 * every machine.
 */
#include "tests/support/unit_test.h"

#include "io/graphfile/csr_build.h"
#include "io/graphfile/make/graph_make.h"
#include "io/graphfile/make/graph_makers.h"
#include "tests/support/captured_log.h"

static const csr_options_t simple = {.dedupe = true, .drop_loops = true};

static graph_edges_t make(graph_make_options_t options)
{
    graph_edges_t e;

    assert_int_equal(graph_make(&options, NULL, &e), ST_OK);
    return e;
}

static csr_t make_simple(graph_make_options_t options)
{
    graph_edges_t e = make(options);
    csr_t g;

    assert_int_equal(csr_build(&e, &simple, NULL, &g), ST_OK);
    graph_edges_free(&e);
    return g;
}

/* @return a hash of the ends of all edges in their order (FNV-1a by words) */
static uint64_t hash_of(graph_make_options_t options)
{
    graph_edges_t e = make(options);
    uint64_t hash = UINT64_C(14695981039346656037);

    for (int64_t i = 0; i < e.n; i++) {
        hash = (hash ^ (uint64_t)e.source[i]) * UINT64_C(1099511628211);
        hash = (hash ^ (uint64_t)e.target[i]) * UINT64_C(1099511628211);
    }
    graph_edges_free(&e);
    return hash;
}

static const graph_make_options_t rmat = {.kind = GRAPH_MAKE_RMAT,
                                          .seed = 1,
                                          .scale = 12,
                                          .edge_factor = 16};
static const graph_make_options_t road = {.kind = GRAPH_MAKE_ROAD,
                                          .seed = 1,
                                          .n_nodes = 5000};
static const graph_make_options_t co_road = {.kind = GRAPH_MAKE_CLONE,
                                             .seed = 1,
                                             .degrees = "co-road"};
static const graph_make_options_t tree = {.kind = GRAPH_MAKE_TREE,
                                          .seed = 1,
                                          .depth = 4,
                                          .min_children = 5,
                                          .max_children = 9,
                                          .sparsity = 1};

static void the_same_seed_makes_the_same_edges_everywhere(void **state)
{
    graph_make_options_t other = rmat;

    (void)state;
    assert_true(hash_of(rmat) == UINT64_C(0x8b1d1bfb15f3eb67));
    assert_true(hash_of(road) == UINT64_C(0xb7972e5a964bf98b));
    assert_true(hash_of(co_road) == UINT64_C(0x786685edf01d65f8));
    assert_true(hash_of(tree) == UINT64_C(0x4f2114dc2a90c3ef));
    other.seed = 2;
    assert_true(hash_of(other) != hash_of(rmat));
}

static void threads_do_not_change_the_edges(void **state)
{
    graph_edges_t one = make(rmat), three;
    size_t bytes = (size_t)one.n * sizeof(*one.source);
    pool_t *pool;

    (void)state;
    assert_int_equal(pool_create(3, &pool), ST_OK);
    assert_int_equal(graph_make(&rmat, pool, &three), ST_OK);
    assert_int_equal(three.n, one.n);
    assert_memory_equal(three.source, one.source, bytes);
    assert_memory_equal(three.target, one.target, bytes);
    graph_edges_free(&one);
    graph_edges_free(&three);
    pool_destroy(pool);
}

static void rmat_has_its_sizes_and_quadrants(void **state)
{
    graph_make_options_t one_level = rmat;
    graph_edges_t e = make(rmat);
    int64_t count[2][2] = {{0}}, n;

    (void)state;
    assert_int_equal(e.n, 16 << 12);
    assert_int_equal(e.n_declared, 1 << 12);
    assert_false(e.is_directed);
    graph_edges_free(&e);
    one_level.scale = 1;
    one_level.edge_factor = 1 << 16;
    e = make(one_level); /* node 0 of the draw is 0 or 1 after the permutation */
    n = e.n;
    for (int64_t i = 0; i < n; i++)
        count[e.source[i]][e.target[i]]++;
    graph_edges_free(&e);
    if (count[0][0] < count[1][1]) {
        int64_t swap = count[0][0];

        count[0][0] = count[1][1];
        count[1][1] = swap;
    }
    assert_in_range(count[0][0] * 1000 / n, 564, 576); /* 0.57 */
    assert_in_range(count[0][1] * 1000 / n, 185, 195); /* 0.19 */
    assert_in_range(count[1][0] * 1000 / n, 185, 195);
    assert_in_range(count[1][1] * 1000 / n, 46, 54); /* 0.05 */
}

static void rmat_takes_other_probabilities(void **state)
{
    graph_make_options_t options = rmat;
    csr_t g;
    int64_t max;

    (void)state;
    g = make_simple(options);
    max = csr_max_degree(&g);
    csr_free(&g);
    options.a = options.b = options.c = (fraction_t){1, 4}; /* Erdos, Renyi */
    g = make_simple(options);
    assert_true(csr_max_degree(&g) < 80); /* mean 32 */
    assert_true(max > 400);
    csr_free(&g);
}

static void a_grid_has_four_neighbours(void **state)
{
    csr_t g = make_simple(
        (graph_make_options_t){.kind = GRAPH_MAKE_GRID, .rows = 2, .columns = 3});

    (void)state;
    assert_int_equal(g.n_nodes, 6);
    assert_memory_equal(g.first, ((int64_t[]){0, 2, 5, 7, 9, 12, 14}),
                        7 * sizeof(int64_t));
    assert_memory_equal(g.to, ((int32_t[]){1, 3, 0, 2, 4, 1, 5, 0, 4, 1, 3, 5, 2, 4}),
                        14 * sizeof(int32_t));
    csr_free(&g);
}

/* @return the number of nodes that node 0 reaches */
static int64_t count_reached(const csr_t *g)
{
    int32_t *queue = malloc((size_t)g->n_nodes * sizeof(*queue));
    bool *seen = calloc((size_t)g->n_nodes, sizeof(*seen));
    int64_t n = 1;

    seen[0] = true;
    queue[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t a = g->first[queue[i]]; a < g->first[queue[i] + 1]; a++) {
            if (!seen[g->to[a]])
                queue[n++] = g->to[a];
            seen[g->to[a]] = true;
        }
    }
    free(queue);
    free(seen);
    return n;
}

static void a_road_is_connected_and_sparse(void **state)
{
    csr_t g = make_simple(road);

    (void)state;
    assert_int_equal(g.n_arcs, 2 * 6000); /* mean degree 2.4, no repeated edge */
    assert_true(csr_max_degree(&g) <= 8);
    assert_int_equal(count_reached(&g), 5000);
    csr_free(&g);
    g = make_simple((graph_make_options_t){.kind = GRAPH_MAKE_ROAD, .n_nodes = 1});
    assert_int_equal(g.n_nodes, 1);
    assert_int_equal(g.n_arcs, 0);
    csr_free(&g);
}

static void a_clone_has_the_degrees_of_its_table(void **state)
{
    graph_edges_t e = make(co_road);
    int64_t *degree = calloc((size_t)e.n_declared, sizeof(*degree));
    int64_t count[9] = {0};

    (void)state;
    assert_int_equal(e.n_declared, 435666);
    assert_int_equal(2 * e.n, 1057066);
    for (int64_t i = 0; i < e.n; i++) {
        degree[e.source[i]]++;
        degree[e.target[i]]++;
    }
    for (int64_t u = 0; u < e.n_declared; u++)
        count[degree[u]]++;
    assert_memory_equal(count,
                        ((int64_t[]){0, 64737, 163663, 165000, 41400, 800, 60, 5, 1}),
                        sizeof(count));
    graph_edges_free(&e);
    free(degree);
}

/* The quantiles of exp(3.85 + 0.95 z), from tables of the normal distribution. */
static void citeseer_has_lognormal_degrees(void **state)
{
    degree_table_t t;
    int64_t n_below_13 = 0, n_below_47 = 0, n_below_159 = 0, n_max = 0, sum = 0;

    (void)state;
    assert_int_equal(degree_table_create("citeseer", 1, &t), ST_OK);
    assert_int_equal(t.n_nodes, 434102);
    for (int64_t u = 0; u < t.n_nodes; u++) {
        assert_in_range(t.degree[u], 1, 1188);
        n_below_13 += t.degree[u] < 13;   /* ln 12.5: z = -1.3940, 0.08166 */
        n_below_47 += t.degree[u] < 47;   /* ln 46.5: z = -0.0111, 0.49557 */
        n_below_159 += t.degree[u] < 159; /* ln 158.5: z = 1.2801, 0.89974 */
        n_max += t.degree[u] == 1188;     /* ln 1187.5: z = 3.3997, 0.000337 */
        sum += t.degree[u];
    }
    assert_in_range(n_below_13 * 100000 / t.n_nodes, 8000, 8330);
    assert_in_range(n_below_47 * 100000 / t.n_nodes, 49250, 49860);
    assert_in_range(n_below_159 * 100000 / t.n_nodes, 89780, 90170);
    assert_in_range(n_max, 110, 185);
    assert_in_range(sum * 10 / t.n_nodes, 732, 743); /* mean 73.8 without the cut */
    degree_table_free(&t);
}

static void a_file_of_degrees_is_read(void **state)
{
    graph_make_options_t options = {.kind = GRAPH_MAKE_CLONE};
    char path[PATH_BYTES];
    graph_edges_t e;

    (void)state;
    dir_file("degrees", path);
    options.degrees = path;
    dir_put(path, "# degree nodes\n0 2\n3 2\n", 23);
    e = make(options);
    assert_int_equal(e.n_declared, 4);
    assert_int_equal(e.n, 3);
    graph_edges_free(&e);
    dir_put(path, "1 2\n3\n", 6);
    capture_start();
    assert_int_equal(graph_make(&options, NULL, &e), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("degrees:2: the number of nodes is missing");
    unlink(path);
}

static void a_full_tree_has_all_children(void **state)
{
    graph_make_options_t full = {.kind = GRAPH_MAKE_TREE,
                                 .depth = 4,
                                 .min_children = 3,
                                 .max_children = 3};
    graph_edges_t e = make(full);

    (void)state;
    assert_int_equal(e.n_declared, 1 + 3 + 9 + 27);
    assert_int_equal(e.n, 3 + 9 + 27);
    assert_true(e.is_directed);
    for (int64_t i = 0; i < e.n; i++) {
        assert_int_equal(e.source[i], i / 3);
        assert_int_equal(e.target[i], i + 1);
    }
    graph_edges_free(&e);
}

static void a_sparse_tree_has_fewer_children_of_a_range(void **state)
{
    graph_edges_t e = make(tree);
    int64_t children[1000] = {0}, n_inner = 0;

    (void)state;
    assert_in_range(e.n_declared, 6, 1 + 9 + 81 + 729);
    for (int64_t i = 0; i < e.n; i++) {
        assert_int_equal(e.target[i], i + 1);
        n_inner += children[e.source[i]]++ == 0;
    }
    for (int64_t u = 0; u < e.n_declared; u++)
        assert_true(children[u] == 0 || (children[u] >= 5 && children[u] <= 9));
    assert_in_range(n_inner, 5, 60);
    graph_edges_free(&e);
}

static void assert_out_of_range(graph_make_options_t options, const char *what)
{
    graph_edges_t e;

    capture_start();
    assert_int_equal(graph_make(&options, NULL, &e), ST_EUSAGE);
    capture_stop();
    assert_logged_one_line();
    assert_logged(what);
}

static void options_out_of_range_are_refused(void **state)
{
    graph_make_options_t options = rmat;

    (void)state;
    options.scale = 31;
    assert_out_of_range(options, "the scale 31 is not within 1 and 30");
    options = rmat;
    options.a = (fraction_t){9, 10};
    options.b = (fraction_t){2, 10};
    assert_out_of_range(options, "add up to more than 1");
    options = (graph_make_options_t){.kind = GRAPH_MAKE_GRID,
                                     .rows = 1 << 16,
                                     .columns = 1 << 16};
    assert_out_of_range(options, "the number of nodes 4294967296 is not");
    options = tree;
    options.max_children = 4;
    assert_out_of_range(options, "the largest number of children 4 is not within 5");
    options = tree;
    options.sparsity = 0;
    options.min_children = options.max_children = INT32_MAX;
    assert_out_of_range(options, "more than 2147483647 nodes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_makes_the_same_edges_everywhere),
        cmocka_unit_test(threads_do_not_change_the_edges),
        cmocka_unit_test(rmat_has_its_sizes_and_quadrants),
        cmocka_unit_test(rmat_takes_other_probabilities),
        cmocka_unit_test(a_grid_has_four_neighbours),
        cmocka_unit_test(a_road_is_connected_and_sparse),
        cmocka_unit_test(a_clone_has_the_degrees_of_its_table),
        cmocka_unit_test(citeseer_has_lognormal_degrees),
        cmocka_unit_test(a_file_of_degrees_is_read),
        cmocka_unit_test(a_full_tree_has_all_children),
        cmocka_unit_test(a_sparse_tree_has_fewer_children_of_a_range),
        cmocka_unit_test(options_out_of_range_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
