/*
 * test_tie_code.c - codes and windows of tie_code.h: pairs are aligned as GPUs do it,
 * with few bits for the tie break and in the bands of their windows, and their columns
 * are compared with the reference's.
 */
#include "kernels/align/common/tie_code.h"

#include "io/base/rng.h"
#include "kernels/align/common/nw_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PIECE_MAX = 60, LEN_MAX = 200, H_SHIFT = 32, M_SHIFT = 16, N_ROUNDS = 3 };

typedef struct {
    uint8_t a[LEN_MAX], b[LEN_MAX];
    int m, n;
} words_t;

/* The diagonals of a band. */
typedef struct {
    int low, high;
} diagonals_t;

/* A pair in a round. */
typedef struct {
    const words_t *words;
    const cell_layout_t *layout;
    const tie_code_t *tie;
    int window;
    diagonals_t band;
} round_t;

/* The best end of a round. */
typedef struct {
    int64_t rank;
    tie_end_t end;
    tie_start_t start;
    bool tied; /* with another end, and at least one of them is in doubt */
} found_t;

static int64_t border(const round_t *p, int k)
{
    int code = tie_code_at(p->tie, k, p->window);

    return (p->layout->gap_cost * k << H_SHIFT) +
           (p->tie->falling ? p->tie->max - code : code);
}

static int columns_of(const found_t *f)
{
    return f->end.i + f->end.j - f->end.matches - f->start.overhang;
}

/* Keep the better end of two. */
static void offer(const round_t *p, int64_t key, int i, int j, found_t *best)
{
    const cell_layout_t *f = p->layout;
    int64_t h = key >> H_SHIFT;
    int low = (int)(key & ((1 << M_SHIFT) - 1));
    found_t e = {.rank = h + f->gap_cost * (p->words->m + p->words->n - i - j),
                 .end = {.i = i, .j = j}};

    e.end.matches = (int)(key >> M_SHIFT & ((1 << (H_SHIFT - M_SHIFT)) - 1));
    e.end.rest = (int)(h - f->match * e.end.matches);
    if (e.rank < best->rank ||
        (e.rank == best->rank && e.end.matches < best->end.matches))
        return;
    e.start = tie_code_read(p->tie, e.end, p->tie->falling ? p->tie->max - low : low,
                            p->window);
    if (e.rank == best->rank && e.end.matches == best->end.matches) {
        e.tied =
            best->tied || e.start.window != TIE_SURE || best->start.window != TIE_SURE;
        best->tied = e.tied;
        if (columns_of(&e) >= columns_of(best))
            return;
    }
    *best = e;
}

static bool in_band(const round_t *p, int i, int j)
{
    return j - i >= p->band.low && j - i <= p->band.high;
}

static int64_t max3(int64_t a, int64_t b, int64_t c)
{
    int64_t d = a > b ? a : b;

    return c > d ? c : d;
}

/* Sweep the band; cells beside it are 0. */
static found_t sweep(const round_t *p)
{
    static int64_t cells[LEN_MAX + 1][LEN_MAX + 1];
    const words_t *w = p->words;
    const cell_layout_t *f = p->layout;
    const int64_t match = (f->match << H_SHIFT) + (1 << M_SHIFT);
    const int64_t mismatch = f->mismatch << H_SHIFT;
    found_t best = {.rank = f->rows_free ? f->gap_cost * (w->m + w->n) : -1};

    for (int i = 0; i <= w->m; i++)
        for (int j = 0; j <= w->n; j++)
            if (!in_band(p, i, j))
                cells[i][j] = 0;
            else if (i == 0)
                cells[i][j] = border(p, j);
            else if (j == 0)
                cells[i][j] = border(p, f->rows_free ? i : 0);
            else
                cells[i][j] = max3(cells[i - 1][j - 1] +
                                       (w->a[i - 1] == w->b[j - 1] ? match : mismatch),
                                   cells[i - 1][j], cells[i][j - 1]);
    for (int j = 1; j <= w->n; j++)
        offer(p, cells[w->m][j], w->m, j, &best);
    for (int i = 1; i < w->m && f->rows_free; i++)
        offer(p, cells[i][w->n], i, w->n, &best);
    return best;
}

/* Align a pair in rounds. @return the round that was certain; N_ROUNDS: none */
static int align(const words_t *w, const cell_layout_t *layout, const tie_code_t *tie,
                 found_t *out)
{
    round_t p = {w, layout, tie, TIE_SURE, {-LEN_MAX, LEN_MAX}};
    int k = 0;

    for (; k < N_ROUNDS; k++) {
        found_t f = sweep(&p);
        int diagonal = f.end.j - f.end.i;

        if (k > 0) { /* the same end */
            assert_int_equal(f.end.i, out->end.i);
            assert_int_equal(f.end.j, out->end.j);
            assert_int_equal(f.end.matches, out->end.matches);
            assert_int_equal(f.rank, out->rank);
            assert_true(f.start.overhang >= out->start.overhang);
        }
        *out = f;
        if (f.tied)
            return N_ROUNDS;
        if (f.start.window == TIE_SURE)
            return k;
        p.window = f.start.window;
        p.band = (diagonals_t){diagonal - f.start.gaps, diagonal + f.start.gaps};
    }
    return k;
}

/* Two words: one is a piece of the other with some changes, and hangs over if the longer
 * one begins or ends in it. */
static void make_words(rng_t *rng, words_t *w)
{
    int letters = 1 + (int)rng_below(rng, 4), i = 0, changes = (int)rng_below(rng, 9);
    uint8_t longer[LEN_MAX];

    w->n = 1 + (int)rng_below(rng, LEN_MAX);
    w->m = 1 + (int)rng_below(rng, PIECE_MAX);
    for (int j = 0; j < w->n; j++)
        longer[j] = w->b[j] = (uint8_t)(1u << rng_below(rng, (uint64_t)letters));
    for (int j = (int)rng_below(rng, (uint64_t)w->n); i < w->m; j++) {
        uint64_t what = rng_below(rng, 40);
        uint8_t other = (uint8_t)(1u << rng_below(rng, (uint64_t)letters));

        if (j >= w->n || what < (uint64_t)changes)
            w->a[i++] = other;
        else if (what < 2 * (uint64_t)changes)
            continue;
        else
            w->a[i++] = longer[j];
    }
}

static void turn(words_t *w)
{
    words_t t = {.m = w->n, .n = w->m};

    for (int j = 0; j < t.m; j++)
        t.a[j] = w->b[j];
    for (int i = 0; i < t.n; i++)
        t.b[i] = w->a[i];
    *w = t;
}

/* Scores with many and with few values of t: B = 9, 5, 17, 3, 7; c = 7, 7, 6, 2, 9. */
static const struct {
    int32_t match, mismatch, gap;
} scores[] = {{4, -5, -7}, {4, -9, -7}, {5, 5, -6}, {2, -1, -2}, {1, -11, -9}};

enum { N_SCORES = sizeof(scores) / sizeof(scores[0]), N_PAIRS = 4000, BITS_MAX = 5 };

static cell_layout_t layout_of(const align_spec_t *spec, int bits)
{
    cell_layout_t f;

    assert_true(cell_layout_choose(spec, LEN_MAX, LEN_MAX, false, &f));
    assert_true(f.tie == TIE_FROM_LOW || f.tie == TIE_FROM_HIGH);
    f.tie_max = (1 << bits) - 1;
    return f;
}

static void every_certain_result_is_the_references(void **state)
{
    nw_cell_t row[LEN_MAX + 1];
    rng_t rng = rng_seed(5);
    int n_certain[N_ROUNDS + 1] = {0};

    (void)state;
    for (int k = 0; k < N_PAIRS; k++) {
        align_spec_t spec = {.emit = EMIT_IDENTITY,
                             .ends = k % 3 == 0 ? ENDS_QUERY : ENDS_FREE};
        cell_layout_t layout;
        tie_code_t tie;
        found_t found;
        words_t w;

        align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, scores[k % N_SCORES].match,
                          scores[k % N_SCORES].mismatch, scores[k % N_SCORES].gap);
        layout = layout_of(&spec, 1 + k % BITS_MAX);
        tie = tie_code_of(&layout, LEN_MAX);
        make_words(&rng, &w);
        if (k / 2 % 2 == 0)
            turn(&w);
        int at = align(&w, &layout, &tie, &found);
        nw_cell_t want = nw_reference_pair(&spec, w.a, w.m, w.b, w.n, row);

        n_certain[at]++;
        assert_int_equal(found.rank - layout.gap_cost * (w.m + w.n), want.score);
        assert_int_equal(found.end.matches, want.matches);
        if (at < N_ROUNDS)
            assert_int_equal(columns_of(&found), want.columns);
        else
            assert_true(columns_of(&found) >= want.columns);
    }
    for (int k = 0; k <= N_ROUNDS; k++)
        print_message("%d pairs in round %d\n", n_certain[k], k);
}

static void codes_never_fall_and_contain_their_values(void **state)
{
    (void)state;
    for (int bits = 1; bits <= 9; bits++)
        for (int k = 0; k < N_SCORES; k++) {
            align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ENDS_FREE};
            const int len = 20000;
            const int first[] = {0, 0, 40}; /* of the windows' values */
            int window[] = {TIE_SURE, 1 << TIE_WINDOW_BITS, (3 << TIE_WINDOW_BITS) + 40};

            align_scoring_set(&spec.scoring, AMBIGUITY_MATCH, scores[k].match,
                              scores[k].mismatch, scores[k].gap);
            cell_layout_t layout = layout_of(&spec, bits);
            tie_code_t tie = tie_code_of(&layout, len);

            assert_true(tie.n_fine >= (tie.max + 1) / 2);
            for (int z = 0; z < 3; z++)
                for (int s = 0, before = 0; s <= len; s++) {
                    int code = tie_code_at(&tie, s, window[z]), t = s / tie.q;
                    tie_range_t range = tie_code_range(&tie, code, window[z]);

                    assert_in_range(code, before, tie.max);
                    if (z == 0 ||
                        (t >= first[z] && t <= first[z] + (tie.max << (z - 1) * 2)))
                        assert_true(range.low <= t && t <= range.high);
                    before = code;
                }
        }
}

static void a_window_has_a_code_for_each_of_few_values(void **state)
{
    tie_code_t f = {.max = 15, .q = 1};

    (void)state;
    assert_int_equal(tie_code_window(&f, (tie_range_t){7, 7}), TIE_SURE);
    assert_int_equal(tie_code_window(&f, (tie_range_t){7, 22}),
                     (1 << TIE_WINDOW_BITS) + 7);
    assert_int_equal(tie_code_window(&f, (tie_range_t){7, 23}),
                     (2 << TIE_WINDOW_BITS) + 7);
    assert_int_equal(tie_code_at(&f, 6, (1 << TIE_WINDOW_BITS) + 7), 0);
    assert_int_equal(tie_code_at(&f, 8, (1 << TIE_WINDOW_BITS) + 7), 1);
    assert_int_equal(tie_code_at(&f, 9, (2 << TIE_WINDOW_BITS) + 7), 1);
    assert_int_equal(tie_code_at(&f, 900, (2 << TIE_WINDOW_BITS) + 7), 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_certain_result_is_the_references),
        cmocka_unit_test(codes_never_fall_and_contain_their_values),
        cmocka_unit_test(a_window_has_a_code_for_each_of_few_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
