/*
 * pattern_texts.h - automata of patterns that are written down or random, and random
 * bytes that these match.
 */
#pragma once

#include "io/automata/pattern_nfa.h"
#include "io/base/rng.h"

#include <string.h>

/* Room for a random pattern. */
enum { PATTERN_TEXT_BYTES = 4096 };

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

/* @param texts  up to a NULL @param out  freed by nfa_free */
static inline status_t pattern_texts_build(const char *const *texts, nfa_t *out)
{
    nfa_builder_t b = {.n_patterns = 0};
    pattern_error_t why;
    status_t st = ST_OK;

    for (; st == ST_OK && *texts != NULL; texts++)
        st = add_pattern(&b, *texts, 0, &why);
    if (st == ST_OK)
        return nfa_builder_finish(&b, out);
    nfa_builder_free(&b);
    return st;
}

static inline size_t pattern_texts_pick(uint64_t *rng, size_t n)
{
    return (size_t)(rng_splitmix(rng) % n);
}

/* Append a random pattern, with groups up to a depth. */
static inline void pattern_texts_append(uint64_t *rng, int depth,
                                        char text[PATTERN_TEXT_BYTES])
{
    static const char *const atoms[] = {"a",    "b",  "c",   "[ab]", ".",
                                        "[^a]", "ab", "cab", "\n"};
    static const char *const repeats[] = {"",  "",    "",      "?",    "*",
                                          "+", "{2}", "{1,3}", "{0,2}"};
    const size_t n = 1 + pattern_texts_pick(rng, 4);

    for (size_t k = 0; k < n; k++) {
        if (depth > 0 && pattern_texts_pick(rng, 3) == 0) {
            strcat(text, "(");
            pattern_texts_append(rng, depth - 1, text);
            strcat(text, pattern_texts_pick(rng, 2) == 0 ? "|" : "");
            pattern_texts_append(rng, depth - 1, text);
            strcat(text, ")");
        } else {
            strcat(text, atoms[pattern_texts_pick(rng, sizeof(atoms) / sizeof(*atoms))]);
        }
        strcat(text,
               repeats[pattern_texts_pick(rng, sizeof(repeats) / sizeof(*repeats))]);
        if (pattern_texts_pick(rng, 12) == 0)
            strcat(text, pattern_texts_pick(rng, 2) == 0 ? "^" : "$");
    }
}

/* Fill in random bytes; 'e' is in no pattern's sets of single bytes.
 * @param bytes  [n + 1] */
static inline void pattern_texts_fill(uint64_t *rng, char *bytes, size_t n)
{
    for (size_t k = 0; k < n; k++)
        bytes[k] = "aaabbbcce\n"[pattern_texts_pick(rng, 10)];
    bytes[n] = '\0';
}
