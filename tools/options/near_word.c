/*
 * near_word.c - the distance of Damerau and Levenshtein (optimal string alignment).
 */
#include "tools/options/near_word.h"

#include <stdio.h>
#include <string.h>

enum { DISTANCE_MAX = 2 };

static int min(int a, int b)
{
    return a < b ? a : b;
}

/* @return the distance of two words of at most NEAR_WORD_LEN_MAX characters */
static int distance(const char *a, int n, const char *b, int m)
{
    int d[NEAR_WORD_LEN_MAX + 1][NEAR_WORD_LEN_MAX + 1];

    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = min(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                          1 + min(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = min(d[i][j], 1 + d[i - 2][j - 2]);
        }
    return d[n][m];
}

near_word_t near_word_begin(const char *word, size_t len)
{
    /* most of a short word has to be right */
    return (near_word_t){.word = word,
                         .len = len <= NEAR_WORD_LEN_MAX ? len : 0,
                         .distance = 1 + (len < 4 ? (int)len / 2 : DISTANCE_MAX)};
}

void near_word_try(near_word_t *n, const char *candidate)
{
    const size_t len = strlen(candidate);
    int d;

    if (n->len == 0 || len > NEAR_WORD_LEN_MAX)
        return;
    d = strncmp(candidate, n->word, n->len) == 0
            ? 1
            : distance(n->word, (int)n->len, candidate, (int)len);
    if (d >= n->distance)
        return;
    n->distance = d;
    n->best = candidate;
}

const char *near_word_text(const near_word_t *n, const char *prefix,
                           char out[NEAR_WORD_BYTES])
{
    out[0] = '\0';
    if (n->best != NULL)
        snprintf(out, NEAR_WORD_BYTES, "; did you mean %s%s?", prefix, n->best);
    return out;
}
