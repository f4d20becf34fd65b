/*
 * pairs_cigar_write.c - writing CIGARs: chunks of text go from the log to the file as
 * they are, offsets follow from the lengths.
 */
#include "io/pairs/write/pairs_cigar_write.h"

#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/pairs/write/pairs_datasets.h"
#include "io/store/tile_pack.h"

#include <stdlib.h>
#include <string.h>

bool pairs_cigar_begin(hid_t file, const tile_grid_t *grid, pairs_cigar_writer_t *out)
{
    size_t n = (size_t)(grid->side * grid->side) + 1;
    const int64_t fill = 0;

    *out = (pairs_cigar_writer_t){.grid = grid, .chunk = pairs_cigar_chunk(grid)};
    out->text = h5util_create(file, "cigar", H5T_STD_U8LE,
                              &(h5util_shape_t){.rank = 1,
                                                .grows = true,
                                                .chunk = {(hsize_t)out->chunk}});
    out->offset = pairs_datasets_matrix(file, "cigar_offset", H5T_STD_I64LE, grid, &fill);
    out->lengths = malloc(2 * n * sizeof(*out->lengths));
    out->offsets = malloc(2 * n * sizeof(*out->offsets));
    return out->text >= 0 && out->offset >= 0 && out->lengths != NULL &&
           out->offsets != NULL;
}

/* The texts of a tile follow each other, row by row. */
static bool write_offsets(pairs_cigar_writer_t *w, const tile_t *tile,
                          const unsigned char *lengths, uint32_t len)
{
    int64_t side = w->grid->side, n = side * side, at = w->n_chunks * w->chunk;
    hsize_t origin[2] = {(hsize_t)tile->row0, (hsize_t)tile->col0};
    const unsigned char *chunk;
    size_t begin = 0;
    uint32_t bytes;

    if (!tile_pack_undo(lengths, len, n, w->lengths, w->lengths + n))
        return false;
    for (int64_t i = 0; i < n; i++) {
        w->offsets[i] = w->lengths[i] > 0 ? at : 0;
        at += w->lengths[i];
    }
    w->packed.len = 0;
    if (tile_pack_append64(w->offsets, n, w->offsets + n, &w->packed) != ST_OK)
        return false;
    chunk = tile_pack_next(&w->packed, &begin, &bytes);
    return H5Dwrite_chunk(w->offset, H5P_DEFAULT, 0, origin, bytes, chunk) >= 0;
}

bool pairs_cigar_put(pairs_cigar_writer_t *w, const tile_t *tile,
                     const unsigned char *lengths, uint32_t len, const buf_t *packed,
                     size_t at)
{
    uint32_t n_chunks;
    hsize_t size;

    if (packed->len - at < sizeof(n_chunks) || !write_offsets(w, tile, lengths, len))
        return false;
    memcpy(&n_chunks, packed->data + at, sizeof(n_chunks));
    at += sizeof(n_chunks);
    size = (hsize_t)((w->n_chunks + n_chunks) * w->chunk);
    if (n_chunks > 0 && H5Dset_extent(w->text, &size) < 0)
        return false;
    for (; n_chunks > 0; n_chunks--) {
        hsize_t origin = (hsize_t)(w->n_chunks++ * w->chunk);
        uint32_t bytes;
        const unsigned char *chunk = tile_pack_next(packed, &at, &bytes);

        if (chunk == NULL ||
            H5Dwrite_chunk(w->text, H5P_DEFAULT, 0, &origin, bytes, chunk) < 0)
            return false;
    }
    return true;
}

bool pairs_cigar_end(pairs_cigar_writer_t *w)
{
    bool good = true;

    if (w->text > 0)
        good = H5Dclose(w->text) >= 0;
    if (w->offset > 0)
        good = H5Dclose(w->offset) >= 0 && good;
    free(w->lengths);
    free(w->offsets);
    buf_free(&w->packed);
    return good;
}
