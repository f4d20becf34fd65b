/*
 * nbc_spec.h - the definition of naive Bayes classification by words of 8 bases (Wang,
 * Garrity, Tiedje, Cole 2007, doi:10.1128/AEM.00062-07), in fixed point.
 *
 * Words.  A sequence is the set of its distinct words (nbc_model.h).
 *
 * Probabilities.  Of N references n(w) contain the word w; of the M references of a class
 * m(w) do.  Then P(w) = (n(w) + 1/2) / (N + 1) and P(w | class) = (m(w) + P(w)) / (M +
 * 1).
 *
 * Costs.  The cost of words w1 .. wk under a class is -log2 of the product of their P(w |
 * class), in units of 1 / NBC_SCALE bits.  It is computed as
 *
 *     the sum of -log2 P(w)  +  k log2(M + 1)  -  the sum of log2(1 + m(w) / P(w)),
 *
 * where every term is rounded once (nbc_word_cost, nbc_class_cost, nbc_gain), so all sums
 * are integers.  The third kind of term is the gain of a word, at least 0 and less than
 * NBC_SCALE log2(N + 2); only gains depend on both the word and the class.  The best
 * class has the minimum cost; ties are broken by the smaller number.  Classes without
 * references are never best.
 *
 * Strand.  A read is classified in the orientation whose best class has the lower cost
 * for all words; forward in a tie.
 *
 * Support.  Each resample draws nbc_n_draws words with replacement (nbc_draw) from those
 * of the oriented read in ascending order, and has a best class of its own.  The support
 * of a taxon is the number of resamples whose best class is the taxon or below it.  Draws
 * depend on the seed and on the set of words only.
 */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Functions for CPUs and GPUs. */
#ifdef __CUDACC__
#define NBC_FN __host__ __device__ static inline
#else
#define NBC_FN static inline
#endif

enum {
    NBC_SCALE = 128,           /* units of a cost per bit */
    NBC_CLASS_SCALE = 1 << 16, /* nbc_class_rate is in units of a cost divided by this */
    NBC_DRAW_FRACTION = 8,     /* words of the read per draw of a resample, */
    NBC_DRAWS_MIN = 5,         /* and the minimum number of draws */
    NBC_RESAMPLES_MAX = 10000
};

/* Orientations of a read: forward, and the reverse complement. */
enum { NBC_STRANDS = 2 };

/* No cost: every real one is less, because a read has at most 65536 words of less than 40
 * bits each. */
#define NBC_COST_NONE (INT32_C(1) << 30)

typedef struct {
    int n_resamples; /* 0 .. NBC_RESAMPLES_MAX; 100 as published */
    uint64_t seed;
    bool both_strands; /* also try the reverse complement */
} nbc_options_t;

/* @return P(w) */
static inline double nbc_word_probability(int64_t n, int64_t n_refs)
{
    return ((double)n + 0.5) / ((double)n_refs + 1);
}

/* @return -log2 P(w) */
static inline int32_t nbc_word_cost(int64_t n, int64_t n_refs)
{
    return (int32_t)floor(0.5 - NBC_SCALE * log2(nbc_word_probability(n, n_refs)));
}

/* @return log2(M + 1), in units of a cost divided by NBC_CLASS_SCALE */
static inline int64_t nbc_class_rate(int64_t class_refs)
{
    return (int64_t)floor(0.5 + (double)NBC_SCALE * NBC_CLASS_SCALE *
                                    log2((double)class_refs + 1));
}

/* @return k log2(M + 1), or NBC_COST_NONE for a class without references */
NBC_FN int32_t nbc_class_cost(int64_t class_rate, int32_t k)
{
    return class_rate == 0
               ? NBC_COST_NONE
               : (int32_t)((class_rate * k + NBC_CLASS_SCALE / 2) / NBC_CLASS_SCALE);
}

/* @return log2(1 + m / P(w)) */
static inline uint16_t nbc_gain(int64_t m, int64_t n, int64_t n_refs)
{
    return (uint16_t)floor(
        0.5 + NBC_SCALE * log2(1 + (double)m / nbc_word_probability(n, n_refs)));
}

/* @return the number of draws per resample of a read of n_words > 0 words */
NBC_FN int32_t nbc_n_draws(int32_t n_words)
{
    return n_words / NBC_DRAW_FRACTION > NBC_DRAWS_MIN ? n_words / NBC_DRAW_FRACTION
                                                       : NBC_DRAWS_MIN;
}

/* @return 64 random bits per resample and pair of draws: the counter-based form of
 *         splitmix64 (Steele, Lea, Flood 2014). @param key  nbc_words_key */
NBC_FN uint64_t nbc_draw_bits(uint64_t key, int32_t resample, int32_t pair)
{
    uint64_t z = key + ((uint64_t)(uint32_t)resample << 32 | (uint32_t)pair) *
                           UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* @return draw 2 * pair (the low half of nbc_draw_bits) or 2 * pair + 1 (the high half):
 * a position among n_words */
NBC_FN int32_t nbc_draw_position(uint32_t half, int32_t n_words)
{
    return (int32_t)((uint64_t)half * (uint32_t)n_words >> 32);
}

/* @return a draw: a position among n_words */
NBC_FN int32_t nbc_draw(uint64_t key, int32_t resample, int32_t draw, int32_t n_words)
{
    const uint64_t bits = nbc_draw_bits(key, resample, draw / 2);

    return nbc_draw_position((uint32_t)(draw % 2 == 0 ? bits : bits >> 32), n_words);
}
