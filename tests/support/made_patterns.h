/*
 * made_patterns.h - automata of patterns that a test writes down.
 */
#pragma once

#include "tests/support/pattern_texts.h"
#include "tests/support/unit_test.h"

/* @param texts  up to a NULL @return their automata, freed by nfa_free */
static inline nfa_t made_patterns(const char *const *texts)
{
    nfa_t nfa;

    assert_int_equal(pattern_texts_build(texts, &nfa), ST_OK);
    return nfa;
}
