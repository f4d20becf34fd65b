/*
 * test_curve_files.c - learning curves as lines, and their means.
 */
#include "tests/support/unit_test.h"

#include "tests/support/captured_log.h"
#include "worker/cnn/curve_files.h"

/* Three batches, with a test after the second one. */
static void a_line_per_batch_has_the_test_behind_it(void **state)
{
    double loss[] = {2, 1, 0.5}, accuracy[] = {0, 0.25, 1}, rate[] = {0.5, 0.5, 0.25};
    double test_loss[] = {1.5}, test_accuracy[] = {0.75};
    int64_t after[] = {2};
    const cnn_curve_t curve = {.n = 3, .loss = loss, .accuracy = accuracy, .rate = rate};
    const cnn_curve_t tests = {.n = 1,
                               .iteration = after,
                               .loss = test_loss,
                               .accuracy = test_accuracy};
    char path[PATH_BYTES], text[512] = "";
    FILE *file;

    (void)state;
    dir_file("curve.csv", path);
    assert_int_equal(curve_files_csv(path, false, &curve, &tests), ST_OK);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "iteration,loss,accuracy,rate,test_loss,test_accuracy\n"
                              "1,2,0,0.5,,\n2,1,0.25,0.5,1.5,0.75\n3,0.5,1,0.25,,\n");
    capture_start();
    assert_int_equal(curve_files_csv(path, false, &curve, &tests), ST_EINPUT);
    capture_stop();
    assert_int_equal(curve_files_csv(path, true, &curve, &tests), ST_OK);
    unlink(path);
}

/* Up to 100 batches are drawn as they are; of 250, pairs, whose middles are 1.5, 3.5, ...
 * Of 199 batches there are 199 points, the most that fit. */
static void curves_are_means_of_a_hundredth(void **state)
{
    static double values[250], x[CURVE_FILES_MEANS_MAX], y[CURVE_FILES_MEANS_MAX];

    (void)state;
    for (int i = 0; i < 250; i++)
        values[i] = i;
    assert_int_equal(curve_files_means(values, 0, x, y), 0);
    assert_int_equal(curve_files_means(values, 100, x, y), 100);
    assert_true(x[0] == 1 && y[0] == 0 && x[99] == 100 && y[99] == 99);
    assert_int_equal(curve_files_means(values, 199, x, y), 199);
    assert_int_equal(curve_files_means(values, 250, x, y), 125);
    assert_true(x[0] == 1.5 && y[0] == 0.5 && x[124] == 249.5 && y[124] == 248.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_per_batch_has_the_test_behind_it),
        cmocka_unit_test(curves_are_means_of_a_hundredth),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
