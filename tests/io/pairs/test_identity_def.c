/*
 * test_identity_def.c - the definitions of identity for alignments counted by hand.
 */
#include "tests/support/unit_test.h"

#include "io/pairs/identity_def.h"
#include "io/seq/cigar.h"

enum { EQ = CIGAR_EQ, X = CIGAR_X, M = CIGAR_M, I = CIGAR_I, D = CIGAR_D };

#define RUN(len, op) ((uint32_t)(len) << 4 | (op))
#define N_OF(runs)   ((int64_t)(sizeof(runs) / sizeof((runs)[0])))

/*
 * The example of mothur's page on dist.seqs, 12 and 9 bases long:
 *     ATGCATGCATGC
 *     ACGC---CATCC
 * 7 matches, 2 mismatches, 1 gap of 3 bases.
 */
static const uint32_t no_ends[] = {RUN(1, EQ), RUN(1, X), RUN(2, EQ), RUN(3, I),
                                   RUN(3, EQ), RUN(1, X), RUN(1, EQ)};

/*
 * The same with bases cut off, 10 and 8 are left:
 *     --GCATGCATGC
 *     ACGC---CATC-
 * 5 matches, 1 mismatch; gaps of 2, 3 and 1 bases, those of 2 and 1 at the ends.
 */
static const uint32_t two_ends[] = {RUN(2, D),  RUN(2, EQ), RUN(3, I),
                                    RUN(3, EQ), RUN(1, X),  RUN(1, I)};

/*
 * Gaps of both sequences at one end, 6 bases each:
 *     ---ACGTAC
 *     CCC--GTA-
 * 3 matches; gaps of 3, 2 and 1 bases: those of 3 and 1 are end gaps, all are in margins.
 */
static const uint32_t both_gaps[] = {RUN(3, D), RUN(2, I), RUN(3, EQ), RUN(1, I)};

static identity_value_t value_of(identity_def_t def, bool count_ends,
                                 const uint32_t *runs, int64_t n_runs, int64_t m,
                                 int64_t n)
{
    identity_counts_t counts = identity_def_count(runs, n_runs, 0);

    return identity_def_of_counts(def, count_ends, &counts, m, n);
}

static void assert_value(identity_value_t value, int64_t numerator, int64_t denominator)
{
    assert_int_equal(value.numerator, numerator);
    assert_int_equal(value.denominator, denominator);
}

static void assert_no_ends(identity_def_t def, bool count_ends, int64_t numerator,
                           int64_t denominator)
{
    assert_value(value_of(def, count_ends, no_ends, N_OF(no_ends), 12, 9), numerator,
                 denominator);
}

static void assert_two_ends(identity_def_t def, bool count_ends, int64_t numerator,
                            int64_t denominator)
{
    assert_value(value_of(def, count_ends, two_ends, N_OF(two_ends), 10, 8), numerator,
                 denominator);
}

static void assert_both_gaps(identity_def_t def, bool count_ends, int64_t numerator,
                             int64_t denominator)
{
    assert_value(value_of(def, count_ends, both_gaps, N_OF(both_gaps), 6, 6), numerator,
                 denominator);
}

static void without_end_gaps_counting_them_changes_nothing(void **state)
{
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        assert_no_ends(IDENTITY_CDHIT, ends, 7, 9);
        assert_no_ends(IDENTITY_ALL_COLUMNS, ends, 7, 12);
        assert_no_ends(IDENTITY_INNER_COLUMNS, ends, 7, 12);
        assert_no_ends(IDENTITY_MBL, ends, 12 - 2 - 1, 12);
        assert_no_ends(IDENTITY_BLAST, ends, 7, 12);
        assert_no_ends(IDENTITY_ONEGAP, ends, 7, 10); /* a distance of 3/10 */
        assert_no_ends(IDENTITY_NOGAPS, ends, 7, 9);  /* 2/9 */
        assert_no_ends(IDENTITY_EACHGAP, ends, 7, 12);
    }
}

static void definitions_of_vsearch_ignore_whether_ends_count(void **state)
{
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        assert_two_ends(IDENTITY_CDHIT, ends, 5, 8);
        assert_two_ends(IDENTITY_ALL_COLUMNS, ends, 5, 12);
        assert_two_ends(IDENTITY_INNER_COLUMNS, ends, 5, 9);
        assert_two_ends(IDENTITY_MBL, ends, 10 - 1 - 3, 10);
        assert_two_ends(IDENTITY_BLAST, ends, 5, 12);
    }
}

/* mothur 1.48.0 prints 0.444444, 0.583333, 0.444444 and 0.166667 for these. */
static void definitions_of_mothur_depend_on_whether_ends_count(void **state)
{
    (void)state;
    assert_two_ends(IDENTITY_ONEGAP, true, 5, 9);   /* 4/9 */
    assert_two_ends(IDENTITY_EACHGAP, true, 5, 12); /* 7/12 */
    assert_two_ends(IDENTITY_EACHGAP, false, 5, 9); /* 4/9 */
    assert_two_ends(IDENTITY_NOGAPS, true, 5, 6);   /* 1/6 */
    assert_two_ends(IDENTITY_NOGAPS, false, 5, 6);
    assert_two_ends(IDENTITY_ONEGAP, false, 5, 7);
    assert_two_ends(IDENTITY_ONEGAP_ENDS, false, 5, 9);
    assert_two_ends(IDENTITY_ONEGAP_ENDS, true, 5, 9);
}

/* End gaps are columns of the canonical alignment if and only if they count. */
static void the_canonical_numbers_match_the_right_definitions(void **state)
{
    static const bool is[2][IDENTITY_DEFS] = {{[IDENTITY_INNER_COLUMNS] = true},
                                              {[IDENTITY_ALL_COLUMNS] = true,
                                               [IDENTITY_BLAST] = true,
                                               [IDENTITY_EACHGAP] = true}};

    (void)state;
    assert_int_equal(identity_def_canonical(false), IDENTITY_INNER_COLUMNS);
    assert_int_equal(identity_def_canonical(true), IDENTITY_ALL_COLUMNS);
    for (int ends = 0; ends < 2; ends++)
        for (int d = 0; d < IDENTITY_DEFS; d++)
            assert_int_equal(identity_def_is_canonical((identity_def_t)d, ends),
                             is[ends][d]);
}

static void of_two_gaps_at_an_end_only_one_is_an_end_gap_but_both_are_margin(void **state)
{
    (void)state;
    assert_both_gaps(IDENTITY_ALL_COLUMNS, true, 3, 9);
    assert_both_gaps(IDENTITY_INNER_COLUMNS, true, 3, 5);
    assert_both_gaps(IDENTITY_MBL, true, 6 - 3, 6);
    assert_both_gaps(IDENTITY_ONEGAP, true, 3, 6);
    assert_both_gaps(IDENTITY_ONEGAP, false, 3, 3);
    assert_both_gaps(IDENTITY_EACHGAP, true, 3, 9);
    assert_both_gaps(IDENTITY_EACHGAP, false, 3, 3);
}

/* 3 bases against 3 others, all against gaps. */
static void an_alignment_of_only_gaps_has_no_inner_columns(void **state)
{
    static const uint32_t apart[] = {RUN(3, I), RUN(3, D)};
    static const uint32_t alone[] = {RUN(3, I)};

    (void)state;
    assert_value(value_of(IDENTITY_INNER_COLUMNS, false, apart, 2, 3, 3), 0, 0);
    assert_value(value_of(IDENTITY_ALL_COLUMNS, false, apart, 2, 3, 3), 0, 6);
    assert_value(value_of(IDENTITY_MBL, false, apart, 2, 3, 3), 1, 3);
    assert_value(value_of(IDENTITY_NOGAPS, false, apart, 2, 3, 3), 0, 0);
    assert_value(value_of(IDENTITY_EACHGAP, false, apart, 2, 3, 3), 0, 0);
    assert_value(value_of(IDENTITY_ONEGAP, true, apart, 2, 3, 3), 0, 2);
    /* a gap at both ends counts once */
    assert_value(value_of(IDENTITY_INNER_COLUMNS, false, alone, 1, 3, 0), 0, 0);
    assert_value(value_of(IDENTITY_ONEGAP, false, alone, 1, 3, 0), 0, 0);
    assert_value(value_of(IDENTITY_CDHIT, false, NULL, 0, 3, 0), 0, 0);
}

/* A fragment of 73 bases that equals a part of a gene of 1473. */
static void overhang_lowers_the_identity_of_a_fragment_or_hardly_does(void **state)
{
    static const uint32_t runs[] = {RUN(400, D), RUN(73, EQ), RUN(1000, D)};

    (void)state;
    for (int d = 0; d < IDENTITY_DEFS; d++)
        for (int count_ends = 0; count_ends < 2; count_ends++) {
            identity_value_t v =
                value_of((identity_def_t)d, count_ends, runs, 3, 73, 1473);
            bool is_low = 20 * v.numerator < v.denominator;

            assert_true(is_low || 100 * v.numerator >= 97 * v.denominator);
            assert_int_equal(identity_def_counts_overhang((identity_def_t)d, count_ends),
                             is_low);
        }
}

/* Alignments of gaps alone: two, and four. */
static void definitions_that_may_lack_columns_are_those_that_do(void **state)
{
    static const uint32_t gaps[] = {RUN(3, D), RUN(2, I)};
    static const uint32_t middle[] = {RUN(3, D), RUN(1, I), RUN(2, D), RUN(3, I)};

    (void)state;
    for (int def = 0; def < IDENTITY_DEFS; def++)
        for (int count_ends = 0; count_ends < 2; count_ends++) {
            bool counts_ends = count_ends == 1, lacks;

            if (identity_def_is_canonical((identity_def_t)def, counts_ends))
                continue;
            lacks = value_of((identity_def_t)def, counts_ends, gaps, N_OF(gaps), 2, 3)
                            .denominator == 0 ||
                    value_of((identity_def_t)def, counts_ends, middle, N_OF(middle), 4, 5)
                            .denominator == 0;
            assert_int_equal(identity_def_may_lack_columns((identity_def_t)def,
                                                           counts_ends),
                             lacks);
        }
}

/* 4 mismatches and 2 gaps of 1 base are more than the 5 bases. */
static void the_mbl_definition_does_not_fall_below_0(void **state)
{
    static const uint32_t runs[] = {RUN(1, I), RUN(4, X), RUN(1, D)};

    (void)state;
    assert_value(value_of(IDENTITY_MBL, true, runs, 3, 5, 5), 0, 5);
}

static void the_caller_tells_how_many_columns_of_m_are_matches(void **state)
{
    static const uint32_t styled[] = {RUN(2, D), RUN(2, M), RUN(3, I), RUN(4, M),
                                      RUN(1, I)};
    identity_counts_t a = identity_def_count(styled, N_OF(styled), 5);
    identity_counts_t b = identity_def_count(two_ends, N_OF(two_ends), 0);

    (void)state;
    assert_memory_equal(&a, &b, sizeof(a));
    assert_int_equal(a.matches, 5);
    assert_int_equal(a.mismatches, 1);
    assert_int_equal(a.gap_letters, 6);
    assert_int_equal(a.gap_runs, 3);
    assert_int_equal(a.end_letters, 3);
    assert_int_equal(a.end_runs, 2);
    assert_int_equal(a.margin_letters, 3);
    assert_int_equal(a.margin_runs, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_end_gaps_counting_them_changes_nothing),
        cmocka_unit_test(definitions_of_vsearch_ignore_whether_ends_count),
        cmocka_unit_test(definitions_of_mothur_depend_on_whether_ends_count),
        cmocka_unit_test(the_canonical_numbers_match_the_right_definitions),
        cmocka_unit_test(
            of_two_gaps_at_an_end_only_one_is_an_end_gap_but_both_are_margin),
        cmocka_unit_test(an_alignment_of_only_gaps_has_no_inner_columns),
        cmocka_unit_test(overhang_lowers_the_identity_of_a_fragment_or_hardly_does),
        cmocka_unit_test(definitions_that_may_lack_columns_are_those_that_do),
        cmocka_unit_test(the_mbl_definition_does_not_fall_below_0),
        cmocka_unit_test(the_caller_tells_how_many_columns_of_m_are_matches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
