/*
 * test_align_presets.c - tests that presets give options that go together, whatever the
 * user gives besides.
 */
#include "tests/support/unit_test.h"

#include "worker/align/align_opts.h"

#include <string.h>

static const char *const input = "in.fa";
static align_opts_t opts;
static char text[ALIGN_PRESET_BYTES];

static void start(void)
{
    opts = align_opts_defaults();
    opts.inputs = (seq_inputs_t){.paths = &input, .n = 1};
    opts.common.output = "out.h5";
}

static void assert_applied(int preset, const char *want)
{
    char why[JOB_OPTS_WHY_BYTES] = "";

    align_preset_apply(preset, &opts, text);
    if (want != NULL)
        assert_string_equal(text, want);
    if (align_opts_settle(&opts.common, why) != ST_OK)
        fail_msg("%s: refused: %s", align_preset_name(preset), why);
}

static void names_are_the_words_of_the_option(void **state)
{
    char names[sizeof(ALIGN_PRESET_NAMES) + 1] = "";

    (void)state;
    for (int i = 0; i < ALIGN_PRESETS; i++) {
        strcat(names, align_preset_name(i));
        strcat(names, i + 1 < ALIGN_PRESETS ? "|" : "");
    }
    assert_string_equal(names, ALIGN_PRESET_NAMES);
}

static void a_preset_gives_its_options(void **state)
{
    (void)state;
    start();
    assert_applied(0, "--match 2 --mismatch -4 --ambiguity neutral --gap-open 20 "
                      "--gap-extend 2 --end-gap-open 2 --end-gap-extend 1 --iddef 2 "
                      "--min-overlap 0.5");
    assert_int_equal(opts.match, 2);
    assert_int_equal(opts.ends, ENDS_PRICED);
    assert_int_equal(opts.end_gap_extend, 1);
    assert_int_equal(opts.min_overlap.numerator, 1);
    assert_int_equal(opts.score_unit, SCORE_UNIT_ONE);
    start();
    assert_applied(2, "--matrix NUC.4.4 --gap-open 10 --gap-extend 0.5 --ends free "
                      "--iddef 1 --min-overlap 0");
    assert_int_equal(opts.score_unit, SCORE_UNIT_HALF);
    assert_int_equal(opts.gap_open, 20);
}

static void set_columns(int way)
{
    if (way == 1)
        opts.matrix = "NUC.4.4";
    if (way == 2)
        GIVE(&opts, match, 6);
    if (way == 3)
        GIVE(&opts, ambiguity, AMBIGUITY_MATCH);
}

static void set_gaps(int way)
{
    if (way == 1)
        GIVE(&opts, gap, -6);
    if (way == 2)
        GIVE(&opts, gap_open, 100);
    if (way == 3) {
        GIVE(&opts, gap_open, 10);
        GIVE(&opts, gap_extend, 10);
    }
}

static void set_ends(int way)
{
    if (way == 1)
        GIVE(&opts, ends, ENDS_COUNT);
    if (way == 2) {
        GIVE(&opts, end_gap_open, 4);
        GIVE(&opts, end_gap_extend, 4);
    }
    if (way == 3) {
        GIVE(&opts, ends, ENDS_QUERY);
        opts.against = "ref.fa";
    }
}

/* One of two costs without the other is refused if the preset has none. */
static bool lacks_a_cost(int preset)
{
    return (opts.gap_open == 100 && strstr("mothur unit", align_preset_name(preset)));
}

static void what_the_user_gives_stays_and_keeps_out_what_it_excludes(void **state)
{
    (void)state;
    for (int preset = 0; preset < ALIGN_PRESETS; preset++)
        for (int way = 0; way < 128; way++) {
            align_opts_t given;

            start();
            set_columns(way % 4);
            set_gaps(way / 4 % 4);
            set_ends(way / 16 % 4);
            opts.emit = way < 64 ? EMIT_IDENTITY : EMIT_SCORE;
            given = opts;
            if (lacks_a_cost(preset) || (opts.against != NULL && opts.emit == EMIT_SCORE))
                continue;
            assert_applied(preset, NULL);
            if (given.matrix != NULL)
                assert_string_equal(opts.matrix, given.matrix);
            if (IS_GIVEN(&given, ends))
                assert_int_equal(opts.ends, given.ends);
            if (given.emit == EMIT_SCORE)
                assert_null(strstr(text, "--iddef"));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_the_words_of_the_option),
        cmocka_unit_test(a_preset_gives_its_options),
        cmocka_unit_test(what_the_user_gives_stays_and_keeps_out_what_it_excludes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
