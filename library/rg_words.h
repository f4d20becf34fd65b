/*
 * rg_words.h - words of options, as their place in a list, and fractions.
 */
#pragma once

#include "io/base/fraction.h"
#include "io/base/status.h"

/*
 * Find a word.
 *
 * @param name   of the option, for messages
 * @param words  [n] those that it may have
 * @param out    the index of the word
 * @return ST_OK, or ST_EUSAGE (logged, with the words)
 */
status_t rg_word_find(const char *name, const char *word, const char *const *words, int n,
                      int *out) MUST_CHECK;

/*
 * Take a number of 0 .. 1 as a fraction of whole numbers, rounded to nine digits.
 *
 * @param name  of the option, for messages
 * @return ST_OK, or ST_EUSAGE (logged)
 */
status_t rg_fraction_take(const char *name, double value, fraction_t *out) MUST_CHECK;
