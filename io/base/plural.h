/*
 * plural.h - nouns behind a number, in messages.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* @return "" for one, else "s" */
static inline const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

enum { PLURAL_BYTES = 64 };

/* @param words  of several, whose first word ends with s: "pairs of reads"
 * @return `out`: the same of n: "pair of reads" for one */
static inline const char *plural_words(int64_t n, const char *words,
                                       char out[PLURAL_BYTES])
{
    const size_t first = strcspn(words, " ");

    snprintf(out, PLURAL_BYTES, "%.*s%s", (int)first - (n == 1), words, words + first);
    return out;
}
