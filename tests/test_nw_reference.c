/*
 * test_nw_reference.c - the definition itself, against cases worked by hand and against
 * every alignment there is of short pairs.
 *
 * The enumeration shares no code with the definition: it walks every path, has its own
 * idea of which letters match, and keeps the best path's numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/align/nw_reference.h"
#include "tests/random_set.h"

#include <stdio.h>
#include <string.h>

enum { LEN_MAX = 64, N_LETTERS = 4, N_SCORINGS = 6, N_RANDOM_PAIRS = 2000 };

static const char letters[N_LETTERS + 1] = "ACRN";

/* match, mismatch, gap: the default; the edit distance; a mismatch of two gaps, one just
 * dearer, one far dearer; and matches that score nothing. */
static const int32_t scorings[N_SCORINGS][3] = {{4, -5, -7}, {1, -1, -1},  {1, -2, -1},
                                                {4, -7, -3}, {2, -30, -3}, {0, -1, -1}};

/* What is enumerated: one pair under one way of scoring. */
typedef struct {
    const char *a, *b;
    int m, n;
    bool ends_free;
    int64_t gap;
    int64_t score[N_LETTERS][N_LETTERS];
    bool match[N_LETTERS][N_LETTERS];
    nw_cell_t best;
    bool found;
} every_t;

static int index_of(char letter)
{
    return (int)(strchr(letters, letter) - letters);
}

/* R is A or G, N is any. */
static bool letters_match(align_ambiguity_t ambiguity, char x, char y)
{
    static const bool may_be_same[N_LETTERS][N_LETTERS] = {
        /* A */ {true, false, true, true},
        /* C */ {false, true, false, true},
        /* R */ {true, false, true, true},
        /* N */ {true, true, true, true}};
    bool plain = strchr("AC", x) != NULL && strchr("AC", y) != NULL;

    if (plain)
        return x == y;
    if (ambiguity == AMBIGUITY_MISMATCH ||
        (ambiguity == AMBIGUITY_N_MISMATCH && (x == 'N' || y == 'N')))
        return false;
    return may_be_same[index_of(x)][index_of(y)];
}

static void keep_if_better(every_t *e, nw_cell_t c)
{
    const nw_cell_t *b = &e->best;
    bool better =
        c.score > b->score ||
        (c.score == b->score &&
         (c.matches > b->matches || (c.matches == b->matches && c.columns < b->columns)));

    if (!e->found || better)
        e->best = c;
    e->found = true;
}

/* A gap within the part of the alignment where both sequences are. */
static nw_cell_t gap_column(const every_t *e, nw_cell_t c, bool at_an_end)
{
    if (e->ends_free && at_an_end)
        return c;
    return (nw_cell_t){c.score + e->gap, c.matches, c.columns + 1};
}

static void walk(every_t *e, int i, int j, nw_cell_t c)
{
    if (i == e->m && j == e->n) {
        keep_if_better(e, c);
        return;
    }
    if (i < e->m && j < e->n) {
        int x = index_of(e->a[i]), y = index_of(e->b[j]);

        walk(e, i + 1, j + 1,
             (nw_cell_t){c.score + e->score[x][y], c.matches + e->match[x][y],
                         c.columns + 1});
    }
    if (i < e->m)
        walk(e, i + 1, j, gap_column(e, c, j == 0 || j == e->n));
    if (j < e->n)
        walk(e, i, j + 1, gap_column(e, c, i == 0 || i == e->m));
}

static nw_cell_t align(const align_spec_t *spec, const char *a, const char *b)
{
    uint8_t x[LEN_MAX], y[LEN_MAX];
    nw_cell_t row[LEN_MAX + 1];
    size_t m = strlen(a), n = strlen(b);

    for (size_t i = 0; i < m; i++)
        x[i] = alphabet_code((unsigned char)a[i]);
    for (size_t j = 0; j < n; j++)
        y[j] = alphabet_code((unsigned char)b[j]);
    return nw_reference_pair(spec, x, (int64_t)m, y, (int64_t)n, row);
}

static bool same(nw_cell_t x, nw_cell_t y)
{
    return x.score == y.score && x.matches == y.matches && x.columns == y.columns;
}

static void assert_best_of_all(every_t *e, const align_spec_t *spec, const char *a,
                               const char *b)
{
    nw_cell_t got = align(spec, a, b), mirrored = align(spec, b, a);

    e->a = a;
    e->b = b;
    e->m = (int)strlen(a);
    e->n = (int)strlen(b);
    e->found = false;
    walk(e, 0, 0, (nw_cell_t){0, 0, 0});
    if (!same(got, e->best) || !same(got, mirrored))
        fail_msg("%s %s gap %d ends %s: %d %d %d, mirrored %d %d %d, not %d %d %d", a, b,
                 (int)e->gap, e->ends_free ? "free" : "count", (int)got.score,
                 (int)got.matches, (int)got.columns, (int)mirrored.score,
                 (int)mirrored.matches, (int)mirrored.columns, (int)e->best.score,
                 (int)e->best.matches, (int)e->best.columns);
}

static void set_scoring(every_t *e, align_spec_t *spec, const int32_t *s,
                        align_ambiguity_t ambiguity)
{
    align_scoring_set(&spec->scoring, ambiguity, s[0], s[1], s[2]);
    e->ends_free = spec->ends == ENDS_FREE;
    e->gap = s[2];
    for (int x = 0; x < N_LETTERS; x++)
        for (int y = 0; y < N_LETTERS; y++) {
            e->match[x][y] = letters_match(ambiguity, letters[x], letters[y]);
            e->score[x][y] = e->match[x][y] ? s[0] : s[1];
        }
}

static void set_matrix(every_t *e, align_spec_t *spec, const score_matrix_t *matrix,
                       int32_t gap)
{
    align_scoring_set_matrix(&spec->scoring, matrix, gap);
    e->ends_free = spec->ends == ENDS_FREE;
    e->gap = gap;
    for (int x = 0; x < N_LETTERS; x++)
        for (int y = 0; y < N_LETTERS; y++) {
            e->match[x][y] = x == y;
            e->score[x][y] = matrix->score[alphabet_code((unsigned char)letters[x])]
                                          [alphabet_code((unsigned char)letters[y])];
        }
}

/* Number k of the 4 + 16 + 64 words of one to three letters. */
static void write_word(int k, char *out)
{
    int len = 1, n_words = N_LETTERS;

    for (; k >= n_words; n_words *= N_LETTERS, len++)
        k -= n_words;
    for (int i = 0; i < len; i++, k /= N_LETTERS)
        out[i] = letters[k % N_LETTERS];
    out[len] = '\0';
}

static void try_short_words(every_t *e, const align_spec_t *spec)
{
    enum { N_WORDS = 4 + 16 + 64 };
    char a[4], b[4];

    for (int k = 0; k < N_WORDS; k++)
        for (int l = 0; l <= k; l++) {
            write_word(k, a);
            write_word(l, b);
            assert_best_of_all(e, spec, a, b);
        }
}

static void try_random_words(every_t *e, const align_spec_t *spec, rng_t *rng)
{
    char words[2][7];

    for (int k = 0; k < N_RANDOM_PAIRS; k++) {
        int n_kinds = rng_chance(rng, 1, 2) ? 2 : N_LETTERS; /* A and C alone, or all */

        for (int w = 0; w < 2; w++) {
            int len = 1 + (int)rng_below(rng, 6);

            for (int i = 0; i < len; i++)
                words[w][i] = letters[rng_below(rng, (uint64_t)n_kinds)];
            words[w][len] = '\0';
        }
        assert_best_of_all(e, spec, words[0], words[1]);
    }
}

static void try_all_scorings(align_ends_t ends)
{
    rng_t rng = rng_seed(1);
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ends};
    every_t every = {0};

    for (int s = 0; s < N_SCORINGS; s++)
        for (int mode = AMBIGUITY_N_MISMATCH; mode <= AMBIGUITY_MISMATCH; mode++) {
            set_scoring(&every, &spec, scorings[s], (align_ambiguity_t)mode);
            try_short_words(&every, &spec);
            try_random_words(&every, &spec, &rng);
        }
}

static void with_free_ends_it_is_the_best_of_all_alignments(void **state)
{
    (void)state;
    try_all_scorings(ENDS_FREE);
}

static void with_counted_ends_it_is_the_best_of_all_alignments(void **state)
{
    (void)state;
    try_all_scorings(ENDS_COUNT);
}

static void under_a_matrix_it_is_the_best_of_all_alignments(void **state)
{
    rng_t rng = rng_seed(2);
    every_t every = {0};
    score_matrix_t matrix;

    (void)state;
    for (int k = 0; k < 8; k++) {
        align_spec_t spec = {.emit = EMIT_IDENTITY,
                             .ends = k % 2 == 0 ? ENDS_FREE : ENDS_COUNT};

        random_set_matrix(&rng, &matrix);
        set_matrix(&every, &spec, &matrix, -1 - 3 * k);
        try_short_words(&every, &spec);
        try_random_words(&every, &spec, &rng);
    }
}

static void assert_numbers(align_ends_t ends, const char *a, const char *b, int64_t score,
                           int64_t matches, int64_t columns)
{
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ends};
    nw_cell_t got;

    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    got = align(&spec, a, b);
    assert_int_equal(got.score, score);
    assert_int_equal(got.matches, matches);
    assert_int_equal(got.columns, columns);
}

static void equal_sequences_match_in_every_column(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "ACGTACGT", "ACGTACGT", 8 * 4, 8, 8);
    assert_numbers(ENDS_FREE, "ACGTACGT", "ACGTACGT", 8 * 4, 8, 8);
}

static void two_missing_letters_cost_two_gaps(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "ACGTAC", "ACAC", 4 * 4 - 2 * 7, 4, 6);
}

static void a_changed_letter_costs_a_mismatch_and_not_two_gaps(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "ACGTA", "ACCTA", 4 * 4 - 5, 4, 5);
}

static void letters_before_and_behind_cost_nothing_where_ends_are_free(void **state)
{
    (void)state;
    assert_numbers(ENDS_FREE, "TTACGTACGG", "ACGTAC", 6 * 4, 6, 6);
    assert_numbers(ENDS_COUNT, "TTACGTACGG", "ACGTAC", 6 * 4 - 4 * 7, 6, 10);
}

static void a_tail_may_overlap_a_head(void **state)
{
    (void)state;
    assert_numbers(ENDS_FREE, "TTTTACGAC", "ACGACGGGG", 5 * 4, 5, 5);
}

static void strangers_do_not_overlap_where_ends_are_free(void **state)
{
    (void)state;
    assert_numbers(ENDS_FREE, "AAAA", "CCC", 0, 0, 0);
    assert_numbers(ENDS_COUNT, "AAAA", "CCC", -3 * 5 - 7, 0, 4);
}

/* R may be A or G; N matches nothing by default. */
static void a_code_matches_what_it_may_be_but_n_does_not(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "ACGT", "RCRT", 4 * 4, 4, 4);
    assert_numbers(ENDS_COUNT, "ACGT", "ACGN", 3 * 4 - 5, 3, 4);
}

static void one_letter_each_is_one_column(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "A", "A", 4, 1, 1);
    assert_numbers(ENDS_COUNT, "A", "C", -5, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sequences_match_in_every_column),
        cmocka_unit_test(two_missing_letters_cost_two_gaps),
        cmocka_unit_test(a_changed_letter_costs_a_mismatch_and_not_two_gaps),
        cmocka_unit_test(letters_before_and_behind_cost_nothing_where_ends_are_free),
        cmocka_unit_test(a_tail_may_overlap_a_head),
        cmocka_unit_test(strangers_do_not_overlap_where_ends_are_free),
        cmocka_unit_test(a_code_matches_what_it_may_be_but_n_does_not),
        cmocka_unit_test(one_letter_each_is_one_column),
        cmocka_unit_test(with_free_ends_it_is_the_best_of_all_alignments),
        cmocka_unit_test(with_counted_ends_it_is_the_best_of_all_alignments),
        cmocka_unit_test(under_a_matrix_it_is_the_best_of_all_alignments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
