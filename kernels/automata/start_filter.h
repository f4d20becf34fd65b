/*
 * start_filter.h - places where a pattern may start, or go on behind a loop, by the four
 * bytes there.
 *
 * Most patterns never start, and one that has come to a loop over nearly all bytes, as
 * .* is, waits there for long.  A point is a start, or such a loop.  Points are in 64
 * buckets.  Three tables, of bytes 1 and 2, 2 and 3, 3 and 4, have a bit per bucket, and
 * the bits that all three have are those of buckets one of whose points may be left.
 * Then the sets of bytes of its points decide.
 */
#pragma once

#include "io/automata/nfa.h"

enum { START_FILTER_DEPTH = 4, START_FILTER_BUCKETS = 64, START_FILTER_SLOTS = 4096 };

typedef struct {
    int32_t pattern;
    int32_t loop;                        /* position; -1: the start of the pattern */
    byte_set_t sets[START_FILTER_DEPTH]; /* bytes that may come next */
} start_point_t;

typedef struct {
    uint64_t (*pairs)[START_FILTER_SLOTS]; /* [START_FILTER_DEPTH - 1] */
    buf_t points;                          /* start_point_t, by bucket */
    int32_t first_in_bucket[START_FILTER_BUCKETS + 1];
    buf_t anywhere; /* int32_t: patterns that may start nearly anywhere */
    buf_t at_begin; /* int32_t: patterns that may start where a record begins, only */
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

static inline uint32_t start_filter_slot(uint8_t first, uint8_t second)
{
    return ((uint32_t)first << 4 ^ second) % START_FILTER_SLOTS;
}

/* @param at  of four bytes @return the buckets that may have points there */
static inline uint64_t start_filter_buckets(const start_filter_t *f, const uint8_t *at)
{
    return f->pairs[0][start_filter_slot(at[0], at[1])] &
           f->pairs[1][start_filter_slot(at[1], at[2])] &
           f->pairs[2][start_filter_slot(at[2], at[3])];
}

static inline const start_point_t *start_filter_point(const start_filter_t *f, int32_t k)
{
    return (const start_point_t *)(const void *)f->points.data + k;
}

/* @param n  bytes there are @return whether these bytes may come next */
static inline bool start_point_passes(const start_point_t *p, const uint8_t *at,
                                      int64_t n)
{
    for (int d = 0; d < START_FILTER_DEPTH && d < n; d++)
        if (!byte_set_has(&p->sets[d], at[d]))
            return false;
    return true;
}
