/*
 * pairs_tiles.c - tiles of a result file as records: chunks as they are stored where the
 * two grids agree, else packed again; hits sorted by tile.
 */
#include "io/pairs/write/pairs_tiles.h"

#include "io/base/logmsg.h"
#include "io/pairs/pairs_check.h"
#include "io/pairs/pairs_read.h"
#include "io/pairs/pairs_scan.h"
#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/pairs/write/pairs_hits.h"
#include "io/store/tile_pack.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Limits of one answer: no record is begun behind this many bytes; hits of its rows. */
enum { ENOUGH_BYTES = 64 << 20, ENOUGH_HITS = 1 << 21 };

/* Begin a record behind its length, which is not known yet. @param at  out: its place */
static status_t begin_record(buf_t *out, size_t *at)
{
    const int64_t len = 0;

    *at = out->len;
    return buf_append(out, &len, sizeof(len));
}

static void end_record(buf_t *out, size_t at)
{
    const int64_t len = (int64_t)(out->len - at - sizeof(len));

    memcpy(out->data + at, &len, sizeof(len));
}

/* ---- matrices ---- */

/* A tile that is read; buffers of whole chunks. */
typedef struct {
    const pairs_file_t *file;
    int n_datasets;
    int64_t side;
    tile_t tile;
    int32_t *part;    /* [side x side] the tile's values alone, or scratch */
    int32_t *values;  /* [side x side] */
    int64_t *offsets; /* [side x side] of CIGARs */
    buf_t text, piece;
} matrices_t;

static status_t reserve(const pairs_file_t *file, int n_datasets, int64_t side,
                        matrices_t *out)
{
    const size_t n = (size_t)(side * side);

    *out = (matrices_t){.file = file,
                        .n_datasets = n_datasets,
                        .side = side,
                        .part = malloc(n * sizeof(*out->part) + 1),
                        .values = malloc(n * sizeof(*out->values) + 1),
                        .offsets = malloc(n * sizeof(*out->offsets) + 1)};
    return out->part != NULL && out->values != NULL && out->offsets != NULL
               ? ST_OK
               : log_nomem("a tile");
}

static void release(matrices_t *m)
{
    free(m->part);
    free(m->values);
    free(m->offsets);
    buf_free(&m->text);
    buf_free(&m->piece);
}

static bool is_whole(const matrices_t *m)
{
    return m->tile.row1 - m->tile.row0 == m->side &&
           m->tile.col1 - m->tile.col0 == m->side;
}

/* Read a dataset's values of the tile into the chunk that it is of. */
static status_t read_values(matrices_t *m, pairs_dataset_t dataset)
{
    const tile_t *t = &m->tile;
    const int64_t height = t->row1 - t->row0, width = t->col1 - t->col0;
    status_t st = pairs_read(m->file, dataset, t->row0, t->row1, t->col0, t->col1,
                             is_whole(m) ? m->values : m->part);

    if (st != ST_OK || is_whole(m))
        return st;
    for (int64_t k = 0; k < m->side * m->side; k++)
        m->values[k] = pairs_fill[dataset];
    for (int64_t row = 0; row < height; row++)
        memcpy(m->values + row * m->side, m->part + row * width,
               (size_t)width * sizeof(*m->part));
    return ST_OK;
}

/* Append a dataset's chunk. @param has_values  they were read */
static status_t append_chunk(matrices_t *m, pairs_dataset_t dataset, bool has_values,
                             buf_t *out)
{
    const tile_t *t = &m->tile;
    const size_t at = out->len;
    uint32_t len = 0;
    bool is_stored = false;
    status_t st = buf_append(out, &len, sizeof(len));

    /* the padding of a chunk at the edge may be anything */
    if (st == ST_OK && is_whole(m))
        st = pairs_read_stored(m->file, dataset, t->row0, t->col0, m->side, out,
                               &is_stored);
    if (st != ST_OK)
        return st;
    if (is_stored) {
        len = (uint32_t)(out->len - at - sizeof(len));
        memcpy(out->data + at, &len, sizeof(len));
        return ST_OK;
    }
    out->len = at;
    if (!has_values && (st = read_values(m, dataset)) != ST_OK)
        return st;
    return tile_pack_append(m->values, m->side * m->side, m->part, out);
}

/* Append the text of bytes begin .. end-1. */
static status_t add_text(matrices_t *m, int64_t begin, int64_t end)
{
    status_t st = pairs_read_cigar_text(m->file, begin, end, &m->piece);

    return st == ST_OK ? buf_append(&m->text, m->piece.data, m->piece.len) : st;
}

/* Read the tile's CIGARs, row by row; those that follow each other at once.  Values are
 * their lengths. */
static status_t read_text(matrices_t *m)
{
    const tile_t *t = &m->tile;
    const int64_t width = t->col1 - t->col0;
    int64_t begin = 0, end = 0;
    status_t st =
        pairs_read_cigar_offsets(m->file, t->row0, t->row1, t->col0, t->col1, m->offsets);

    m->text.len = 0;
    for (int64_t k = 0; st == ST_OK && k < (t->row1 - t->row0) * width; k++) {
        const int64_t len = m->values[k / width * m->side + k % width];

        if (len == 0)
            continue;
        if (m->offsets[k] != end) {
            st = add_text(m, begin, end);
            begin = end = m->offsets[k];
        }
        end += len;
    }
    return st == ST_OK ? add_text(m, begin, end) : st;
}

static status_t append_matrices(matrices_t *m, const tile_grid_t *grid, buf_t *out)
{
    const int n_datasets = m->n_datasets;
    const int64_t n_without = 0; /* counted by many threads: pairs_record_count */
    status_t st = buf_append(out, &n_without, sizeof(n_without));

    for (int d = 0; st == ST_OK && d < n_datasets; d++) {
        const bool has_lengths = d == PAIRS_CIGAR_LENGTH;

        if (has_lengths && (st = read_values(m, (pairs_dataset_t)d)) == ST_OK)
            st = read_text(m);
        if (st == ST_OK)
            st = append_chunk(m, (pairs_dataset_t)d, has_lengths, out);
    }
    return st == ST_OK && n_datasets == PAIRS_N_CIGAR
               ? pairs_cigar_pack(grid, &m->text, out)
               : st;
}

/* ---- hits ---- */

/* @return how many tiles of a row are read in one scan of its hits */
static int64_t tiles_at_a_time(const pairs_file_t *f, const tile_t *tile, int64_t n)
{
    const int64_t n_hits = f->row_start[tile->row1] - f->row_start[tile->row0];

    return n_hits <= ENOUGH_HITS ? n : n / (n_hits / ENOUGH_HITS + 1) + 1;
}

static status_t add_hit(pairs_scan_t *scan, int64_t k, const pairs_hit_t *hit,
                        pairs_hits_t *to)
{
    pairs_entry_t entry = {.hit = *hit, .text_at = (int64_t)to->text.len};
    const char *text;
    int64_t len;
    status_t st = pairs_scan_cigar(scan, k, &text, &len);

    entry.text_len = (int32_t)len;
    if (st == ST_OK)
        st = buf_append(&to->text, text, (size_t)len);
    return st == ST_OK ? buf_append(&to->entries, &entry, sizeof(entry)) : st;
}

/* Sort the hits of a row of tiles by tile. @param first  tile 0 of `tiles` */
static status_t sort_hits(pairs_scan_t *scan, const tile_grid_t *grid,
                          const tile_t *first, pairs_hits_t *tiles)
{
    const pairs_hit_t *hits;
    int64_t n;
    status_t st;

    while ((st = pairs_scan_next(scan, &hits, &n)) == ST_OK && n > 0)
        for (int64_t k = 0; st == ST_OK && k < n; k++) {
            pairs_hit_t hit = hits[k];

            hit.col += (int32_t)grid->col_first;
            st = add_hit(scan, k, &hit, &tiles[(hit.col - first->col0) / grid->col_side]);
            if (st != ST_OK)
                return st;
        }
    return st;
}

static status_t append_record(const pairs_hits_t *hits, buf_t *out)
{
    size_t at;
    status_t st = begin_record(out, &at);

    if (st == ST_OK && (st = pairs_hits_pack(hits, out)) == ST_OK)
        end_record(out, at);
    return st;
}

static status_t read_hits(const pairs_file_t *file, const tile_grid_t *grid,
                          int64_t first, int64_t end, buf_t *out)
{
    const tile_t from = tile_at(grid, first);
    const int64_t n = tiles_at_a_time(file, &from, end - first);
    const tile_t to = tile_at(grid, first + n < end ? first + n - 1 : end - 1);
    const pairs_region_t region = {from.row0, from.row1, from.col0 - grid->col_first,
                                   to.col1 - grid->col_first};
    pairs_hits_t *tiles = calloc((size_t)n + 1, sizeof(*tiles));
    pairs_scan_t *scan = NULL;
    status_t st = tiles != NULL ? pairs_scan_open_region(file, NULL, &region, &scan)
                                : log_nomem("hits");

    if (st == ST_OK)
        st = sort_hits(scan, grid, &from, tiles);
    for (int64_t k = 0; st == ST_OK && k < n && first + k < end; k++)
        st = append_record(&tiles[k], out);
    for (int64_t k = 0; tiles != NULL && k < n; k++)
        pairs_hits_free(&tiles[k]);
    free(tiles);
    pairs_scan_close(scan);
    return st;
}

/* ---- both ---- */

static status_t read_matrices(const pairs_file_t *file, int n_datasets,
                              const tile_grid_t *grid, int64_t first, int64_t end,
                              buf_t *out)
{
    matrices_t m;
    status_t st = reserve(file, n_datasets, grid->side, &m);

    for (int64_t k = first; st == ST_OK && k < end && out->len < ENOUGH_BYTES; k++) {
        size_t at;

        m.tile = tile_at(grid, k);
        if ((st = begin_record(out, &at)) == ST_OK &&
            (st = append_matrices(&m, grid, out)) == ST_OK)
            end_record(out, at);
    }
    release(&m);
    return st;
}

status_t pairs_tiles_read(const pairs_file_t *file, const tile_grid_t *grid,
                          int64_t first, int64_t end, buf_t *out)
{
    return file->is_sparse ? read_hits(file, grid, first, end, out)
                           : read_matrices(file, file->n_datasets, grid, first, end, out);
}

/* ---- numbers ---- */

status_t pairs_tiles_read_numbers(const pairs_file_t *file, int64_t first, int64_t end,
                                  buf_t *out)
{
    return read_matrices(file, PAIRS_N_IDENTITY, &file->grid, first, end, out);
}

/* Take the next record, which is copied nowhere. @return whether there is one */
static bool next_record(const buf_t *tiles, size_t *at, buf_t *record)
{
    int64_t len;

    if (tiles->len - *at < sizeof(len))
        return false;
    memcpy(&len, tiles->data + *at, sizeof(len));
    *at += sizeof(len);
    if (len < (int64_t)sizeof(int64_t) || (size_t)len > tiles->len - *at)
        return false;
    *record = (buf_t){.data = tiles->data + *at, .len = (size_t)len};
    *at += (size_t)len;
    return true;
}

static status_t refuse_tile(const pairs_tiles_check_t *check, const tile_t *tile)
{
    return log_refusal(check->path, "align again",
                       "its pairs are damaged at row %" PRId64 ", column %" PRId64,
                       tile->row0 + 1, tile->col0 + 1);
}

status_t pairs_tiles_next_numbers(const pairs_tiles_check_t *check, const buf_t *tiles,
                                  int64_t side, const tile_t *tile, size_t *at,
                                  int32_t *matches)
{
    const int64_t n = side * side;
    int32_t *columns = matches + n, *scratch = columns + n;
    int32_t *const to[PAIRS_N_IDENTITY] = {matches, matches, columns};
    size_t place = sizeof(int64_t);
    buf_t record = {0};

    if (!next_record(tiles, at, &record))
        return refuse_tile(check, tile);
    for (int d = 0; d < PAIRS_N_IDENTITY; d++) {
        uint32_t len;
        const unsigned char *chunk = tile_pack_next(&record, &place, &len);

        if (chunk == NULL || !tile_pack_undo(chunk, len, n, to[d], scratch))
            return refuse_tile(check, tile);
        for (int64_t i = tile->row0; d == PAIRS_SCORE && i < tile->row1; i++) {
            const int64_t first = i < tile->col0 ? tile->col0 : i + 1;

            if (!pairs_check_scores(to[d] + (i - tile->row0) * side + first - tile->col0,
                                    first < tile->col1 ? tile->col1 - first : 0))
                return refuse_tile(check, tile);
        }
    }
    for (int64_t i = tile->row0; i < tile->row1; i++) {
        const int64_t first = i < tile->col0 ? tile->col0 : i + 1;
        const int64_t k = (i - tile->row0) * side + first - tile->col0;

        if (first < tile->col1 &&
            !pairs_check_numbers(check->lengths, check->is_mbl, i, first,
                                 tile->col1 - first, matches + k, columns + k))
            return refuse_tile(check, tile);
    }
    return ST_OK;
}
