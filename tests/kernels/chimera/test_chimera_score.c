/*
 * test_chimera_score.c - votes, scores and calls of reads with two parents.
 */
#include "tests/support/unit_test.h"

#include "io/seq/alphabet.h"
#include "io/seq/cigar.h"
#include "kernels/chimera/chimera_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const chimera_rule_t uchime = {CHIMERA_UCHIME, 8, 1.4, 0.28, 0.8, 3};

static uint8_t code_of(char c)
{
    switch (c) {
    case 'A':
        return 1;
    case 'C':
        return 2;
    case 'G':
        return 4;
    case 'T':
        return 8;
    default:
        return CODE_N;
    }
}

/* Aligned rows of letters and '-', as columns; runs of the read with each parent. */
typedef struct {
    uint8_t read[256], letters[2][256];
    int64_t len;
    uint32_t runs[2][256];
    contest_candidate_t parents[2];
} made_t;

static void add_run(contest_candidate_t *p, uint32_t *runs, cigar_op_t op)
{
    if (p->n_runs > 0 && cigar_run_op(runs[p->n_runs - 1]) == op)
        runs[p->n_runs - 1] += 1 << 4;
    else
        runs[p->n_runs++] = cigar_run(1, op);
}

static void make(made_t *m, const char *read, const char *a, const char *b)
{
    *m = (made_t){.len = 0};
    for (size_t i = 0; i < strlen(read); i++)
        if (read[i] != '-')
            m->read[m->len++] = code_of(read[i]);
    for (int k = 0; k < 2; k++) {
        const char *row = k == 0 ? a : b;
        int64_t n = 0;

        m->parents[k] = (contest_candidate_t){m->letters[k], m->runs[k], 0};
        for (size_t i = 0; i < strlen(read); i++) {
            if (row[i] == '-' && read[i] == '-')
                continue;
            add_run(&m->parents[k], m->runs[k],
                    row[i] == '-'    ? CIGAR_I
                    : read[i] == '-' ? CIGAR_D
                                     : CIGAR_M);
            if (row[i] != '-')
                m->letters[k][n++] = code_of(row[i]);
        }
    }
}

static chimera_score_t score(const chimera_rule_t *rule, const char *read, const char *a,
                             const char *b)
{
    buf_t scratch = {0};
    chimera_score_t s;
    made_t m;

    make(&m, read, a, b);
    assert_int_equal(chimera_score(rule, m.read, m.len, m.parents, &scratch, &s), ST_OK);
    buf_free(&scratch);
    return s;
}

static void assert_near(double got, double want)
{
    assert_true(fabs(got - want) < 1e-12);
}

/* Four votes for A, then five for B: h = (4 / (8 * 1.4)) * (5 / (8 * 1.4)). */
static void a_perfect_chimera(void **state)
{
    const int32_t votes[] = {4, 0, 0, 5, 0, 0}, matches[] = {20, 15, 16, 11};
    chimera_score_t s = score(&uchime, "ACACACACACACACACACAC", "ACACACACACACACGGGGGC",
                              "GGGGACACACACACACACAC");

    (void)state;
    assert_near(s.h, 4 / 11.2 * (5 / 11.2));
    assert_false(s.is_swapped);
    assert_int_equal(s.columns, 20);
    assert_memory_equal(s.votes, votes, sizeof(votes));
    assert_memory_equal(s.matches, matches, sizeof(matches));
    assert_int_equal(s.call, CHIMERA_NO); /* 0.159 < 0.28 */
    s = score(&uchime, "ACACACACACACACACACAC", "GGGGACACACACACACACAC",
              "ACACACACACACACGGGGGC");
    assert_near(s.h, 4 / 11.2 * (5 / 11.2));
    assert_true(s.is_swapped);
    assert_memory_equal(s.votes, votes, sizeof(votes));
    assert_memory_equal(s.matches, matches, sizeof(matches));
}

/* The same with one base on the left that equals the wrong parent, and one on the right
 * that differs from both. */
static void abstentions_and_no_votes_lower_the_score(void **state)
{
    const int32_t votes[] = {3, 1, 0, 5, 0, 1};
    const chimera_score_t s = score(&uchime, "ACACACACACACACACACAT",
                                    "AGACACACACACACGGGGGC", "GCGGACACACACACACACAC");

    (void)state;
    assert_near(s.h, 3 / (8 * 2.4) * (5 / (8 * 1.4 + 1)));
    assert_memory_equal(s.votes, votes, sizeof(votes));
}

/* Left out are N, the bases beside the G that A has more, and A's gap with the bases
 * beside it, the last of which would vote for B. */
static void gaps_their_neighbours_and_codes_are_left_out(void **state)
{
    const int32_t votes[] = {3, 0, 0, 3, 0, 0};
    const chimera_score_t s = score(&uchime, "ACNCAC-ACACACACACACAC",
                                    "ACACACGACACACAC-GGGGC", "GGGGAC-ACACACACACACAC");

    (void)state;
    assert_memory_equal(s.votes, votes, sizeof(votes));
    assert_int_equal(s.columns, 20 - 1 - 2 - 3);
}

static void votes_for_one_parent_alone_have_no_score(void **state)
{
    const chimera_score_t s = score(&uchime, "ACACACACAC", "ACACACACAC", "GGGGACACAC");

    (void)state;
    assert_near(s.h, 0);
    assert_int_equal(s.columns, 0);
    assert_int_equal(s.call, CHIMERA_NO);
}

/* 60 bases with `left` votes for A, then `right` votes for B. */
static chimera_call_t call_of(const chimera_rule_t *rule, int left, int right, bool exact)
{
    char read[61], a[61], b[61];

    memset(read, 'A', 60);
    read[60] = '\0';
    memcpy(a, read, sizeof(a));
    memcpy(b, read, sizeof(b));
    memset(b, 'C', (size_t)left);
    memset(a + 60 - right, 'C', (size_t)right);
    if (!exact)
        a[30] = b[30] = 'G';
    return score(rule, read, a, b).call;
}

static void a_call_needs_score_votes_and_divergence(void **state)
{
    chimera_rule_t rule = uchime;

    (void)state;
    assert_int_equal(call_of(&rule, 20, 3, true), CHIMERA_YES);
    assert_int_equal(call_of(&rule, 20, 2, true), CHIMERA_BORDERLINE); /* h = 0.32 */
    assert_int_equal(call_of(&rule, 20, 1, true), CHIMERA_NO);
    rule.min_diffs = 2;
    assert_int_equal(call_of(&rule, 20, 2, true), CHIMERA_YES); /* 100 - 58/60 */
    rule.min_div = 3.4;
    assert_int_equal(call_of(&rule, 20, 2, true), CHIMERA_BORDERLINE);
    rule.min_h = 0.32;
    assert_int_equal(call_of(&rule, 20, 2, true), CHIMERA_NO);
}

static void exact_methods_need_an_exact_model(void **state)
{
    chimera_rule_t rule = uchime;

    (void)state;
    rule.method = CHIMERA_UCHIME3;
    assert_int_equal(call_of(&rule, 20, 1, true), CHIMERA_YES);
    assert_int_equal(call_of(&rule, 20, 1, false), CHIMERA_NO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_chimera),
        cmocka_unit_test(abstentions_and_no_votes_lower_the_score),
        cmocka_unit_test(gaps_their_neighbours_and_codes_are_left_out),
        cmocka_unit_test(votes_for_one_parent_alone_have_no_score),
        cmocka_unit_test(a_call_needs_score_votes_and_divergence),
        cmocka_unit_test(exact_methods_need_an_exact_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
