/*
 * pairs_cigar_write.c - writing CIGARs: chunks of text stay where they are in the log,
 * offsets follow from the lengths.
 */
#include "io/pairs/write/pairs_cigar_pack.h"

#include "io/pairs/write/pairs_datasets.h"
#include "io/store/tile_pack.h"

#include <stdlib.h>
#include <string.h>

bool pairs_cigar_begin(hid_t file, const tile_grid_t *grid, pairs_cigar_writer_t *out)
{
    const int64_t fill = 0;

    *out = (pairs_cigar_writer_t){.grid = grid, .chunk = pairs_cigar_chunk(grid)};
    out->text = h5util_create(file, "cigar", H5T_STD_U8LE,
                              &(h5util_shape_t){.rank = 1,
                                                .grows = true,
                                                .chunk = {(hsize_t)out->chunk}});
    out->offset = pairs_datasets_matrix(file, "cigar_offset", H5T_STD_I64LE, grid, &fill);
    return out->text >= 0 && out->offset >= 0;
}

/* The texts of a tile follow each other, row by row. */
bool pairs_cigar_pack_offsets(const pairs_cigar_writer_t *w, const unsigned char *lengths,
                              uint32_t len, int64_t n_before, buf_t *out)
{
    int64_t n = w->grid->side * w->grid->side, at = n_before * w->chunk;
    int32_t *values = malloc(2 * (size_t)n * sizeof(*values) + 1);
    int64_t *offsets = malloc(2 * (size_t)n * sizeof(*offsets) + 1);
    bool good = values != NULL && offsets != NULL &&
                tile_pack_undo(lengths, len, n, values, values + n);

    for (int64_t i = 0; good && i < n; i++) {
        offsets[i] = values[i] > 0 ? at : 0;
        at += values[i];
    }
    good = good && tile_pack_append64(offsets, n, offsets + n, out) == ST_OK;
    free(values);
    free(offsets);
    return good;
}

bool pairs_cigar_put_offsets(pairs_cigar_writer_t *w, const tile_t *tile,
                             const buf_t *offsets)
{
    const hsize_t cell[2] = {(hsize_t)tile->row0, (hsize_t)tile->col0};
    size_t at = 0;
    uint32_t len;
    const unsigned char *chunk = tile_pack_next(offsets, &at, &len);

    return chunk != NULL &&
           H5Dwrite_chunk(w->offset, H5P_DEFAULT, 0, cell, len, chunk) >= 0;
}

bool pairs_cigar_put_text(pairs_cigar_writer_t *w, reslog_h5_t *file, int64_t number,
                          const buf_t *record, size_t at, uint32_t n_chunks)
{
    hsize_t size = (hsize_t)((w->n_chunks + n_chunks) * w->chunk);

    if (n_chunks > 0 && H5Dset_extent(w->text, &size) < 0)
        return false;
    for (; n_chunks > 0; n_chunks--) {
        hsize_t origin = (hsize_t)(w->n_chunks++ * w->chunk);
        uint32_t len;
        const unsigned char *chunk = tile_pack_next(record, &at, &len);

        if (chunk == NULL || !reslog_h5_put_chunk(file, w->text, &origin, number,
                                                  (size_t)(chunk - record->data), len))
            return false;
    }
    return true;
}

bool pairs_cigar_end(pairs_cigar_writer_t *w)
{
    const bool good = h5util_close(w->text, true);

    return h5util_close(w->offset, good);
}

/* ---- the text of a tile's CIGARs, cut into chunks and compressed ---- */

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
