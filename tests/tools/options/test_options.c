/*
 * test_options.c - tests that command lines are parsed as documented, or refused with the
 * name of the offending option.
 */
#include "tests/support/unit_test.h"

#include "io/base/logmsg.h"
#include "tests/support/captured_log.h"
#include "tools/options/options.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct {
    int64_t min, max;
} depth_t;

typedef struct {
    const char *pattern;
    depth_t depth;
} search_t;

typedef struct {
    job_opts_t common;
    const char *inputs[2];
    int64_t count;
    bool loud, slow;
    const char *output;
    int64_t mismatch, gap, size, length;
    fraction_t id;
    fraction_list_t ids;
    int ends;
    search_t search;
    option_texts_t folders;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t depth_options[] = {{OPTION_INT, "depth", 'd',
                                          OPTION_AT(depth_t, max), "N", "how deep", 1, 9},
                                         {.kind = OPTION_END}};

static const option_t search_options[] = {
    {OPTION_TEXT, "pattern", 0, OPTION_AT(search_t, pattern), "WORD", "what to find"},
    {.kind = OPTION_TABLE, OPTION_AT(search_t, depth), .table = depth_options},
    {.kind = OPTION_END}};

static const option_t options[] = {
    {.kind = OPTION_GROUP, .name = "Noise"},
    {OPTION_FLAG, "loud", 'l', AT(loud), NULL, "say more"},
    {OPTION_FLAG, "slow", 0, AT(slow), NULL, "take time"},
    {.kind = OPTION_GROUP, .name = "Results"},
    {OPTION_TEXT, "output", 'o', AT(output), "FILE", "the result"},
    {OPTION_TEXTS, "folder", 'F', AT(folders), "DIR", "where to look"},
    {OPTION_INT, "mismatch", 'm', AT(mismatch), "N", "a score", -100, 100},
    {OPTION_HALVES, "gap", 0, AT(gap), "N", "a cost", 1, 20},
    {OPTION_SIZE, "max-size", 0, AT(size), "SIZE", "the maximum size"},
    {OPTION_FRACTION, "id", 0, AT(id), "FRACTION", "an identity"},
    {OPTION_FRACTIONS, "ids", 0, AT(ids), "FRACTION[,...]", "identities"},
    {OPTION_CHOICE, "ends", 'e', AT(ends), "free|count|freely-or-not-at-all",
     "what end gaps cost"},
    {.word = WORD_LENGTH, AT(length), .help = " of a word ({})", .max = 50},
    {OPTION_TABLE, "Search", 0, AT(search), .table = search_options},
    {.kind = OPTION_END}};

static const option_rename_t renames[] = {{"miss", NULL, "mismatch"},
                                          {"ends", "open", "free"},
                                          {NULL}};

static const option_t words[] = {{OPTION_INPUT, "IN.fa...", 0, AT(inputs), .max = 2},
                                 {.kind = OPTION_END}};

static const option_t count_words[] = {{OPTION_INT, "COUNT", 0, AT(count), .min = 1,
                                        .max = 9},
                                       {OPTION_INPUT, "IN.fa", 0, AT(inputs)},
                                       {.kind = OPTION_END}};

static void defaults(void *at)
{
    args_t *a = at;

    a->output = "-";
    a->mismatch = -5;
    a->size = 7;
    a->id = (fraction_t){1, 3};
    a->ends = 1;
    a->length = 12;
}

static const command_t command = {.name = "try",
                                  .summary = "try options",
                                  .words = words,
                                  .usage = "[options]",
                                  .options = options,
                                  .renamed = renames,
                                  .notes = "A note.\n",
                                  .example = "ribogrid try in.fa --loud",
                                  .args_bytes = sizeof(args_t),
                                  .defaults = defaults};

static const command_t count = {.name = "try",
                                .words = count_words,
                                .usage = "-o FILE",
                                .options = options,
                                .args_bytes = sizeof(args_t)};

static args_t args;

/* Parse a line, split at blanks. */
static status_t parse_as(const command_t *c, const char *line)
{
    args_t *parsed = options_defaults(c);
    static char text[512];
    char *argv[32];
    int argc = 0;
    status_t st;

    assert_non_null(parsed);
    snprintf(text, sizeof(text), "%s", line);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " "))
        argv[argc++] = word;
    capture_start();
    st = options_parse(c, argc, argv, parsed);
    capture_stop();
    args = *parsed;
    free(parsed);
    return st;
}

static status_t parse(const char *line)
{
    return parse_as(&command, line);
}

static void assert_accepted(const char *line)
{
    if (parse(line) != ST_OK)
        fail_msg("'%s' is refused: %s", line, logged);
    assert_logged_nothing();
}

static void assert_refused(const char *line, const char *why)
{
    assert_int_equal(parse(line), ST_EUSAGE);
    assert_logged("ribogrid: try: ");
    assert_logged(why);
    assert_logged("see `ribogrid try --help`");
    assert_logged_one_line();
}

static void assert_fraction(const char *text, int64_t numerator, int64_t denominator)
{
    char line[128];

    snprintf(line, sizeof(line), "in --id %s", text);
    assert_accepted(line);
    assert_int_equal(args.id.numerator, numerator);
    assert_int_equal(args.id.denominator, denominator);
}

static void options_that_are_not_given_keep_their_defaults(void **state)
{
    (void)state;
    assert_accepted("in.fa");
    assert_string_equal(args.inputs[0], "in.fa");
    assert_null(args.inputs[1]);
    assert_false(args.loud);
    assert_string_equal(args.output, "-");
    assert_int_equal(args.mismatch, -5);
    assert_int_equal(args.size, 7);
    assert_int_equal(args.id.denominator, 3);
    assert_int_equal(args.ends, 1);
}

static void options_and_arguments_may_come_in_any_order(void **state)
{
    (void)state;
    assert_accepted("--slow in.fa -o out.h5 second --mismatch 3");
    assert_string_equal(args.inputs[0], "in.fa");
    assert_string_equal(args.inputs[1], "second");
    assert_true(args.slow);
    assert_false(args.loud);
    assert_string_equal(args.output, "out.h5");
    assert_int_equal(args.mismatch, 3);
}

static void a_value_may_follow_an_equals_sign(void **state)
{
    (void)state;
    assert_accepted("in --output=a=b --mismatch=-7 --ends=free --id=0.5 --max-size=2K");
    assert_string_equal(args.output, "a=b");
    assert_int_equal(args.mismatch, -7);
    assert_int_equal(args.ends, 0);
    assert_int_equal(args.id.denominator, 2);
    assert_int_equal(args.size, 2048);
    assert_accepted("in --output=");
    assert_string_equal(args.output, "");
}

static void short_forms_work_like_long_ones(void **state)
{
    (void)state;
    assert_accepted("-l -o x -m -9 -e free in");
    assert_true(args.loud);
    assert_string_equal(args.output, "x");
    assert_int_equal(args.mismatch, -9);
    assert_int_equal(args.ends, 0);
}

static void the_last_of_several_values_counts(void **state)
{
    (void)state;
    assert_accepted("in -m 1 --mismatch 2 -m 3");
    assert_int_equal(args.mismatch, 3);
}

static void a_negative_number_may_be_a_value(void **state)
{
    (void)state;
    assert_accepted("in --mismatch -100");
    assert_int_equal(args.mismatch, -100);
    assert_refused("in --mismatch -101", "--mismatch -101: ");
}

static void a_single_dash_is_an_argument(void **state)
{
    (void)state;
    assert_accepted("- -o -");
    assert_string_equal(args.inputs[0], "-");
    assert_string_equal(args.output, "-");
}

static void after_two_dashes_everything_is_an_argument(void **state)
{
    (void)state;
    assert_accepted("--slow -- --loud -h");
    assert_string_equal(args.inputs[0], "--loud");
    assert_string_equal(args.inputs[1], "-h");
    assert_true(args.slow);
    assert_false(args.loud);
    assert_accepted("-- in --");
    assert_string_equal(args.inputs[1], "--");
}

static void whole_numbers_have_to_be_within_their_range(void **state)
{
    (void)state;
    assert_accepted("in -m 100");
    assert_refused("in -m 101", "--mismatch 101: give a whole number from -100 to 100");
    assert_refused("in -m 1.5", "--mismatch 1.5: ");
    assert_refused("in -m 5x", "--mismatch 5x: ");
    assert_refused("in -m=", "unknown option -m=");
    assert_refused("in --mismatch=", "--mismatch : ");
    assert_refused("in -m 99999999999999999999", "--mismatch 99999999999999999999: ");
    assert_int_equal(args.mismatch, -5);
}

static void sizes_may_have_a_unit(void **state)
{
    (void)state;
    assert_accepted("in --max-size 500");
    assert_int_equal(args.size, 500);
    assert_accepted("in --max-size 3M");
    assert_int_equal(args.size, 3 << 20);
    assert_accepted("in --max-size 256G");
    assert_int_equal(args.size, INT64_C(256) << 30);
    assert_accepted("in --max-size 8388607T");
    assert_int_equal(args.size, INT64_C(8388607) << 40);
    assert_refused("in --max-size 8388608T", "--max-size 8388608T: ");
    assert_refused("in --max-size -1",
                   "--max-size -1: give bytes from 0 to 8388607T, such as 500M or 64G");
    assert_refused("in --max-size 5MB", "--max-size 5MB: ");
    assert_refused("in --max-size 5X", "--max-size 5X: ");
    assert_refused("in --max-size G", "--max-size G: ");
}

static void a_decimal_is_an_exact_reduced_fraction(void **state)
{
    (void)state;
    assert_fraction("0.97", 97, 100);
    assert_fraction("0.50", 1, 2);
    assert_fraction(".5", 1, 2);
    assert_fraction("0.1", 1, 10);
    assert_fraction("0.975", 39, 40);
    assert_fraction("1", 1, 1);
    assert_fraction("1.000", 1, 1);
    assert_fraction("0", 0, 1);
    assert_fraction("0.00", 0, 1);
    assert_fraction("0.123456789", 123456789, 1000000000);
}

/* A message ends in "; see `...`". */
static void what_is_meant_by_percent_or_a_comma_is_guessed(void **state)
{
    (void)state;
    assert_refused("in --id 97",
                   "--id 97: give a decimal from 0 to 1; did you mean 0.97?");
    assert_refused("in --id 97.5", "did you mean 0.975?");
    assert_refused("in --id 100", "did you mean 1?");
    assert_refused("in --id 97%",
                   "--id 97%: give a decimal from 0 to 1; did you mean 0.97?");
    assert_refused("in --id 3%", "did you mean 0.03?");
    assert_refused("in --id 0,97", "--id 0,97: give a decimal from 0 to 1, with a point; "
                                   "did you mean 0.97?");
    assert_refused("in --id 97,5%", "with a point; did you mean 0.975?");
    assert_refused("in --id 2", "--id 2: give a decimal from 0 to 1; see");
    assert_refused("in --id 101", "--id 101: give a decimal from 0 to 1; see");
    assert_refused("in --id 0,9,7", "--id 0,9,7: give a decimal from 0 to 1; see");
    assert_refused("in --id 97%%", "--id 97%%: give a decimal from 0 to 1; see");
    assert_refused("in --id 0.1234567890",
                   "--id 0.1234567890: give at most nine digits after the point; see");
}

static void a_list_of_decimals_is_separated_by_commas(void **state)
{
    (void)state;
    assert_accepted("in --ids 0.97,1,.5");
    assert_int_equal(args.ids.n, 3);
    assert_int_equal(args.ids.at[0].numerator, 97);
    assert_int_equal(args.ids.at[0].denominator, 100);
    assert_int_equal(args.ids.at[1].denominator, 1);
    assert_int_equal(args.ids.at[2].denominator, 2);
    assert_accepted("in --ids 0,1");
    assert_int_equal(args.ids.n, 2);
    assert_refused("in --ids 0,97", "--ids 0,97: give a decimal from 0 to 1, with a "
                                    "point; did you mean 0.97?");
    assert_refused("in --ids 0.97,99", "--ids 99: give a decimal from 0 to 1; did you "
                                       "mean 0.99?");
    assert_refused("in --ids 0.97,", "--ids : give a decimal from 0 to 1");
    assert_accepted("in --ids 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0");
    assert_int_equal(args.ids.n, 16);
    assert_refused("in --ids 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0",
                   "--ids: give at most 16 numbers");
}

static void what_is_not_a_decimal_from_0_to_1_is_refused(void **state)
{
    static const char *const bad[] = {
        "1.01", "2", "-0.5", "97%", "1e-2", ".", "0.5.0", "nan", "0,97", "0.1234567890",
        /* 2^64 and 2^64 + 1, which wrap around to 0 and 1 */
        "18446744073709551616", "18446744073709551617"};
    char line[64], why[64];

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        snprintf(line, sizeof(line), "in --id %s", bad[i]);
        snprintf(why, sizeof(why), "--id %s: give ", bad[i]);
        assert_refused(line, why);
        assert_int_equal(args.id.denominator, 3);
    }
}

static void numbers_in_halves_are_whole_or_end_in_a_half(void **state)
{
    (void)state;
    assert_accepted("in --gap 0.5");
    assert_int_equal(args.gap, 1);
    assert_accepted("in --gap 10");
    assert_int_equal(args.gap, 20);
    assert_refused("in --gap 0",
                   "--gap 0: give a number from 0.5 to 10, whole or with .5");
    assert_refused("in --gap 10.5", "--gap 10.5: give ");
    assert_refused("in --gap 0.25", "--gap 0.25: give ");
}

static void a_choice_has_to_be_one_of_its_words_in_full(void **state)
{
    (void)state;
    assert_accepted("in --ends count");
    assert_int_equal(args.ends, 1);
    assert_accepted("in --ends freely-or-not-at-all");
    assert_int_equal(args.ends, 2);
    assert_refused("in --ends fre", "--ends fre: give one of free|count|");
    assert_refused("in --ends free|count", "--ends free|count: ");
    assert_refused("in --ends=", "--ends : ");
    assert_refused("in --ends Free", "--ends Free: ");
}

static void unknown_options_are_refused_by_name(void **state)
{
    (void)state;
    assert_refused("in --louder", "unknown option --louder");
    assert_refused("in --lou", "unknown option --lou");
    assert_refused("in -x", "unknown option -x");
    assert_refused("in -lo", "unknown option -lo");
    assert_refused("in --=3", "unknown option --=3");
    assert_refused("in --Noise", "unknown option --Noise"); /* a group's heading */
    assert_refused("in -5", "unknown option -5");
}

static void a_misspelt_option_has_a_suggestion(void **state)
{
    (void)state;
    assert_refused("in --luod", "unknown option --luod; did you mean --loud?; see");
    assert_refused("in --lou", "did you mean --loud?"); /* the beginning */
    assert_refused("in --ouptut=x", "did you mean --output?");
    assert_refused("in --missmatch 3", "did you mean --mismatch?");
    assert_refused("in --patern x", "did you mean --pattern?"); /* of a nested table */
    assert_refused("in --forty", "unknown option --forty; see");
    assert_refused("in --x", "unknown option --x; see");
    assert_refused("in -x", "unknown option -x; see");
}

static void options_of_nested_tables_are_set_in_their_structures(void **state)
{
    (void)state;
    assert_accepted("in --pattern gene -d 7 --slow");
    assert_string_equal(args.search.pattern, "gene");
    assert_int_equal(args.search.depth.max, 7);
    assert_int_equal(args.search.depth.min, 0);
    assert_true(args.slow);
    assert_refused("in --depth 10", "--depth 10: give a whole number from 1 to 9");
}

static void options_that_are_given_are_known(void **state)
{
    (void)state;
    assert_accepted("in -m -5 -d 7 --ends count"); /* defaults, but given */
    assert_true(IS_GIVEN(&args, mismatch));
    assert_true(IS_GIVEN(&args, search.depth.max));
    assert_true(IS_GIVEN(&args, ends));
    assert_false(IS_GIVEN(&args, search.depth.min));
    assert_false(IS_GIVEN(&args, search.pattern));
    assert_false(IS_GIVEN(&args, loud));
    assert_false(IS_GIVEN(&args, output));
}

static void the_level_of_messages_is_an_option_of_every_command(void **state)
{
    (void)state;
    assert_accepted("in -v");
    assert_true(args.common.verbose);
    assert_accepted("in --quiet");
    assert_true(args.common.quiet);
    assert_accepted("in");
}

static void a_missing_value_is_reported(void **state)
{
    (void)state;
    assert_refused("in -o", "-o needs a value: FILE");
    assert_refused("in --ends", "--ends needs a value: free|count|");
}

static void a_flag_takes_no_value(void **state)
{
    (void)state;
    assert_refused("in --loud=yes", "--loud takes no value");
}

static void too_few_or_too_many_arguments_are_refused(void **state)
{
    (void)state;
    assert_refused("", "missing argument; give IN.fa... [options]");
    assert_refused("--loud", "missing argument; give IN.fa... [options]");
    assert_refused("a b c", "unexpected argument 'c'");
}

static void an_old_name_works_with_a_warning(void **state)
{
    (void)state;
    assert_int_equal(parse("in --miss=-7 --slow"), ST_OK);
    assert_int_equal(args.mismatch, -7);
    assert_true(IS_GIVEN(&args, mismatch));
    assert_logged("try: --miss is now --mismatch");
    assert_logged_one_line();
    assert_accepted("in --miss=-7 -q");
    log_hold(); /* of several ranks one warns */
    assert_int_equal(parse("in --miss 3"), ST_OK);
    log_release(true);
    assert_logged_nothing();
}

static void an_old_value_works_with_a_warning(void **state)
{
    (void)state;
    assert_int_equal(parse("in --ends open"), ST_OK);
    assert_int_equal(args.ends, 0);
    assert_logged("try: --ends open is now --ends free; the old value will go");
    assert_logged_one_line();
    assert_int_equal(parse("in --ends=open --miss 2"), ST_OK);
    assert_logged("--miss is now --mismatch");
    assert_logged("--ends open is now --ends free");
    assert_accepted("in --ends free");
}

static void a_misspelt_value_is_guessed(void **state)
{
    (void)state;
    assert_refused("in --ends fre",
                   "--ends fre: give one of "
                   "free|count|freely-or-not-at-all; did you mean free?");
    assert_refused("in --ends COUNT", "did you mean count?");
    assert_refused("in --ends freely", "did you mean freely-or-not-at-all?");
    assert_refused("in --ends=none", "--ends none: give one of "
                                     "free|count|freely-or-not-at-all; see");
}

static void a_word_gives_what_its_row_leaves_out(void **state)
{
    option_t all[OPTIONS_MAX];
    char help[OPTION_HELP_BYTES];
    args_t *set = options_defaults(&command);
    int i = 0;

    (void)state;
    assert_non_null(set);
    options_list(&command, all);
    while (all[i].word != WORD_LENGTH)
        i++;
    assert_string_equal(all[i].name, "length");
    assert_int_equal(all[i].kind, OPTION_INT);
    assert_string_equal(option_help(&all[i], set, help),
                        "length in bases of a word (12)");
    free(set);
    assert_accepted("in --length 50");
    assert_int_equal(args.length, 50);
    assert_true(IS_GIVEN(&args, length));
    assert_refused("in --length 51", "--length 51: give a whole number from 1 to 50");
}

/* @return the help of the row of this kind and default */
static const char *help_of(option_kind_t kind, const char *value, const void *at)
{
    static char text[OPTION_HELP_BYTES];
    const option_t o = {.kind = kind, .value = value, .help = "so ({}, or more)"};

    return option_help(&o, at, text);
}

static void help_shows_the_default_of_the_structure(void **state)
{
    const int64_t number = -7, size = INT64_C(3) << 29, none = 0;
    const fraction_t fraction = {17, 20};
    const char *text = "unit";
    const int choice = 1;

    (void)state;
    assert_string_equal(help_of(OPTION_INT, "N", &number), "so (-7, or more)");
    assert_string_equal(help_of(OPTION_HALVES, "N", &number), "so (-3.5, or more)");
    assert_string_equal(help_of(OPTION_SIZE, "SIZE", &size), "so (1536M, or more)");
    assert_string_equal(help_of(OPTION_SIZE, "SIZE", &none), "so (0, or more)");
    assert_string_equal(help_of(OPTION_FRACTION, "X", &fraction), "so (0.85, or more)");
    assert_string_equal(help_of(OPTION_CHOICE, "a|big|c", &choice), "so (big, or more)");
    assert_string_equal(help_of(OPTION_TEXT, "WORD", &text), "so (unit, or more)");
}

static void an_option_may_be_repeated_and_joined_to_its_letter(void **state)
{
    char line[512] = "in";

    (void)state;
    assert_accepted("in -F a -Fb --folder=c --folder d -o out");
    assert_int_equal(args.folders.n, 4);
    assert_string_equal(args.folders.at[0], "a");
    assert_string_equal(args.folders.at[1], "b");
    assert_string_equal(args.folders.at[2], "c");
    assert_string_equal(args.folders.at[3], "d");
    assert_string_equal(args.output, "out");
    assert_refused("in -oout", "unknown option -oout");
    assert_refused("in -F", "-F needs a value: DIR");
    for (int i = 0; i < 13; i++)
        strcat(line, " -Fa");
    assert_accepted(line);
}

static void each_word_goes_to_its_member(void **state)
{
    (void)state;
    assert_int_equal(parse_as(&count, "7 --loud in.fa"), ST_OK);
    assert_int_equal(args.count, 7);
    assert_string_equal(args.inputs[0], "in.fa");
    assert_null(args.inputs[1]);
    assert_int_equal(parse_as(&count, "7"), ST_EUSAGE);
    assert_logged("missing argument; give COUNT IN.fa -o FILE");
    assert_int_equal(parse_as(&count, "10 in.fa"), ST_EUSAGE);
    assert_logged("try: COUNT 10: give a whole number from 1 to 9");
    assert_int_equal(parse_as(&count, "7 in.fa x"), ST_EUSAGE);
    assert_logged("unexpected argument 'x'");
    assert_int_equal(parse_as(&command, "- -"), ST_EUSAGE);
    assert_logged("stdin (-) is given for two inputs");
}

/* Capture what --help prints. */
static void take_help(const char *line, char *text, size_t size)
{
    char path[PATH_BYTES];
    int file, before;
    ssize_t len;

    dir_file("help.XXXXXX", path);
    file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    fflush(stdout);
    before = dup(STDOUT_FILENO);
    dup2(file, STDOUT_FILENO);
    assert_int_equal(parse(line), ST_EDONE);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    len = pread(file, text, size - 1, 0);
    close(file);
    assert_true(len > 0);
    text[len] = '\0';
}

static void help_shows_every_option_and_ends_with_the_example(void **state)
{
    static const char end[] = "\nA note.\n\nexample:\n  ribogrid try in.fa --loud\n";
    char text[4096], name[64];
    option_t all[OPTIONS_MAX];

    (void)state;
    take_help("in -o x --help", text, sizeof(text));
    assert_logged_nothing();
    assert_ptr_equal(strstr(text, "ribogrid try: try options\n"), text);
    assert_non_null(strstr(text, "usage: ribogrid try IN.fa... [options]\n"));
    options_list(&command, all);
    for (const option_t *o = all; o->kind != OPTION_END; o++) {
        if (o->kind == OPTION_GROUP)
            continue;
        snprintf(name, sizeof(name), "--%s%s%s", o->name, o->value != NULL ? " " : "",
                 o->value != NULL ? o->value : "");
        assert_non_null(strstr(text, name));
        assert_non_null(strstr(text, o->help));
    }
    assert_non_null(strstr(text, "  -o, --output FILE               the result\n"));
    assert_non_null(strstr(text, "      --slow                      take time\n"));
    assert_non_null(strstr(text, "at-all\n                                  what end"));
    assert_string_equal(text + strlen(text) - strlen(end), end);
}

static void help_prints_each_group_under_its_heading(void **state)
{
    char text[4096];

    (void)state;
    take_help("--help", text, sizeof(text));
    assert_non_null(strstr(text, "[options]\n\nNoise:\n  -l, --loud "));
    assert_non_null(strstr(text, "take time\n\nResults:\n  -o, --output FILE "));
    assert_non_null(strstr(text, "\nSearch:\n      --pattern WORD "));
    assert_non_null(strstr(text, "\nMessages:\n  -q, --quiet "));
}

static void the_short_form_of_help_needs_no_arguments(void **state)
{
    char text[4096];

    (void)state;
    take_help("-h", text, sizeof(text));
    assert_non_null(strstr(text, "-h, --help"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_are_not_given_keep_their_defaults),
        cmocka_unit_test(options_and_arguments_may_come_in_any_order),
        cmocka_unit_test(a_value_may_follow_an_equals_sign),
        cmocka_unit_test(short_forms_work_like_long_ones),
        cmocka_unit_test(the_last_of_several_values_counts),
        cmocka_unit_test(a_negative_number_may_be_a_value),
        cmocka_unit_test(a_single_dash_is_an_argument),
        cmocka_unit_test(after_two_dashes_everything_is_an_argument),
        cmocka_unit_test(whole_numbers_have_to_be_within_their_range),
        cmocka_unit_test(sizes_may_have_a_unit),
        cmocka_unit_test(a_decimal_is_an_exact_reduced_fraction),
        cmocka_unit_test(what_is_meant_by_percent_or_a_comma_is_guessed),
        cmocka_unit_test(a_list_of_decimals_is_separated_by_commas),
        cmocka_unit_test(what_is_not_a_decimal_from_0_to_1_is_refused),
        cmocka_unit_test(numbers_in_halves_are_whole_or_end_in_a_half),
        cmocka_unit_test(a_choice_has_to_be_one_of_its_words_in_full),
        cmocka_unit_test(unknown_options_are_refused_by_name),
        cmocka_unit_test(a_misspelt_option_has_a_suggestion),
        cmocka_unit_test(options_of_nested_tables_are_set_in_their_structures),
        cmocka_unit_test(options_that_are_given_are_known),
        cmocka_unit_test(the_level_of_messages_is_an_option_of_every_command),
        cmocka_unit_test(a_missing_value_is_reported),
        cmocka_unit_test(a_flag_takes_no_value),
        cmocka_unit_test(an_old_name_works_with_a_warning),
        cmocka_unit_test(an_old_value_works_with_a_warning),
        cmocka_unit_test(a_misspelt_value_is_guessed),
        cmocka_unit_test(a_word_gives_what_its_row_leaves_out),
        cmocka_unit_test(help_shows_the_default_of_the_structure),
        cmocka_unit_test(an_option_may_be_repeated_and_joined_to_its_letter),
        cmocka_unit_test(each_word_goes_to_its_member),
        cmocka_unit_test(too_few_or_too_many_arguments_are_refused),
        cmocka_unit_test(help_shows_every_option_and_ends_with_the_example),
        cmocka_unit_test(help_prints_each_group_under_its_heading),
        cmocka_unit_test(the_short_form_of_help_needs_no_arguments),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
