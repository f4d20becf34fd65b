/*
 * rng.h - a seeded random number generator: xoshiro256** (Blackman, Vigna 2018), seeded
 * by splitmix64 (Steele, Lea, Flood 2014).
 *
 * The same seed gives the same integers on every machine.  Not for cryptography.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t s[4]; /* not all 0 */
} rng_t;

static inline uint64_t rng_rotl(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* @return the next value of splitmix64; advances *state */
static inline uint64_t rng_splitmix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* @return a generator; every seed is as good as another, including 0 and neighbours */
static inline rng_t rng_seed(uint64_t seed)
{
    rng_t rng;

    for (int i = 0; i < 4; i++)
        rng.s[i] = rng_splitmix(&seed);
    return rng;
}

/* @return 64 random bits */
static inline uint64_t rng_next(rng_t *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rng_rotl(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rng_rotl(s[3], 45);
    return result;
}

/* @return a uniform integer in 0..n-1; n >= 1 */
static inline uint64_t rng_below(rng_t *rng, uint64_t n)
{
    uint64_t bits, value;

    do {
        bits = rng_next(rng);
        value = bits % n;
    } while (bits - value >
             0 - n); /* reject the incomplete last range of n values below 2^64 */
    return value;
}

/* Put n values into random order (Fisher and Yates; Durstenfeld 1964). */
static inline void rng_shuffle(rng_t *rng, int32_t *values, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t k = (int64_t)rng_below(rng, (uint64_t)i + 1);
        const int32_t other = values[k];

        values[k] = values[i];
        values[i] = other;
    }
}

/* @return true with probability numerator / denominator */
static inline bool rng_chance(rng_t *rng, uint64_t numerator, uint64_t denominator)
{
    return rng_below(rng, denominator) < numerator;
}
