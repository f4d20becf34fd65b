/*
 * pairs_write.c - writing n x n matrices: the index of HDF5 points to compressed chunks
 * where they are in the log.
 */
#include "io/pairs/write/pairs_write.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5text.h"
#include "io/pairs/write/pairs_cigar_pack.h"
#include "io/pairs/write/pairs_datasets.h"
#include "io/pairs/write/reslog_h5.h"
#include "io/store/reslog_ahead.h"
#include "io/store/tile_pack.h"

#include <stdlib.h>
#include <string.h>

/* A tile's record, and where its parts are. */
typedef struct {
    const buf_t *record;
    int64_t number; /* the tile's */
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
    const reslog_t *log;
    reslog_h5_t *file; /* in the log */
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

static status_t fail(const writer_t *w)
{
    return pairs_datasets_fail(reslog_path(w->log), "write");
}

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
        if (!reslog_h5_put_chunk(w->file, w->dataset[d], origin, p->number,
                                 (size_t)(p->chunk[d] - p->record->data), p->len[d]))
            return false;
    return !w->has_cigars ||
           (!p->has_failed && pairs_cigar_put_offsets(&w->cigar, &p->tile, &p->offsets) &&
            pairs_cigar_put_text(&w->cigar, w->file, p->number, p->record, p->text_at,
                                 p->n_text));
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
        w->parts[k].number = group->first + k;
        w->parts[k].tile = tile_at(w->grid, group->first + k);
        good = find_parts(w, &w->parts[k]);
    }
    if (good && w->has_cigars)
        pool_run(pool, group->n, pack_offsets, w);
    for (int k = 0; good && k < group->n; k++)
        good = write_parts(w, &w->parts[k]);
    return good ? ST_OK : fail(w);
}

static status_t write_groups(writer_t *w, pool_t *pool)
{
    reslog_ahead_t *ahead = NULL;
    reslog_group_t group = {.n = 0};
    status_t st = reslog_ahead_begin(w->log, w->grid->n_tiles, pool, false, &ahead);

    while (st == ST_OK && (st = reslog_ahead_next(ahead, &group)) == ST_OK && group.n > 0)
        st = write_group(w, &group, pool);
    reslog_ahead_end(ahead);
    return st;
}

static status_t write_tiles(hid_t file, const pairs_head_t *head, writer_t *w)
{
    bool good = true;
    status_t st;

    for (int d = 0; d < w->n_datasets; d++) {
        w->dataset[d] = pairs_datasets_matrix(file, pairs_dataset_name[d], H5T_STD_I32LE,
                                              w->grid, &pairs_fill[d]);
        good = good && w->dataset[d] >= 0;
    }
    if (w->has_cigars)
        good = pairs_cigar_begin(file, w->grid, &w->cigar) && good;
    st = good ? write_groups(w, head->pool) : fail(w);
    for (int d = 0; d < w->n_datasets; d++)
        good = h5util_close(w->dataset[d], good);
    if (w->has_cigars)
        good = pairs_cigar_end(&w->cigar) && good;
    for (int k = 0; k < w->capacity; k++)
        buf_free(&w->parts[k].offsets);
    free(w->parts);
    return good || st != ST_OK ? st : fail(w);
}

static status_t write_content(hid_t file, const pairs_head_t *head, const seqset_t *set,
                              writer_t *w)
{
    status_t st;

    if (!pairs_datasets_put_root(file, head) ||
        !h5text_put(file, "triangle", "row < col") ||
        !h5util_put_int(file, "tile_side", w->grid->side) ||
        !pairs_datasets_put_names(file, "sequences", set, 0, set->n) ||
        !pairs_datasets_put_sequences(file, head, set, set->n))
        return fail(w);
    if ((st = write_tiles(file, head, w)) != ST_OK)
        return st;
    return pairs_datasets_put_run(file, head, w->counts) ? ST_OK : fail(w);
}

status_t pairs_write(const pairs_head_t *head, const seqset_t *set,
                     const tile_grid_t *grid, const reslog_t *log, pairs_counts_t *counts)
{
    int64_t n_pairs = set->n * (set->n - 1) / 2;
    pairs_counts_t c = {.n_pairs = n_pairs, .n_aligned = n_pairs, .n_kept = n_pairs};
    writer_t w = {.log = log,
                  .grid = grid,
                  .n_datasets = head->n_datasets,
                  .has_cigars = head->n_datasets == PAIRS_N_CIGAR,
                  .counts = &c};
    status_t st;
    hid_t file;

    h5util_init();
    file = reslog_h5_begin(log, &w.file);
    st = file >= 0 ? write_content(file, head, set, &w) : fail(&w);
    if (!reslog_h5_end(w.file, st == ST_OK) && st == ST_OK)
        st = fail(&w);
    if (st == ST_OK)
        *counts = c;
    return st;
}
