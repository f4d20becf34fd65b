/*
 * test_job_build.c - records of the job "automata build".
 */
#include "tests/support/unit_test.h"

#include "worker/automata/job_build_state.h"

#include "tests/support/made_patterns.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_PATTERNS = DFA_GROUP_BLOCK + 3 };

static job_build_t job;
static buf_t record; /* of the second block */

static const build_opts_t opts = {.limits = {.max_states = 8, .max_bytes = 1 << 20}};

/* Two blocks; the second one has "abc", "abd", and a pattern without a group. */
static int make(void **state)
{
    static const char *texts[N_PATTERNS + 1];
    dfa_set_t found;

    (void)state;
    for (int k = 0; k < DFA_GROUP_BLOCK; k++)
        texts[k] = "x";
    texts[DFA_GROUP_BLOCK] = "abc";
    texts[DFA_GROUP_BLOCK + 1] = "a.{9}";
    texts[DFA_GROUP_BLOCK + 2] = "abd";
    job = (job_build_t){.opts = &opts, .nfa = made_patterns(texts)};
    if (nfa_list_patterns(&job.nfa, &job.pattern_of) != ST_OK ||
        dfa_group_block(&job.nfa, DFA_GROUP_BLOCK, 3, &opts.limits, &dfa_builder_serial,
                        &found) != ST_OK)
        return -1;
    record.len = 0;
    if (job_build_pack(&found, &record) != ST_OK)
        return -1;
    dfa_set_free(&found);
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    nfa_free(&job.nfa);
    free(job.pattern_of);
    buf_free(&record);
    return 0;
}

/* @return whether the record is one of a task */
static bool is_record(int64_t task)
{
    return job_build_check_record(&job.base, task, 0, &record) == NULL;
}

static int64_t *counts(void)
{
    return (int64_t *)(void *)record.data;
}

static void a_record_is_of_its_block(void **state)
{
    (void)state;
    assert_int_equal(counts()[0], 1); /* group */
    assert_int_equal(counts()[1], 5); /* states: nothing, a, ab, abc, abd */
    assert_true(is_record(1));
    assert_false(is_record(0));
}

static void a_record_is_as_long_as_it_says(void **state)
{
    static const int64_t wrong[] = {0, -1, INT64_MAX, INT64_MIN, 2, 1 << 20};

    (void)state;
    for (int k = 0; k < 6; k++) {
        const int64_t was = counts()[k];

        for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
            if (wrong[i] != was) {
                counts()[k] = wrong[i];
                assert_false(is_record(1));
            }
        counts()[k] = was;
    }
    assert_true(is_record(1));
    record.len--;
    assert_false(is_record(1));
    record.len = 7;
    assert_false(is_record(1));
}

/* Behind the counts: where states, positions and outputs begin, and then the groups of
 * the patterns. */
static void automata_are_those_of_the_patterns(void **state)
{
    int32_t *group = (int32_t *)(void *)(counts() + 6 + 2 + 6 + counts()[4] + 1);

    (void)state;
    assert_int_equal(group[0], 0);
    assert_int_equal(group[1], -1);
    assert_int_equal(group[2], 0);
    group[2] = -1; /* but states have positions of it */
    assert_false(is_record(1));
    group[2] = 1;
    assert_false(is_record(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_record_is_of_its_block, make, unmake),
        cmocka_unit_test_setup_teardown(a_record_is_as_long_as_it_says, make, unmake),
        cmocka_unit_test_setup_teardown(automata_are_those_of_the_patterns, make, unmake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
