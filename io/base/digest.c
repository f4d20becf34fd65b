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
