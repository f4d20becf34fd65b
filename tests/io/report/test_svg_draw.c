/*
 * test_svg_draw.c - unit tests of escaped text, numbers, axes and the colour scale.
 */
#include "tests/support/unit_test.h"

#include "io/report/svg_draw.h"

#include <stdlib.h>
#include <string.h>

static void assert_drawn(const char *text, const char *want)
{
    char *got = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&got, &len);

    svg_draw_text(to, text);
    fclose(to);
    assert_string_equal(got, want);
    free(got);
}

static void text_is_escaped(void **state)
{
    (void)state;
    assert_drawn("a<b> & \"c\"\td\x01\xc3\xa9",
                 "a&lt;b&gt; &amp; &quot;c&quot; d \xc3\xa9");
}

#define REPLACED "\xef\xbf\xbd"

static void bytes_that_are_no_utf8_are_replaced(void **state)
{
    (void)state;
    assert_drawn("a\xff"
                 "b\xc3",
                 "a" REPLACED "b" REPLACED);
    assert_drawn("\xed\xa0\x80", REPLACED REPLACED REPLACED); /* half of a pair */
    assert_drawn("\xf0\x9f\xa7\xac", "\xf0\x9f\xa7\xac");
    assert_drawn("a\x7f"
                 "b",
                 "a b");
}

static void characters_that_turn_the_text_around_are_replaced(void **state)
{
    (void)state;
    assert_drawn("a\xe2\x80\xae"
                 "b",
                 "a" REPLACED "b");                              /* U+202E */
    assert_drawn("\xe2\x81\xa6\xe2\x81\xa9", REPLACED REPLACED); /* U+2066, U+2069 */
    assert_drawn("\xe2\x80\xa9\xe2\x80\xaf", "\xe2\x80\xa9\xe2\x80\xaf");
    assert_drawn("\xd7\xa9\xd7\x9c", "\xd7\xa9\xd7\x9c"); /* Hebrew */
}

static void large_numbers_have_separators_or_suffixes(void **state)
{
    char text[SVG_NUMBER_BYTES];

    (void)state;
    assert_string_equal(svg_draw_count(0, text), "0");
    assert_string_equal(svg_draw_count(999, text), "999");
    assert_string_equal(svg_draw_count(1000, text), "1,000");
    assert_string_equal(svg_draw_count(224603415, text), "224,603,415");
    assert_string_equal(svg_draw_count(-123456, text), "-123,456");
    assert_string_equal(svg_draw_count(INT64_MAX, text), "9,223,372,036,854,775,807");
    assert_string_equal(svg_draw_short(0, text), "0");
    assert_string_equal(svg_draw_short(999, text), "999");
    assert_string_equal(svg_draw_short(2500, text), "2.5k");
    assert_string_equal(svg_draw_short(1e8, text), "100M");
}

static void steps_are_1_2_or_5_times_a_power_of_ten(void **state)
{
    (void)state;
    assert_float_equal(svg_draw_step(10, 10), 1, 1e-5);
    assert_float_equal(svg_draw_step(11, 10), 2, 1e-5);
    assert_float_equal(svg_draw_step(21, 10), 5, 1e-5);
    assert_float_equal(svg_draw_step(51, 10), 10, 1e-5);
    assert_float_equal(svg_draw_step(21195, 6), 5000, 1e-5);
    assert_float_equal(svg_draw_step(0.05, 5), 0.01, 1e-5);
}

static void values_map_to_pixels_and_are_clamped(void **state)
{
    const svg_axis_t line = {60, 100, 10, 410, false}, up = {1, 1000, 300, 0, true};

    (void)state;
    assert_float_equal(svg_draw_at(&line, 60), 10, 1e-5);
    assert_float_equal(svg_draw_at(&line, 70), 110, 1e-5);
    assert_float_equal(svg_draw_at(&line, 120), 410, 1e-5);
    assert_float_equal(svg_draw_at(&up, 10), 200, 1e-5);
    assert_float_equal(svg_draw_at(&up, 1000), 0, 1e-5);
    assert_float_equal(svg_draw_at(&up, 0), 300, 1e-5);
}

/* Check the tick labels of an axis, each followed by a blank. */
static void assert_ticks(svg_axis_t axis, const char *want)
{
    char *text = NULL, ticks[256] = "";
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);

    svg_draw_bottom(to, &axis, 100, 0, "", "title");
    fclose(to);
    for (char *at = text; (at = strstr(at, "middle\">")) != NULL;) {
        at += strlen("middle\">");
        strncat(ticks, at, strcspn(at, "<"));
        strcat(ticks, " ");
    }
    assert_string_equal(ticks, want);
    free(text);
}

static void ticks_are_round_numbers(void **state)
{
    (void)state;
    assert_ticks((svg_axis_t){60, 101, 0, 1, false}, "60 70 80 90 100 title ");
    assert_ticks((svg_axis_t){0, 5, 0, 1, false}, "0 1 2 3 4 5 title ");
    assert_ticks((svg_axis_t){1, 20, 0, 1, true}, "1 2 5 10 20 title ");
    assert_ticks((svg_axis_t){0.5, 13, 0, 1, true}, "0.5 1 2 5 10 title ");
    assert_ticks((svg_axis_t){0.8, 13, 0, 1, true}, "1 2 5 10 title ");
    assert_ticks((svg_axis_t){0.5, 2e6, 0, 1, true}, "1 10 100 1k 10k 100k 1M title ");
}

static void the_scale_goes_from_violet_to_yellow(void **state)
{
    svg_rgba_t low = svg_color_scale(-1), high = svg_color_scale(2);
    int last = -1;

    (void)state;
    assert_int_equal(low.red << 16 | low.green << 8 | low.blue, 0x440154);
    assert_int_equal(high.red << 16 | high.green << 8 | high.blue, 0xfde725);
    for (int i = 0; i <= 100;
         i++) { /* lightness grows: the order survives a grey print */
        svg_rgba_t c = svg_color_scale(i / 100.0);
        int lightness = 2126 * c.red + 7152 * c.green + 722 * c.blue;

        assert_true(lightness > last);
        last = lightness;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(bytes_that_are_no_utf8_are_replaced),
        cmocka_unit_test(characters_that_turn_the_text_around_are_replaced),
        cmocka_unit_test(large_numbers_have_separators_or_suffixes),
        cmocka_unit_test(steps_are_1_2_or_5_times_a_power_of_ten),
        cmocka_unit_test(values_map_to_pixels_and_are_clamped),
        cmocka_unit_test(ticks_are_round_numbers),
        cmocka_unit_test(the_scale_goes_from_violet_to_yellow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
