/*
 * test_pscan_cell.cu - the cells and tables of pscan_cell.cuh, swept on the CPU as the
 * lanes of a warp do it, against the reference.  It needs no GPU.
 */
#include "kernels/align/local/pscan_cell.cuh"

#include <algorithm>
#include <cstring>

extern "C" {
#include "io/base/rng.h"
#include "kernels/align/common/nw_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>
}

namespace
{

constexpr int N_CASES = 120, QUERY_MAX = 700, TARGET_MAX = 120;

/* A word: two queries and two targets, of which its kind has some. */
struct case_t {
    align_spec_t spec;
    signed char scores[LSCAN_TABLE];
    uint8_t queries[2][QUERY_MAX], targets[2][TARGET_MAX];
    int m[2], n[2];
    pscan_launch_t p;
};

int below(rng_t *rng, int n)
{
    return static_cast<int>(rng_below(rng, static_cast<uint64_t>(n)));
}

void draw_scores(rng_t *rng, case_t *c)
{
    score_matrix_t m = {};
    const int extend = -1 - below(rng, 4), open = extend - below(rng, 12);

    m.alphabet = ALPHABET_PROTEIN;
    for (int a = 1; a < PROTEIN_SIZE; a++)
        for (int b = 1; b <= a; b++)
            m.score[a][b] = m.score[b][a] =
                a == b ? 1 + below(rng, 11) : below(rng, 12) - 8;
    for (int b = 1; b < PROTEIN_SIZE; b++) /* two letters of one class */
        m.score[10][b] = m.score[b][10] = m.score[24][b];
    m.score[10][10] = m.score[10][24] = m.score[24][10] = m.score[24][24];
    c->spec = align_spec_t{};
    c->spec.ends = ENDS_LOCAL;
    align_scoring_set_matrix(&c->spec.scoring, &m, extend);
    align_scoring_set_gap(&c->spec.scoring, align_gap_t{open, extend});
    for (int k = 0; k < LSCAN_TABLE; k++) {
        const int a = k / ALPHABET_SIZE, b = k % ALPHABET_SIZE;

        c->scores[k] = static_cast<signed char>(
            a == 0 || b == 0 || std::max(a, b) >= PROTEIN_SIZE ? 0 : m.score[a][b]);
    }
}

/* The targets share pieces with the queries. */
void draw_sequences(rng_t *rng, case_t *c, int longest)
{
    for (int i = 0; i < 2; i++) {
        c->m[i] = 1 + below(rng, longest);
        c->n[i] = 1 + below(rng, TARGET_MAX);
        for (int k = 0; k < c->m[i]; k++)
            c->queries[i][k] = static_cast<uint8_t>(1 + below(rng, PROTEIN_SIZE - 1));
        for (int k = 0, from = below(rng, c->m[i]); k < c->n[i]; k++, from++) {
            from += below(rng, 20) == 0 ? below(rng, 3) : 0;
            c->targets[i][k] =
                below(rng, 6) != 0 && from < c->m[i]
                    ? c->queries[i][from]
                    : static_cast<uint8_t>(1 + below(rng, PROTEIN_SIZE - 1));
        }
    }
}

template <int KIND> void set_launch(case_t *c)
{
    const unsigned open = static_cast<unsigned>(c->spec.scoring.gap_open),
                   extend = static_cast<unsigned>(c->spec.scoring.gap);
    constexpr bool HALVES = KIND != PSCAN_WIDE;

    c->p = pscan_launch_t{};
    pscan_classes(c->scores, PROTEIN_SIZE, &c->p.classes);
    c->p.open = HALVES ? (open & 0xffff) * 0x10001u : open;
    c->p.extend = HALVES ? (extend & 0xffff) * 0x10001u : extend;
}

/* @return the class of the letter of column j */
int class_at(const case_t *c, int target, int j)
{
    return c->p.classes.of[j >= 0 && j < c->n[target] ? c->targets[target][j] : 0];
}

/* Sweep a pass: all lanes of a group, one step after the other. @return the best values
 */
template <int KIND, int ROWS>
unsigned sweep(const case_t *c, const pscan_shape_t &shape, int pass,
               const unsigned *table, unsigned best, pscan_line_t *line)
{
    constexpr int LANE_WORDS = PSCAN_QUAD_WORDS<KIND> / PSCAN_WARP;
    static pscan_lane_t<ROWS> lanes[PSCAN_WARP];
    const int n = KIND == PSCAN_PAIR ? std::max(c->n[0], c->n[1]) : c->n[0];
    const pscan_line_t border = {0, c->p.open};

    for (int g = 0; g < shape.lanes; g++) {
        pscan_start<ROWS>(c->p, lanes[g]);
        lanes[g].best = best;
    }
    for (int t = 0; t < n + shape.lanes - 1; t++)
        for (int g = shape.lanes - 1; g >= 0; g--) { /* each before the lane in front */
            const int j = t - g;
            const unsigned *const mine = table + g * LANE_WORDS;
            const pscan_line_t up = g > 0               ? lanes[g - 1].out
                                    : pass > 0 && j < n ? line[j]
                                                        : border;

            pscan_step<KIND, ROWS>(c->p, lanes[g], up,
                                   mine +
                                       class_at(c, 0, j) * pscan_class_words<KIND>(ROWS),
                                   mine +
                                       class_at(c, 1, j) * pscan_class_words<KIND>(ROWS));
            if (g == shape.lanes - 1 && j >= 0 && j < n)
                line[j] = lanes[g].out;
        }
    for (int g = 0; g < shape.lanes; g++)
        best = pscan_max3<KIND>(best, lanes[g].best, lanes[g].best);
    return best;
}

void assert_score(const case_t *c, int query, int target, int got)
{
    static nw_values_t cells[(QUERY_MAX + 1) * (TARGET_MAX + 1)];
    const nw_cell_t want = nw_reference_pair(&c->spec, c->queries[query], c->m[query],
                                             c->targets[target], c->n[target], cells);

    assert_int_equal(got, want.score);
}

/* @param max_rows  of a lane: ROWS is what a shape has then */
template <int KIND, int ROWS> void sweep_case(const case_t *c, const pscan_shape_t &shape)
{
    alignas(16) static unsigned table[ALPHABET_SIZE * ROWS * PSCAN_WARP];
    static pscan_line_t line[TARGET_MAX];
    constexpr int TWO = KIND == PSCAN_TWIN;
    const pscan_rows_t rows = {{c->queries[0], c->queries[TWO]},
                               {c->m[0], c->m[TWO]},
                               shape.lanes * shape.rows * shape.passes};
    unsigned best = 0;

    for (int pass = 0; pass < shape.passes; pass++) {
        pscan_fill_table<KIND>(c->scores, c->p.classes, rows, shape, pass, table, 0, 1);
        best = sweep<KIND, ROWS>(c, shape, pass, table, best, line);
    }
    if (KIND == PSCAN_WIDE) {
        assert_score(c, 0, 0, static_cast<int>(best));
        return;
    }
    assert_score(c, 0, 0, static_cast<int>(best & 0xffff));
    assert_score(c, TWO, !TWO, static_cast<int>(best >> 16));
}

template <int KIND> void sweep_cases(void)
{
    rng_t rng = rng_seed(1 + KIND);
    static case_t c;
    int n_passes = 0, n_groups = 0;

    for (int i = 0; i < N_CASES; i++) {
        draw_scores(&rng, &c);
        draw_sequences(&rng, &c, i % 4 == 0 ? QUERY_MAX : 80);
        set_launch<KIND>(&c);
        const int m = KIND == PSCAN_TWIN ? std::max(c.m[0], c.m[1]) : c.m[0];
        const int max_rows = i % 2 == 0 ? 16 : 20;
        const pscan_shape_t shape = pscan_shape(m, max_rows);

        assert_true(shape.lanes * shape.rows * shape.passes >= m);
        assert_true(shape.rows <= max_rows);
        n_passes += shape.passes > 1;
        n_groups += shape.lanes > 1 && shape.lanes < PSCAN_WARP;
        if (shape.rows == 16)
            sweep_case<KIND, 16>(&c, shape);
        else
            sweep_case<KIND, 20>(&c, shape);
    }
    assert_true(n_passes > 2 && n_groups > 10);
}

void two_queries_with_one_target(void **)
{
    sweep_cases<PSCAN_TWIN>();
}

void one_query_with_two_targets(void **)
{
    sweep_cases<PSCAN_PAIR>();
}

void one_pair_of_32_bits(void **)
{
    sweep_cases<PSCAN_WIDE>();
}

void letters_of_equal_scores_are_one_class(void **)
{
    static case_t c;
    rng_t rng = rng_seed(7);

    draw_scores(&rng, &c);
    set_launch<PSCAN_TWIN>(&c);
    assert_int_equal(c.p.classes.of[0], 0);
    assert_int_equal(c.p.classes.of[10], c.p.classes.of[24]);
    assert_int_equal(c.p.classes.first[c.p.classes.of[24]], 10);
    assert_true(c.p.classes.of[1] > 0 && c.p.classes.n < PROTEIN_SIZE);
}

} // namespace

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_queries_with_one_target),
        cmocka_unit_test(one_query_with_two_targets),
        cmocka_unit_test(one_pair_of_32_bits),
        cmocka_unit_test(letters_of_equal_scores_are_one_class),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
