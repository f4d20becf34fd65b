/*
 * test_score_band.c - the bounds of score_band.h against all paths of short words.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/common/score_band.h"

#include "io/base/rng.h"

#include <stdbool.h>

enum { LETTERS_MAX = 6, N_CASES = 600 };

/* One pair, and the best score of the paths that leave a band. */
typedef struct {
    const align_spec_t *spec;
    const char *a, *b; /* of the query, and of the target */
    int m, n, w;
    int64_t outside;
} pair_paths_t;

static int between(rng_t *rng, int low, int high)
{
    return low + (int)rng_below(rng, (uint64_t)(high - low + 1));
}

static bool is_outside(const pair_paths_t *p, int i, int j)
{
    return j - i > p->w + (p->n > p->m ? p->n - p->m : 0) ||
           i - j > p->w + (p->m > p->n ? p->m - p->n : 0);
}

/* @return what a gap's next base scores. @param is_end  the gap is along a border */
static int64_t gap_base(const pair_paths_t *p, bool of_query, bool is_end, bool goes_on)
{
    align_gap_t gap =
        is_end ? align_end_gap(p->spec, of_query) : align_scoring_gap(&p->spec->scoring);

    return goes_on ? gap.extend : gap.open;
}

/* Walk all paths from a cell on. @param last  the step before: 'd', 'q', 't' or '\0' */
static void walk(pair_paths_t *p, int i, int j, int64_t score, bool has_left, char last)
{
    const align_scoring_t *s = &p->spec->scoring;

    has_left = has_left || is_outside(p, i, j);
    if (i == p->m && j == p->n && has_left && score > p->outside)
        p->outside = score;
    if (i < p->m && j < p->n)
        walk(p, i + 1, j + 1, score + (p->a[i] == p->b[j] ? s->match : s->mismatch),
             has_left, 'd');
    if (i < p->m)
        walk(p, i + 1, j, score + gap_base(p, true, j == 0 || j == p->n, last == 'q'),
             has_left, 'q');
    if (j < p->n)
        walk(p, i, j + 1, score + gap_base(p, false, i == 0 || i == p->m, last == 't'),
             has_left, 't');
}

static align_spec_t draw_spec(rng_t *rng)
{
    align_spec_t spec = {.ends = (align_ends_t)between(rng, ENDS_FREE, ENDS_PRICED)};
    int extend = -between(rng, 1, 4),
        open = extend - between(rng, 0, 1) * between(rng, 0, 9);

    if (spec.ends == ENDS_PRICED) {
        spec.end_gap.extend = -between(rng, 0, 6);
        spec.end_gap.open = spec.end_gap.extend - between(rng, 0, 9);
    }
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, between(rng, 0, 5),
                      -between(rng, 0, 8), extend);
    align_scoring_set_gap(&spec.scoring, (align_gap_t){open, extend});
    return spec;
}

static void no_path_outside_exceeds_the_bound(void **state)
{
    rng_t rng = rng_seed(1);
    int n_attained = 0;

    (void)state;
    for (int k = 0; k < N_CASES; k++) {
        const align_spec_t spec = draw_spec(&rng);
        char a[LETTERS_MAX], b[LETTERS_MAX];
        int n_letters = between(&rng, 1, 2);
        score_band_t band;

        for (int i = 0; i < LETTERS_MAX; i++) {
            a[i] = (char)between(&rng, 1, n_letters);
            b[i] = (char)between(&rng, 1, n_letters);
        }
        if (!score_band_applies(&spec, &band))
            continue;
        pair_paths_t p = {
            &spec, a, b, between(&rng, 1, LETTERS_MAX), between(&rng, 1, LETTERS_MAX),
            0,     0};

        for (; p.w < p.m && p.w < p.n; p.w++) {
            const int64_t bound = score_band_outside(&band, p.m, p.n, p.w);

            p.outside = INT64_MIN;
            walk(&p, 0, 0, 0, false, '\0');
            assert_true(p.outside <= bound);
            n_attained += p.outside == bound;
        }
    }
    assert_true(n_attained > N_CASES / 4);
}

/* The proved band is the narrowest one whose bound is less than the score. */
static void a_score_proves_the_narrowest_band(void **state)
{
    rng_t rng = rng_seed(2);
    int n_banded = 0;

    (void)state;
    for (int k = 0; k < N_CASES; k++) {
        const align_spec_t spec = draw_spec(&rng);
        const int m = between(&rng, 1, 2000), n = between(&rng, 1, 2000);
        const int shorter = m < n ? m : n;
        score_band_t band;

        if (!score_band_applies(&spec, &band))
            continue;
        const int64_t score = score_band_outside(&band, m, n, between(&rng, -2, shorter));
        const int32_t w = score_band_proved(&band, m, n, score);

        if (w == BAND_WIDTH_NONE)
            continue;
        n_banded++;
        assert_true(w >= 0 && w < shorter);
        assert_true(score_band_outside(&band, m, n, w) < score);
        assert_true(w == 0 || score_band_outside(&band, m, n, w - 1) >= score);
    }
    assert_true(n_banded > N_CASES / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_path_outside_exceeds_the_bound),
        cmocka_unit_test(a_score_proves_the_narrowest_band),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
