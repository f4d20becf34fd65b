/*
 * test_edit_band.c - the bounds of edit_band.h against all paths of short words.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/common/edit_band.h"

#include "io/base/rng.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS_MAX = 24, FAR = INT_MAX / 2 };

/* Minimum cost of the paths inside the band, and of those that leave it. */
typedef struct {
    int inside, outside;
} min_t;

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

/* Find the minimum over all paths of a and b. */
static min_t walk(const char *a, int m, const char *b, int n, int gap, int mismatch,
                  int w)
{
    min_t at[LETTERS_MAX + 1][LETTERS_MAX + 1];
    int low = w + (m > n ? m - n : 0), high = w + (n > m ? n - m : 0);

    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            min_t here = {i + j == 0 ? 0 : FAR, FAR};

            if (i > 0 && j > 0) {
                int step = a[i - 1] == b[j - 1] ? 0 : mismatch;

                here.inside = at[i - 1][j - 1].inside + step;
                here.outside = at[i - 1][j - 1].outside + step;
            }
            if (i > 0) {
                here.inside = lesser(here.inside, at[i - 1][j].inside + gap);
                here.outside = lesser(here.outside, at[i - 1][j].outside + gap);
            }
            if (j > 0) {
                here.inside = lesser(here.inside, at[i][j - 1].inside + gap);
                here.outside = lesser(here.outside, at[i][j - 1].outside + gap);
            }
            if (j - i < -low || j - i > high) {
                here.outside = lesser(here.outside, here.inside);
                here.inside = FAR;
            }
            at[i][j] = here;
        }
    return at[m][n];
}

static int all_paths(const char *a, int m, const char *b, int n, int gap, int mismatch)
{
    return walk(a, m, b, n, gap, mismatch, LETTERS_MAX).inside;
}

/* Make a word, and another one with 0 to 11 changes. */
static void make_words(rng_t *rng, char *a, int *m, char *b, int *n)
{
    int letters = 1 + (int)rng_below(rng, 4), changes = (int)rng_below(rng, 12);

    *m = *n = 1 + (int)rng_below(rng, LETTERS_MAX);
    for (int i = 0; i < *m; i++)
        a[i] = b[i] = "ACGT"[rng_below(rng, (uint64_t)letters)];
    for (int k = 0; k < changes; k++) {
        int at = (int)rng_below(rng, (uint64_t)*n), what = (int)rng_below(rng, 3);

        if (what == 0) {
            b[at] = "ACGT"[rng_below(rng, 4)];
        } else if (what == 1 && *n > 1) {
            memmove(b + at, b + at + 1, (size_t)(*n - at - 1));
            --*n;
        } else if (what == 2 && *n < LETTERS_MAX) {
            memmove(b + at + 1, b + at, (size_t)(*n - at));
            ++*n;
        }
    }
}

static const edit_costs_t costs[] = {{20, 18}, {18, 18}, {1, 1},   {28, 18},
                                     {11, 18}, {3, 6},   {100, 1}, {1, 90}};

enum { N_COSTS = sizeof(costs) / sizeof(costs[0]), ROUNDS = 3000 };

static void no_path_that_leaves_a_band_costs_less_than_the_bound(void **state)
{
    char a[LETTERS_MAX], b[LETTERS_MAX];
    rng_t rng = rng_seed(7);
    int m, n, n_exact = 0;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        edit_costs_t c = costs[round % N_COSTS];

        make_words(&rng, a, &m, b, &n);
        int edits = all_paths(a, m, b, n, 1, 1);

        for (int w = 0; w < m && w < n; w++) {
            int outside = walk(a, m, b, n, (int)c.gap, (int)c.mismatch, w).outside;
            int64_t bound = edit_band_min(c, edits, abs(n - m), w);

            assert_true(outside >= bound);
            n_exact += outside == bound;
        }
    }
    assert_true(n_exact > ROUNDS / 4); /* the bound is often exact */
}

static void a_cost_proves_the_narrowest_band_possible(void **state)
{
    rng_t rng = rng_seed(8);

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        edit_costs_t c = costs[round % N_COSTS];
        int64_t k = c.gap < c.mismatch ? c.gap : c.mismatch;
        int64_t skew = rng_below(&rng, 30), edits = skew + rng_below(&rng, 50);
        int64_t cost = k * edits + rng_below(&rng, (uint64_t)(c.gap + c.mismatch) * 40);
        int64_t w = edit_band_proved(c, edits, skew, cost);

        assert_true(w >= 0);
        assert_true(edit_band_min(c, edits, skew, w) > cost);
        if (w > 0)
            assert_true(edit_band_min(c, edits, skew, w - 1) <= cost);
    }
}

static void the_best_path_is_in_the_band_that_it_proves(void **state)
{
    char a[LETTERS_MAX], b[LETTERS_MAX];
    rng_t rng = rng_seed(9);
    int m, n;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        edit_costs_t c = costs[round % N_COSTS];

        make_words(&rng, a, &m, b, &n);
        int edits = all_paths(a, m, b, n, 1, 1);
        int best = all_paths(a, m, b, n, (int)c.gap, (int)c.mismatch);
        int w = (int)edit_band_proved(c, edits, abs(n - m), best);
        min_t found = walk(a, m, b, n, (int)c.gap, (int)c.mismatch, w);

        assert_int_equal(found.inside, best);
        assert_true(found.outside > best);
    }
}

static void with_unit_costs_the_guess_is_proved(void **state)
{
    (void)state;
    for (int edits = 0; edits < 200; edits++) {
        int32_t w = edit_band_guess((edit_costs_t){18, 18}, edits, 1000, 1000);

        assert_true(edit_band_min((edit_costs_t){18, 18}, edits, 0, w) > 18 * edits);
    }
}

static void a_band_that_would_skip_nothing_is_none(void **state)
{
    (void)state;
    assert_int_equal(edit_band_guess((edit_costs_t){20, 18}, 900, 1000, 1000), 144);
    assert_int_equal(edit_band_guess((edit_costs_t){18, 18}, 1900, 1000, 1000),
                     BAND_WIDTH_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_path_that_leaves_a_band_costs_less_than_the_bound),
        cmocka_unit_test(a_cost_proves_the_narrowest_band_possible),
        cmocka_unit_test(the_best_path_is_in_the_band_that_it_proves),
        cmocka_unit_test(with_unit_costs_the_guess_is_proved),
        cmocka_unit_test(a_band_that_would_skip_nothing_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
