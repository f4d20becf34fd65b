/*
 * test_parent_contest.c - which candidates become the parents of a read.
 */
#include "tests/support/unit_test.h"

#include "io/seq/cigar.h"
#include "kernels/chimera/parent_contest.h"

#include <string.h>

enum { LEN = 100, N_MAX = 4 };

typedef struct {
    uint8_t read[LEN], letters[N_MAX][LEN];
    uint32_t run;
    contest_candidate_t candidates[N_MAX];
} made_t;

/* The read is A's; candidates differ from it nowhere yet. */
static void make(made_t *m)
{
    memset(m->read, 1, LEN);
    memset(m->letters, 1, sizeof(m->letters));
    m->run = cigar_run(LEN, CIGAR_M);
    for (int k = 0; k < N_MAX; k++)
        m->candidates[k] = (contest_candidate_t){m->letters[k], &m->run, 1};
}

/* A candidate gets C at first .. end - 1, every `step` bases. */
static void differ(made_t *m, int candidate, int first, int end, int step)
{
    for (int i = first; i < end; i += step)
        m->letters[candidate][i] = 2;
}

static bool contest(const made_t *m, int n, int parents[2])
{
    buf_t scratch = {0};
    bool found;

    assert_int_equal(parent_contest(m->read, LEN, m->candidates, n, &scratch, parents,
                                    &found),
                     ST_OK);
    buf_free(&scratch);
    return found;
}

/* Candidate 1 wins the 29 windows of bases 0 to 59, candidate 2 the 9 of 60 to 99; in
 * those between, 1 has more matches as long as fewer bases are behind 60. */
static void each_part_has_its_parent(void **state)
{
    int parents[2];
    made_t m;

    (void)state;
    make(&m);
    differ(&m, 0, 0, LEN, 4);
    differ(&m, 1, 60, LEN, 2);
    differ(&m, 2, 0, 60, 2);
    assert_true(contest(&m, 3, parents));
    assert_int_equal(parents[0], 1);
    assert_int_equal(parents[1], 2);
}

static void of_equal_candidates_the_first_is_taken(void **state)
{
    int parents[2];
    made_t m;

    (void)state;
    make(&m);
    differ(&m, 0, 0, LEN, 3);
    differ(&m, 1, 60, LEN, 2);
    differ(&m, 2, 60, LEN, 2);
    differ(&m, 3, 0, 60, 2);
    assert_true(contest(&m, 4, parents));
    assert_int_equal(parents[0], 1);
    assert_int_equal(parents[1], 3);
}

/* Candidate 0 equals the read: it wins all windows, and nothing is left. */
static void a_read_like_a_candidate_has_no_second_parent(void **state)
{
    int parents[2];
    made_t m;

    (void)state;
    make(&m);
    differ(&m, 1, 0, LEN, 5);
    assert_false(contest(&m, 2, parents));
}

static void a_read_shorter_than_a_window_has_no_parents(void **state)
{
    int parents[2];
    bool found;
    buf_t scratch = {0};
    made_t m;

    (void)state;
    make(&m);
    differ(&m, 0, 0, 16, 1);
    differ(&m, 1, 16, LEN, 1);
    m.run = cigar_run(CONTEST_WINDOW - 1, CIGAR_M);
    assert_int_equal(parent_contest(m.read, CONTEST_WINDOW - 1, m.candidates, 2, &scratch,
                                    parents, &found),
                     ST_OK);
    assert_false(found);
    m.run = cigar_run(LEN, CIGAR_M);
    assert_false(contest(&m, 1, parents)); /* one candidate */
    buf_free(&scratch);
}

/* Candidate 1 has 4 bases more behind base 50, candidate 2 lacks bases 30 to 33: both
 * match the read elsewhere, although their own positions are shifted. */
static void gaps_shift_the_bases_of_a_candidate(void **state)
{
    const uint32_t more[] = {cigar_run(50, CIGAR_M), cigar_run(4, CIGAR_D),
                             cigar_run(46, CIGAR_M), cigar_run(4, CIGAR_I)};
    const uint32_t fewer[] = {cigar_run(30, CIGAR_M), cigar_run(4, CIGAR_I),
                              cigar_run(66, CIGAR_M), cigar_run(4, CIGAR_D)};
    int parents[2];
    made_t m;

    (void)state;
    make(&m);
    for (int i = 0; i < LEN; i++)
        m.read[i] = i < 50 ? 1 : 4;
    for (int i = 0; i < LEN; i++) {
        m.letters[0][i] = i < 50 ? 1 : i < 54 ? 8 : 8;
        m.letters[1][i] = i < 46 ? 8 : 4;
    }
    m.candidates[0] = (contest_candidate_t){m.letters[0], more, 4};
    m.candidates[1] = (contest_candidate_t){m.letters[1], fewer, 4};
    assert_true(contest(&m, 2, parents));
    assert_int_equal(parents[0], 0); /* 35 windows against 34 */
    assert_int_equal(parents[1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_part_has_its_parent),
        cmocka_unit_test(of_equal_candidates_the_first_is_taken),
        cmocka_unit_test(a_read_like_a_candidate_has_no_second_parent),
        cmocka_unit_test(a_read_shorter_than_a_window_has_no_parents),
        cmocka_unit_test(gaps_shift_the_bases_of_a_candidate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
