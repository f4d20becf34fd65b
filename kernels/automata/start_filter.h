/*
 * start_filter.h - places where a pattern may start, or go on behind a loop, by the four
 * bytes there.
 *
 * Most patterns never start, and one that has come to a loop over nearly all bytes, as
 * .* is, waits there for long.  A point is a start, or such a loop.  Each point has a
 * mask of those of the four bytes that it admits few values of, and a key for each
 * combination of these values.  At a place, the mask of the most keys, and others as the
 * first two bytes tell, give a key each.  A bit map by hashes of keys, small enough for a
 * cache, excludes most of these; a hash table has the points of a key.  Then their sets
 * of bytes decide, which reach further: many patterns begin with the same word.
 */
#pragma once

#include "io/automata/nfa.h"

/* Bytes of keys, and those that points know. */
enum { START_FILTER_DEPTH = 4, START_POINT_DEPTH = 12 };

enum { START_FILTER_MASKS = 16, START_FILTER_PAIRS = 4096 };

/* What a point is, if not a loop. */
enum {
    START_POINT_ANYWHERE = -1, /* the start of a pattern */
    START_POINT_BEGIN = -2     /* its start where a record begins */
};

typedef struct {
    int32_t pattern;
    int32_t loop;                       /* position, or START_POINT_... */
    byte_set_t sets[START_POINT_DEPTH]; /* bytes that may come next */
} start_point_t;

/* The points of a key. */
typedef struct {
    uint32_t key, mask; /* mask 0: a free slot */
    int32_t first, n;   /* in `listed` */
} start_slot_t;

typedef struct {
    start_point_t *points; /* [n_points] */
    int64_t n_points;
    uint32_t masks[START_FILTER_MASKS]; /* [n_masks] */
    int n_masks;
    uint16_t pairs[START_FILTER_PAIRS]; /* masks but for the first, a bit each */
    int log2_bits, log2_slots;
    uint32_t *bits; /* [1 << log2_bits] bits, by hash */
    start_slot_t *slots;
    int32_t *listed; /* [n_listed] points, by key */
    int64_t n_listed;
    buf_t anywhere; /* int32_t: patterns that may start nearly anywhere */
    buf_t
        at_begin; /* int32_t: of those that may start where a record begins, such ones */
} start_filter_t;

/*
 * Make a filter.
 *
 * @param group  [n_patterns] patterns that have one do not start; NULL: all start
 * @param out    freed by start_filter_free
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t start_filter_create(const nfa_t *nfa, const int32_t *group,
                             start_filter_t *out) MUST_CHECK;

/* Takes a zeroed one, too. */
void start_filter_free(start_filter_t *f);

/* @return a hash whose highest bits are the best */
static inline uint32_t start_filter_hash(uint32_t key, uint32_t mask)
{
    return (key ^ mask >> 7) * 0x9e3779b1;
}

/* @param at  of n bytes; others are 0 */
static inline uint32_t start_filter_word(const uint8_t *at, int64_t n)
{
    uint32_t word = 0;

    if (n >= START_FILTER_DEPTH)
        return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
               (uint32_t)at[3] << 24;
    for (int d = 0; d < n; d++)
        word |= (uint32_t)at[d] << 8 * d;
    return word;
}

/* @return a place in `pairs`, by the two lowest bytes */
static inline uint32_t start_filter_pair(uint32_t word)
{
    return (word << 4 ^ (word >> 8 & 0xff)) % START_FILTER_PAIRS;
}

/* @return whether some point may have the key of a mask */
static inline bool start_filter_may(const start_filter_t *f, uint32_t word, int m)
{
    const uint32_t h =
        start_filter_hash(word & f->masks[m], f->masks[m]) >> (32 - f->log2_bits);

    return (f->bits[h / 32] >> h % 32 & 1) != 0;
}

/* @return whether any mask has to be looked at; it has no branches */
static inline bool start_filter_passes(const start_filter_t *f, uint32_t word)
{
    const unsigned has_pair = f->pairs[start_filter_pair(word)] != 0;

    return (has_pair | start_filter_may(f, word, 0)) != 0;
}

/* @return the masks, a bit each, of whose keys at a place some point may have one */
static inline unsigned start_filter_masks(const start_filter_t *f, uint32_t word)
{
    unsigned found = start_filter_may(f, word, 0);

    for (unsigned left = f->pairs[start_filter_pair(word)]; left != 0; left &= left - 1) {
        const int m = __builtin_ctz(left);

        found |= (unsigned)start_filter_may(f, word, m) << m;
    }
    return found;
}

/* @return the slot of a key, or NULL */
static inline const start_slot_t *start_filter_slot(const start_filter_t *f,
                                                    uint32_t word, uint32_t mask)
{
    const uint32_t key = word & mask, last = ((uint32_t)1 << f->log2_slots) - 1;

    for (uint32_t s = start_filter_hash(key, mask) >> (32 - f->log2_slots);
         f->slots[s].mask != 0; s = (s + 1) & last)
        if (f->slots[s].key == key && f->slots[s].mask == mask)
            return &f->slots[s];
    return NULL;
}

/* @param n  bytes there are @return whether these bytes may come next */
static inline bool start_point_passes(const start_point_t *p, const uint8_t *at,
                                      int64_t n)
{
    for (int d = 0; d < START_POINT_DEPTH && d < n; d++)
        if (!byte_set_has(&p->sets[d], at[d]))
            return false;
    return true;
}
