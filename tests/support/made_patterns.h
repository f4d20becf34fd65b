/*
 * made_patterns.h - automata of patterns that a test writes down.
 *
 * Include it after <cmocka.h>.
 */
#pragma once

#include "io/automata/pattern_nfa.h"

#include <string.h>

/* Add a pattern. @param flags  PATTERN_CASELESS, ... @return its status */
static inline status_t add_pattern(nfa_builder_t *to, const char *text, unsigned flags,
                                   pattern_error_t *why)
{
    pattern_tree_t tree = {.root = 0};
    status_t st = pattern_tree_parse(text, strlen(text), flags, &tree, why);

    if (st == ST_OK)
        st = pattern_nfa_add(&tree, text, to, &why->what);
    buf_free(&tree.nodes);
    return st;
}

/* @param texts  up to a NULL @return their automata, freed by nfa_free */
static inline nfa_t made_patterns(const char *const *texts)
{
    nfa_builder_t b = {.n_patterns = 0};
    pattern_error_t why;
    nfa_t nfa;

    for (; *texts != NULL; texts++)
        assert_int_equal(add_pattern(&b, *texts, 0, &why), ST_OK);
    assert_int_equal(nfa_builder_finish(&b, &nfa), ST_OK);
    return nfa;
}
