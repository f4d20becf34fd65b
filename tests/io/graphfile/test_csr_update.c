/*
 * test_csr_update.c - an updated graph equals one that is built of the edges that remain
 * and those that are added.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/graphfile/csr_build.h"
#include "io/graphfile/csr_update.h"
#include "tests/support/captured_log.h"

#include <stdlib.h>

enum { CASES = 400, IDS = 30, EDGES = 60, THREADS = 3, MANY_IDS = 20000 };

typedef enum { NO_WEIGHTS, WEIGHTS, VALUES } numbers_t;

static void add_edge(graph_edges_t *list, int64_t source, int64_t target, int32_t number)
{
    assert_int_equal(graph_edges_add(list, source, target), ST_OK);
    if (list->weight != NULL)
        list->weight[list->n - 1] = number;
    if (list->value != NULL)
        list->value[list->n - 1] = number + 0.5;
}

static graph_edges_t empty_list(numbers_t numbers, bool is_directed)
{
    graph_edges_t list;

    assert_int_equal(graph_edges_create(1, numbers == WEIGHTS, numbers == VALUES, &list),
                     ST_OK);
    list.is_directed = is_directed;
    return list;
}

/* Ids are multiples of 3 if `step` is 3, so that new nodes come between old ones. */
static graph_edges_t draw_list(rng_t *rng, int64_t n, int64_t n_ids, int64_t step,
                               numbers_t numbers, bool is_directed)
{
    graph_edges_t list = empty_list(numbers, is_directed);

    for (int64_t i = 0; i < n; i++)
        add_edge(&list, step * (int64_t)rng_below(rng, (uint64_t)n_ids),
                 step * (int64_t)rng_below(rng, (uint64_t)n_ids),
                 (int32_t)rng_below(rng, 5));
    return list;
}

static csr_t build(const graph_edges_t *list, bool dedupe)
{
    const csr_options_t options = {.dedupe = dedupe};
    csr_t g;

    assert_int_equal(csr_build(list, &options, NULL, &g), ST_OK);
    return g;
}

static bool joins(const graph_edges_t *list, int64_t i, int64_t source, int64_t target,
                  bool both_ways)
{
    return (list->source[i] == source && list->target[i] == target) ||
           (both_ways && list->source[i] == target && list->target[i] == source);
}

static bool has_edge(const graph_edges_t *list, int64_t source, int64_t target,
                     bool both_ways)
{
    for (int64_t i = 0; i < list->n; i++)
        if (joins(list, i, source, target, both_ways))
            return true;
    return false;
}

/* The definition: a list of what remains and what is added, with all nodes. */
static csr_t rebuild(const graph_edges_t *old, const graph_edges_t *remove,
                     const graph_edges_t *add, numbers_t numbers, bool both_ways,
                     bool dedupe)
{
    graph_edges_t list = empty_list(numbers, old->is_directed);
    graph_edges_t all = empty_list(NO_WEIGHTS, true); /* for the nodes */
    csr_t nodes, g;

    for (int64_t i = 0; i < old->n; i++) {
        add_edge(&all, old->source[i], old->target[i], 0);
        if (has_edge(remove, old->source[i], old->target[i], both_ways))
            continue;
        add_edge(&list, old->source[i], old->target[i], 0);
        if (list.weight != NULL)
            list.weight[list.n - 1] = old->weight[i];
        if (list.value != NULL)
            list.value[list.n - 1] = old->value != NULL ? old->value[i] : old->weight[i];
    }
    for (int64_t i = 0; i < add->n; i++) {
        add_edge(&all, add->source[i], add->target[i], 0);
        add_edge(&list, add->source[i], add->target[i], 0);
        if (list.weight != NULL)
            list.weight[list.n - 1] = add->weight[i];
        if (list.value != NULL)
            list.value[list.n - 1] = add->value != NULL ? add->value[i] : add->weight[i];
    }
    nodes = build(&all, false);
    list.id = nodes.id;
    list.n_declared = nodes.n_nodes;
    g = build(&list, dedupe);
    list.id = NULL;
    csr_free(&nodes);
    graph_edges_free(&list);
    graph_edges_free(&all);
    return g;
}

static void assert_equal(const csr_t *a, const csr_t *b)
{
    const size_t n = (size_t)a->n_nodes, m = (size_t)a->n_arcs;

    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_arcs, b->n_arcs);
    assert_int_equal(a->is_symmetric, b->is_symmetric);
    assert_memory_equal(a->id, b->id, n * sizeof(*a->id));
    assert_memory_equal(a->first, b->first, (n + 1) * sizeof(*a->first));
    assert_memory_equal(a->to, b->to, m * sizeof(*a->to));
    assert_int_equal(a->weight != NULL, b->weight != NULL);
    assert_int_equal(a->value != NULL, b->value != NULL);
    if (a->weight != NULL)
        assert_memory_equal(a->weight, b->weight, m * sizeof(*a->weight));
    if (a->value != NULL)
        assert_memory_equal(a->value, b->value, m * sizeof(*a->value));
}

/* Nodes that are not listed have the arcs that they had. */
static void assert_others_as_before(const csr_t *old, const csr_t *got,
                                    const csr_changes_t *changes)
{
    int64_t lost = 0, gained = 0;

    for (int32_t u = 0; u < got->n_nodes; u++) {
        const int32_t was = csr_find(old, got->id[u]);
        const int64_t n = csr_degree(got, u);

        lost += lost < changes->n_lost && changes->lost[lost] < u;
        gained += gained < changes->n_gained && changes->gained[gained] < u;
        if ((lost < changes->n_lost && changes->lost[lost] == u) ||
            (gained < changes->n_gained && changes->gained[gained] == u))
            continue;
        assert_int_equal(n, was < 0 ? 0 : csr_degree(old, was));
        for (int64_t a = 0; a < n; a++)
            assert_int_equal(got->id[got->to[got->first[u] + a]],
                             old->id[old->to[old->first[was] + a]]);
    }
    assert_true(lost >= changes->n_lost - 1 && gained >= changes->n_gained - 1);
}

/* Compare with the definition; with more than one thread, a graph of several pieces. */
static void compare(rng_t *rng, int64_t n_ids, int64_t n_edges, pool_t *pool)
{
    const bool is_directed = rng_below(rng, 2) == 0, dedupe = rng_below(rng, 2) == 0;
    const numbers_t numbers = (numbers_t)rng_below(rng, 3);
    const numbers_t more =
        numbers == NO_WEIGHTS ? numbers : WEIGHTS + (numbers_t)rng_below(rng, 2);
    graph_edges_t old = draw_list(rng, n_edges, n_ids, 3, numbers, is_directed);
    csr_change_t remove = {"remove", draw_list(rng, n_edges / 6, n_ids, 3, NO_WEIGHTS,
                                               is_directed)};
    csr_change_t add = {"add",
                        draw_list(rng, n_edges / 4, n_ids * 3, 1, more, is_directed)};
    const csr_update_t how = {.remove = &remove,
                              .add = &add,
                              .is_directed = is_directed,
                              .dedupe = dedupe,
                              .allow_absent = true};
    csr_t want = rebuild(&old, &remove.edges, &add.edges, numbers > more ? numbers : more,
                         !is_directed, dedupe);
    csr_t g = build(&old, false), got;
    csr_changes_t changes;

    assert_int_equal(csr_update(&g, &how, pool, &got, &changes), ST_OK);
    assert_equal(&got, &want);
    if (!dedupe) /* which changes all rows */
        assert_others_as_before(&g, &got, &changes);
    csr_changes_free(&changes);
    csr_free(&got);
    csr_free(&want);
    csr_free(&g);
    graph_edges_free(&old);
    graph_edges_free(&remove.edges);
    graph_edges_free(&add.edges);
}

static void random_updates_equal_a_rebuilt_graph(void **state)
{
    rng_t rng = rng_seed(7);
    pool_t *pool;

    (void)state;
    assert_int_equal(pool_create(THREADS, &pool), ST_OK);
    for (int i = 0; i < CASES; i++)
        compare(&rng, 1 + (int64_t)rng_below(&rng, IDS), (int64_t)rng_below(&rng, EDGES),
                NULL);
    compare(&rng, MANY_IDS, 400, pool); /* rows of several pieces */
    pool_destroy(pool);
}

/* ---- what is refused, and directions ---- */

static status_t update(const graph_edges_t *old, const csr_update_t *how, csr_t *out)
{
    csr_t g = build(old, false);
    csr_changes_t changes = {0};
    status_t st = csr_update(&g, how, NULL, out, &changes);

    csr_changes_free(&changes);
    csr_free(&g);
    return st;
}

static void an_absent_edge_is_refused_by_its_ids(void **state)
{
    graph_edges_t old = empty_list(NO_WEIGHTS, true);
    csr_change_t remove = {"dead.txt", empty_list(NO_WEIGHTS, true)};
    const csr_update_t how = {.remove = &remove};
    csr_t g;

    (void)state;
    add_edge(&old, 4, 9, 0);
    add_edge(&remove.edges, 4, 9, 0);
    add_edge(&remove.edges, 9, 4, 0);
    capture_start();
    assert_int_equal(update(&old, &how, &g), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("dead.txt: the graph has no edge from 9 to 4; leave it out");
    remove.edges.source[1] = 5; /* no node */
    capture_start();
    assert_int_equal(update(&old, &how, &g), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("no edge from 5 to 4");
    graph_edges_free(&old);
    graph_edges_free(&remove.edges);
}

static void weights_come_with_all_edges_or_none(void **state)
{
    graph_edges_t old = empty_list(NO_WEIGHTS, true);
    csr_change_t add = {"new.txt", empty_list(WEIGHTS, true)};
    const csr_update_t how = {.add = &add};
    csr_t g;

    (void)state;
    add_edge(&add.edges, 1, 2, 3);
    assert_int_equal(update(&old, &how, &g), ST_OK); /* no edges yet */
    assert_int_equal(g.weight[0], 3);
    csr_free(&g);
    add_edge(&old, 1, 2, 0);
    capture_start();
    assert_int_equal(update(&old, &how, &g), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("new.txt: its edges have weights");
    graph_edges_free(&old);
    graph_edges_free(&add.edges);
}

static void edges_of_an_undirected_graph_go_both_ways_unless_told(void **state)
{
    graph_edges_t old = empty_list(NO_WEIGHTS, false);
    csr_change_t remove = {"dead.txt", empty_list(NO_WEIGHTS, true)};
    csr_update_t how = {.remove = &remove};
    csr_t g;

    (void)state;
    add_edge(&old, 1, 2, 0);
    add_edge(&remove.edges, 2, 1, 0);
    assert_int_equal(update(&old, &how, &g), ST_OK);
    assert_int_equal(g.n_arcs, 0);
    assert_int_equal(g.n_nodes, 2);
    csr_free(&g);
    how.is_directed = true;
    assert_int_equal(update(&old, &how, &g), ST_OK);
    assert_int_equal(g.n_arcs, 1);
    assert_false(g.is_symmetric);
    csr_free(&g);
    graph_edges_free(&old);
    graph_edges_free(&remove.edges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_updates_equal_a_rebuilt_graph),
        cmocka_unit_test(an_absent_edge_is_refused_by_its_ids),
        cmocka_unit_test(weights_come_with_all_edges_or_none),
        cmocka_unit_test(edges_of_an_undirected_graph_go_both_ways_unless_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
