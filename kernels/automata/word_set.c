/*
 * word_set.c - a hash table with linear probing.
 */
#include "kernels/automata/word_set.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

uint64_t word_set_hash(const uint64_t *key, int64_t n_words)
{
    uint64_t h = 0x9e3779b97f4a7c15;

    for (int64_t w = 0; w < n_words; w++) {
        h = (h ^ key[w]) * 0xff51afd7ed558ccd;
        h ^= h >> 32;
    }
    return h;
}

static uint64_t *hashes_of(const word_set_t *s)
{
    return (uint64_t *)(void *)s->hashes.data;
}

/* @return the slot of a hash where a search begins */
static int64_t first_slot(const word_set_t *s, uint64_t hash)
{
    return (int64_t)(hash & (uint64_t)(s->n_slots - 1));
}

/* Have at least half of the slots free. */
static status_t grow(word_set_t *s)
{
    const int64_t n_slots = s->n_slots == 0 ? FIRST_SLOTS : 2 * s->n_slots;
    int32_t *slots;

    if (2 * (s->n + 1) <= s->n_slots)
        return ST_OK;
    if ((slots = malloc((size_t)n_slots * sizeof(*slots))) == NULL)
        return log_nomem("states");
    memset(slots, -1, (size_t)n_slots * sizeof(*slots));
    free(s->slots);
    s->slots = slots;
    s->n_slots = n_slots;
    for (int32_t k = 0; k < s->n; k++) {
        int64_t slot = first_slot(s, hashes_of(s)[k]);

        while (slots[slot] >= 0)
            slot = (slot + 1) & (n_slots - 1);
        slots[slot] = k;
    }
    return ST_OK;
}

/* @return the slot that has a key, or the free one where it belongs */
static int64_t find_slot(const word_set_t *s, const uint64_t *key, uint64_t hash)
{
    const size_t bytes = (size_t)s->n_words * sizeof(*key);
    int64_t slot = first_slot(s, hash);

    while (s->slots[slot] >= 0 &&
           (hashes_of(s)[s->slots[slot]] != hash ||
            memcmp(word_set_key(s, s->slots[slot]), key, bytes) != 0))
        slot = (slot + 1) & (s->n_slots - 1);
    return slot;
}

int32_t word_set_find(const word_set_t *s, const uint64_t *key, uint64_t hash)
{
    return s->n_slots == 0 ? -1 : s->slots[find_slot(s, key, hash)];
}

status_t word_set_add(word_set_t *s, const uint64_t *key, int32_t *number)
{
    const uint64_t hash = word_set_hash(key, s->n_words);
    int64_t slot;
    status_t st = grow(s);

    if (st != ST_OK)
        return st;
    slot = find_slot(s, key, hash);
    if (s->slots[slot] < 0) {
        if ((st = buf_append(&s->keys, key, (size_t)s->n_words * sizeof(*key))) !=
                ST_OK ||
            (st = buf_append(&s->hashes, &hash, sizeof(hash))) != ST_OK)
            return st;
        s->slots[slot] = (int32_t)s->n++;
    }
    *number = s->slots[slot];
    return ST_OK;
}

void word_set_clear(word_set_t *s)
{
    if (s->n_slots > 0)
        memset(s->slots, -1, (size_t)s->n_slots * sizeof(*s->slots));
    s->n = 0;
    s->keys.len = s->hashes.len = 0;
}

void word_set_free(word_set_t *s)
{
    buf_free(&s->keys);
    buf_free(&s->hashes);
    free(s->slots);
    *s = (word_set_t){.n_words = s->n_words};
}
