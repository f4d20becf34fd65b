#include "io/pairs/pairs_cigar.h"

#include "io/store/tile_pack.h"

#include <stdlib.h>
#include <string.h>

/* Small enough to be read for one pair's sake, large enough to be few. */
enum { CHUNK_MIN = 1 << 12, CHUNK_MAX = 1 << 16, BYTES_A_PAIR = 64 };

int64_t pairs_cigar_chunk(const tile_grid_t *grid)
{
    int64_t bytes = grid->side * grid->side * BYTES_A_PAIR;

    return bytes < CHUNK_MIN ? CHUNK_MIN : bytes > CHUNK_MAX ? CHUNK_MAX : bytes;
}

status_t pairs_cigar_pack(const tile_grid_t *grid, buf_t *text, buf_t *out)
{
    size_t chunk = (size_t)pairs_cigar_chunk(grid);
    uint32_t n_chunks = (uint32_t)((text->len + chunk - 1) / chunk);
    size_t filled = n_chunks * chunk;
    status_t st = buf_reserve(text, filled - text->len);

    if (st == ST_OK)
        st = buf_append(out, &n_chunks, sizeof(n_chunks));
    if (st != ST_OK || n_chunks == 0)
        return st;
    memset(text->data + text->len, 0, filled - text->len);
    text->len = filled;
    for (size_t at = 0; st == ST_OK && at < filled; at += chunk)
        st = tile_pack_append_bytes(text->data + at, chunk, out);
    return st;
}

/* A dataset of bytes that grows. */
static hid_t create_text(hid_t file, int64_t chunk)
{
    hsize_t none = 0, any = H5S_UNLIMITED, chunk_bytes = (hsize_t)chunk;
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &none, &any);
    hid_t dataset;

    H5Pset_chunk(how, 1, &chunk_bytes);
    H5Pset_deflate(how, TILE_PACK_LEVEL);
    dataset =
        H5Dcreate2(file, "cigar", H5T_STD_U8LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Sclose(space);
    H5Pclose(how);
    return dataset;
}

bool pairs_cigar_begin(hid_t file, const tile_grid_t *grid, pairs_cigar_writer_t *out)
{
    size_t n = (size_t)(grid->side * grid->side) + 1;
    const int64_t fill = 0;

    *out = (pairs_cigar_writer_t){.grid = grid, .chunk = pairs_cigar_chunk(grid)};
    out->text = create_text(file, out->chunk);
    out->offset = pairs_create_matrix(file, "cigar_offset", H5T_STD_I64LE, grid, &fill);
    out->lengths = malloc(2 * n * sizeof(*out->lengths));
    out->offsets = malloc(2 * n * sizeof(*out->offsets));
    return out->text >= 0 && out->offset >= 0 && out->lengths != NULL &&
           out->offsets != NULL;
}

/* Where each pair's text starts: they follow each other, row by row. */
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
