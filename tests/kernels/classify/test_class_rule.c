/*
 * test_class_rule.c - names and refusals learned from examples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "kernels/classify/class_rule.h"

/* With one value of the evidence the probability is the fraction of right examples:
 * log-odds of 3 : 1 but for the ridge. */
static void equal_evidence_gives_the_fraction_of_right_examples(void **state)
{
    class_evidence_t e[4] = {{0}};
    const class_truth_t truth[4] = {CLASS_RIGHT, CLASS_RIGHT, CLASS_ABSENT, CLASS_RIGHT};
    class_rule_t rule;

    (void)state;
    assert_int_equal(class_rule_learn(e, truth, 4, &rule), ST_OK);
    assert_true(fabs(class_rule_probability(&rule, &e[0]) - 0.75) < 0.001);
}

static void more_support_means_a_higher_probability(void **state)
{
    class_evidence_t e[40] = {{0}};
    class_truth_t truth[40];
    class_rule_t rule;

    (void)state;
    for (int i = 0; i < 40; i++) {
        e[i].support = i / 40.;
        truth[i] = i % 40 >= 10 + 7 * (i % 3) ? CLASS_RIGHT : CLASS_ABSENT;
    }
    assert_int_equal(class_rule_learn(e, truth, 40, &rule), ST_OK);
    for (int i = 1; i < 40; i++)
        assert_true(class_rule_probability(&rule, &e[i]) >
                    class_rule_probability(&rule, &e[i - 1]));
}

/* Absent taxa with supports of 0.1, 0.2, .. 0.8: a quarter of them, those of 0.8 and 0.7,
 * exceed the threshold of 0.25, and the same two that of 0.37. */
static void no_more_absent_taxa_than_allowed_exceed_a_threshold(void **state)
{
    class_evidence_t e[16] = {{0}};
    class_truth_t truth[16];
    class_rule_t rule;
    const double rate[] = {0, 0.12, 0.25, 0.37, 0.5, 1};
    const int named[] = {0, 0, 2, 2, 4, 8};

    (void)state;
    for (int i = 0; i < 8; i++) {
        e[i].support = 0.1 * (i + 1);
        truth[i] = CLASS_ABSENT;
        e[8 + i].support = 0.65 + 0.05 * i;
        truth[8 + i] = CLASS_RIGHT;
    }
    assert_int_equal(class_rule_learn(e, truth, 16, &rule), ST_OK);
    for (int k = 0; k < 6; k++) {
        int n = 0;

        for (int i = 0; i < 8; i++)
            n += class_rule_probability(&rule, &e[i]) >
                 class_rule_threshold(&rule, rate[k]);
        assert_int_equal(n, named[k]);
    }
}

static void a_rule_needs_examples_of_both_kinds(void **state)
{
    class_evidence_t e[2] = {{0}};
    const class_truth_t right[2] = {CLASS_RIGHT, CLASS_RIGHT};
    const class_truth_t absent[2] = {CLASS_ABSENT, CLASS_WRONG};
    class_rule_t rule;

    (void)state;
    assert_int_equal(class_rule_learn(e, right, 2, &rule), ST_EINPUT);
    assert_int_equal(class_rule_learn(e, absent, 2, &rule), ST_EINPUT);
    assert_int_equal(class_rule_learn(e, absent, 0, &rule), ST_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_evidence_gives_the_fraction_of_right_examples),
        cmocka_unit_test(more_support_means_a_higher_probability),
        cmocka_unit_test(no_more_absent_taxa_than_allowed_exceed_a_threshold),
        cmocka_unit_test(a_rule_needs_examples_of_both_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
