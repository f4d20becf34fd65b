/*
 * test_corridor.cu - corridors (corridor_window.cuh), swept on the CPU as a thread of a
 * GPU does it, against the costs of all paths.  It needs no GPU.
 */
#include "kernels/align/bscan/corridor_ends.cuh"

#include <algorithm>
#include <cstdlib>
#include <vector>

extern "C" {
#include "io/base/rng.h"
#include "tests/support/random_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
}

namespace
{

constexpr int N_CASES = 400, ROWS_MAX = 512, W = ROWS_MAX / WARP;

using letters_t = std::vector<unsigned char>;
/* Costs of the cells of all columns. */
using matrix_t = std::vector<std::vector<int>>;

int below(rng_t *rng, int n)
{
    return static_cast<int>(rng_below(rng, static_cast<uint64_t>(n)));
}

letters_t random_letters(rng_t *rng, int n)
{
    letters_t out;

    while (static_cast<int>(out.size()) < n)
        out.push_back(static_cast<unsigned char>(
            below(rng, 50) == 0 ? 1 + below(rng, 15) : 1 << below(rng, 4)));
    return out;
}

/* @return a sequence that descends from a piece of another one, with overhangs */
letters_t relative_of(rng_t *rng, const letters_t &a)
{
    const int changed = below(rng, 50), moved = below(rng, 4);
    letters_t out = random_letters(rng, below(rng, below(rng, 4) == 0 ? 80 : 5));

    for (size_t i = static_cast<size_t>(below(rng, 30)); i < a.size(); i++) {
        if (below(rng, 100) < moved)
            i += static_cast<size_t>(below(rng, 12));
        if (below(rng, 100) < moved)
            for (const unsigned char c : random_letters(rng, below(rng, 12)))
                out.push_back(c);
        if (i < a.size())
            out.push_back(below(rng, 100) < changed ? random_letters(rng, 1)[0] : a[i]);
    }
    for (const unsigned char c : random_letters(rng, below(rng, 5)))
        out.push_back(c);
    return out;
}

/* A pair of a thread, with the columns of F that it keeps, and the masks of its window.
 */
struct pair_case_t {
    corridor_costs_t costs;
    letters_t rows, columns;
    lane_t lane;
    int n_columns, n_samples;
    matrix_t f, r; /* [columns][padded rows], [columns][rows] both from their borders */
    std::vector<unsigned> samples, masks;
};

int m_of(const pair_case_t &c)
{
    return c.lane.m;
}

/* @return F + R of a cell */
int cost_through(const pair_case_t &c, int i, int j)
{
    return c.f[static_cast<size_t>(j)][static_cast<size_t>(i + c.lane.pads)] +
           c.r[static_cast<size_t>(c.lane.n - j)][static_cast<size_t>(c.lane.m - i)];
}

/* Fill a matrix whose first column is there, and the first cells of the others. */
template <typename MATCHES> void fill(matrix_t *matrix, MATCHES matches)
{
    for (size_t j = 1; j < matrix->size(); j++)
        for (size_t i = 1; i < (*matrix)[j].size(); i++)
            (*matrix)[j][i] =
                std::min((*matrix)[j - 1][i - 1] + !matches(i, j),
                         std::min((*matrix)[j - 1][i], (*matrix)[j][i - 1]) + 1);
}

void sweep_f(rng_t *rng, pair_case_t *c)
{
    const lane_t &l = c->lane;
    const size_t pads = static_cast<size_t>(l.pads);
    letters_t letters = c->columns;

    for (const unsigned char x : random_letters(rng, c->n_columns - l.n))
        letters.push_back(x);
    c->f.assign(letters.size() + 1, std::vector<int>(ROWS_MAX + 1));
    for (int i = 0; i <= ROWS_MAX; i++)
        c->f[0][static_cast<size_t>(i)] = skip_cost(c->costs, std::abs(i - l.pads));
    for (size_t j = 1; j < c->f.size(); j++)
        c->f[j][0] = skip_cost(c->costs, l.pads + static_cast<int>(j));
    fill(&c->f, [&](size_t i, size_t j) {
        return i <= pads || (c->rows[i - pads - 1] & letters[j - 1]) != 0;
    });
}

void sweep_r(pair_case_t *c)
{
    const size_t m = c->rows.size(), n = c->columns.size();

    c->r.assign(n + 1, std::vector<int>(m + 1));
    for (size_t i = 0; i <= m; i++)
        c->r[0][i] = skip_cost(c->costs, static_cast<int>(i));
    for (size_t j = 1; j <= n; j++)
        c->r[j][0] = skip_cost(c->costs, static_cast<int>(j));
    fill(&c->r,
         [&](size_t i, size_t j) { return (c->rows[m - i] & c->columns[n - j]) != 0; });
}

void keep_column(const pair_case_t &c, int column, unsigned *sample)
{
    const std::vector<int> &f = c.f[static_cast<size_t>(column)];

    for (int row = 0; row < ROWS_MAX; row++) {
        const size_t at = static_cast<size_t>(row);
        const unsigned bit = 1u << (row / W);

        if (f[at + 1] > f[at])
            sample[row % W * WARP] |= bit;
        if (f[at + 1] < f[at])
            sample[(W + row % W) * WARP] |= bit;
    }
    for (int j = column - SPAN + 1; column > 0 && column % SPAN == 0 && j <= column;
         j++) {
        const size_t at = static_cast<size_t>(j);
        const int grown = c.f[at][ROWS_MAX] - c.f[at - 1][ROWS_MAX];
        const unsigned bit = 1u << (column - j);

        sample[2 * W * WARP] |= grown > 0 ? bit : 0;
        sample[(2 * W + 1) * WARP] |= grown < 0 ? bit : 0;
    }
}

void keep_columns(pair_case_t *c)
{
    c->samples.assign(static_cast<size_t>(c->n_samples) * KEPT<W> * WARP, 0);
    c->lane.samples = c->samples.data();
    for (int j = 0; j <= c->n_columns; j += SPAN)
        keep_column(*c, j, sample_at<W>(c->lane, j));
    keep_column(*c, c->lane.n, last_sample<W>(c->lane, c->n_samples));
}

void make_window_masks(pair_case_t *c)
{
    const int m = m_of(*c);

    c->masks.assign(LETTERS * MASK_STRIDE<W>, 0);
    for (int letter = 0; letter < LETTERS; letter++)
        for (int k = 0; k < WARP * (W + 2 * MASK_SLACK); k++) {
            const int row = k - WARP * MASK_SLACK;
            const bool is_match =
                row < 0 ||
                (row < m && (c->rows[static_cast<size_t>(m - 1 - row)] & letter) != 0);

            if (is_match)
                c->masks[static_cast<size_t>(letter * MASK_STRIDE<W> + k / WARP)] |=
                    1u << (k % WARP);
        }
}

/* @return false: the sequences are too short or too long */
bool make_case(rng_t *rng, pair_case_t *c)
{
    const unsigned skipped = static_cast<unsigned>(below(rng, 5));

    c->costs = {skipped + 1 + static_cast<unsigned>(below(rng, 9)), skipped};
    if (below(rng, 2) == 0)
        c->costs = {9, 2}; /* the default scores */
    c->rows = random_letters(rng, CORRIDOR_MIN + below(rng, ROWS_MAX - CORRIDOR_MIN));
    c->columns = relative_of(rng, c->rows);
    if (below(rng, 2) == 0)
        std::swap(c->rows, c->columns);
    c->lane = {};
    c->lane.m = static_cast<int>(c->rows.size());
    c->lane.n = static_cast<int>(c->columns.size());
    c->lane.pads = ROWS_MAX - c->lane.m;
    c->lane.target = c->columns.data();
    c->n_columns = (c->lane.n + SPAN - 1) / SPAN * SPAN + SPAN * below(rng, 3);
    c->n_samples = c->n_columns / SPAN + 2;
    if (c->lane.m < CORRIDOR_MIN || c->lane.m > ROWS_MAX || c->lane.n < CORRIDOR_MIN)
        return false;
    sweep_f(rng, c);
    sweep_r(c);
    keep_columns(c);
    make_window_masks(c);
    return true;
}

/* @return U of the best paths, whose cost is K (m + n) less their score */
int best_cost(const pair_case_t &c)
{
    const int edit = static_cast<int>(c.costs.edit),
              skipped = static_cast<int>(c.costs.skip);
    const size_t m = c.rows.size(), n = c.columns.size();
    matrix_t p(n + 1, std::vector<int>(m + 1));
    int best = INT_MAX;

    for (size_t j = 0; j <= n; j++)
        for (size_t i = 0; i <= m; i++) {
            int &cell = p[j][i];

            cell = skipped * static_cast<int>(i + j);
            if (i > 0 && j > 0)
                cell = std::min(p[j - 1][i - 1] +
                                    ((c.rows[i - 1] & c.columns[j - 1]) != 0 ? 0 : edit),
                                std::min(p[j - 1][i], p[j][i - 1]) + edit);
            if (i == m || j == n)
                best = std::min(best, cell + skipped * static_cast<int>(m - i + n - j));
        }
    return best / edit;
}

/* @return F in the last row, in the last of all columns */
int last_value(const pair_case_t &c)
{
    return c.f[static_cast<size_t>(c.n_columns)][ROWS_MAX];
}

following_t follow_paths(const pair_case_t &c, const path_ends_t &ends,
                         std::vector<corridor_block_t> *blocks)
{
    following_t f = start_following<W>(c.lane, c.costs, ends, c.n_samples);

    for (int column = (c.lane.n - 1) / SPAN * SPAN; column >= 0; column -= SPAN) {
        sweep_block<W>(c.lane, ends, column, c.masks.data(), &f);
        take_sample<W>(c.lane, c.costs, ends, column, blocks->data(), &f);
    }
    return f;
}

/* Check the cells of a row (or, if swapped, of a column) of the matrix in a strip. */
void assert_in_strip(const pair_case_t &c, int cost, bool swapped, int row,
                     const corridor_strip_t &strip)
{
    const int n = swapped ? c.lane.m : c.lane.n;

    for (int k = 0; k <= n; k++)
        if (cost_through(c, swapped ? k : row, swapped ? row : k) <= cost)
            assert_in_range(k, strip.from, strip.to);
}

void assert_strips(const pair_case_t &c, int cost,
                   const std::vector<corridor_block_t> &blocks)
{
    for (const bool swapped : {false, true})
        for (const int rows : {32, 48}) {
            const int n_rows = swapped ? c.lane.n : c.lane.m;
            int at = 0;

            for (int end = n_rows % rows; end <= n_rows; end += rows) {
                const corridor_strip_t strip =
                    corridor_strip(blocks.data(), c.lane.m, c.lane.n, swapped,
                                   std::max(end - rows, 0), end, &at);

                for (int row = std::max(end - rows, 0); row <= end; row++)
                    assert_in_strip(c, cost, swapped, row, strip);
            }
        }
}

/* Check that no block begins in a row above the first one of a block in front of it. */
void assert_in_order(const std::vector<corridor_block_t> &blocks)
{
    int first = INT_MIN;

    for (size_t k = 0; k < blocks.size(); k++) {
        const int row = static_cast<int>(k) * SPAN - blocks[k].high;

        if (blocks[k].low > blocks[k].high)
            continue;
        assert_true(row >= first);
        first = row;
    }
}

void ends_have_all_best_paths(void **)
{
    rng_t rng = rng_seed(1);

    for (int k = random_set_count(N_CASES); k > 0; k--) {
        pair_case_t c;

        if (!make_case(&rng, &c))
            continue;
        const path_ends_t ends =
            find_ends<W>(c.lane, c.costs, c.n_samples, c.n_columns, last_value(c));
        const int m = c.lane.m, n = c.lane.n;

        assert_in_range(ends.most, best_cost(c), best_cost(c) + 1);
        for (int j = 0; j <= n; j++)
            if (cost_through(c, m, j) <= ends.most)
                assert_in_range(n - j, ends.row_min, ends.row_max);
        for (int i = 0; i <= m; i++)
            if (cost_through(c, i, n) <= ends.most)
                assert_in_range(m - i, ends.column_min, ends.column_max);
    }
}

void corridors_have_all_best_paths(void **)
{
    rng_t rng = rng_seed(2);
    int n_found = 0, n_cases = 0;

    for (int k = random_set_count(N_CASES); k > 0; k--) {
        pair_case_t c;

        if (!make_case(&rng, &c))
            continue;
        std::vector<corridor_block_t> blocks(
            static_cast<size_t>((c.lane.n + SPAN - 1) / SPAN));
        const path_ends_t ends =
            find_ends<W>(c.lane, c.costs, c.n_samples, c.n_columns, last_value(c));

        n_cases++;
        if (follow_paths(c, ends, &blocks).lost)
            continue;
        n_found++;
        assert_strips(c, best_cost(c), blocks);
        assert_in_order(blocks);
    }
    assert_true(4 * n_found > 3 * n_cases);
}

void rows_are_taken_from_stripes(void **)
{
    rng_t rng = rng_seed(3);
    unsigned stripes[W];

    for (unsigned &word : stripes)
        word = static_cast<unsigned>(rng_next(&rng));
    for (int first = -2 * WINDOW; first <= ROWS_MAX + WINDOW; first++) {
        unsigned rows[WINDOW_WORDS];

        rows_behind<W>(stripes, first, rows);
        for (int t = 0; t < WINDOW; t++) {
            const int row = first + t;
            const unsigned bit =
                row < 0 || row >= ROWS_MAX ? 0 : stripes[row % W] >> (row / W) & 1;

            assert_int_equal(rows[t / 32] >> (t % 32) & 1, bit);
        }
    }
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_have_all_best_paths),
        cmocka_unit_test(corridors_have_all_best_paths),
        cmocka_unit_test(rows_are_taken_from_stripes),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
