/*
 * subset_case.h - groups of random patterns, whose states backends are compared on.
 */
#pragma once

#include "io/automata/pattern_nfa.h"
#include "io/base/rng.h"
#include "kernels/automata/subset_backend.h"

#include <stdio.h>
#include <string.h>

enum { SUBSET_CASE_PATTERNS = 12, SUBSET_CASE_TEXT = 128 };

/* Write a random pattern: bytes and sets, loops, repeats, and at times an anchor. */
static inline void subset_case_pattern(uint64_t *rng, char text[SUBSET_CASE_TEXT])
{
    static const char *const parts[] = {"a",          "b",  "c",       "[ab]",  "[^a]",
                                        ".*",         "b+", "(ab|c)*", "(bc)?", "c{2,3}",
                                        "[b-d]{1,5}", "x",  "d"};
    const int n = 2 + (int)(rng_splitmix(rng) % 5);

    snprintf(text, SUBSET_CASE_TEXT, "%s", rng_splitmix(rng) % 4 == 0 ? "^" : "");
    for (int k = 0; k < n; k++)
        strcat(text, parts[rng_splitmix(rng) % (sizeof(parts) / sizeof(parts[0]))]);
    strcat(text, rng_splitmix(rng) % 4 == 0 ? "e$" : "e");
}

/* Make a group of n patterns. @return whether it succeeded */
static inline bool subset_case_make(const char (*texts)[SUBSET_CASE_TEXT], int n,
                                    nfa_t *nfa, subset_t *out)
{
    nfa_builder_t b = {.n_patterns = 0};
    int32_t patterns[SUBSET_CASE_PATTERNS];
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < n; k++) {
        pattern_tree_t tree = {.root = 0};
        pattern_error_t why;

        patterns[k] = k;
        st = pattern_tree_parse(texts[k], strlen(texts[k]), 0, &tree, &why);
        if (st == ST_OK)
            st = pattern_nfa_add(&tree, texts[k], &b, &why.what);
        buf_free(&tree.nodes);
    }
    if (st == ST_OK)
        st = nfa_builder_finish(&b, nfa);
    else
        nfa_builder_free(&b);
    return st == ST_OK && subset_create(nfa, patterns, n, out) == ST_OK;
}

/* Make a group of n random patterns. */
static inline bool subset_case_random(uint64_t *rng, int n, nfa_t *nfa, subset_t *out)
{
    char texts[SUBSET_CASE_PATTERNS][SUBSET_CASE_TEXT];

    for (int k = 0; k < n; k++)
        subset_case_pattern(rng, texts[k]);
    return subset_case_make((const char(*)[SUBSET_CASE_TEXT])texts, n, nfa, out);
}

/* Find the states of a group. @return as subset_backend_t's find */
static inline status_t subset_case_find(const subset_backend_t *backend, void *state,
                                        const subset_t *s, int64_t max_states,
                                        subset_states_t *out, bool *fits)
{
    const size_t bytes = (size_t)s->n_words * sizeof(uint64_t);
    status_t st = buf_reserve(&out->keys, 2 * bytes);

    if (st != ST_OK)
        return st;
    subset_begin(s, true, (void *)out->keys.data);
    subset_begin(s, false, (void *)(out->keys.data + bytes));
    out->keys.len =
        memcmp(out->keys.data, out->keys.data + bytes, bytes) != 0 ? 2 * bytes : bytes;
    return backend->find(state, s, max_states, NULL, out, fits);
}

static inline void subset_case_free(subset_states_t *states)
{
    buf_free(&states->keys);
    buf_free(&states->next);
}
