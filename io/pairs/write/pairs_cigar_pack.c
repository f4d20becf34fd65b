/*
 * pairs_cigar_pack.c - the text of a tile's CIGARs, cut into chunks and compressed.
 */
#include "io/pairs/write/pairs_cigar_pack.h"

#include "io/store/tile_pack.h"

#include <string.h>

/* Chunks are small, so that reading one CIGAR is cheap, but not so small that there are
 * too many of them. */
enum { CHUNK_MIN = 1 << 12, CHUNK_MAX = 1 << 16, BYTES_PER_PAIR = 64 };

int64_t pairs_cigar_chunk(const tile_grid_t *grid)
{
    int64_t bytes = grid->side * grid->side * BYTES_PER_PAIR;

    return bytes < CHUNK_MIN ? CHUNK_MIN : bytes > CHUNK_MAX ? CHUNK_MAX : bytes;
}

status_t pairs_cigar_pack(const tile_grid_t *grid, buf_t *text, buf_t *out)
{
    size_t chunk = (size_t)pairs_cigar_chunk(grid);
    uint32_t n_chunks = (uint32_t)((text->len + chunk - 1) / chunk);
    size_t padded = n_chunks * chunk;
    status_t st = buf_reserve(text, padded - text->len);

    if (st == ST_OK)
        st = buf_append(out, &n_chunks, sizeof(n_chunks));
    if (st != ST_OK || n_chunks == 0)
        return st;
    memset(text->data + text->len, 0, padded - text->len);
    text->len = padded;
    for (size_t at = 0; st == ST_OK && at < padded; at += chunk)
        st = tile_pack_append_bytes(text->data + at, chunk, DEFLATE_TEXT, out);
    return st;
}
