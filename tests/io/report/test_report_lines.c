/*
 * test_report_lines.c - line charts and bars of shares, with places worked out by hand.
 */
#include "tests/support/unit_test.h"

#include "io/report/report_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *drawn; /* the last chart */

/* @return whether anything was drawn */
static bool draw(const report_series_t *series, int n, bool is_x_log, double y_max)
{
    size_t len;
    FILE *to;
    bool is_drawn;

    free(drawn);
    drawn = NULL;
    assert_non_null(to = open_memstream(&drawn, &len));
    is_drawn = report_lines_draw(to, &(report_lines_t){.id = "chart",
                                                       .label = "a < b",
                                                       .x_title = "x",
                                                       .y_title = "y",
                                                       .y_unit = "",
                                                       .is_x_log = is_x_log,
                                                       .y_max = y_max,
                                                       .series = series,
                                                       .n_series = n});
    assert_int_equal(fclose(to), 0);
    return is_drawn;
}

static int count(const char *what)
{
    int n = 0;

    for (const char *at = drawn; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

static int free_drawn(void **state)
{
    (void)state;
    free(drawn);
    return 0;
}

/* x from 92 to 616 pixels, y from 316 up to 16 */
static void points_are_at_their_values(void **state)
{
    const double x[] = {0, 5, 10}, y[] = {0, 1, 0.5};

    (void)state;
    assert_true(draw(&(report_series_t){"s", 3, x, y, true, true}, 1, false, 1));
    assert_non_null(strstr(drawn, "d=\"M92.0 316.0L354.0 16.0L616.0 166.0\""));
    assert_int_equal(count("<circle class=\"point\""), 3);
    assert_non_null(strstr(drawn, "aria-label=\"a &lt; b\""));
    assert_non_null(strstr(drawn, "s: 0.5 at 10"));
}

/* the axis of y ends 6 % above the largest */
static void values_that_are_missing_are_left_out(void **state)
{
    const double x[] = {1, 2, 3}, y[] = {NAN, 100, 50};

    (void)state;
    assert_true(draw(&(report_series_t){"s", 3, x, y, true, true}, 1, false, 0));
    assert_int_equal(count("<circle class=\"point\""), 2);
    assert_non_null(strstr(drawn, " 33.0L"));
    assert_false(draw(&(report_series_t){"s", 1, x, y, true, true}, 1, false, 0));
    assert_string_equal(drawn, "");
    assert_false(draw(NULL, 0, false, 0));
}

static void any_finite_numbers_have_a_place(void **state)
{
    static const double numbers[] = {0, 1, -1, 5e-324, 1e-12, 9.2e18, 1e300, -1e300};
    const int n = sizeof(numbers) / sizeof(numbers[0]);

    (void)state;
    for (int i = 0; i < n * n; i++) {
        const double x[] = {numbers[i / n]}, y[] = {numbers[i % n]};

        assert_true(draw(&(report_series_t){"s", 1, x, y, true, true}, 1, false, 0));
        assert_null(strstr(drawn, "nan"));
        assert_null(strstr(drawn, "inf"));
    }
}

/* a logarithmic axis from 116 to 592 pixels */
static void ticks_of_a_logarithmic_axis_are_its_values(void **state)
{
    const double x[] = {8, 16, 32}, y[] = {1, 1, 1}, close[] = {8, 9, 64};

    (void)state;
    assert_true(draw(&(report_series_t){"s", 3, x, y, true, true}, 1, true, 1));
    assert_non_null(strstr(drawn, "x=\"354.0\" y=\"337\" text-anchor=\"middle\">16<"));
    assert_true(draw(&(report_series_t){"s", 3, close, y, true, true}, 1, true, 1));
    assert_null(strstr(drawn, ">9<")); /* 27 pixels behind 8: no room */
}

static void series_beyond_the_colours_are_dashed(void **state)
{
    const double x[] = {1, 2}, y[] = {1, 2};
    report_series_t series[9];

    (void)state;
    for (int s = 0; s < 9; s++)
        series[s] = (report_series_t){"s", 2, x, y, true, false};
    assert_true(draw(series, 8, false, 0));
    assert_int_equal(count("stroke-dasharray"), 0);
    assert_true(draw(series, 9, false, 0));
    assert_int_equal(count("stroke-dasharray"), 2); /* the line, and in the legend */
}

/* bars from 330 to 790 pixels */
static void bars_are_cut_into_shares(void **state)
{
    static const char *const bars[] = {"one", "two"}, *const parts[] = {"p", "q", "r"};
    static const double values[] = {3, 1, 0, 0, 2, 0};
    size_t len;
    FILE *to;

    (void)state;
    free(drawn);
    assert_non_null(to = open_memstream(&drawn, &len));
    report_shares_draw(to, &(report_shares_t){.id = "c",
                                              .label = "l",
                                              .title = "time",
                                              .unit = "ms",
                                              .bars = bars,
                                              .parts = parts,
                                              .values = values,
                                              .n_bars = 2,
                                              .n_parts = 3});
    assert_int_equal(fclose(to), 0);
    assert_int_equal(count("class=\"cell\""), 3);
    assert_non_null(strstr(drawn, "x=\"330.00\" y=\"11\" width=\"345.00\""));
    assert_non_null(strstr(drawn, "x=\"675.00\" y=\"11\" width=\"115.00\""));
    assert_non_null(strstr(drawn, "one: q, 1 ms (25.0 %)"));
    assert_non_null(strstr(drawn, ">2 ms</text>"));
    assert_int_equal(count("class=\"legend\""), 2); /* no bar has r */
    /* the key begins where the bars end, and has two lines of 28 pixels below 8 */
    assert_non_null(strstr(drawn, "viewBox=\"0 0 900 122\""));
    assert_non_null(strstr(drawn, "<svg class=\"key\""));
    assert_non_null(strstr(drawn, "viewBox=\"900 0 160 64\""));
    assert_true(strstr(drawn, "class=\"legend\"") > strstr(drawn, "<svg class=\"key\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_at_their_values),
        cmocka_unit_test(values_that_are_missing_are_left_out),
        cmocka_unit_test(any_finite_numbers_have_a_place),
        cmocka_unit_test(ticks_of_a_logarithmic_axis_are_its_values),
        cmocka_unit_test(series_beyond_the_colours_are_dashed),
        cmocka_unit_test(bars_are_cut_into_shares),
    };

    return cmocka_run_group_tests(tests, NULL, free_drawn);
}
