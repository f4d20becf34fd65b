/*
 * test_tie_code.c - codes and windows of tie_code.h: pairs are aligned as GPUs do it,
 * with few bits for the tie break and in the bands of their windows, and their columns
 * are compared with the reference's.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/common/tie_code.h"

#include "io/base/rng.h"
#include "kernels/align/common/nw_reference.h"

#include <stdbool.h>
#include <stdlib.h>

enum { PIECE_MAX = 60, LEN_MAX = 200, M_SHIFT = 8, N_ROUNDS = 3 };
enum { QUAD = 4, STRIP_MAX = 64, COLUMNS_MAX = LEN_MAX + QUAD };

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
    int h_shift, n_rows; /* of a strip */
    bool is_long;        /* strips subtract from h */
    int window;
    diagonals_t band;
} round_t;

/* What a round holds besides. */
typedef struct {
    int row_pads, column_pads, low, high; /* the band, including pads */
    uint32_t line[COLUMNS_MAX], left[STRIP_MAX];
} sweep_t;

/* The best end of a round. */
typedef struct {
    int64_t rank;
    tie_end_t end;
    tie_start_t start;
    bool tied; /* with another end, and at least one of them is in doubt */
} found_t;

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

static uint32_t border(const round_t *p, int k)
{
    int code = tie_code_at(p->tie, larger(k, 0), p->window);

    return ((uint32_t)(p->layout->gap_cost * larger(k, 0)) << p->h_shift) +
           (uint32_t)(p->tie->falling ? p->tie->max - code : code);
}

static int columns_of(const found_t *f)
{
    return f->end.i + f->end.j - f->end.matches - f->start.overhang;
}

/* Keep the better end of two. @param base  subtracted from h */
static void offer(const round_t *p, uint32_t key, int i, int j, int base, found_t *best)
{
    const cell_layout_t *f = p->layout;
    int64_t h = (int64_t)(key >> p->h_shift) + base;
    int low = (int)(key & ((1 << M_SHIFT) - 1));
    found_t e = {.rank = h + f->gap_cost * (p->words->m + p->words->n - i - j),
                 .end = {.i = i, .j = j}};

    e.end.matches = (int)(key >> M_SHIFT & ((1 << (p->h_shift - M_SHIFT)) - 1));
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

/* @return what a strip subtracts from h */
static int base_of(const round_t *p, const sweep_t *s, int strip)
{
    return p->is_long ? larger(strip - s->row_pads, 0) * (int)p->layout->gap_cost : 0;
}

/* @return the cell above a strip's first row; the strip above has n_above columns */
static uint32_t above(const round_t *p, const sweep_t *s, int strip, int column,
                      int n_above)
{
    if (strip == 0)
        return border(p, column + 1 - s->column_pads);
    return column < n_above ? s->line[column] : 0;
}

/* @return the step of a row and a column, including pads */
static uint32_t step(const round_t *p, const sweep_t *s, int row, int column)
{
    int i = row - s->row_pads, j = column - s->column_pads;

    if (i < 0 || j < 0)
        return 0;
    return p->words->a[i] == p->words->b[j]
               ? ((uint32_t)p->layout->match << p->h_shift) + (1 << M_SHIFT)
               : (uint32_t)p->layout->mismatch << p->h_shift;
}

/* Compute a column of a strip. @return its last cell */
static uint32_t sweep_column(const round_t *p, sweep_t *s, int strip, int column,
                             uint32_t diagonal, uint32_t up)
{
    for (int r = 0; r < p->n_rows; r++) {
        uint32_t cell = diagonal + step(p, s, strip + r, column);

        diagonal = s->left[r];
        cell = cell > up ? cell : up;
        up = s->left[r] = cell > diagonal ? cell : diagonal;
    }
    return up;
}

static void sweep_strip(const round_t *p, sweep_t *s, int strip, found_t *best)
{
    const words_t *w = p->words;
    const int n_columns = w->n + s->column_pads, end = strip + p->n_rows;
    const int from = larger(strip - s->low, 0) / QUAD * QUAD;
    const int to = lesser(end + s->high, n_columns);
    const int n_above = lesser(strip + s->high, n_columns);
    const int base = base_of(p, s, strip);
    const uint32_t less = (uint32_t)base << p->h_shift;
    const uint32_t less_below = (uint32_t)(base_of(p, s, end) - base) << p->h_shift;
    const int first = p->layout->rows_free ? strip - s->row_pads : -end;
    uint32_t diagonal =
        from > 0 ? above(p, s, strip, from - 1, n_above) : border(p, first) - less;

    for (int r = 0; r < p->n_rows; r++)
        s->left[r] = from > 0 ? 0 : border(p, first + r + 1) - less;
    for (int j = from; j < to; j++) {
        uint32_t up = above(p, s, strip, j, n_above);
        uint32_t last = sweep_column(p, s, strip, j, diagonal, up);

        diagonal = up;
        s->line[j] = last > less_below ? last - less_below : 0;
        if (end >= w->m + s->row_pads && j >= s->column_pads)
            offer(p, last, w->m, j - s->column_pads + 1, base, best);
    }
    for (int r = 0; p->layout->rows_free && to == n_columns && r < p->n_rows; r++)
        if (from < to && strip + r >= s->row_pads)
            offer(p, s->left[r], strip + r - s->row_pads + 1, w->n, base, best);
}

/* Sweep the band; cells beside it are 0. */
static found_t sweep(const round_t *p)
{
    const words_t *w = p->words;
    sweep_t s = {.row_pads = (p->n_rows - w->m % p->n_rows) % p->n_rows,
                 .column_pads = (QUAD - w->n % QUAD) % QUAD};
    found_t best = {.rank =
                        p->layout->rows_free ? p->layout->gap_cost * (w->m + w->n) : -1};

    s.low = s.row_pads - s.column_pads - p->band.low;
    s.high = s.column_pads - s.row_pads + p->band.high;
    for (int strip = 0; strip < w->m + s.row_pads; strip += p->n_rows)
        sweep_strip(p, &s, strip, &best);
    return best;
}

/* @return the bits of h in a long pair's cells */
static int long_h_bits(const cell_layout_t *f, int n_rows, int n)
{
    int64_t score = f->match_score > 0 ? f->match_score : 0;
    int64_t h = f->gap_cost * larger(n_rows, n) + (score + f->gap_cost) * n;
    int bits = 0;

    for (; h > 0; h >>= 1)
        bits++;
    return bits;
}

/* Align a pair in rounds, in strips of n_rows. @return the round that was certain;
 * N_ROUNDS: none */
static int align(const words_t *w, const cell_layout_t *layout, const tie_code_t *tie,
                 int n_rows, bool is_long, found_t *out)
{
    round_t p = {.words = w,
                 .layout = layout,
                 .tie = tie,
                 .h_shift =
                     is_long ? 32 - long_h_bits(layout, n_rows, w->n) : 2 * M_SHIFT,
                 .n_rows = n_rows,
                 .is_long = is_long,
                 .window = TIE_SURE,
                 .band = {-2 * LEN_MAX, 2 * LEN_MAX}};
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
    int letters = 2 + (int)rng_below(rng, 3), i = 0, changes = (int)rng_below(rng, 9);
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

enum { N_SCORES = sizeof(scores) / sizeof(scores[0]), N_PAIRS = 12000, BITS_MAX = 3 };

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
    nw_values_t row[LEN_MAX + 1];
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
        bool is_long = spec.ends == ENDS_FREE && k / 4 % 2 == 0;

        if (is_long ? w.m < w.n : k / 2 % 2 == 0)
            turn(&w);
        int n_rows = QUAD * (1 + (int)rng_below(&rng, STRIP_MAX / QUAD));
        int at = align(&w, &layout, &tie, n_rows, is_long, &found);
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
        assert_true(n_certain[k] > 0);
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
