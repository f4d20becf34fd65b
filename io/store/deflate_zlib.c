/*
 * deflate_zlib.c - zlib streams by zlib's fastest level, where libdeflate is missing.
 */
#include "io/store/deflate.h"

#include "io/base/logmsg.h"

#include <assert.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

enum { LEVEL = 1, MEMORY_LEVEL = 8 /* zlib's default */ };

/* Rows recur if more than one in RECURRING_RATIO of the first ROWS_MAX repeats another.
 */
enum { ROWS_MAX = 256, RECURRING_RATIO = 8 };

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

/* @param low_bytes  [n] of a square
 * @return whether many rows repeat one above, as those of identical sequences do:
 *         deflate's search then finds them, which runs of bytes cannot */
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

/* Matrices hold little but runs of bytes: Z_RLE is 1.7 times as fast as a search, and 3 %
 * smaller.  Matches in a text of four letters are too short to pay: Huffman codes alone
 * take two thirds of the time and five sixths of the space. */
static int strategy_of(deflate_kind_t kind, const void *raw, size_t len)
{
    if (kind == DEFLATE_LETTERS)
        return Z_HUFFMAN_ONLY;
    return kind == DEFLATE_SQUARE && !rows_recur(raw, (int64_t)(len / sizeof(int32_t)))
               ? Z_RLE
               : Z_DEFAULT_STRATEGY;
}

/* @param window_bits  of zlib: MAX_WBITS, for gzip 16 more */
static status_t append(const void *raw, size_t len, int window_bits, int strategy,
                       buf_t *out)
{
    z_stream z = {.next_in = raw, .avail_in = (uInt)len};
    size_t max_len;
    status_t st;
    int ended;

    if (deflateInit2(&z, LEVEL, Z_DEFLATED, window_bits, MEMORY_LEVEL, strategy) != Z_OK)
        return log_nomem("compression");
    max_len = deflateBound(&z, len);
    if ((st = buf_reserve(out, max_len)) != ST_OK)
        goto done;
    z.next_out = out->data + out->len;
    z.avail_out = (uInt)max_len;
    ended = deflate(&z, Z_FINISH);
    assert(ended == Z_STREAM_END);
    (void)ended;
    out->len += z.total_out;
done:
    deflateEnd(&z);
    return st;
}

status_t deflate_append(const void *raw, size_t len, deflate_kind_t kind, buf_t *out)
{
    return append(raw, len, MAX_WBITS, strategy_of(kind, raw, len), out);
}

status_t deflate_append_gzip(const void *raw, size_t len, buf_t *out)
{
    return append(raw, len, MAX_WBITS + 16, Z_DEFAULT_STRATEGY, out);
}

bool deflate_undo(const void *stream, size_t len, void *out, size_t len_out)
{
    uLongf raw = len_out;

    return uncompress(out, &raw, stream, len) == Z_OK && raw == len_out;
}

uint32_t deflate_crc32(const void *data, size_t len)
{
    return (uint32_t)crc32_z(0, data, len);
}

const char *deflate_library(void)
{
    return "zlib " ZLIB_VERSION;
}
