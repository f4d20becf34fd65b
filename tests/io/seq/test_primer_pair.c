/*
 * test_primer_pair.c - primers by name and bases, and files of pairs.
 */
#include "tests/support/unit_test.h"

#include "io/seq/primer_pair.h"

#include "tests/support/captured_log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void primers_have_names_or_bases(void **state)
{
    primer_pair_t named, spelled;

    (void)state;
    assert_true(primer_pair_parse("515F/806R", &named));
    assert_true(primer_pair_parse("GTGYCAGCMGCCGCGGTAA/GGACTACNVGGGTWTCTAAT", &spelled));
    assert_int_equal(named.forward.len, 19);
    assert_int_equal(named.reverse.len, 20);
    assert_memory_equal(named.forward.codes, spelled.forward.codes, 19);
    assert_memory_equal(named.reverse.codes, spelled.reverse.codes, 20);
    assert_false(primer_pair_parse("515F", &named));
    assert_false(primer_pair_parse("515F/", &named));
    assert_false(primer_pair_parse("/806R", &named));
    assert_false(primer_pair_parse("519Q/806R", &named));
}

static void a_wrong_one_of_a_pair_is_named(void **state)
{
    (void)state;
    assert_null(primer_pair_misuse("515F/ACGT"));
    assert_non_null(strstr(primer_pair_misuse("515/806R"), "'515' is neither"));
    assert_non_null(strstr(primer_pair_misuse("515F/806L"), "; did you mean 806R?"));
    assert_non_null(strstr(primer_pair_misuse("/806R"), "give two primers"));
    assert_non_null(strstr(primer_pair_misuse("515F"), "give two primers"));
}

/* GTR: C, A or G, then AYC reversed. */
static void reverse_complements_have_the_complements_of_codes(void **state)
{
    primer_pair_t pair;
    primer_t other;

    (void)state;
    assert_true(primer_pair_parse("GTR/ACG", &pair));
    other = primer_reverse_complement(&pair.forward);
    assert_int_equal(other.len, 3);
    assert_int_equal(other.codes[0], 2 | 8); /* Y */
    assert_int_equal(other.codes[1], 1);
    assert_int_equal(other.codes[2], 2);
}

static char path[] = "/tmp/ribogrid-panel-XXXXXX";

/* Read a text as a panel. */
static status_t read_text(const char *text, primer_panel_t *out)
{
    FILE *to = fopen(path, "w");
    status_t st;

    assert_non_null(to);
    fputs(text, to);
    fclose(to);
    capture_start();
    st = primer_panel_read(path, out);
    capture_stop();
    return st;
}

static void panels_are_lines_of_pairs(void **state)
{
    primer_panel_t panel;

    (void)state;
    assert_int_equal(read_text("# V4\nv4\t515F\t806R\n\nshort\tacgT\tGGCCR\r\n", &panel),
                     ST_OK);
    assert_int_equal(panel.n, 2);
    assert_string_equal(panel.names[0], "v4");
    assert_int_equal(panel.pairs[0].forward.len, 19);
    assert_string_equal(panel.names[1], "short");
    assert_int_equal(panel.pairs[1].reverse.codes[4], 1 | 4);
    assert_int_equal(panel.pairs[0].reverse.len, 20);
    assert_int_equal(panel.pairs[1].forward.len, 4);
    assert_int_equal(panel.pairs[1].reverse.len, 5);
    primer_panel_free(&panel);
    assert_int_equal(primer_panel_of_pair("515F/ACGTACG", &panel), ST_OK);
    assert_int_equal(panel.n, 1);
    assert_string_equal(panel.names[0], "515F/ACGTACG");
    assert_int_equal(panel.pairs[0].forward.len, 19);
    assert_int_equal(panel.pairs[0].reverse.len, 7);
    primer_panel_free(&panel);
}

/* With a line number, unless the file has no line. */
static void assert_refused(const char *text, const char *why)
{
    primer_panel_t panel;

    assert_int_equal(read_text(text, &panel), ST_EINPUT);
    assert_logged_one_line();
    assert_logged(path);
    assert_logged(why);
}

static void bad_lines_are_refused(void **state)
{
    (void)state;
    assert_refused("a\t515F\t806R\nb\t515F\n", ":2: expected a name, the forward");
    assert_refused("a\t515F\t806R\tx\n", ":1: expected a name");
    assert_refused("\t515F\t806R\n", ":1: expected a name");
    assert_refused("a\t515F\t806Q\n",
                   ":1: '806Q' is neither a primer's name (27F 341F 515F 785R 806R 907R "
                   "926R 1391R 1492R) nor bases, 5' to 3'; did you mean 806R?");
    assert_refused("a\t\t806R\n", ":1: '' is neither");
    assert_refused("a\tACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTACGTA"
                   "\t806R\n",
                   ":1: a primer of 65 bases; at most 64");
    assert_refused("a\t515F\t806R\na\t27F\t806R\n", ":2: 'a' is the name of another");
    assert_refused("# nothing\n", ": no pair of primers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(primers_have_names_or_bases),
        cmocka_unit_test(a_wrong_one_of_a_pair_is_named),
        cmocka_unit_test(reverse_complements_have_the_complements_of_codes),
        cmocka_unit_test(panels_are_lines_of_pairs),
        cmocka_unit_test(bad_lines_are_refused),
    };
    int failed, fd = mkstemp(path);

    if (fd < 0)
        return 1;
    close(fd);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
