/*
 * near_word.c - the distance of two words, by typing errors.
 */
#include "io/base/near_word.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { DISTANCE_MAX = 2 };

static int min(int a, int b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
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
            d[i][j] = min(d[i - 1][j - 1] + !is_same(a[i - 1], b[j - 1]),
                          1 + min(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
                is_same(a[i - 2], b[j - 1]))
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

static void look(near_word_t *n, const char *candidate, size_t len)
{
    int d;

    if (n->len == 0 || len == 0 || len > NEAR_WORD_LEN_MAX)
        return;
    d = len >= n->len && strncasecmp(candidate, n->word, n->len) == 0
            ? 1
            : distance(n->word, (int)n->len, candidate, (int)len);
    if (d >= n->distance)
        return;
    n->distance = d;
    n->best = candidate;
    n->best_len = len;
}

void near_word_try(near_word_t *n, const char *candidate)
{
    look(n, candidate, strlen(candidate));
}

void near_word_try_all(near_word_t *n, const char *candidates)
{
    for (const char *at = candidates; *at != '\0'; at += *at == '|') {
        const size_t len = strcspn(at, "|");

        look(n, at, len);
        at += len;
    }
}

const char *near_word_text(const near_word_t *n, const char *prefix,
                           char out[NEAR_WORD_BYTES])
{
    out[0] = '\0';
    if (n->best != NULL)
        snprintf(out, NEAR_WORD_BYTES, "; did you mean %s%.*s?", prefix, (int)n->best_len,
                 n->best);
    return out;
}
