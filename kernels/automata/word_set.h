/*
 * word_set.h - numbers keys of equal length, which are words, in the order of their first
 * appearance.
 */
#pragma once

#include "io/base/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed at first, but for n_words. */
typedef struct {
    int64_t n_words; /* of a key, at least 1 */
    int64_t n;
    buf_t keys;     /* uint64_t [n][n_words] */
    buf_t hashes;   /* uint64_t [n] */
    int32_t *slots; /* [n_slots] numbers by hash; -1: free */
    int64_t n_slots;
} word_set_t;

/*
 * Find a key, or add it.
 *
 * @param number  out
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t word_set_add(word_set_t *s, const uint64_t *key, int32_t *number) MUST_CHECK;

/* @return the hash of a key */
uint64_t word_set_hash(const uint64_t *key, int64_t n_words);

/* @return the number of a key with this hash, or -1 */
int32_t word_set_find(const word_set_t *s, const uint64_t *key, uint64_t hash);

static inline const uint64_t *word_set_key(const word_set_t *s, int64_t k)
{
    return (const uint64_t *)(const void *)s->keys.data + k * s->n_words;
}

/* Forget all keys. */
void word_set_clear(word_set_t *s);

void word_set_free(word_set_t *s);
