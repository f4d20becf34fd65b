/*
 * tile_pack.c - compressing chunks as HDF5's shuffle and deflate filters would.
 */
#include "io/store/tile_pack.h"

#include <string.h>

void tile_pack_shuffle(const void *values, int64_t n, size_t size, void *out)
{
    const unsigned char *in = values;
    unsigned char *to = out;

    for (size_t byte = 0; byte < size; byte++)
        for (int64_t i = 0; i < n; i++)
            *to++ = in[(size_t)i * size + byte];
}

void tile_pack_unshuffle(const void *shuffled, int64_t n, size_t size, void *out)
{
    const unsigned char *in = shuffled;
    unsigned char *to = out;

    if (size == 4) /* as below, four times as fast */
        for (int64_t i = 0; i < n; i++) {
            const unsigned char bytes[4] = {in[i], in[n + i], in[2 * n + i],
                                            in[3 * n + i]};

            memcpy(to + 4 * i, bytes, sizeof(bytes));
        }
    else
        for (size_t byte = 0; byte < size; byte++)
            for (int64_t i = 0; i < n; i++)
                to[(size_t)i * size + byte] = *in++;
}

/* tile_pack_shuffle for values of 4 bytes, four times as fast. */
static void shuffle32(const int32_t *in, int64_t n, unsigned char *out)
{
    unsigned char *out1 = out + n, *out2 = out1 + n, *out3 = out2 + n;

    for (int64_t i = 0; i < n; i++) {
        unsigned char bytes[4];

        memcpy(bytes, &in[i], sizeof(bytes));
        out[i] = bytes[0];
        out1[i] = bytes[1];
        out2[i] = bytes[2];
        out3[i] = bytes[3];
    }
}

status_t tile_pack_append_bytes(const void *bytes, size_t raw, deflate_kind_t kind,
                                buf_t *out)
{
    size_t at = out->len;
    uint32_t len = 0;
    status_t st = buf_append(out, &len, sizeof(len));

    if (st == ST_OK)
        st = deflate_append(bytes, raw, kind, out);
    if (st != ST_OK) {
        out->len = at;
        return st;
    }
    len = (uint32_t)(out->len - at - sizeof(len));
    memcpy(out->data + at, &len, sizeof(len));
    return ST_OK;
}

status_t tile_pack_append(const int32_t *values, int64_t n, int32_t *shuffled, buf_t *out)
{
    shuffle32(values, n, (unsigned char *)shuffled);
    return tile_pack_append_bytes(shuffled, (size_t)n * sizeof(*values), DEFLATE_SQUARE,
                                  out);
}

status_t tile_pack_append64(const int64_t *values, int64_t n, int64_t *shuffled,
                            buf_t *out)
{
    tile_pack_shuffle(values, n, sizeof(*values), shuffled);
    return tile_pack_append_bytes(shuffled, (size_t)n * sizeof(*values), DEFLATE_NUMBERS,
                                  out);
}

bool tile_pack_undo(const unsigned char *chunk, uint32_t len, int64_t n, int32_t *values,
                    int32_t *shuffled)
{
    if (!deflate_undo(chunk, len, shuffled, (size_t)n * sizeof(*values)))
        return false;
    tile_pack_unshuffle(shuffled, n, sizeof(*values), values);
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
