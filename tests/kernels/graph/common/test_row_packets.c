/*
 * test_row_packets.c - sums over packets, as the lanes of a warp add them up, are those
 * of tree_sum.h.
 */
#include "tests/support/unit_test.h"

#include "kernels/graph/common/row_packets.h"
#include "kernels/graph/common/tree_sum.h"
#include "tests/support/made_graph.h"

#include <stdlib.h>

enum { NOT_WRITTEN = -77 };

typedef struct {
    const csr_t *g;
    row_packets_t p;
    double *y, *sums;
    uint8_t *is_read; /* [n_arcs] */
} product_t;

static double x_of(int64_t arc)
{
    return 1 / (double)(3 * arc + 1);
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static double quad_sum(product_t *s, uint32_t first, uint32_t end)
{
    double x[QUAD_ARCS] = {0};

    for (uint32_t i = 0; i < QUAD_ARCS && first + i < end; i++) {
        assert_int_equal(s->is_read[first + i]++, 0);
        x[i] = x_of(first + i);
    }
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* @return the sum of quads that a lane has after the first steps of a warp */
static double lanes_sum(product_t *s, uint32_t first, uint32_t end, uint32_t n_lanes)
{
    double left;

    if (n_lanes == 1)
        return quad_sum(s, first, end);
    left = lanes_sum(s, first, end, n_lanes / 2);
    first += n_lanes / 2 * QUAD_ARCS;
    return first < end ? left + lanes_sum(s, first, end, n_lanes / 2) : left;
}

static void add_packet(product_t *s, const row_packet_t *k)
{
    uint32_t piece = k->piece;

    assert_in_range(k->n_quads, 1, PACKET_QUADS);
    assert_true(k->heads & 1);
    for (uint32_t lane = 0, n; lane < k->n_quads; lane += n, piece++) {
        const uint32_t end = s->p.piece_first[piece + 1], first = s->p.piece_first[piece];
        const int32_t target = s->p.target[piece];
        double *to = target >= 0 ? &s->y[target] : &s->sums[-1 - target];

        for (n = 1; lane + n < k->n_quads && (k->heads >> (lane + n) & 1) == 0; n++)
            ;
        assert_int_equal(n, (min_u32(end, first + PACKET_ARCS) - first + 3) / QUAD_ARCS);
        assert_true(*to == NOT_WRITTEN);
        *to = lanes_sum(s, first, end, PACKET_QUADS);
        if (k->is_plain)
            assert_int_equal(target, s->p.target[k->piece] + (int32_t)(piece - k->piece));
    }
}

static void add_cut_rows(product_t *s)
{
    for (int32_t k = 0; k < s->p.n_cut; k++) {
        tree_sum_t sum = {.n = 0};

        for (int32_t i = s->p.cut_sum[k]; i < s->p.cut_sum[k + 1]; i++)
            tree_sum_add(&sum, s->sums[i]);
        s->y[s->p.cut_node[k]] = tree_sum_total(&sum);
    }
}

static double row_sum(const csr_t *g, int64_t u)
{
    tree_sum_t sum = {.n = 0};

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++)
        tree_sum_add(&sum, x_of(a));
    return tree_sum_total(&sum);
}

/* @return the number of plain packets */
static int64_t check(const csr_t *g)
{
    product_t s = {.g = g};
    int64_t n_plain = 0;
    uint32_t quad = 0;

    assert_int_equal(row_packets_create(g, &s.p), ST_OK);
    s.y = malloc(((size_t)g->n_nodes + 1) * sizeof(*s.y));
    s.sums = malloc(((size_t)s.p.n_sums + 1) * sizeof(*s.sums));
    s.is_read = calloc((size_t)g->n_arcs + 1, 1);
    assert_true(s.y != NULL && s.sums != NULL && s.is_read != NULL);
    for (int64_t u = 0; u < g->n_nodes; u++)
        s.y[u] = NOT_WRITTEN;
    for (int32_t i = 0; i < s.p.n_sums; i++)
        s.sums[i] = NOT_WRITTEN;
    for (int64_t k = 0; k < s.p.n_packets; k++) {
        assert_int_equal(s.p.packet[k].quad, quad);
        add_packet(&s, &s.p.packet[k]);
        quad += s.p.packet[k].n_quads;
        n_plain += s.p.packet[k].is_plain;
    }
    assert_int_equal(s.p.n_quads, quad);
    add_cut_rows(&s);
    for (int64_t u = 0; u < g->n_nodes; u++)
        assert_true(s.y[u] ==
                    (csr_degree(g, (int32_t)u) > 0 ? row_sum(g, u) : NOT_WRITTEN));
    for (int64_t a = 0; a < g->n_arcs; a++)
        assert_int_equal(s.is_read[a], 1);
    free(s.y);
    free(s.sums);
    free(s.is_read);
    row_packets_free(&s.p);
    return n_plain;
}

static void sums_have_the_shape_of_trees(void **state)
{
    static const int64_t sizes[] = {1, 2, 33, 129, 1000};

    (void)state;
    for (int shape = 0; shape < MADE_N_SHAPES; shape++)
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            csr_t g = made_graph(&(made_graph_t){(made_shape_t)shape, MADE_NO_WEIGHTS,
                                                 sizes[k], false, 7});

            check(&g);
            csr_free(&g);
        }
}

/* Rows of 0 to 700 arcs: packets that are full, rows that are cut, and both in turn. */
static void rows_of_every_length(void **state)
{
    enum { N = 701 };
    csr_t g;

    (void)state;
    assert_int_equal(csr_create(N, N * (N - 1) / 2, false, false, &g), ST_OK);
    for (int64_t u = 0; u < N; u++) {
        g.first[u + 1] = g.first[u] + u;
        for (int64_t k = 0; k < u; k++)
            g.to[g.first[u] + k] = (int32_t)k;
    }
    check(&g);
    csr_free(&g);
}

static void neighboring_rows_make_plain_packets(void **state)
{
    csr_t grid = made_graph(&(made_graph_t){MADE_GRID, MADE_NO_WEIGHTS, 1024, false, 1});
    csr_t gaps = made_graph_of("1-2 1-3 5-6 5-1", true);

    (void)state;
    assert_int_equal(check(&grid), (grid.n_nodes + PACKET_QUADS - 1) / PACKET_QUADS);
    assert_int_equal(check(&gaps), 0); /* rows 0 and 3 have arcs */
    csr_free(&grid);
    csr_free(&gaps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_shape_of_trees),
        cmocka_unit_test(rows_of_every_length),
        cmocka_unit_test(neighboring_rows_make_plain_packets),
    };

    return cmocka_run_group_tests_name("row_packets", tests, NULL, NULL);
}
