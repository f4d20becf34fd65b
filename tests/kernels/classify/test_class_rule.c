/*
 * test_class_rule.c - names and refusals learned from examples.
 */
#include "tests/support/unit_test.h"
#include <math.h>

#include "io/base/rng.h"
#include "kernels/classify/class_rule.h"

static class_example_t example(double support, class_truth_t truth)
{
    return (class_example_t){.evidence = {.support = support, .n_refs = 2},
                             .truth = truth};
}

/* A rule learned from four right and then four absent examples tells them apart. */
static void expect_told_apart(class_method_t method, const class_example_t *e)
{
    class_rule_t rule;

    assert_int_equal(class_rule_learn(method, CLASS_PRIOR_REFERENCES, e, 8, &rule),
                     ST_OK);
    assert_true(class_rule_probability(method, &rule, &e[0].evidence) > 0.9);
    assert_true(class_rule_probability(method, &rule, &e[7].evidence) < 0.1);
}

/* One value of the evidence: the odds are those of the weights.  Two of four examples are
 * right, so each counts 4 / 2; a wrong one counts 0.3 of that, an absent one 3. */
static void equal_evidence_gives_the_odds_of_the_examples(void **state)
{
    const class_example_t e[4] = {example(1, CLASS_RIGHT), example(1, CLASS_WRONG),
                                  example(1, CLASS_RIGHT), example(1, CLASS_ABSENT)};
    const double odds = (2 + 2) / (0.6 + 3);
    class_rule_t rule;

    (void)state;
    assert_int_equal(class_rule_learn(CLASS_JOINT, CLASS_PRIOR_EQUAL, e, 4, &rule),
                     ST_OK);
    assert_true(fabs(class_rule_probability(CLASS_JOINT, &rule, &e[0].evidence) -
                     odds / (1 + odds)) < 0.001);
}

/* A rare right example counts as much as many: four of five wrong in group 1, none in
 * group 0. */
static void groups_count_alike(void **state)
{
    class_example_t e[11];
    class_rule_t rule;
    const double odds = (5 + 5) / (4 * 5 * 0.3 + 3);

    (void)state;
    for (int i = 0; i < 11; i++) {
        e[i] = example(1, i < 6 ? CLASS_RIGHT : i < 10 ? CLASS_WRONG : CLASS_ABSENT);
        e[i].group = i < 5 ? 0 : i < 10 ? 1 : 2;
    }
    assert_int_equal(class_rule_learn(CLASS_JOINT, CLASS_PRIOR_EQUAL, e, 11, &rule),
                     ST_OK);
    assert_true(fabs(class_rule_probability(CLASS_JOINT, &rule, &e[0].evidence) -
                     odds / (1 + odds)) < 0.001);
}

/* The size of a genus by itself says nothing, but a single reference does. */
static void large_genera_are_not_preferred(void **state)
{
    class_example_t e[8];
    class_rule_t rule;

    (void)state;
    for (int i = 0; i < 8; i++) {
        e[i] = example(1, i < 4 ? CLASS_RIGHT : CLASS_ABSENT);
        e[i].evidence.n_refs = i < 4 ? 50 : 2;
    }
    assert_int_equal(class_rule_learn(CLASS_JOINT, CLASS_PRIOR_EQUAL, e, 8, &rule),
                     ST_OK);
    assert_true(class_rule_probability(CLASS_JOINT, &rule, &e[0].evidence) ==
                class_rule_probability(CLASS_JOINT, &rule, &e[7].evidence));
}

static void a_lead_in_rare_words_counts(void **state)
{
    class_example_t e[8];

    (void)state;
    for (int i = 0; i < 8; i++) {
        e[i] = example(1, i < 4 ? CLASS_RIGHT : CLASS_ABSENT);
        e[i].evidence.lead = i < 4 ? 0.5 : -0.1;
    }
    expect_told_apart(CLASS_JOINT, e);
}

/* Unless they are by the prior: the odds of each size are those of its examples.  Four of
 * eight are right, so each counts 8 / 4, an absent one 3. */
static void large_genera_are_preferred_by_the_number_of_references(void **state)
{
    const double odds_of_large = 3 * 2 / 3., odds_of_small = 2 / (3 * 3.);
    class_example_t e[8];
    class_rule_t rule;

    (void)state;
    for (int i = 0; i < 8; i++) {
        e[i] = example(1, i < 3 || i == 4 ? CLASS_RIGHT : CLASS_ABSENT);
        e[i].evidence.n_refs = i < 4 ? 50 : 2;
    }
    assert_int_equal(class_rule_learn(CLASS_JOINT, CLASS_PRIOR_REFERENCES, e, 8, &rule),
                     ST_OK);
    assert_true(fabs(class_rule_probability(CLASS_JOINT, &rule, &e[0].evidence) -
                     odds_of_large / (1 + odds_of_large)) < 0.001);
    assert_true(fabs(class_rule_probability(CLASS_JOINT, &rule, &e[7].evidence) -
                     odds_of_small / (1 + odds_of_small)) < 0.001);
}

static void more_support_means_a_higher_probability(void **state)
{
    class_example_t e[40];
    class_rule_t rule;

    (void)state;
    for (int i = 0; i < 40; i++)
        e[i] = example(i / 40., i >= 10 + 7 * (i % 3) ? CLASS_RIGHT : CLASS_ABSENT);
    assert_int_equal(class_rule_learn(CLASS_JOINT, CLASS_PRIOR_EQUAL, e, 40, &rule),
                     ST_OK);
    for (int i = 1; i < 40; i++)
        assert_true(class_rule_probability(CLASS_JOINT, &rule, &e[i].evidence) >
                    class_rule_probability(CLASS_JOINT, &rule, &e[i - 1].evidence));
}

/* All right examples have the higher identity: the weights stay finite. */
static void examples_that_are_separated_give_finite_weights(void **state)
{
    class_example_t e[8];

    (void)state;
    for (int i = 0; i < 8; i++) {
        e[i] = example(0, i < 4 ? CLASS_RIGHT : CLASS_ABSENT);
        e[i].evidence.identity = i < 4 ? 0.99 : 0.9;
    }
    expect_told_apart(CLASS_ALIGN, e);
}

/* Absent taxa with supports of 0.1, 0.2, .. 0.8.  A ninth one is equally likely to have
 * any place among them, so that it reaches a threshold with a probability of 2/9 if one
 * of the eight does: less than 0.25; and of 3/9 if two do, less than 0.37. */
static void no_more_absent_taxa_than_allowed_reach_a_threshold(void **state)
{
    const class_method_t methods[] = {CLASS_NBC, CLASS_JOINT};
    const double rate[] = {0, 0.12, 0.25, 0.37, 0.5, 1};
    const int named[] = {0, 0, 1, 2, 3, 8};
    class_example_t e[16];
    class_rule_t rule;

    (void)state;
    for (int i = 0; i < 8; i++) {
        e[i] = example(0.1 * (i + 1), CLASS_ABSENT);
        e[8 + i] = example(0.65 + 0.05 * i, CLASS_RIGHT);
    }
    for (int m = 0; m < 2; m++) {
        assert_int_equal(class_rule_learn(methods[m], CLASS_PRIOR_EQUAL, e, 16, &rule),
                         ST_OK);
        for (int k = 0; k < 6; k++) {
            int n = 0;

            for (int i = 0; i < 8; i++)
                n += class_rule_probability(methods[m], &rule, &e[i].evidence) >=
                     class_rule_threshold(&rule, rate[k]);
            assert_int_equal(n, named[k]);
        }
    }
}

static double rng_uniform(rng_t *rng)
{
    return (double)rng_below(rng, 1000) / 1000;
}

/* Evidence that says nothing. */
static class_example_t random_example(rng_t *rng, class_truth_t truth, int fold)
{
    return (class_example_t){.evidence = {.support = rng_uniform(rng),
                                          .margin = 4 * rng_uniform(rng),
                                          .n_refs = 1 + (double)rng_below(rng, 2),
                                          .covered = rng_uniform(rng),
                                          .likeness = rng_uniform(rng),
                                          .lead = rng_uniform(rng)},
                             .truth = truth,
                             .fold = (int16_t)fold};
}

enum { LEARNED = 40, TRIALS = 100 };

/* Of 40 absent taxa 9 may reach the threshold; so 10 of 41 others do, and not as many
 * more as if the weights had been chosen to suit the 40 (35 %). */
static void a_rate_holds_for_taxa_that_weights_were_not_learned_from(void **state)
{
    int n_named = 0;

    (void)state;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        rng_t rng = rng_seed(trial);
        class_example_t e[2 * LEARNED];
        class_rule_t rule;

        for (int i = 0; i < 2 * LEARNED; i++)
            e[i] = random_example(&rng, i < LEARNED ? CLASS_RIGHT : CLASS_ABSENT,
                                  i % CLASS_RULE_FOLDS);
        assert_int_equal(class_rule_learn(CLASS_JOINT, CLASS_PRIOR_EQUAL, e, 2 * LEARNED,
                                          &rule),
                         ST_OK);
        for (int i = 0; i < TRIALS; i++) {
            const class_example_t other = random_example(&rng, CLASS_ABSENT, 0);

            n_named += class_rule_probability(CLASS_JOINT, &rule, &other.evidence) >=
                       class_rule_threshold(&rule, 0.25);
        }
    }
    assert_true(n_named > 0.22 * TRIALS * TRIALS);
    assert_true(n_named < 0.26 * TRIALS * TRIALS);
}

/* As above, but 0.8 and 0.7 are not of names of the lowest rank: three of eight others
 * may have one at 0.5, which are those of 0.6, 0.5 and 0.4. */
static void names_that_others_are_below_do_not_count(void **state)
{
    class_example_t e[9];
    class_rule_t rule;

    (void)state;
    for (int i = 0; i < 8; i++)
        e[i] = example(0.1 * (i + 1), i < 6 ? CLASS_ABSENT : CLASS_ABSENT_ABOVE);
    e[8] = example(1, CLASS_RIGHT);
    assert_int_equal(class_rule_learn(CLASS_NBC, CLASS_PRIOR_EQUAL, e, 9, &rule), ST_OK);
    assert_true(class_rule_threshold(&rule, 0.5) > 0.1 * 3);
    assert_true(class_rule_threshold(&rule, 0.5) <= 0.1 * 4);
}

static void a_rule_needs_examples_of_both_kinds(void **state)
{
    const class_example_t right[2] = {example(1, CLASS_RIGHT), example(0, CLASS_RIGHT)};
    const class_example_t absent[2] = {example(1, CLASS_ABSENT), example(0, CLASS_WRONG)};
    class_rule_t rule;

    (void)state;
    assert_int_equal(class_rule_learn(CLASS_JOINT, CLASS_PRIOR_EQUAL, right, 2, &rule),
                     ST_EINPUT);
    assert_int_equal(class_rule_learn(CLASS_JOINT, CLASS_PRIOR_EQUAL, absent, 2, &rule),
                     ST_EINPUT);
    assert_int_equal(class_rule_learn(CLASS_NBC, CLASS_PRIOR_EQUAL, absent, 0, &rule),
                     ST_EINPUT);
}

/* Supports of 0.9, 0.6, 0.7 at three ranks of four: rank 2 is at least as probable as
 * rank 3, which has the last rule. */
static void the_lowest_taxon_above_its_threshold_is_named(void **state)
{
    const class_rule_t rules[4] = {0};
    const class_evidence_t e[4] = {{.support = 0.9, .n_refs = 9},
                                   {.support = 0.6, .n_refs = 5},
                                   {.support = 0.7, .n_refs = 1}};
    const double low[4] = {0.5, 0.5, 1, 0.7}, high[4] = {0.5, 0.65, 0, 0.8},
                 higher[4] = {0.5, 0.71, 0, 0.8}, none[4] = {1, 1, 1, 1};
    double support[4] = {0, 0, 0, 1};

    (void)state;
    assert_int_equal(class_rule_name(CLASS_NBC, rules, low, 4, e, support), 3);
    assert_true(support[0] == 0.9 && support[1] == 0.7 && support[2] == 0.7 &&
                support[3] == 0);
    assert_int_equal(class_rule_name(CLASS_NBC, rules, high, 4, e, support), 2);
    assert_int_equal(class_rule_name(CLASS_NBC, rules, higher, 4, e, support), 1);
    assert_int_equal(class_rule_name(CLASS_NBC, rules, none, 4, e, support), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_evidence_gives_the_odds_of_the_examples),
        cmocka_unit_test(groups_count_alike),
        cmocka_unit_test(large_genera_are_not_preferred),
        cmocka_unit_test(a_lead_in_rare_words_counts),
        cmocka_unit_test(large_genera_are_preferred_by_the_number_of_references),
        cmocka_unit_test(more_support_means_a_higher_probability),
        cmocka_unit_test(examples_that_are_separated_give_finite_weights),
        cmocka_unit_test(no_more_absent_taxa_than_allowed_reach_a_threshold),
        cmocka_unit_test(a_rate_holds_for_taxa_that_weights_were_not_learned_from),
        cmocka_unit_test(names_that_others_are_below_do_not_count),
        cmocka_unit_test(a_rule_needs_examples_of_both_kinds),
        cmocka_unit_test(the_lowest_taxon_above_its_threshold_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
