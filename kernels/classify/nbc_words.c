/*
 * nbc_words.c - words are collected in a bit set, which sorts them.
 */
#include "kernels/classify/nbc_model.h"

#include "io/base/digest.h"
#include "io/seq/alphabet.h"
#include "kernels/classify/nbc_spec.h"

static void insert(nbc_words_set_t *set, uint32_t word)
{
    set->seen[word / 64] |= UINT64_C(1) << word % 64;
    set->used[word / 64 / 64] |= UINT64_C(1) << word / 64 % 64;
}

/* Clear the set. @return how many words it had */
static int32_t take_all(nbc_words_set_t *set, uint16_t *out)
{
    int32_t n = 0;

    for (uint32_t i = 0; i < NBC_N_WORDS / 64 / 64; i++) {
        for (; set->used[i] != 0; set->used[i] &= set->used[i] - 1) {
            uint32_t at = i * 64 + (uint32_t)__builtin_ctzll(set->used[i]);

            for (; set->seen[at] != 0; set->seen[at] &= set->seen[at] - 1)
                out[n++] = (uint16_t)(at * 64 + (uint32_t)__builtin_ctzll(set->seen[at]));
        }
    }
    return n;
}

int32_t nbc_words_find(const uint8_t *letters, int64_t len, nbc_words_set_t *scratch,
                       uint16_t *out)
{
    uint32_t word = 0;
    int run = 0; /* bases since the last ambiguity code */

    for (int64_t i = 0; i < len; i++) {
        uint8_t code = letters[i];

        if (!alphabet_is_base(ALPHABET_DNA, code)) {
            run = 0;
            continue;
        }
        word = (word << 2 | (uint32_t)__builtin_ctz(code)) % NBC_N_WORDS;
        if (++run >= NBC_WORD_BASES)
            insert(scratch, word);
    }
    return take_all(scratch, out);
}

void nbc_words_reverse(const uint16_t *words, int32_t n, nbc_words_set_t *scratch,
                       uint16_t *out)
{
    for (int32_t i = 0; i < n; i++) {
        uint32_t from = NBC_N_WORDS - 1 - words[i], to = 0; /* each base complemented */

        for (int k = 0; k < NBC_WORD_BASES; k++, from >>= 2)
            to = to << 2 | (from & 3);
        insert(scratch, to);
    }
    (void)take_all(scratch, out);
}

uint64_t nbc_words_key(uint64_t seed, const uint16_t *words, int32_t n)
{
    uint64_t digest = digest_add(DIGEST_START, &seed, sizeof(seed));

    return nbc_draw_bits(digest_add(digest, words, (size_t)n * sizeof(*words)), 0, 0);
}
