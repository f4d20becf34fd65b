/*
 * test_merge_element.c - merging element by element gives the graphs of csr_update: on
 * the CPU, one after the other, what a GPU does at once.
 */
#include "kernels/graph/update/merge_element.h"
#include "tests/support/unit_test.h"
#include "tests/support/update_case.h"

#include <stdlib.h>

static merge_rows_t rows_of(const csr_t *g)
{
    return (merge_rows_t){.first = g->first,
                          .to = g->to,
                          .weight = g->weight,
                          .value = g->value,
                          .n = g->first != NULL ? g->n_arcs : 0};
}

static int64_t *reserve(int64_t n)
{
    int64_t *at = malloc(((size_t)n + 1) * sizeof(*at));

    assert_non_null(at);
    return at;
}

static void find_places(merge_t *m)
{
    int64_t n = 0;

    for (int64_t k = 0; k < m->add.n; k++)
        merge_place_added(m, k);
    for (int64_t k = 0; k < m->remove.n; k++)
        merge_find_gone(m, k);
    m->n_gone[m->remove.n] = 0;
    for (int64_t k = 0; k <= m->remove.n; k++) {
        m->first_gone[k] = n;
        n += m->n_gone[k];
    }
    m->n_gone_all = n;
    for (int64_t k = 0; k < m->remove.n; k++)
        merge_list_gone(m, k);
}

static void write_rows(merge_t *m)
{
    const int64_t n_tiles = (m->old.n + MERGE_TILE - 1) / MERGE_TILE;

    for (int64_t tile = 0; tile <= n_tiles; tile++)
        merge_begin_tile(m, tile);
    for (int64_t node = 0; node <= m->n_nodes; node++)
        merge_new_first(m, node);
    for (int64_t arc = 0; arc < m->old.n; arc++)
        merge_move_arc(m, arc);
    for (int64_t k = 0; k < m->add.n; k++)
        merge_put_added(m, k);
}

static status_t merge(void *ctx, const csr_merge_t *from, csr_t *out)
{
    const bool is_same = from->n_nodes == from->old->n_nodes;
    merge_t m = {.n_old = from->old->n_nodes,
                 .n_nodes = from->n_nodes,
                 .old = rows_of(from->old),
                 .add = rows_of(&from->add),
                 .remove = rows_of(&from->remove),
                 .moved = is_same ? NULL : from->moved,
                 .below = is_same ? NULL : from->below};
    const bool has_value = m.old.value != NULL || m.add.value != NULL;
    const bool has_weight = m.old.weight != NULL || m.add.weight != NULL;

    (void)ctx;
    m.place = reserve(m.add.n);
    m.gone_at = reserve(m.remove.n);
    m.n_gone = reserve(m.remove.n);
    m.first_gone = reserve(m.remove.n);
    m.gone = reserve(m.old.n);
    m.tile_place = reserve(m.old.n / MERGE_TILE + 1);
    m.tile_gone = reserve(m.old.n / MERGE_TILE + 1);
    find_places(&m);
    assert_int_equal(csr_create(m.n_nodes, m.old.n - m.n_gone_all + m.add.n,
                                has_weight && !has_value, has_value, out),
                     ST_OK);
    m.first = out->first;
    m.to = out->to;
    m.weight = out->weight;
    m.value = out->value;
    write_rows(&m);
    free(m.place);
    free(m.gone_at);
    free(m.n_gone);
    free(m.first_gone);
    free(m.gone);
    free(m.tile_place);
    free(m.tile_gone);
    return ST_OK;
}

static void graphs_are_those_of_the_pool(void **state)
{
    rng_t rng = rng_seed(1);

    (void)state;
    for (int i = 0; i < 400; i++) {
        const update_case_t c = {.n_ids = 1 + (int64_t)rng_below(&rng, 90),
                                 .n_edges = (int64_t)rng_below(&rng, 1500),
                                 .n_changes = (int64_t)rng_below(&rng, 120),
                                 .numbers = i % 4,
                                 .is_spread = i % 3 == 0};

        if (!update_case_agrees(&rng, &c, NULL, merge, NULL))
            fail_msg("case %d differs", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graphs_are_those_of_the_pool)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
