/*
 * test_class_score.c - accuracy, over-naming and thresholds, counted by hand.
 */
#include "tests/support/unit_test.h"
#include <math.h>

#include "bench/classify/class_score.h"

/* Group 0: four known, three of them found right; two absent.  Group 1: one absent. */
static const class_outcome_t outcomes[] = {{0.9, true, true, 0},   {0.8, true, true, 0},
                                           {0.3, true, true, 0},   {0.7, false, true, 0},
                                           {0.6, false, false, 0}, {0.2, false, false, 0},
                                           {1.0, false, false, 1}};
enum { N = sizeof(outcomes) / sizeof(outcomes[0]) };

static void outcomes_are_counted_by_group(void **state)
{
    const class_score_t s = class_score_of(outcomes, N, 0, 0.5);

    (void)state;
    assert_int_equal(s.n_known, 4);
    assert_int_equal(s.n_absent, 2);
    assert_int_equal(s.n_right, 2);
    assert_int_equal(s.n_wrong, 1);
    assert_int_equal(s.n_over_named, 1);
}

/* Two right of four known and one over-named. */
static void accuracy_counts_over_named_as_wrong(void **state)
{
    class_score_t s = class_score_of(outcomes, N, 0, 0.5);

    (void)state;
    assert_true(class_score_accuracy(&s) == 40);
    s = class_score_of(outcomes, N, 0, 0.65);
    assert_true(class_score_accuracy(&s) == 50);
    s = class_score_of(outcomes, N, 2, 0.5);
    assert_true(class_score_accuracy(&s) == 0);
}

static void thresholds_name_at_most_so_many(void **state)
{
    double t;

    (void)state;
    t = class_score_threshold(outcomes, N, 0, 0.5);
    assert_true(t > 0.2 && t < 0.2 + 1e-9);
    t = class_score_threshold(outcomes, N, 0, 0.49);
    assert_true(t > 0.6 && t < 0.6 + 1e-9);
    assert_true(class_score_threshold(outcomes, N, 0, 1) < 1e-9);
}

/* The standard deviation of 1, 2, 3 is 1; t with two degrees of freedom is 4.303. */
static void intervals_are_students(void **state)
{
    const double x[] = {1, 2, 3};
    const class_interval_t three = class_score_interval(x, 3),
                           one = class_score_interval(x, 1);

    (void)state;
    assert_true(fabs(three.mean - 2) < 1e-12);
    assert_true(fabs(three.half - 4.303 / sqrt(3)) < 1e-9);
    assert_true(one.mean == 1 && one.half == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_are_counted_by_group),
        cmocka_unit_test(accuracy_counts_over_named_as_wrong),
        cmocka_unit_test(thresholds_name_at_most_so_many),
        cmocka_unit_test(intervals_are_students),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
