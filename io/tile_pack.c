#include "io/tile_pack.h"

#include "io/logmsg.h"

#include <string.h>
#include <zlib.h>

/* HDF5's shuffle filter: the first bytes of all values, then the second ones, ... */
static void shuffle(const int32_t *values, int64_t n, unsigned char *out)
{
    const unsigned char *in = (const unsigned char *)values;

    for (size_t byte = 0; byte < sizeof(*values); byte++)
        for (int64_t i = 0; i < n; i++)
            *out++ = in[(size_t)i * sizeof(*values) + byte];
}

status_t tile_pack_append(const int32_t *values, int64_t n, int32_t *shuffled, buf_t *out)
{
    size_t raw = (size_t)n * sizeof(*values);
    uLongf packed = compressBound(raw);
    uint32_t len;
    status_t st;

    if ((st = buf_reserve(out, sizeof(len) + packed)) != ST_OK)
        return st;
    shuffle(values, n, (unsigned char *)shuffled);
    if (compress2(out->data + out->len + sizeof(len), &packed, (const Bytef *)shuffled,
                  raw, TILE_PACK_LEVEL) != Z_OK)
        return log_nomem("compressing a tile");
    len = (uint32_t)packed;
    memcpy(out->data + out->len, &len, sizeof(len));
    out->len += sizeof(len) + packed;
    return ST_OK;
}

const unsigned char *tile_pack_next(const buf_t *packed, size_t *at, uint32_t *len)
{
    const unsigned char *chunk;

    if (*at > packed->len || packed->len - *at < sizeof(*len))
        return NULL;
    memcpy(len, packed->data + *at, sizeof(*len));
    if (packed->len - *at - sizeof(*len) < *len)
        return NULL;
    chunk = packed->data + *at + sizeof(*len);
    *at += sizeof(*len) + *len;
    return chunk;
}
