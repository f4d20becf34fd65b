/*
 * near_word.h - "did you mean": the word of a list that a misspelt one is nearest to.
 */
#pragma once

#include <stddef.h>

/* Of words, and of the text. */
enum { NEAR_WORD_LEN_MAX = 32, NEAR_WORD_BYTES = 64 };

typedef struct {
    const char *word, *best; /* best: NULL so far */
    size_t len, best_len;
    int distance; /* of the best */
} near_word_t;

/* @param len  of the misspelt word, which need not end there; 0: nothing is near */
near_word_t near_word_begin(const char *word, size_t len);

/*
 * Look at a word of the list.
 *
 * Near are those that begin with the misspelt word, and those at most two typing errors
 * away: a character too many, too few or wrong, or two of them exchanged; capitals do
 * not matter.  Of equally near ones the first counts.
 *
 * @param candidate  borrowed until the text is made
 */
void near_word_try(near_word_t *n, const char *candidate);

/* Look at several words, "free|count". */
void near_word_try_all(near_word_t *n, const char *candidates);

/* @return `out`: "; did you mean --force?" with the prefix "--", or "" */
const char *near_word_text(const near_word_t *n, const char *prefix,
                           char out[NEAR_WORD_BYTES]);
