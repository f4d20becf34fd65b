/*
 * pairs_hits.c - packing and unpacking the hits of a tile.
 */
#include "io/pairs/write/pairs_hits.h"

#include "io/base/logmsg.h"
#include "io/store/tile_pack.h"

#include <stdlib.h>
#include <string.h>

enum { N_VALUES = 7, VALUE_BYTES_MAX = 5, HIT_BYTES = 20 };

/* Bytes that one of a deflate stream can make: 258 of 2 bits. */
enum { INFLATE_MAX = 1032 };

typedef struct {
    uint32_t n, hits_len;
    uint64_t text_bytes;
    uint32_t n_dropped[PAIRS_STAGES_MAX];
    uint32_t n_without_identity;
    uint32_t zero;
} head_t;

int64_t pairs_hits_n(const pairs_hits_t *hits)
{
    return (int64_t)(hits->entries.len / sizeof(pairs_entry_t));
}

pairs_entry_t *pairs_hits_at(const pairs_hits_t *hits, int64_t k)
{
    return (pairs_entry_t *)(void *)hits->entries.data + k;
}

/* Write the difference of two values as a zigzag varint: the sign becomes the lowest bit,
 * so that small differences of either sign are short; 7 bits per byte, the lowest first,
 * with the high bit set in all but the last. @return the end */
static unsigned char *put_value(int32_t value, int32_t before, unsigned char *out)
{
    int32_t difference = (int32_t)((uint32_t)value - (uint32_t)before);
    uint32_t left = (uint32_t)difference << 1 ^ (difference < 0 ? UINT32_MAX : 0);

    for (; left >= 0x80; left >>= 7)
        *out++ = (unsigned char)(left | 0x80);
    *out++ = (unsigned char)left;
    return out;
}

/* @return the end, or NULL if the value is cut off */
static const unsigned char *get_value(const unsigned char *in, const unsigned char *end,
                                      int32_t before, int32_t *out)
{
    uint32_t all = 0;

    for (int shift = 0; in < end && shift < 7 * VALUE_BYTES_MAX; shift += 7) {
        all |= (uint32_t)(*in & 0x7f) << shift;
        if (*in++ < 0x80) {
            uint32_t difference = all >> 1 ^ (all & 1 ? UINT32_MAX : 0);

            *out = (int32_t)((uint32_t)before + difference);
            return in;
        }
    }
    return NULL;
}

status_t pairs_hits_pack(const pairs_hits_t *hits, buf_t *out)
{
    int64_t n = pairs_hits_n(hits);
    head_t head = {.n = (uint32_t)n,
                   .text_bytes = hits->text.len,
                   .n_without_identity = (uint32_t)hits->n_without_identity};
    size_t at = out->len;
    int32_t before[N_VALUES] = {0};
    unsigned char *to;
    status_t st = buf_reserve(out, sizeof(head) + (size_t)n * N_VALUES * VALUE_BYTES_MAX);

    if (st != ST_OK)
        return st;
    to = out->data + at + sizeof(head);
    for (int64_t k = 0; k < n; k++) {
        const pairs_entry_t *e = pairs_hits_at(hits, k);
        const pairs_hit_t *h = &e->hit;
        const int32_t values[N_VALUES] = {h->row,     h->col,    h->score,   h->matches,
                                          h->columns, h->strand, e->text_len};

        for (int v = 0; v < N_VALUES; v++)
            to = put_value(values[v], before[v], to);
        memcpy(before, values, sizeof(before));
    }
    out->len = (size_t)(to - out->data);
    head.hits_len = (uint32_t)(out->len - at - sizeof(head));
    for (int k = 0; k < PAIRS_STAGES_MAX; k++)
        head.n_dropped[k] = (uint32_t)hits->n_dropped[k];
    memcpy(out->data + at, &head, sizeof(head));
    return hits->text.len > 0 ? tile_pack_append_bytes(hits->text.data, hits->text.len,
                                                       DEFLATE_TEXT, out)
                              : ST_OK;
}

/* Append the hits of a record, which lie between `in` and `end`. */
static status_t gather(const head_t *head, const unsigned char *in,
                       const unsigned char *end, pairs_hits_t *to)
{
    int64_t text_at = (int64_t)to->text.len;
    int64_t text_end = text_at + (int64_t)head->text_bytes;
    int32_t v[N_VALUES] = {0};
    status_t st;

    if (head->n > head->hits_len / N_VALUES)
        return ST_EINPUT;
    if ((st = buf_reserve(&to->entries, head->n * sizeof(pairs_entry_t))) != ST_OK)
        return st;
    for (uint32_t k = 0; k < head->n; k++) {
        pairs_entry_t e;

        for (int i = 0; in != NULL && i < N_VALUES; i++)
            in = get_value(in, end, v[i], &v[i]);
        if (in == NULL || v[6] < 0 || v[6] > text_end - text_at)
            return ST_EINPUT;
        e = (pairs_entry_t){{v[0], v[1], v[2], v[3], v[4], v[5]}, v[6], text_at};
        text_at += e.text_len;
        if ((st = buf_append(&to->entries, &e, sizeof(e))) != ST_OK)
            return st;
    }
    return text_at == text_end && in == end ? ST_OK : ST_EINPUT;
}

static status_t unpack_text(const buf_t *packed, size_t at, size_t n_bytes, buf_t *to)
{
    uint32_t len;
    const unsigned char *chunk = tile_pack_next(packed, &at, &len);
    status_t st;

    if (chunk == NULL || at != packed->len || n_bytes / INFLATE_MAX > len)
        return ST_EINPUT;
    if ((st = buf_reserve(to, n_bytes)) != ST_OK)
        return st;
    if (!deflate_undo(chunk, len, to->data + to->len, n_bytes))
        return ST_EINPUT;
    to->len += n_bytes;
    return ST_OK;
}

status_t pairs_hits_unpack(const void *record, size_t len, pairs_hits_t *to)
{
    /* only read: the cast away from const is safe */
    const buf_t packed = {.data = (unsigned char *)(uintptr_t)record, .len = len};
    const unsigned char *hits;
    head_t head;
    status_t st;

    if (len < sizeof(head))
        return ST_EINPUT;
    memcpy(&head, record, sizeof(head));
    hits = packed.data + sizeof(head);
    for (int k = 0; k < PAIRS_STAGES_MAX; k++)
        to->n_dropped[k] += head.n_dropped[k];
    to->n_without_identity += head.n_without_identity;
    if (head.hits_len > len - sizeof(head) ||
        (head.text_bytes == 0 && head.hits_len != len - sizeof(head)))
        return ST_EINPUT;
    st = gather(&head, hits, hits + head.hits_len, to);
    if (st == ST_OK && head.text_bytes > 0)
        st = unpack_text(&packed, sizeof(head) + head.hits_len, (size_t)head.text_bytes,
                         &to->text);
    return st;
}

int64_t pairs_hits_bytes(const void *record, size_t len)
{
    head_t head = {0};

    if (len >= sizeof(head))
        memcpy(&head, record, sizeof(head));
    return (int64_t)head.n * HIT_BYTES + (int64_t)head.text_bytes +
           (head.text_bytes > 0 ? (int64_t)(head.n * sizeof(int64_t)) : 0);
}

void pairs_hits_free(pairs_hits_t *hits)
{
    buf_free(&hits->entries);
    buf_free(&hits->text);
}
