#include "io/pairs_hits.h"

#include "io/logmsg.h"
#include "io/tile_pack.h"

#include <stdlib.h>
#include <string.h>

enum { N_PLANES = 7, HIT_BYTES = 20 };

typedef struct {
    uint32_t n, zero;
    uint64_t text_bytes;
    uint32_t n_dropped[PAIRS_STAGES_MAX];
} head_t;

int64_t pairs_hits_n(const pairs_hits_t *hits)
{
    return (int64_t)(hits->entries.len / sizeof(pairs_entry_t));
}

pairs_entry_t *pairs_hits_at(const pairs_hits_t *hits, int64_t k)
{
    return (pairs_entry_t *)(void *)hits->entries.data + k;
}

/* The values of n hits, plane by plane. */
static void spread(const pairs_hits_t *hits, int64_t n, int32_t *out)
{
    for (int64_t k = 0; k < n; k++, out++) {
        const pairs_entry_t *e = pairs_hits_at(hits, k);

        out[0] = e->hit.row;
        out[n] = e->hit.col;
        out[2 * n] = e->hit.score;
        out[3 * n] = e->hit.matches;
        out[4 * n] = e->hit.columns;
        out[5 * n] = e->hit.strand;
        out[6 * n] = e->text_len;
    }
}

status_t pairs_hits_pack(const pairs_hits_t *hits, buf_t *out)
{
    int64_t n = pairs_hits_n(hits), n_values = N_PLANES * n;
    head_t head = {.n = (uint32_t)n, .text_bytes = hits->text.len};
    int32_t *values;
    status_t st;

    for (int k = 0; k < PAIRS_STAGES_MAX; k++)
        head.n_dropped[k] = (uint32_t)hits->n_dropped[k];
    st = buf_append(out, &head, sizeof(head));
    if (st != ST_OK || n == 0)
        return st;
    if ((values = malloc(2 * (size_t)n_values * sizeof(*values))) == NULL)
        return log_nomem("packing hits");
    spread(hits, n, values);
    st = tile_pack_append(values, n_values, values + n_values, out);
    free(values);
    if (st == ST_OK && hits->text.len > 0)
        st = tile_pack_append_bytes(hits->text.data, hits->text.len, out);
    return st;
}

static status_t gather(const int32_t *in, int64_t n, int64_t text_bytes, pairs_hits_t *to)
{
    int64_t text_at = (int64_t)to->text.len, behind = text_at + text_bytes;
    status_t st = buf_reserve(&to->entries, (size_t)n * sizeof(pairs_entry_t));

    if (st != ST_OK)
        return st;
    for (int64_t k = 0; k < n; k++, in++) {
        pairs_entry_t e = {{in[0], in[n], in[2 * n], in[3 * n], in[4 * n], in[5 * n]},
                           in[6 * n],
                           text_at};

        if (e.text_len < 0 || e.text_len > behind - text_at)
            return ST_EINPUT;
        text_at += e.text_len;
        if ((st = buf_append(&to->entries, &e, sizeof(e))) != ST_OK)
            return st;
    }
    return text_at == behind ? ST_OK : ST_EINPUT;
}

static status_t unpack_text(const buf_t *packed, size_t at, size_t n_bytes, buf_t *to)
{
    uint32_t len;
    const unsigned char *chunk = tile_pack_next(packed, &at, &len);
    status_t st;

    if (chunk == NULL)
        return ST_EINPUT;
    if ((st = buf_reserve(to, n_bytes)) != ST_OK)
        return st;
    if (!tile_pack_undo_bytes(chunk, len, to->data + to->len, n_bytes))
        return ST_EINPUT;
    to->len += n_bytes;
    return ST_OK;
}

status_t pairs_hits_unpack(const void *record, size_t len, pairs_hits_t *to)
{
    /* read alone: nothing is appended */
    const buf_t packed = {.data = (unsigned char *)(uintptr_t)record, .len = len};
    size_t at = sizeof(head_t);
    head_t head;
    const unsigned char *chunk;
    uint32_t chunk_len;
    int64_t n_values;
    int32_t *values;
    status_t st;

    if (len < sizeof(head))
        return ST_EINPUT;
    memcpy(&head, record, sizeof(head));
    for (int k = 0; k < PAIRS_STAGES_MAX; k++)
        to->n_dropped[k] += head.n_dropped[k];
    if (head.n == 0)
        return ST_OK;
    if ((chunk = tile_pack_next(&packed, &at, &chunk_len)) == NULL)
        return ST_EINPUT;
    n_values = (int64_t)head.n * N_PLANES;
    if ((values = malloc(2 * (size_t)n_values * sizeof(*values))) == NULL)
        return log_nomem("hits");
    st = tile_pack_undo(chunk, chunk_len, n_values, values, values + n_values)
             ? gather(values, head.n, (int64_t)head.text_bytes, to)
             : ST_EINPUT;
    free(values);
    if (st == ST_OK && head.text_bytes > 0)
        st = unpack_text(&packed, at, (size_t)head.text_bytes, &to->text);
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
