/*
 * pairs_equal.c - whether two results of a tile, as the log keeps them, are the same.
 */
#include "io/pairs/write/pairs_write.h"

#include "io/base/logmsg.h"
#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/pairs/write/pairs_hits.h"
#include "io/store/tile_pack.h"

#include <stdlib.h>
#include <string.h>

static bool same_bytes(const buf_t *a, const buf_t *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* One packed tile on its way through a comparison. */
typedef struct {
    const buf_t *packed;
    size_t at;
    int32_t *values; /* [n] of the current chunk */
} reader_t;

static bool read_values(reader_t *r, int64_t n, int32_t *shuffled)
{
    uint32_t len;
    const unsigned char *chunk = tile_pack_next(r->packed, &r->at, &len);

    return chunk != NULL && tile_pack_undo(chunk, len, n, r->values, shuffled);
}

static bool read_text(reader_t *r, void *out, size_t chunk_bytes)
{
    uint32_t len;
    const unsigned char *chunk = tile_pack_next(r->packed, &r->at, &len);

    return chunk != NULL && deflate_undo(chunk, len, out, chunk_bytes);
}

static bool read_number(reader_t *r, void *out, size_t len)
{
    if (r->packed->len - r->at < len)
        return false;
    memcpy(out, r->packed->data + r->at, len);
    r->at += len;
    return true;
}

/* Text is compared chunk by chunk, in the memory of the values. */
static bool same_text(reader_t *a, reader_t *b, size_t chunk_bytes)
{
    uint32_t n_a, n_b;

    if (!read_number(a, &n_a, sizeof(n_a)) || !read_number(b, &n_b, sizeof(n_b)) ||
        n_a != n_b)
        return false;
    for (uint32_t k = 0; k < n_a; k++)
        if (!read_text(a, a->values, chunk_bytes) ||
            !read_text(b, b->values, chunk_bytes) ||
            memcmp(a->values, b->values, chunk_bytes) != 0)
            return false;
    return true;
}

static bool same_values(reader_t *a, reader_t *b, int64_t n, int n_datasets,
                        int32_t *shuffled)
{
    int64_t without_a, without_b;

    if (!read_number(a, &without_a, sizeof(without_a)) ||
        !read_number(b, &without_b, sizeof(without_b)) || without_a != without_b)
        return false;
    for (int d = 0; d < n_datasets; d++)
        if (!read_values(a, n, shuffled) || !read_values(b, n, shuffled) ||
            memcmp(a->values, b->values, (size_t)n * sizeof(*a->values)) != 0)
            return false;
    return true;
}

status_t pairs_equal_tiles(const tile_grid_t *grid, int n_datasets, bool has_text,
                           const buf_t *a, const buf_t *b, bool *equal)
{
    int64_t n = grid->side * grid->side;
    size_t chunk = (size_t)pairs_cigar_chunk(grid), bytes = (size_t)n * sizeof(int32_t);
    reader_t of_a = {.packed = a}, of_b = {.packed = b};
    int32_t *shuffled;
    status_t st = ST_OK;

    *equal = same_bytes(a, b);
    if (*equal)
        return ST_OK;
    bytes = bytes > chunk ? bytes : chunk;
    of_a.values = malloc(bytes);
    of_b.values = malloc(bytes);
    shuffled = malloc(bytes);
    if (of_a.values == NULL || of_b.values == NULL || shuffled == NULL)
        st = log_nomem("comparing results");
    else
        *equal = same_values(&of_a, &of_b, n, n_datasets, shuffled) &&
                 (!has_text || same_text(&of_a, &of_b, chunk)) && of_a.at == a->len &&
                 of_b.at == b->len;
    free(of_a.values);
    free(of_b.values);
    free(shuffled);
    return st;
}

/* Compare member by member: there is padding between them. */
static bool same_entries(const pairs_hits_t *a, const pairs_hits_t *b)
{
    if (pairs_hits_n(a) != pairs_hits_n(b))
        return false;
    for (int64_t k = 0; k < pairs_hits_n(a); k++) {
        const pairs_entry_t *x = pairs_hits_at(a, k), *y = pairs_hits_at(b, k);

        if (x->hit.row != y->hit.row || x->hit.col != y->hit.col ||
            x->hit.score != y->hit.score || x->hit.matches != y->hit.matches ||
            x->hit.columns != y->hit.columns || x->hit.strand != y->hit.strand ||
            x->text_len != y->text_len)
            return false;
    }
    return true;
}

status_t pairs_equal_hits(const buf_t *a, const buf_t *b, bool *equal)
{
    pairs_hits_t of_a = {.n_without_identity = 0}, of_b = {.n_without_identity = 0};
    status_t st_a, st_b = ST_OK;

    *equal = same_bytes(a, b);
    if (*equal)
        return ST_OK;
    st_a = pairs_hits_unpack(a->data, a->len, &of_a);
    if (st_a == ST_OK)
        st_b = pairs_hits_unpack(b->data, b->len, &of_b);
    if (st_a == ST_OK && st_b == ST_OK)
        *equal = same_entries(&of_a, &of_b) && same_bytes(&of_a.text, &of_b.text);
    pairs_hits_free(&of_a);
    pairs_hits_free(&of_b);
    return st_a == ST_ENOMEM || st_b == ST_ENOMEM ? ST_ENOMEM : ST_OK;
}
