/*
 * tile_pack.c - compressing chunks as HDF5's shuffle and deflate filters would.
 */
#include "io/store/tile_pack.h"

#include "io/base/logmsg.h"

#include <assert.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

enum { MEMORY_LEVEL = 8 }; /* zlib's default */

/* Rows recur if more than one in RECURRING_RATIO of the first ROWS_MAX repeats another.
 */
enum { ROWS_MAX = 256, RECURRING_RATIO = 8 };

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

/* Append a chunk's length and zlib stream. */
static status_t append(const void *bytes, size_t raw, int strategy, buf_t *out)
{
    z_stream z = {.next_in = bytes, .avail_in = (uInt)raw};
    uint32_t len;
    size_t max_len;
    status_t st;
    int ended;

    if (deflateInit2(&z, TILE_PACK_LEVEL, Z_DEFLATED, MAX_WBITS, MEMORY_LEVEL,
                     strategy) != Z_OK)
        return log_nomem("compressing a tile");
    max_len = deflateBound(&z, raw);
    if ((st = buf_reserve(out, sizeof(len) + max_len)) != ST_OK)
        goto done;
    z.next_out = out->data + out->len + sizeof(len);
    z.avail_out = (uInt)max_len;
    ended = deflate(&z, Z_FINISH);
    assert(ended == Z_STREAM_END);
    (void)ended;
    len = (uint32_t)z.total_out;
    memcpy(out->data + out->len, &len, sizeof(len));
    out->len += sizeof(len) + len;
done:
    deflateEnd(&z);
    return st;
}

static uint64_t hash_row(const unsigned char *row, int64_t n)
{
    const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = 0, word;
    int64_t k = 0;

    for (; k + 8 <= n; k += 8) {
        memcpy(&word, row + k, sizeof(word));
        hash = ((hash ^ word) * prime) ^ (hash >> 29);
    }
    for (; k < n; k++)
        hash = (hash ^ row[k]) * prime;
    return hash;
}

/* @return whether many rows of a square repeat one above, as those of identical sequences
 *         do: deflate's search then finds them, which runs of bytes cannot */
static bool rows_recur(const unsigned char *low_bytes, int64_t n)
{
    uint64_t hash[ROWS_MAX];
    int64_t side = 1, rows, n_recurring = 0;

    while ((side + 1) * (side + 1) <= n)
        side++;
    rows = side < ROWS_MAX ? side : ROWS_MAX;
    for (int64_t i = 0; i < rows; i++) {
        int64_t k = 0;

        hash[i] = hash_row(low_bytes + i * side, side);
        while (k < i && hash[k] != hash[i])
            k++;
        n_recurring += k < i;
    }
    return n_recurring * RECURRING_RATIO > rows;
}

status_t tile_pack_append_bytes(const void *bytes, size_t raw, buf_t *out)
{
    return append(bytes, raw, Z_DEFAULT_STRATEGY, out);
}

status_t tile_pack_append_letters(const void *letters, size_t len, buf_t *out)
{
    return append(letters, len, Z_HUFFMAN_ONLY, out);
}

status_t tile_pack_append(const int32_t *values, int64_t n, int32_t *shuffled, buf_t *out)
{
    const unsigned char *low_bytes = (const unsigned char *)shuffled;

    shuffle32(values, n, (unsigned char *)shuffled);
    return append(shuffled, (size_t)n * sizeof(*values),
                  rows_recur(low_bytes, n) ? Z_DEFAULT_STRATEGY : Z_RLE, out);
}

status_t tile_pack_append64(const int64_t *values, int64_t n, int64_t *shuffled,
                            buf_t *out)
{
    tile_pack_shuffle(values, n, sizeof(*values), shuffled);
    return append(shuffled, (size_t)n * sizeof(*values), Z_DEFAULT_STRATEGY, out);
}

bool tile_pack_undo(const unsigned char *chunk, uint32_t len, int64_t n, int32_t *values,
                    int32_t *shuffled)
{
    uLongf raw = (uLongf)n * sizeof(*values);

    if (uncompress((Bytef *)shuffled, &raw, chunk, len) != Z_OK ||
        raw != (uLongf)n * sizeof(*values))
        return false;
    tile_pack_unshuffle(shuffled, n, sizeof(*values), values);
    return true;
}

bool tile_pack_undo_bytes(const unsigned char *chunk, size_t len, void *out,
                          size_t len_out)
{
    uLongf raw = len_out;

    return uncompress(out, &raw, chunk, len) == Z_OK && raw == len_out;
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
