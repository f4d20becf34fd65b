/*
 * pairs_write.c - writing n x n matrices: compressed chunks go from the log to the file
 * as they are, in the order of the tiles.
 */
#include "io/pairs/write/pairs_write.h"

#include "io/base/logmsg.h"
#include "io/pairs/write/pairs_cigar_write.h"
#include "io/pairs/write/pairs_datasets.h"
#include "io/store/h5text.h"
#include "io/store/reslog_ahead.h"
#include "io/store/tile_pack.h"

#include <stdlib.h>
#include <string.h>

/* A tile's record, and where its parts are. */
typedef struct {
    const buf_t *record;
    tile_t tile;
    int64_t n_without_identity;
    const unsigned char *chunk[PAIRS_DATASETS_MAX];
    uint32_t len[PAIRS_DATASETS_MAX];
    uint32_t n_text; /* chunks of text */
    size_t text_at;
    int64_t n_text_before; /* of all tiles before it */
    buf_t offsets;
    bool has_failed;
} parts_t;

typedef struct {
    const char *path;
    const tile_grid_t *grid;
    int n_datasets;
    hid_t dataset[PAIRS_DATASETS_MAX];
    bool has_cigars;
    pairs_cigar_writer_t cigar;
    int64_t n_text; /* chunks of text found so far */
    pairs_counts_t *counts;
    parts_t *parts; /* [capacity] of a group of records */
    int capacity;
} writer_t;

/* @return whether the record has all parts */
static bool find_parts(writer_t *w, parts_t *p)
{
    size_t at = sizeof(p->n_without_identity);

    if (p->record->len < at)
        return false;
    memcpy(&p->n_without_identity, p->record->data, at);
    w->counts->n_without_identity += p->n_without_identity;
    for (int d = 0; d < w->n_datasets; d++)
        if ((p->chunk[d] = tile_pack_next(p->record, &at, &p->len[d])) == NULL)
            return false;
    if (!w->has_cigars)
        return true;
    if (p->record->len - at < sizeof(p->n_text))
        return false;
    memcpy(&p->n_text, p->record->data + at, sizeof(p->n_text));
    p->text_at = at + sizeof(p->n_text);
    p->n_text_before = w->n_text;
    w->n_text += p->n_text;
    return true;
}

static void pack_offsets(void *ctx, int64_t k, int thread)
{
    writer_t *w = ctx;
    parts_t *p = &w->parts[k];

    (void)thread;
    p->offsets.len = 0;
    p->has_failed = !pairs_cigar_pack_offsets(&w->cigar, p->chunk[PAIRS_CIGAR_LENGTH],
                                              p->len[PAIRS_CIGAR_LENGTH],
                                              p->n_text_before, &p->offsets);
}

static bool write_parts(writer_t *w, const parts_t *p)
{
    const hsize_t origin[2] = {(hsize_t)p->tile.row0, (hsize_t)p->tile.col0};

    for (int d = 0; d < w->n_datasets; d++)
        if (H5Dwrite_chunk(w->dataset[d], H5P_DEFAULT, 0, origin, p->len[d],
                           p->chunk[d]) < 0)
            return false;
    return !w->has_cigars ||
           (!p->has_failed && pairs_cigar_put(&w->cigar, &p->tile, &p->offsets, p->record,
                                              p->text_at, p->n_text));
}

static status_t reserve_parts(writer_t *w, int n)
{
    parts_t *parts;

    if (n <= w->capacity)
        return ST_OK;
    if ((parts = realloc(w->parts, (size_t)n * sizeof(*parts))) == NULL)
        return log_nomem("writing the result");
    memset(parts + w->capacity, 0, (size_t)(n - w->capacity) * sizeof(*parts));
    w->parts = parts;
    w->capacity = n;
    return ST_OK;
}

static status_t write_group(writer_t *w, const reslog_group_t *group, pool_t *pool)
{
    status_t st = reserve_parts(w, group->n);
    bool good = true;

    if (st != ST_OK)
        return st;
    for (int k = 0; good && k < group->n; k++) {
        w->parts[k].record = &group->records[k];
        w->parts[k].tile = tile_at(w->grid, group->first + k);
        good = find_parts(w, &w->parts[k]);
    }
    if (good && w->has_cigars)
        pool_run(pool, group->n, pack_offsets, w);
    for (int k = 0; good && k < group->n; k++)
        good = write_parts(w, &w->parts[k]);
    return good ? ST_OK : pairs_datasets_fail(w->path, "write");
}

static status_t write_groups(writer_t *w, const reslog_t *log, pool_t *pool)
{
    reslog_ahead_t *ahead = NULL;
    reslog_group_t group = {.n = 0};
    status_t st = reslog_ahead_begin(log, w->grid->n_tiles, pool, &ahead);

    while (st == ST_OK && (st = reslog_ahead_next(ahead, &group)) == ST_OK && group.n > 0)
        st = write_group(w, &group, pool);
    reslog_ahead_end(ahead);
    return st;
}

static status_t write_tiles(const char *path, hid_t file, const pairs_head_t *head,
                            const tile_grid_t *grid, const reslog_t *log,
                            pairs_counts_t *counts)
{
    writer_t w = {.path = path,
                  .grid = grid,
                  .n_datasets = head->n_datasets,
                  .has_cigars = head->n_datasets == PAIRS_N_CIGAR,
                  .counts = counts};
    bool good = true;
    status_t st;

    for (int d = 0; d < w.n_datasets; d++) {
        w.dataset[d] = pairs_datasets_matrix(file, pairs_dataset_name[d], H5T_STD_I32LE,
                                             grid, &pairs_fill[d]);
        good = good && w.dataset[d] >= 0;
    }
    if (w.has_cigars)
        good = pairs_cigar_begin(file, grid, &w.cigar) && good;
    st = good ? write_groups(&w, log, head->pool) : pairs_datasets_fail(path, "write");
    for (int d = 0; d < w.n_datasets; d++)
        good = (w.dataset[d] < 0 || H5Dclose(w.dataset[d]) >= 0) && good;
    if (w.has_cigars)
        good = pairs_cigar_end(&w.cigar) && good;
    for (int k = 0; k < w.capacity; k++)
        buf_free(&w.parts[k].offsets);
    free(w.parts);
    return good || st != ST_OK ? st : pairs_datasets_fail(path, "write");
}

status_t pairs_write(const char *path, const pairs_head_t *head, const seqset_t *set,
                     const tile_grid_t *grid, const reslog_t *log, pairs_counts_t *counts)
{
    int64_t n_pairs = set->n * (set->n - 1) / 2;
    pairs_counts_t c = {.n_pairs = n_pairs, .n_aligned = n_pairs, .n_kept = n_pairs};
    status_t st = ST_OK;
    hid_t file;

    h5util_init();
    if ((file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) < 0)
        return pairs_datasets_fail(path, "create");
    if (!pairs_datasets_put_root(file, head) ||
        !h5text_put(file, "triangle", "row < col") ||
        !h5util_put_int(file, "tile_side", grid->side) ||
        !pairs_datasets_put_names(file, "sequences", set, 0, set->n) ||
        !pairs_datasets_put_sequences(file, head, set, set->n))
        st = pairs_datasets_fail(path, "write");
    if (st == ST_OK)
        st = write_tiles(path, file, head, grid, log, &c);
    if (st == ST_OK && !pairs_datasets_put_run(file, head, &c))
        st = pairs_datasets_fail(path, "write");
    if (H5Fclose(file) < 0 && st == ST_OK)
        st = pairs_datasets_fail(path, "write");
    if (st == ST_OK)
        *counts = c;
    return st;
}
