/*
 * byte_set.h - sets of bytes, one bit each.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint8_t bits[32];
} byte_set_t;

static inline void byte_set_add(byte_set_t *s, int byte)
{
    s->bits[byte / 8] = (uint8_t)(s->bits[byte / 8] | 1 << byte % 8);
}

static inline void byte_set_add_range(byte_set_t *s, int first, int last)
{
    for (int b = first; b <= last; b++)
        byte_set_add(s, b);
}

static inline bool byte_set_has(const byte_set_t *s, int byte)
{
    return (s->bits[byte / 8] >> byte % 8 & 1) != 0;
}

static inline void byte_set_unite(byte_set_t *s, const byte_set_t *other)
{
    for (int k = 0; k < 32; k++)
        s->bits[k] |= other->bits[k];
}

static inline void byte_set_invert(byte_set_t *s)
{
    for (int k = 0; k < 32; k++)
        s->bits[k] = (uint8_t)~s->bits[k];
}

/* @return the bytes in it */
static inline int byte_set_count(const byte_set_t *s)
{
    int n = 0;

    for (int k = 0; k < 32; k++)
        n += __builtin_popcount(s->bits[k]);
    return n;
}
