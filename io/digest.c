#include "io/digest.h"

uint64_t digest_add(uint64_t digest, const void *data, size_t len)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < len; i++)
        digest = (digest ^ p[i]) * UINT64_C(0x100000001b3);
    return digest;
}
