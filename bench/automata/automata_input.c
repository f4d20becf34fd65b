/*
 * automata_input.c - an input of texts that patterns describe; patterns as other programs
 * take them.
 */
#include "bench/automata/automata_bench.h"
#include "io/base/rng.h"

#include <string.h>

/* Bytes between two texts, at most, and of a text. */
enum { MAX_GAP = 32, MAX_TEXT = 512 };

/* @return a random byte of a set, or 0 if it is empty */
static uint8_t draw_byte(rng_t *rng, const byte_set_t *set)
{
    const int n = byte_set_count(set);
    int left = n > 0 ? (int)rng_below(rng, (uint64_t)n) : 0;

    for (int byte = 0; n > 0 && byte < 256; byte++)
        if (byte_set_has(set, byte) && left-- == 0)
            return (uint8_t)byte;
    return 0;
}

/* Append a byte of a position. @return the position that follows, or -1 at an end */
static int64_t walk(const nfa_t *nfa, int64_t p, rng_t *rng, uint8_t *byte)
{
    const int64_t n = nfa->first_edge[p + 1] - nfa->first_edge[p];

    *byte = draw_byte(rng, &nfa->set[p]);
    if (n == 0 || ((nfa->role[p] & NFA_ACCEPTS) != 0 && rng_below(rng, 2) == 0))
        return -1;
    return nfa->next[nfa->first_edge[p] + (int64_t)rng_below(rng, (uint64_t)n)];
}

/* Fill in a text of a random pattern. @return its length */
static size_t draw_text(const nfa_t *nfa, rng_t *rng, uint8_t text[MAX_TEXT])
{
    const int64_t k = (int64_t)rng_below(rng, (uint64_t)nfa->n_patterns);
    int64_t p = nfa->first[k];
    size_t len = 0;

    while (p < nfa->first[k + 1] && (nfa->role[p] & (NFA_STARTS | NFA_BEGINS)) == 0)
        p++;
    if (p == nfa->first[k + 1])
        return 0;
    while (p >= 0 && len < MAX_TEXT)
        p = walk(nfa, p, rng, &text[len++]);
    return len;
}

status_t automata_make_input(const nfa_t *nfa, int64_t n_bytes, uint64_t seed, buf_t *out)
{
    rng_t rng = rng_seed(seed);
    uint8_t text[MAX_TEXT + MAX_GAP];
    status_t st = ST_OK;

    while (st == ST_OK && (int64_t)out->len < n_bytes) {
        const size_t len = nfa->n_patterns > 0 ? draw_text(nfa, &rng, text) : 0;
        const size_t gap = 1 + (size_t)rng_below(&rng, MAX_GAP);

        for (size_t k = 0; k < gap; k++)
            text[len + k] = (uint8_t)rng_below(&rng, 256);
        st = buf_append(out, text, len + gap);
    }
    return st;
}

automata_text_t automata_text(const char *name)
{
    const char *end = strrchr(name, '/');

    if (name[0] != '/' || end == name || end[1 + strspn(end + 1, "is")] != '\0')
        return (automata_text_t){name, strlen(name), false, false};
    return (automata_text_t){name + 1, (size_t)(end - name - 1), strchr(end, 'i') != NULL,
                             strchr(end, 's') != NULL};
}
