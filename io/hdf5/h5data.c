/*
 * h5data.c - reading datasets chunk by chunk.
 *
 * A 1-d dataset is handled as one row.
 */
#include "io/hdf5/h5data.h"

#include "io/base/child.h"
#include "io/store/tile_pack.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Even incompressible chunks grow by less when they are deflated. */
enum { GROWTH_MAX = 2, GROWTH_BYTES_MAX = 1024 };

enum { NO_CHUNK = -1, FILLED = -2 }; /* FILLED: the chunk is missing, as others may be */

/* A decoded chunk; slot k keeps chunks whose number is k modulo the number of slots. */
typedef struct h5data_slot {
    int64_t chunk; /* or NO_CHUNK, FILLED */
    unsigned char *values;
} slot_t;

static int64_t n_values_of_chunk(const h5data_t *d)
{
    return d->chunk_rows * d->chunk_columns;
}

/* Bytes of a chunk while it is converted in place. */
static size_t decoded_bytes(const h5data_t *d)
{
    size_t wider =
        d->value_bytes > d->storage.value_bytes ? d->value_bytes : d->storage.value_bytes;

    return (size_t)n_values_of_chunk(d) * wider;
}

static status_t create_slots(h5data_t *d, size_t cache_bytes)
{
    const h5check_storage_t *s = &d->storage;

    if (!s->is_chunked)
        return ST_OK;
    d->chunk_rows = d->rank == 2 ? (int64_t)s->chunk[0] : 1;
    d->chunk_columns = (int64_t)s->chunk[d->rank - 1];
    d->n_slots = (int64_t)(cache_bytes / decoded_bytes(d)) + 1;
    d->slots = calloc((size_t)d->n_slots, sizeof(*d->slots));
    d->inflated = malloc(s->chunk_bytes);
    if (d->slots == NULL || d->inflated == NULL)
        return log_nomem("a chunk");
    for (int64_t k = 0; k < d->n_slots; k++)
        d->slots[k].chunk = NO_CHUNK;
    return ST_OK;
}

h5data_t *h5data_open(hid_t at, const char *name, const h5data_want_t *want)
{
    const h5check_want_t check = {want->rank, want->is_triangle, want->memory_type};
    h5data_t *d = calloc(1, sizeof(*d));

    if (d == NULL) {
        log_nomem("a dataset");
        return NULL;
    }
    d->rank = want->rank;
    d->is_triangle = want->is_triangle;
    d->memory_type = want->memory_type;
    d->file_type = H5I_INVALID_HID;
    if ((d->id = h5check_open_dataset(at, name, &check, &d->storage)) < 0)
        goto fail;
    H5Iget_name(d->id, d->name, sizeof(d->name));
    d->file_type = H5Dget_type(d->id);
    d->converts = d->memory_type > 0 && H5Tequal(d->file_type, d->memory_type) <= 0;
    d->value_bytes = d->converts ? H5Tget_size(d->memory_type) : d->storage.value_bytes;
    if (want->fill != NULL)
        memcpy(d->fill, want->fill, d->value_bytes);
    d->rows = d->rank == 2 ? (int64_t)d->storage.size[0] : 1;
    d->columns = (int64_t)d->storage.size[d->rank - 1];
    if (create_slots(d, want->cache_bytes) == ST_OK)
        return d;
fail:
    h5data_close(d);
    return NULL;
}

int64_t h5data_stored_bytes(const h5data_t *d)
{
    return (int64_t)H5Dget_storage_size(d->id);
}

static status_t refuse_chunk(const h5data_t *d, int64_t row, int64_t column)
{
    if (d->rank == 2)
        h5check_refuse(d->id, d->name, "is damaged at row %" PRId64 ", column %" PRId64,
                       row + 1, column + 1);
    else
        h5check_refuse(d->id, d->name, "is damaged at value %" PRId64, column + 1);
    return ST_EIO;
}

static bool is_plain(const h5data_t *d)
{
    return d->storage.shuffle < 0 && d->storage.deflate < 0;
}

/* Bytes that H5Dread_chunk may write.  Without filters HDF5 1.10 says that a chunk has
 * its full size, but reads as many bytes as the index says: of 32 bits, and in the file.
 */
static hsize_t room_of(const h5data_t *d, hsize_t chunk_bytes)
{
    hsize_t max_bytes = is_plain(d) ? h5check_file_bytes(d->id) : 0;

    if (max_bytes > UINT32_MAX)
        max_bytes = UINT32_MAX;
    return max_bytes > chunk_bytes ? max_bytes : chunk_bytes;
}

/* Fetch a chunk as it is stored.
 * @param mask  bits of the filters that were not applied; *len = 0: it is missing */
static status_t fetch(h5data_t *d, int64_t row, int64_t column, uint32_t *mask,
                      size_t *len)
{
    hsize_t origin[2] = {(hsize_t)row, (hsize_t)column}, bytes = 0;
    const hsize_t *at = d->rank == 2 ? origin : origin + 1;

    *len = 0;
    if (H5Dget_chunk_storage_size(d->id, at, &bytes) < 0 || bytes == 0)
        return ST_OK;
    if (bytes > GROWTH_MAX * d->storage.chunk_bytes + GROWTH_BYTES_MAX)
        return refuse_chunk(d, row, column);
    if (bytes > d->stored_capacity) {
        hsize_t room = room_of(d, bytes);

        free(d->stored);
        d->stored_capacity = 0;
        if ((d->stored = malloc((size_t)room)) == NULL)
            return log_nomem("a chunk");
        d->stored_capacity = (size_t)room;
    }
    if (is_plain(d)) /* or the chunk of before shows behind a shorter one */
        memset(d->stored, 0, (size_t)bytes);
    if (H5Dread_chunk(d->id, H5P_DEFAULT, at, mask, d->stored) < 0)
        return refuse_chunk(d, row, column);
    *len = (size_t)bytes;
    return ST_OK;
}

status_t h5data_read_stored(h5data_t *d, int64_t row, int64_t column, int64_t side,
                            buf_t *out, bool *is_such)
{
    const h5check_storage_t *s = &d->storage;
    uint32_t mask = 0;
    size_t len;
    status_t st;

    child_tick();
    *is_such = false;
    if (d->converts || d->value_bytes != sizeof(int32_t) || s->shuffle != 0 ||
        s->deflate != 1 || d->chunk_rows != side || d->chunk_columns != side ||
        row % side != 0 || column % side != 0)
        return ST_OK;
    if ((st = fetch(d, row, column, &mask, &len)) != ST_OK || len == 0 || mask != 0)
        return st;
    *is_such = true;
    return buf_append(out, d->stored, len);
}

/* Undo the filters that were applied. @return whether the chunk has its full size */
static bool decode(h5data_t *d, uint32_t mask, size_t len, unsigned char *values)
{
    const h5check_storage_t *s = &d->storage;
    bool deflated = s->deflate >= 0 && !(mask >> s->deflate & 1);
    bool shuffled = s->shuffle >= 0 && !(mask >> s->shuffle & 1);
    unsigned char *flat = shuffled ? d->inflated : values;

    if (deflated && !deflate_undo(d->stored, len, flat, s->chunk_bytes))
        return false;
    if (!deflated && len != s->chunk_bytes)
        return false;
    if (!deflated)
        memcpy(flat, d->stored, len);
    if (shuffled)
        tile_pack_unshuffle(flat, n_values_of_chunk(d), s->value_bytes, values);
    return !d->converts ||
           H5Tconvert(d->file_type, d->memory_type, (size_t)n_values_of_chunk(d), values,
                      NULL, H5P_DEFAULT) >= 0;
}

/* Only integers have a triangle. */
static void fill(const h5data_t *d, unsigned char *values)
{
    for (int64_t k = 0; k < n_values_of_chunk(d); k++)
        memcpy(values + (size_t)k * d->value_bytes, d->fill, d->value_bytes);
}

/* Make the chunk that starts at a row and a column available in its slot. */
static status_t load(h5data_t *d, int64_t row, int64_t column, const slot_t **out)
{
    int64_t across = (d->columns + d->chunk_columns - 1) / d->chunk_columns;
    int64_t chunk = row / d->chunk_rows * across + column / d->chunk_columns;
    slot_t *slot = &d->slots[chunk % d->n_slots];
    bool may_miss = d->is_triangle && column + d->chunk_columns - 1 <= row;
    bool is_filled = slot->chunk == FILLED;
    uint32_t mask = 0;
    size_t len;
    status_t st;

    child_tick();
    *out = slot;
    if (slot->chunk == chunk)
        return ST_OK;
    slot->chunk = NO_CHUNK;
    if (slot->values == NULL && (slot->values = malloc(decoded_bytes(d))) == NULL)
        return log_nomem("a chunk");
    if ((st = fetch(d, row, column, &mask, &len)) != ST_OK)
        return st;
    if (len == 0 && !may_miss)
        return refuse_chunk(d, row, column);
    if (len == 0 && !is_filled)
        fill(d, slot->values);
    if (len > 0 && !decode(d, mask, len, slot->values))
        return refuse_chunk(d, row, column);
    slot->chunk = len > 0 ? chunk : FILLED;
    return ST_OK;
}

status_t h5data_check(h5data_t *d)
{
    const slot_t *slot;
    status_t st = ST_OK;

    if (!d->storage.is_chunked)
        return ST_OK;
    for (int64_t r = 0; r < d->rows; r += d->chunk_rows)
        for (int64_t c = 0; st == ST_OK && c < d->columns; c += d->chunk_columns)
            st = load(d, r, c, &slot);
    return st;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static status_t read_chunks(h5data_t *d, int64_t row0, int64_t row1, int64_t col0,
                            int64_t col1, unsigned char *out)
{
    size_t width = (size_t)(col1 - col0), bytes = d->value_bytes;

    for (int64_t r = row0 / d->chunk_rows * d->chunk_rows; r < row1; r += d->chunk_rows)
        for (int64_t c = col0 / d->chunk_columns * d->chunk_columns; c < col1;
             c += d->chunk_columns) {
            int64_t first = larger(c, col0), end = smaller(c + d->chunk_columns, col1);
            int64_t row_end = smaller(r + d->chunk_rows, row1);
            const slot_t *slot;
            status_t st = load(d, r, c, &slot);

            if (st != ST_OK)
                return st;
            for (int64_t i = larger(r, row0); i < row_end; i++) {
                int64_t from = (i - r) * d->chunk_columns + first - c;
                size_t to = (size_t)(i - row0) * width + (size_t)(first - col0);

                memcpy(out + to * bytes, slot->values + (size_t)from * bytes,
                       (size_t)(end - first) * bytes);
            }
        }
    return ST_OK;
}

static status_t read_contiguous(h5data_t *d, int64_t row0, int64_t row1, int64_t col0,
                                int64_t col1, void *out)
{
    hsize_t start[2] = {(hsize_t)row0, (hsize_t)col0};
    hsize_t count[2] = {(hsize_t)(row1 - row0), (hsize_t)(col1 - col0)};
    int skip = 2 - d->rank;
    hid_t space = H5Dget_space(d->id);
    hid_t memory = H5Screate_simple(d->rank, count + skip, NULL);
    bool good = H5Sselect_hyperslab(space, H5S_SELECT_SET, start + skip, NULL,
                                    count + skip, NULL) >= 0 &&
                H5Dread(d->id, d->converts ? d->memory_type : d->file_type, memory, space,
                        H5P_DEFAULT, out) >= 0;

    H5Sclose(memory);
    H5Sclose(space);
    return good ? ST_OK : refuse_chunk(d, row0, col0);
}

/* Real numbers are finite in every file of ours, and in images. */
static status_t check_finite(const h5data_t *d, int64_t row0, int64_t row1, int64_t col0,
                             int64_t col1, const void *values)
{
    const int64_t width = col1 - col0, n = (row1 - row0) * width;
    int64_t at = 0;

    if (d->memory_type <= 0 || H5Tget_class(d->memory_type) != H5T_FLOAT)
        return ST_OK;
    if (d->value_bytes == sizeof(float))
        while (at < n && isfinite(((const float *)values)[at]))
            at++;
    else
        while (at < n && isfinite(((const double *)values)[at]))
            at++;
    if (at == n)
        return ST_OK;
    if (d->rank == 2)
        h5check_refuse(d->id, d->name,
                       "is not finite at row %" PRId64 ", column %" PRId64,
                       row0 + at / width + 1, col0 + at % width + 1);
    else
        h5check_refuse(d->id, d->name, "is not finite at value %" PRId64, col0 + at + 1);
    return ST_EINPUT;
}

status_t h5data_read(h5data_t *d, int64_t row0, int64_t row1, int64_t col0, int64_t col1,
                     void *out)
{
    status_t st;

    if (row0 < 0 || row1 > d->rows || col0 < 0 || col1 > d->columns)
        return refuse_chunk(d, row0, col0);
    if (row0 >= row1 || col0 >= col1)
        return ST_OK;
    st = d->storage.is_chunked ? read_chunks(d, row0, row1, col0, col1, out)
                               : read_contiguous(d, row0, row1, col0, col1, out);
    return st == ST_OK ? check_finite(d, row0, row1, col0, col1, out) : st;
}

void h5data_close(h5data_t *d)
{
    if (d == NULL)
        return;
    for (int64_t k = 0; d->slots != NULL && k < d->n_slots; k++) {
        free(d->slots[k].values);
        child_tick_turn(k); /* a damaged file may claim millions */
    }
    free(d->slots);
    free(d->stored);
    free(d->inflated);
    if (d->file_type >= 0)
        H5Tclose(d->file_type);
    if (d->id >= 0)
        H5Dclose(d->id);
    free(d);
}

void *h5data_get(hid_t at, const char *name, hid_t memory_type, int64_t n, int64_t *n_out)
{
    h5data_t *d =
        h5data_open(at, name, &(h5data_want_t){.rank = 1, .memory_type = memory_type});
    void *values = NULL;

    if (d == NULL)
        return NULL;
    if (n >= 0 && d->columns != n)
        h5check_refuse(at, name, "has %" PRId64 " values instead of %" PRId64, d->columns,
                       n);
    else if ((values = malloc((size_t)d->columns * d->value_bytes + 1)) == NULL)
        log_nomem("a dataset");
    else if (h5data_read(d, 0, 1, 0, d->columns, values) != ST_OK) {
        free(values);
        values = NULL;
    }
    if (n_out != NULL)
        *n_out = d->columns;
    h5data_close(d);
    return values;
}
