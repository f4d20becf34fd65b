/*
 * test_pattern_file.c - files of patterns, and automata as text.
 */
#include "tests/support/unit_test.h"

#include "io/automata/pattern_file.h"

#include "io/base/logmsg.h"

#include "tests/support/captured_log.h"

/* Read a text. @return the status; logged has what was logged */
static status_t read_text(const char *text, bool skip, nfa_t *out, int64_t *n_skipped)
{
    char path[PATH_BYTES];
    status_t st;

    dir_file("patterns", path);
    dir_put(path, text, strlen(text));
    capture_start();
    st = pattern_file_read(path, skip, out, n_skipped);
    capture_stop();
    unlink(path);
    return st;
}

static void lines_are_patterns(void **state)
{
    int64_t n_skipped;
    nfa_t nfa;

    (void)state;
    assert_int_equal(read_text("abc\n\n/a\\/b/i\n/etc/passwd0\n#x\n", false, &nfa,
                               &n_skipped),
                     ST_OK);
    assert_int_equal(nfa.n_patterns, 4);
    assert_int_equal(n_skipped, 0);
    assert_string_equal(nfa.name[1], "/a\\/b/i");
    assert_int_equal(nfa.first[2] - nfa.first[1], 3);
    assert_true(byte_set_has(&nfa.set[nfa.first[1]], 'A'));
    assert_int_equal(nfa.first[3] - nfa.first[2], 12); /* no flags: all of it */
    nfa_free(&nfa);
}

static void errors_name_line_and_column(void **state)
{
    int64_t n_skipped;
    nfa_t nfa;

    (void)state;
    assert_int_equal(read_text("ok\n/(a)\\1/\n", false, &nfa, &n_skipped), ST_EINPUT);
    assert_logged("patterns:2: column 5: back-references are not "
                  "supported; correct it, or give --skip-unsupported");
    assert_int_equal(read_text("/a/iz\n", false, &nfa, &n_skipped), ST_EINPUT);
    assert_logged("patterns:1: column 5: this flag is not supported");
    assert_int_equal(read_text("a{20000}\n", false, &nfa, &n_skipped), ST_EINPUT);
    assert_logged("patterns:1: column 1: the pattern has more than");
    assert_int_equal(read_text("\n\n", false, &nfa, &n_skipped), ST_EINPUT);
    assert_logged("it has no patterns that can be used");
}

static void unsupported_patterns_are_left_out_and_listed(void **state)
{
    int64_t n_skipped;
    nfa_t nfa;

    (void)state;
    assert_int_equal(read_text("a(?=b)\nok\nb*+\n", true, &nfa, &n_skipped), ST_OK);
    assert_int_equal(nfa.n_patterns, 1);
    assert_int_equal(n_skipped, 2);
    assert_logged("patterns:1: column 2: look-around is not supported; "
                  "left out");
    assert_logged("patterns:3: column 2: possessive repeats");
    nfa_free(&nfa);
}

/* Rule 2 is "b" anywhere, rule 7 "ac+". */
static void automata_as_text_become_patterns(void **state)
{
    int64_t n_skipped;
    nfa_t nfa;

    (void)state;
    assert_int_equal(read_text("# NFA\n4\n0 : initial\n0 -> 0 : 0|255\n0 -> 1 : 97\n"
                               "0 -> 3 : 98\n1 -> 2 : 99\n2 -> 2 : 99\n"
                               "2 : accepting 7\n3 : accepting 2\n",
                               false, &nfa, &n_skipped),
                     ST_OK);
    assert_null(nfa_misfit(&nfa));
    assert_int_equal(nfa.n_patterns, 2);
    assert_string_equal(nfa.name[0], "rule 2");
    assert_int_equal(nfa.first[1], 1);
    assert_int_equal(nfa.role[0], NFA_STARTS | NFA_ACCEPTS);
    assert_string_equal(nfa.name[1], "rule 7");
    assert_int_equal(nfa.n_positions, 3);
    assert_int_equal(nfa.role[1], NFA_STARTS);
    assert_int_equal(nfa.role[2], NFA_ACCEPTS);
    assert_int_equal(nfa.n_edges, 2); /* a to c, c to c */
    nfa_free(&nfa);
}

/* State 1 is reached by a and by b, from different states: two positions. */
static void a_state_has_a_position_per_set_that_leads_to_it(void **state)
{
    int64_t n_skipped;
    nfa_t nfa;

    (void)state;
    assert_int_equal(read_text("# DFA\n2\n0 : initial\n0 -> 1 : 97\n1 -> 1 : 98\n"
                               "1 : accepting 1\n",
                               false, &nfa, &n_skipped),
                     ST_OK);
    assert_int_equal(nfa.n_positions, 2);
    assert_int_equal(nfa.role[0], NFA_BEGINS | NFA_ACCEPTS);
    assert_int_equal(nfa.role[1], NFA_ACCEPTS);
    assert_int_equal(nfa.n_edges, 2);
    nfa_free(&nfa);
}

static void odd_automata_are_refused(void **state)
{
    static const struct {
        const char *text, *cause;
    } all[] = {{"# NFA\n", "give the number of states"},
               {"# NFA\n2000000\n", "give the number of states, at most"},
               {"# NFA\n2\n0 -> 1 : 97\n1 : accepting 1\n", "there is no initial state"},
               {"# NFA\n2\n0 : initial\n0 -> 2 : 97\n", "with states below 2"},
               {"# NFA\n2\n0 : initial\n0 -> 1 : 97|96\n", "patterns:4: give 'N -> M"},
               {"# NFA\n2\n0 : initial\n0 -> 1 : 256\n", "give 'N -> M : BYTES'"},
               {"# NFA\n2\n0 : initial\n2 : accepting 1\n", "no line of a state below 2"},
               {"# NFA\n2\n0 : initial\n1 : accepting x\n", "a rule is no number"},
               {"# NFA\n2\n0 : initial\n", "it has no patterns"}};
    int64_t n_skipped;
    nfa_t nfa;

    (void)state;
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        assert_int_equal(read_text(all[k].text, true, &nfa, &n_skipped), ST_EINPUT);
        assert_logged(all[k].cause);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_patterns),
        cmocka_unit_test(errors_name_line_and_column),
        cmocka_unit_test(unsupported_patterns_are_left_out_and_listed),
        cmocka_unit_test(automata_as_text_become_patterns),
        cmocka_unit_test(a_state_has_a_position_per_set_that_leads_to_it),
        cmocka_unit_test(odd_automata_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
