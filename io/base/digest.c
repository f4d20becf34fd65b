/*
 * digest.c - mixes 8 bytes at a time.
 */
#include "io/base/digest.h"

#include <string.h>

/* The product moves information only towards higher bits; the shift moves it back down.
 */
static uint64_t step(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 32;
}

uint64_t digest_add(uint64_t digest, const void *data, size_t len)
{
    const unsigned char *p = data;
    uint64_t word;
    size_t at = 0;

    for (; at + sizeof(word) <= len; at += sizeof(word)) {
        memcpy(&word, p + at, sizeof(word));
        digest = step(digest, word);
    }
    word = 0;
    if (at < len)
        memcpy(&word, p + at, len - at);
    return step(step(digest, word), len);
}

/* The product of a word, in two halves, with numbers that depend on its place. */
static uint64_t at_place(uint64_t place, uint64_t word)
{
    uint64_t key = (place + 1) * UINT64_C(0x9e3779b97f4a7c15);

    key = (key ^ key >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (word & UINT32_MAX) * (key | 1) + (word >> 32) * (~key >> 8 | 1);
}

uint64_t digest_at(uint64_t at, const void *data, size_t len)
{
    const unsigned char *p = data;
    uint64_t digest = 0, word;

    for (size_t n; len > 0; p += n, at += n, len -= n) {
        const size_t before = at % sizeof(word);

        n = sizeof(word) - before < len ? sizeof(word) - before : len;
        word = 0;
        if (n == sizeof(word))
            memcpy(&word, p, sizeof(word));
        else
            memcpy((unsigned char *)&word + before, p, n);
        digest += at_place(at / sizeof(word), word);
    }
    return digest;
}
