#include "io/tile_pack.h"

#include "io/logmsg.h"

#include <string.h>
#include <zlib.h>

/* HDF5's shuffle filter: the first bytes of all values, then the second ones, ... */
static void shuffle(const unsigned char *in, int64_t n, size_t size, unsigned char *out)
{
    for (size_t byte = 0; byte < size; byte++)
        for (int64_t i = 0; i < n; i++)
            *out++ = in[(size_t)i * size + byte];
}

status_t tile_pack_append_bytes(const void *bytes, size_t raw, buf_t *out)
{
    uLongf packed = compressBound(raw);
    uint32_t len;
    status_t st;

    if ((st = buf_reserve(out, sizeof(len) + packed)) != ST_OK)
        return st;
    if (compress2(out->data + out->len + sizeof(len), &packed, bytes, raw,
                  TILE_PACK_LEVEL) != Z_OK)
        return log_nomem("compressing a tile");
    len = (uint32_t)packed;
    memcpy(out->data + out->len, &len, sizeof(len));
    out->len += sizeof(len) + packed;
    return ST_OK;
}

status_t tile_pack_append(const int32_t *values, int64_t n, int32_t *shuffled, buf_t *out)
{
    shuffle((const unsigned char *)values, n, sizeof(*values), (unsigned char *)shuffled);
    return tile_pack_append_bytes(shuffled, (size_t)n * sizeof(*values), out);
}

status_t tile_pack_append64(const int64_t *values, int64_t n, int64_t *shuffled,
                            buf_t *out)
{
    shuffle((const unsigned char *)values, n, sizeof(*values), (unsigned char *)shuffled);
    return tile_pack_append_bytes(shuffled, (size_t)n * sizeof(*values), out);
}

bool tile_pack_undo(const unsigned char *chunk, uint32_t len, int64_t n, int32_t *values,
                    int32_t *shuffled)
{
    const unsigned char *in = (const unsigned char *)shuffled;
    unsigned char *out = (unsigned char *)values;
    uLongf raw = (uLongf)n * sizeof(*values);

    if (uncompress((Bytef *)shuffled, &raw, chunk, len) != Z_OK ||
        raw != (uLongf)n * sizeof(*values))
        return false;
    for (size_t byte = 0; byte < sizeof(*values); byte++)
        for (int64_t i = 0; i < n; i++)
            out[(size_t)i * sizeof(*values) + byte] = *in++;
    return true;
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
