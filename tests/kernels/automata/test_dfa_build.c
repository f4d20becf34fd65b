/*
 * test_dfa_build.c - deterministic automata: their states, minimal ones, and groups.
 */
#include "tests/support/unit_test.h"

#include "kernels/automata/dfa_group.h"
#include "kernels/automata/word_set.h"
#include "tests/support/made_patterns.h"

#include <stdio.h>
#include <stdlib.h>

static const dfa_limits_t wide = {.max_states = 1 << 20, .max_bytes = 1 << 28};

/* Build the automaton of all patterns, and minimise it.
 * @param n_built  out: states before that */
static void build(const char *const *texts, dfa_t *out, int32_t *n_built)
{
    nfa_t nfa = made_patterns(texts);
    int32_t patterns[16];
    bool fits;

    for (int32_t k = 0; k < nfa.n_patterns; k++)
        patterns[k] = k;
    assert_int_equal(dfa_build(&dfa_builder_serial, &nfa, patterns, nfa.n_patterns, &wide,
                               &fits, out),
                     ST_OK);
    assert_true(fits);
    *n_built = out->n_states;
    assert_int_equal(dfa_minimise(&dfa_builder_serial, out), ST_OK);
    nfa_free(&nfa);
}

/* "ab" anywhere: nothing, a, ab. */
static void a_state_is_what_matters_of_the_past(void **state)
{
    const char *const texts[] = {"ab", NULL};
    int32_t n_built;
    dfa_t d;

    (void)state;
    build(texts, &d, &n_built);
    assert_int_equal(n_built, 3);
    assert_int_equal(d.n_states, 3);
    assert_int_equal(d.n_classes, 3);
    assert_int_equal(d.middle, 0);
    assert_int_equal(dfa_next(&d, 0)[d.class_of['a']], 1);
    assert_int_equal(dfa_next(&d, 1)[d.class_of['a']], 1);
    assert_int_equal(dfa_next(&d, 1)[d.class_of['b']], 2);
    assert_int_equal(dfa_next(&d, 2)[d.class_of['b']], 0);
    assert_int_equal(dfa_output(&d, 2), 1);
    dfa_free(&d);
}

/* Where a record begins, and within it, are different states with "^". */
static void anchored_patterns_have_a_state_of_their_own(void **state)
{
    const char *const both[] = {"^a", "b", NULL}, *const one[] = {"^a", NULL};
    int32_t n_built;
    dfa_t d;

    (void)state;
    build(both, &d, &n_built);
    assert_int_equal(d.middle, 1);
    assert_int_equal(dfa_output(&d, dfa_next(&d, 1)[d.class_of['a']]), 0);
    assert_int_not_equal(dfa_output(&d, dfa_next(&d, 0)[d.class_of['a']]), 0);
    dfa_free(&d);
    build(one, &d, &n_built);
    assert_int_equal(d.middle, -1);
    assert_int_equal(d.n_states, 3); /* begin, a, nothing any more */
    dfa_free(&d);
}

/* (a|b)*a(a|b){n} has to remember n + 1 bytes: 2^(n + 1) states. */
static void counted_repeats_double_the_states(void **state)
{
    const char *const texts[] = {"^(a|b)*a(a|b){6}$", NULL};
    int32_t n_built;
    dfa_t d;

    (void)state;
    build(texts, &d, &n_built);
    assert_int_equal(d.n_states, (1 << 7) + 1);
    dfa_free(&d);
}

static void assert_equal(const dfa_t *a, const dfa_t *b)
{
    assert_int_equal(a->n_states, b->n_states);
    assert_int_equal(a->n_classes, b->n_classes);
    assert_memory_equal(a->class_of, b->class_of, 256);
    assert_memory_equal(a->next.data, b->next.data, a->next.len);
    assert_memory_equal(a->output.data, b->output.data, a->output.len);
}

/* The same language, spelt in different ways. */
static void equal_languages_have_equal_automata(void **state)
{
    static const char *const left[][2] = {{"a(bc|bd)", NULL},
                                          {"x(ab)*ab", NULL},
                                          {"(a|b)*c", NULL},
                                          {"[^x]y|zy", NULL},
                                          {"ab{1,3}c", NULL}};
    static const char *const right[][2] = {{"abc|abd", NULL},
                                           {"x(ab)+", NULL},
                                           {"c", NULL},
                                           {"[^x]y", NULL},
                                           {"abc|abbc|abbbc", NULL}};

    (void)state;
    for (size_t k = 0; k < sizeof(left) / sizeof(left[0]); k++) {
        int32_t n_built;
        dfa_t a, b;

        build(left[k], &a, &n_built);
        build(right[k], &b, &n_built);
        assert_equal(&a, &b);
        dfa_free(&a);
        dfa_free(&b);
    }
}

static void an_automaton_above_its_limits_is_none(void **state)
{
    const char *const texts[] = {"(a|b)*a(a|b){40}", NULL};
    nfa_t nfa = made_patterns(texts);
    const dfa_limits_t limits[] = {{1000, 1 << 28}, {1 << 30, 1 << 20}};
    const int32_t pattern = 0;
    bool fits = true;
    dfa_t d;

    (void)state;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(dfa_build(&dfa_builder_serial, &nfa, &pattern, 1, &limits[k],
                                   &fits, &d),
                         ST_OK);
        assert_false(fits);
    }
    nfa_free(&nfa);
}

/* Of five patterns, three fit into the first group; the fourth fits nowhere. */
static void groups_are_as_long_as_they_fit(void **state)
{
    const char *const texts[] = {"abc", "abd", "abe", "a[^b].{9}x", "xyz", "xyu", NULL};
    const dfa_limits_t limits = {.max_states = 9, .max_bytes = 1 << 24};
    nfa_t nfa = made_patterns(texts);
    int32_t *pattern_of;
    dfa_set_t d;

    (void)state;
    assert_int_equal(dfa_group_all(&nfa, &limits, NULL, &d), ST_OK);
    assert_int_equal(nfa_list_patterns(&nfa, &pattern_of), ST_OK);
    assert_null(dfa_set_misfit(&d, &nfa, 0, pattern_of));
    assert_int_equal(d.group[3], -1);
    assert_int_equal(d.group[0], 0);
    assert_int_equal(d.group[2], 0);
    assert_int_equal(d.group[4], 0); /* 3 + 3 states for ab., xyz, and the first */
    assert_int_equal(d.group[5], 1);
    assert_int_equal(d.n_groups, 2);
    free(pattern_of);
    dfa_set_free(&d);
    nfa_free(&nfa);
}

static void groups_do_not_depend_on_threads(void **state)
{
    const char *texts[2 * DFA_GROUP_BLOCK + 8];
    char names[2 * DFA_GROUP_BLOCK + 7][16];
    const int n = 2 * DFA_GROUP_BLOCK + 7;
    const dfa_limits_t limits = {.max_states = 64, .max_bytes = 1 << 24};
    dfa_set_t one, three;
    int32_t *pattern_of;
    pool_t *pool;
    nfa_t nfa;

    (void)state;
    for (int k = 0; k < n; k++) {
        snprintf(names[k], sizeof(names[k]), "x%dy", k * 37 % 1000);
        texts[k] = names[k];
    }
    texts[n] = NULL;
    nfa = made_patterns(texts);
    assert_int_equal(pool_create(3, &pool), ST_OK);
    assert_int_equal(dfa_group_all(&nfa, &limits, NULL, &one), ST_OK);
    assert_int_equal(dfa_group_all(&nfa, &limits, pool, &three), ST_OK);
    assert_int_equal(arrays_digest(&dfa_set_arrays, 1, &one),
                     arrays_digest(&dfa_set_arrays, 1, &three));
    assert_true(one.n_groups > 3);
    assert_int_equal(nfa_list_patterns(&nfa, &pattern_of), ST_OK);
    assert_null(dfa_set_misfit(&one, &nfa, 0, pattern_of));
    free(pattern_of);
    dfa_set_free(&three);
    dfa_set_free(&one);
    pool_destroy(pool);
    nfa_free(&nfa);
}

static void groups_do_not_depend_on_the_builder(void **state)
{
    const char *const texts[] = {"ab+c", "a.*b", "a[^b].{9}x", "xyz", "c(a|b){3}", NULL};
    const dfa_limits_t limits = {.max_states = 24, .max_bytes = 1 << 24};
    nfa_t nfa = made_patterns(texts);
    dfa_builder_t threads = {.backend = &subset_cpu_backend};
    dfa_set_t one, three;

    (void)state;
    assert_int_equal(pool_create(3, &threads.pool), ST_OK);
    threads.state = threads.pool;
    assert_int_equal(dfa_group_block(&nfa, 1, 4, &limits, &dfa_builder_serial, &one),
                     ST_OK);
    assert_int_equal(dfa_group_block(&nfa, 1, 4, &limits, &threads, &three), ST_OK);
    assert_int_equal(one.n_patterns, 4);
    assert_int_equal(one.group[0], 0);
    assert_int_equal(one.group[1], -1);
    assert_int_equal(arrays_digest(&dfa_set_arrays, 1, &one),
                     arrays_digest(&dfa_set_arrays, 1, &three));
    dfa_set_free(&one);
    dfa_set_free(&three);
    pool_destroy(threads.pool);
    nfa_free(&nfa);
}

static void a_cancelled_builder_stops(void **state)
{
    const char *const texts[] = {"a.*b", NULL};
    const dfa_limits_t limits = {.max_states = 100, .max_bytes = 1 << 24};
    const int32_t patterns[] = {0};
    const int cancel = 1;
    const dfa_builder_t cancelled = {.backend = &subset_serial_backend,
                                     .cancel = &cancel};
    nfa_t nfa = made_patterns(texts);
    dfa_t dfa = {.n_states = 0};
    dfa_set_t set;
    bool fits;

    (void)state;
    assert_int_equal(dfa_build(&cancelled, &nfa, patterns, 1, &limits, &fits, &dfa),
                     ST_ESTOPPED);
    assert_int_equal(dfa_group_block(&nfa, 0, 1, &limits, &cancelled, &set), ST_ESTOPPED);
    assert_int_equal(dfa_build(&dfa_builder_serial, &nfa, patterns, 1, &limits, &fits,
                               &dfa),
                     ST_OK);
    assert_int_equal(dfa_minimise(&cancelled, &dfa), ST_ESTOPPED);
    dfa_free(&dfa);
    nfa_free(&nfa);
}

static void keys_are_numbered_by_their_first_appearance(void **state)
{
    word_set_t s = {.n_words = 2};

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (uint64_t pass = 0; pass < 2; pass++)
            for (uint64_t k = 0; k < 1000; k++) {
                const uint64_t key[2] = {k % 10, k * k};
                int32_t number;

                assert_int_equal(word_set_add(&s, key, &number), ST_OK);
                assert_int_equal(number, k);
            }
        assert_int_equal(s.n, 1000);
        word_set_clear(&s);
        assert_int_equal(s.n, 0);
    }
    word_set_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_what_matters_of_the_past),
        cmocka_unit_test(anchored_patterns_have_a_state_of_their_own),
        cmocka_unit_test(counted_repeats_double_the_states),
        cmocka_unit_test(equal_languages_have_equal_automata),
        cmocka_unit_test(an_automaton_above_its_limits_is_none),
        cmocka_unit_test(groups_are_as_long_as_they_fit),
        cmocka_unit_test(groups_do_not_depend_on_threads),
        cmocka_unit_test(groups_do_not_depend_on_the_builder),
        cmocka_unit_test(a_cancelled_builder_stops),
        cmocka_unit_test(keys_are_numbered_by_their_first_appearance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
