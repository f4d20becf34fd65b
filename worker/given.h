/*
 * given.h - which options a command line gave: one bit per member of a structure.
 *
 * A structure of options begins with the set, or with a structure that does, and a member
 * is known by its offset: a copy of the structure has a copy of the set.
 */
#ifndef RIBOGRID_WORKER_GIVEN_H
#define RIBOGRID_WORKER_GIVEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of the offset of an option, in bytes. */
enum { GIVEN_OFFSET_MAX = 1024 };

typedef struct {
    uint8_t bits[GIVEN_OFFSET_MAX / 8];
} given_t;

static inline void given_add(given_t *g, size_t at)
{
    g->bits[at / 8] = (uint8_t)(g->bits[at / 8] | 1U << at % 8);
}

static inline bool given_has(const given_t *g, size_t at)
{
    return (g->bits[at / 8] >> at % 8 & 1) != 0;
}

/* @return whether a member of a structure of options was given */
#define IS_GIVEN(opts, member)                       \
    given_has((const given_t *)(const void *)(opts), \
              (size_t)((const char *)&(opts)->member - (const char *)(opts)))

/* Set a member, as a command line does. */
#define GIVE(opts, member, value)         \
    ((opts)->member = (value),            \
     given_add((given_t *)(void *)(opts), \
               (size_t)((const char *)&(opts)->member - (const char *)(opts))))

#endif
