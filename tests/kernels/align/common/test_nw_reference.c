/*
 * test_nw_reference.c - the definition itself, against cases worked by hand and against
 * all alignments of short pairs (every_alignment.h).
 */
#include "tests/support/unit_test.h"

#include "io/seq/cigar.h"
#include "kernels/align/common/nw_reference.h"
#include "tests/kernels/align/common/every_alignment.h"
#include "tests/support/random_set.h"

#include <stdio.h>
#include <string.h>

enum { LEN_MAX = 64, N_SCORINGS = 6, N_RANDOM_PAIRS = 2000 };

/* match, mismatch, gap: the default; the edit distance; a mismatch that costs as much as
 * two gaps, a little more, far more; matches that score nothing. */
static const int32_t scorings[N_SCORINGS][3] = {{4, -5, -7}, {1, -1, -1},  {1, -2, -1},
                                                {4, -7, -3}, {2, -30, -3}, {0, -1, -1}};

static void code(const char *letters_in, uint8_t *out)
{
    for (; *letters_in != '\0'; letters_in++)
        *out++ = alphabet_code(ALPHABET_DNA, (unsigned char)*letters_in);
}

static nw_cell_t align(const align_spec_t *spec, const char *a, const char *b)
{
    uint8_t x[LEN_MAX], y[LEN_MAX];
    nw_values_t row[LEN_MAX + 1];

    code(a, x);
    code(b, y);
    return nw_reference_pair(spec, x, (int64_t)strlen(a), y, (int64_t)strlen(b), row);
}

/* The CIGAR as text. @param out  [3 * LEN_MAX] */
static void spell_cigar(const align_spec_t *spec, const char *a, const char *b, char *out)
{
    static nw_values_t cells[(LEN_MAX + 1) * (LEN_MAX + 1)];
    uint8_t x[LEN_MAX], y[LEN_MAX];
    uint32_t runs[2 * LEN_MAX];
    buf_t text = {0};

    code(a, x);
    code(b, y);
    assert_int_equal(cigar_append_text(runs,
                                       nw_reference_cigar(spec, x, (int64_t)strlen(a), y,
                                                          (int64_t)strlen(b), cells,
                                                          runs),
                                       CIGAR_STYLE_EQX, &text),
                     ST_OK);
    assert_true(text.len < 3 * LEN_MAX);
    if (text.len > 0)
        memcpy(out, text.data, text.len);
    out[text.len] = '\0';
    buf_free(&text);
}

/* @param query_is_rows  whether a is the query, or b */
static void assert_best_of_all(every_t *e, const align_spec_t *spec, const char *a,
                               const char *b, bool query_is_rows)
{
    nw_cell_t got = query_is_rows ? align(spec, a, b) : align(spec, b, a);

    e->a = a;
    e->b = b;
    e->m = (int)strlen(a);
    e->n = (int)strlen(b);
    if (query_is_rows || spec->ends == ENDS_QUERY) { /* else the result is the same */
        set_ends(e, spec, query_is_rows);
        walk_all(e, spec->ends);
    }
    if (!same(got, e->best))
        fail_msg("%s %s%s gap %d, %d ends %s: %d %d %d, not %d %d %d", a, b,
                 query_is_rows ? "" : ", mirrored,", (int)spec->scoring.gap_open,
                 (int)spec->scoring.gap, align_ends_name[spec->ends], (int)got.score,
                 (int)got.matches, (int)got.columns, (int)e->best.score,
                 (int)e->best.matches, (int)e->best.columns);
}

/* Write a path of the enumeration as a CIGAR. @param row, column  names of the gaps */
static void write_path(const char *path, char row, char column, char *out)
{
    while (*path != '\0') {
        size_t len = strspn(path, (char[2]){*path, '\0'});
        char op = *path == 'r' ? row : *path == 'c' ? column : *path;

        out += sprintf(out, "%d%c", (int)len, op);
        path += len;
    }
    *out = '\0';
}

/* The CIGAR is the one that the rules choose, for the pair and for the mirrored pair. */
static void assert_chosen_by_the_rules(every_t *e, const align_spec_t *spec,
                                       const char *a, const char *b)
{
    uint8_t x[LEN_MAX], y[LEN_MAX];
    char got[3 * LEN_MAX], want[3 * LEN_MAX];

    code(a, x);
    code(b, y);
    if (!nw_reference_query_is_rows(x, (int64_t)strlen(a), y, (int64_t)strlen(b))) {
        const char *swap = a;

        a = b;
        b = swap;
    }
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        if (mirrored && strcmp(a, b) == 0) /* no rule can tell them apart */
            return;
        assert_best_of_all(e, spec, a, b, !mirrored);
        spell_cigar(spec, mirrored ? b : a, mirrored ? a : b, got);
        want[0] = '\0';
        if (e->best.columns > 0)
            write_path(e->best_path, mirrored ? 'D' : 'I', mirrored ? 'I' : 'D', want);
        if (strcmp(got, want) != 0)
            fail_msg("%s %s%s: %s, not %s", a, b, mirrored ? ", mirrored" : "", got,
                     want);
    }
}

/* Write word k of the 4 + 16 + 64 words of one to three letters. */
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
    enum { N_SHORTEST = 4 + 16, N_WORDS = N_SHORTEST + 64, ALL = 1000 };
    const int n_words = random_set_count(ALL) >= ALL / 10 ? N_WORDS : N_SHORTEST;
    char a[4], b[4];

    for (int k = 0; k < n_words; k++)
        for (int l = 0; l <= k; l++) {
            write_word(k, a);
            write_word(l, b);
            assert_chosen_by_the_rules(e, spec, a, b);
        }
}

static void try_random_words(every_t *e, const align_spec_t *spec, int n, rng_t *rng)
{
    char words[2][7];

    for (int k = 0; k < n; k++) {
        int n_kinds = rng_chance(rng, 1, 2) ? 2 : N_LETTERS; /* only A and C, or all */

        for (int w = 0; w < 2; w++) {
            int len = 1 + (int)rng_below(rng, 6);

            for (int i = 0; i < len; i++)
                words[w][i] = letters[rng_below(rng, (uint64_t)n_kinds)];
            words[w][len] = '\0';
        }
        assert_chosen_by_the_rules(e, spec, words[0], words[1]);
    }
}

static void try_all_scorings(align_ends_t ends, int n_random)
{
    rng_t rng = rng_seed(1);
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ends};
    every_t every = {0};

    for (int s = 0; s < N_SCORINGS; s++)
        for (int mode = AMBIGUITY_N_MISMATCH; mode <= AMBIGUITY_NEUTRAL; mode++) {
            set_scoring(&every, &spec, scorings[s], (align_ambiguity_t)mode);
            try_short_words(&every, &spec);
            try_random_words(&every, &spec, n_random, &rng);
        }
}

static void with_free_ends_it_is_the_best_of_all_alignments(void **state)
{
    (void)state;
    try_all_scorings(ENDS_FREE, random_set_count(N_RANDOM_PAIRS));
}

static void with_counted_ends_it_is_the_best_of_all_alignments(void **state)
{
    (void)state;
    try_all_scorings(ENDS_COUNT, random_set_count(N_RANDOM_PAIRS));
}

static void with_the_querys_ends_counted_it_is_the_best_of_all_alignments(void **state)
{
    (void)state;
    try_all_scorings(ENDS_QUERY, random_set_count(N_RANDOM_PAIRS));
}

/* Gaps that cost more at their begin: first base, further ones. */
static void try_affine_gaps(align_ends_t ends)
{
    static const align_gap_t gaps[] = {{-8, -7}, {-12, -1}, {-2, -1}, {-30, -4}};
    rng_t rng = rng_seed(3);
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ends};
    every_t every = {0};

    for (int s = 0; s < N_SCORINGS; s++)
        for (int g = 0; g < 4; g++) {
            set_scoring(&every, &spec, scorings[s], (align_ambiguity_t)((s + g) % 5));
            set_gap(&every, &spec, gaps[g]);
            try_short_words(&every, &spec);
            try_random_words(&every, &spec, random_set_count(N_RANDOM_PAIRS / 8), &rng);
        }
}

static void a_local_alignment_is_the_best_of_all(void **state)
{
    (void)state;
    try_all_scorings(ENDS_LOCAL, random_set_count(N_RANDOM_PAIRS / 8));
    try_affine_gaps(ENDS_LOCAL);
}

static void with_affine_gaps_it_is_the_best_of_all_alignments(void **state)
{
    (void)state;
    try_affine_gaps(ENDS_FREE);
    try_affine_gaps(ENDS_COUNT);
    try_affine_gaps(ENDS_QUERY);
}

/* Terminal gaps that cost less than gaps inside, that cost more, and linear ones. */
static void with_priced_ends_it_is_the_best_of_all_alignments(void **state)
{
    static const align_gap_t ends[] = {{-2, -1}, {-9, -8}, {-1, -1}, {-40, 0}};
    static const align_gap_t gaps[] = {{-20, -2}, {-8, -7}, {-7, -7}, {-12, -1}};
    rng_t rng = rng_seed(4);
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ENDS_PRICED};
    every_t every = {0};

    (void)state;
    for (int s = 0; s < N_SCORINGS; s++)
        for (int g = 0; g < 4; g++) {
            spec.end_gap = ends[g];
            set_scoring(&every, &spec, scorings[s], (align_ambiguity_t)((s + g) % 5));
            set_gap(&every, &spec, gaps[(s + g) % 4]);
            try_short_words(&every, &spec);
            try_random_words(&every, &spec, random_set_count(N_RANDOM_PAIRS / 8), &rng);
        }
}

static void with_a_matrix_it_is_the_best_of_all_alignments(void **state)
{
    rng_t rng = rng_seed(2);
    every_t every = {0};
    score_matrix_t matrix;

    (void)state;
    for (int k = 0; k < 12; k++) {
        static const align_ends_t ends[] = {ENDS_FREE, ENDS_COUNT, ENDS_QUERY,
                                            ENDS_LOCAL};
        align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ends[k % 4]};

        random_set_matrix(&rng, &matrix);
        set_matrix(&every, &spec, &matrix, -1 - 3 * k);
        try_short_words(&every, &spec);
        try_random_words(&every, &spec, random_set_count(N_RANDOM_PAIRS), &rng);
    }
}

static void assert_numbers_of(const align_spec_t *spec, const char *a, const char *b,
                              int64_t score, int64_t matches, int64_t columns)
{
    nw_cell_t got = align(spec, a, b);

    assert_int_equal(got.score, score);
    assert_int_equal(got.matches, matches);
    assert_int_equal(got.columns, columns);
}

static void assert_numbers(align_ends_t ends, const char *a, const char *b, int64_t score,
                           int64_t matches, int64_t columns)
{
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ends};

    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    assert_numbers_of(&spec, a, b, score, matches, columns);
}

static void equal_sequences_match_in_every_column(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "ACGTACGT", "ACGTACGT", 8 * 4, 8, 8);
    assert_numbers(ENDS_FREE, "ACGTACGT", "ACGTACGT", 8 * 4, 8, 8);
}

static void two_missing_bases_cost_two_gaps(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "ACGTAC", "ACAC", 4 * 4 - 2 * 7, 4, 6);
}

static void a_changed_base_costs_a_mismatch_and_not_two_gaps(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "ACGTA", "ACCTA", 4 * 4 - 5, 4, 5);
}

static void end_gaps_cost_nothing_if_ends_are_free(void **state)
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

/* The query TGTAG hangs over by TG, at a cost; the T at the target's end is free. */
static void the_whole_query_is_aligned_to_a_part_of_the_target(void **state)
{
    (void)state;
    assert_numbers(ENDS_QUERY, "ACGTAC", "TTACGTACGG", 6 * 4, 6, 6);
    assert_numbers(ENDS_QUERY, "TTACGTACGG", "ACGTAC", 6 * 4 - 4 * 7, 6, 10);
    assert_numbers(ENDS_QUERY, "TGTAG", "TAGT", 3 * 4 - 2 * 7, 3, 5);
    assert_numbers(ENDS_QUERY, "AAA", "CCCC", -3 * 5, 0, 3);
    assert_numbers(ENDS_QUERY, "AAAA", "CCC", -3 * 5 - 7, 0, 4);
}

static void unrelated_sequences_do_not_overlap_if_ends_are_free(void **state)
{
    (void)state;
    assert_numbers(ENDS_FREE, "AAAA", "CCC", 0, 0, 0);
    assert_numbers(ENDS_COUNT, "AAAA", "CCC", -3 * 5 - 7, 0, 4);
}

/* R may be A or G; N matches nothing by default. */
static void an_ambiguity_code_matches_what_it_may_be_except_n(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "ACGT", "RCRT", 4 * 4, 4, 4);
    assert_numbers(ENDS_COUNT, "ACGT", "ACGN", 3 * 4 - 5, 3, 4);
}

static void assert_cigar(const align_spec_t *spec, const char *a, const char *b,
                         const char *want)
{
    char got[3 * LEN_MAX];

    spell_cigar(spec, a, b, got);
    assert_string_equal(got, want);
}

static void a_cigar_consumes_every_base_of_both(void **state)
{
    align_spec_t spec = {.emit = EMIT_CIGAR, .ends = ENDS_COUNT};

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    assert_cigar(&spec, "ACGTAC", "ACAC", "2=2I2=");
    assert_cigar(&spec, "ACAC", "ACGTAC", "2=2D2=");
    assert_cigar(&spec, "ACGTA", "ACCTA", "2=1X2=");
    assert_cigar(&spec, "ACGN", "RCGT", "3=1X");
    spec.ends = ENDS_FREE;
    assert_cigar(&spec, "TTACGTACGG", "ACGTAC", "2I6=2I");
    assert_cigar(&spec, "TTTTACGAC", "ACGACGGGG", "4I5=4D");
    assert_cigar(&spec, "AAAA", "CCC", "");
    spec.ends = ENDS_QUERY;
    assert_cigar(&spec, "ACGTAC", "TTACGTACGG", "2D6=2D");
    assert_cigar(&spec, "TTACGTACGG", "ACGTAC", "2I6=2I");
    assert_cigar(&spec, "TGTAG", "TAGT", "2I3=1D");
    assert_cigar(&spec, "AAA", "CCCC", "1D3X");
}

static void a_local_alignment_leaves_out_what_costs(void **state)
{
    (void)state;
    assert_numbers(ENDS_LOCAL, "TTACGTACGG", "CCACGTACAA", 6 * 4, 6, 6);
    assert_numbers(ENDS_LOCAL, "ACGTAAAACCCC", "ACGTCAAACCCC", 11 * 4 - 5, 11, 12);
    assert_numbers(ENDS_LOCAL, "ACGTAAAA", "ACGTCA", 4 * 4, 4, 4);
    assert_numbers(ENDS_LOCAL, "AAAA", "CCC", 0, 0, 0);
}

/* A mismatch and a match more do not change the score here. */
static void of_equal_local_scores_the_one_with_more_matches_counts(void **state)
{
    align_spec_t spec = {.emit = EMIT_CIGAR, .ends = ENDS_LOCAL};

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 1, -1, -1);
    assert_numbers_of(&spec, "ATC", "AGC", 1, 2, 3);
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 0, -1, -1);
    assert_numbers_of(&spec, "AAA", "AAA", 0, 0, 0);
}

/* Of equal ends the last row, then the last column; the rows are the shorter one. */
static void a_local_cigar_has_what_lies_outside_at_its_ends(void **state)
{
    align_spec_t spec = {.emit = EMIT_CIGAR, .ends = ENDS_LOCAL};

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    assert_cigar(&spec, "TTACGTACGG", "CCACGTACAA", "2D2I6=2D2I");
    assert_cigar(&spec, "CCACGTACAA", "TTACGTACGG", "2I2D6=2I2D");
    assert_cigar(&spec, "TTACGTA", "CCCACGTAAG", "2I3D5=2D");
    assert_cigar(&spec, "ACG", "ACGTACG", "4D3=");
    assert_cigar(&spec, "ACTAC", "GACGGG", "3I1D2=3D");
    assert_cigar(&spec, "AAAA", "CCC", "");
}

/* The text keeps the operations of the runs. */
static void joined_columns_are_one_run_of_m(void **state)
{
    align_spec_t spec = {.emit = EMIT_CIGAR, .ends = ENDS_COUNT, .join_columns = true};

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    assert_cigar(&spec, "ACGTA", "ACCTA", "5M");
    assert_cigar(&spec, "ACCTAC", "AGAC", "1M2I3M");
    assert_cigar(&spec, "AGAC", "ACCTAC", "1M2D3M");
    spec.ends = ENDS_FREE;
    assert_cigar(&spec, "TTACGTACGG", "ACCTAC", "2I6M2I");
    assert_cigar(&spec, "AAAA", "CCC", "");
}

/* The way back prefers diagonal steps, so a gap is as far in front as it can be. */
static void one_of_several_equal_alignments_is_chosen(void **state)
{
    align_spec_t spec = {.emit = EMIT_CIGAR, .ends = ENDS_COUNT};

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    assert_cigar(&spec, "CAAAC", "CAC", "1=2I2=");
    assert_cigar(&spec, "CAC", "CAAAC", "1=2D2=");
}

/* A mismatch costs more than the gaps: T and G both hang over, one of them at a cost. */
static void both_may_hang_over_one_of_them_at_a_cost(void **state)
{
    align_spec_t spec = {.emit = EMIT_CIGAR, .ends = ENDS_FREE};

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 2, -30, -3);
    assert_numbers_of(&spec, "TTAAAA", "GAAAA", 4 * 2 - 3, 4, 5);
    assert_cigar(&spec, "TTAAAA", "GAAAA", "2I1D4=");
    assert_cigar(&spec, "GAAAA", "TTAAAA", "2D1I4=");
    spec.ends = ENDS_QUERY;
    assert_numbers_of(&spec, "GAAAA", "TTAAAA", 4 * 2 - 3, 4, 5);
    assert_cigar(&spec, "GAAAA", "TTAAAA", "2D1I4=");
    assert_numbers_of(&spec, "TTAAAA", "GAAAA", 4 * 2 - 2 * 3, 4, 6);
    assert_cigar(&spec, "TTAAAA", "GAAAA", "1D2I4=");
}

static void one_base_each_is_one_column(void **state)
{
    (void)state;
    assert_numbers(ENDS_COUNT, "A", "A", 4, 1, 1);
    assert_numbers(ENDS_COUNT, "A", "C", -5, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_sequences_match_in_every_column),
        cmocka_unit_test(two_missing_bases_cost_two_gaps),
        cmocka_unit_test(a_changed_base_costs_a_mismatch_and_not_two_gaps),
        cmocka_unit_test(end_gaps_cost_nothing_if_ends_are_free),
        cmocka_unit_test(a_tail_may_overlap_a_head),
        cmocka_unit_test(the_whole_query_is_aligned_to_a_part_of_the_target),
        cmocka_unit_test(unrelated_sequences_do_not_overlap_if_ends_are_free),
        cmocka_unit_test(an_ambiguity_code_matches_what_it_may_be_except_n),
        cmocka_unit_test(one_base_each_is_one_column),
        cmocka_unit_test(a_cigar_consumes_every_base_of_both),
        cmocka_unit_test(joined_columns_are_one_run_of_m),
        cmocka_unit_test(a_local_alignment_leaves_out_what_costs),
        cmocka_unit_test(of_equal_local_scores_the_one_with_more_matches_counts),
        cmocka_unit_test(a_local_cigar_has_what_lies_outside_at_its_ends),
        cmocka_unit_test(one_of_several_equal_alignments_is_chosen),
        cmocka_unit_test(both_may_hang_over_one_of_them_at_a_cost),
        cmocka_unit_test(with_free_ends_it_is_the_best_of_all_alignments),
        cmocka_unit_test(with_counted_ends_it_is_the_best_of_all_alignments),
        cmocka_unit_test(with_the_querys_ends_counted_it_is_the_best_of_all_alignments),
        cmocka_unit_test(a_local_alignment_is_the_best_of_all),
        cmocka_unit_test(with_affine_gaps_it_is_the_best_of_all_alignments),
        cmocka_unit_test(with_priced_ends_it_is_the_best_of_all_alignments),
        cmocka_unit_test(with_a_matrix_it_is_the_best_of_all_alignments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
