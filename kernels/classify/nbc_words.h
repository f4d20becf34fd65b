/*
 * nbc_words.h - the distinct words of 8 bases in a sequence, as ascending numbers.
 *
 * The number of a word has two bits per base (A 0, C 1, G 2, T 3), the first base in the
 * highest ones.  Ambiguity codes are in no word.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_NBC_WORDS_H
#define RIBOGRID_KERNELS_CLASSIFY_NBC_WORDS_H

#include <stdint.h>

enum { NBC_WORD_BASES = 8, NBC_N_WORDS = 1 << 2 * NBC_WORD_BASES };

/* Scratch of one thread.  Zero-initialise it; all functions leave it zeroed. */
typedef struct {
    uint64_t seen[NBC_N_WORDS / 64];      /* a bit per word */
    uint64_t used[NBC_N_WORDS / 64 / 64]; /* a bit per element of seen */
} nbc_words_set_t;

/* @return the maximum number of distinct words in a sequence of len bases */
static inline int64_t nbc_words_max(int64_t len)
{
    const int64_t n = len - NBC_WORD_BASES + 1, max = NBC_N_WORDS;

    return n < 0 ? 0 : n < max ? n : max;
}

/*
 * Find the words of a sequence.
 *
 * @param letters  [len] codes of alphabet.h
 * @param out      [nbc_words_max(len)] ascending
 * @return their number
 */
int32_t nbc_words_find(const uint8_t *letters, int64_t len, nbc_words_set_t *scratch,
                       uint16_t *out);

/* Find the words of the reverse complement. @param words  [n] of the sequence
 * @param out  [n] ascending */
void nbc_words_reverse(const uint16_t *words, int32_t n, nbc_words_set_t *scratch,
                       uint16_t *out);

/* @return the key of all draws from a set of words. @param words  [n] ascending */
uint64_t nbc_words_key(uint64_t seed, const uint16_t *words, int32_t n);

#endif
