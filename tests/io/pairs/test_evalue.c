/*
 * test_evalue.c - E-values and bit scores that blastp 2.12 prints (-comp_based_stats 0
 * -seg no, BLOSUM62, gaps of 11 and 1), and files whose scores have no known law.
 */
#include "tests/support/unit_test.h"

#include "io/pairs/evalue.h"

#include <math.h>

enum { LETTERS = 483479 };

static int32_t lengths[] = {359, 317, 397, LETTERS - 359 - 317 - 397};

#define JOB(digest, open, extend) \
    "job=align\nmatrix_digest=" digest "\ngap_open=" open "\ngap_extend=" extend "\n"
#define BLOSUM62 "97f6a92f83bb5b94"

static pairs_file_t file_of(char *job)
{
    return (pairs_file_t){.cols = {.n = sizeof(lengths) / sizeof(lengths[0]),
                                   .lengths = lengths},
                          .is_against = true,
                          .ends_local = true,
                          .job = job};
}

static void assert_near(double value, double want)
{
    assert_true(fabs(value - want) < 0.005 * want);
}

static void values_are_those_of_blastp(void **state)
{
    static const struct {
        int64_t score, m, n;
        double evalue, bits;
    } cases[] = {{1067, 361, 359, 7.07e-147, 415.6},
                 {43, 639, 317, 99, 21.2},
                 {35, 127, 397, 138, 18.1}};
    const pairs_file_t file = file_of(JOB(BLOSUM62, "12", "1"));
    evalue_t law;

    (void)state;
    assert_true(evalue_begin(&file, &law));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_near(evalue_of(&law, cases[i].score, cases[i].m, cases[i].n),
                    cases[i].evalue);
        assert_near(evalue_bits(&law, cases[i].score), cases[i].bits);
    }
}

/* A better score is less likely, and a longer sequence makes one more likely. */
static void better_scores_are_less_likely(void **state)
{
    const pairs_file_t file = file_of(JOB(BLOSUM62, "11", "1"));
    evalue_t law;

    (void)state;
    assert_true(evalue_begin(&file, &law));
    for (int64_t score = 1; score < 1500; score++)
        assert_true(evalue_of(&law, score + 1, 300, 400) <
                    evalue_of(&law, score, 300, 400));
    for (int64_t m = 1; m < 3000; m++)
        assert_true(evalue_of(&law, 50, m + 1, 400) > evalue_of(&law, 50, m, 400));
    assert_true(isfinite(evalue_of(&law, 10, 0, 0)));
}

/* The fast rejection of low scores is that of the law. */
static void scores_reach_a_maximum_as_their_evalues_do(void **state)
{
    static const double limits[] = {1e-300, 1e-10, 0.001, 1, 10, 1e6};
    static const int64_t lens[] = {0, 1, 7, 20, 50, 130, 400, 3000, 40000};
    const int n_lens = sizeof(lens) / sizeof(lens[0]);
    int n_reached = 0, n = 0;
    evalue_t law;

    (void)state;
    assert_true(evalue_find(0x97f6a92f83bb5b94, 12, 1, 9e6, &law));
    for (int64_t score = 1; score < 400; score++)
        for (int k = 0; k < n_lens * n_lens; k++)
            for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++, n++) {
                const int64_t len_m = lens[k / n_lens], len_n = lens[k % n_lens];
                const bool reached = evalue_reached(&law, score, len_m, len_n, limits[i]);

                assert_int_equal(reached,
                                 evalue_of(&law, score, len_m, len_n) <= limits[i]);
                n_reached += reached;
            }
    assert_in_range(n_reached, n / 10, n - n / 10);
}

/* A job may name another size of the database. */
static void evalues_are_for_the_size_of_the_job(void **state)
{
    pairs_file_t file = file_of(JOB(BLOSUM62, "12", "1"));
    evalue_t of_file, of_job;

    (void)state;
    assert_true(evalue_begin(&file, &of_file));
    file.job = JOB(BLOSUM62, "12", "1") "db_size=966958\n";
    assert_true(evalue_begin(&file, &of_job));
    assert_near(evalue_of(&of_job, 60, 300, 400), 2 * evalue_of(&of_file, 60, 300, 400));
}

static void other_scores_have_no_law(void **state)
{
    pairs_file_t file = file_of(JOB(BLOSUM62, "20", "1"));
    evalue_t law;

    (void)state;
    assert_false(evalue_begin(&file, &law));
    file = file_of(JOB("97f6a92f83bb5b95", "12", "1"));
    assert_false(evalue_begin(&file, &law));
    file = file_of("job=align\nmatch=5\nmismatch=-4\ngap_open=12\ngap_extend=1\n");
    assert_false(evalue_begin(&file, &law));
    file = file_of(JOB(BLOSUM62, "12", "1"));
    file.ends_local = false;
    assert_false(evalue_begin(&file, &law));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_blastp),
        cmocka_unit_test(better_scores_are_less_likely),
        cmocka_unit_test(scores_reach_a_maximum_as_their_evalues_do),
        cmocka_unit_test(evalues_are_for_the_size_of_the_job),
        cmocka_unit_test(other_scores_have_no_law)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
