/*
 * pairs_write_hits.c - writing a file of hits, one row of tiles at a time: it holds all
 * hits of its rows.
 */
#include "io/pairs/write/pairs_write.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5stream.h"
#include "io/hdf5/h5text.h"
#include "io/pairs/write/pairs_datasets.h"
#include "io/pairs/write/pairs_hits.h"
#include "io/store/reslog_ahead.h"

#include <stdlib.h>
#include <string.h>

/* Values per chunk, and bytes per chunk of text. */
enum { CHUNK = 1 << 14, TEXT_CHUNK = 1 << 16 };

typedef struct {
    const char *path;
    const pairs_head_t *head;
    const tile_grid_t *grid;
    reslog_ahead_t *log;
    reslog_group_t ahead; /* of records of the log */
    int ahead_at;         /* the next one that is used */
    h5file_t *image;
    hid_t file, group;
    h5stream_t dataset[PAIRS_HIT_DATASETS], text, text_start;
    int64_t n, n_text;  /* written */
    int64_t *row_start; /* [rows + 1] */
    pairs_hits_t hits;  /* of a row of tiles, tile by tile */
} writer_t;

/* Hits of a row of tiles, sorted by row, then column. */
typedef struct {
    pairs_entry_t *entries; /* [n] */
    int64_t n, n_text;
    void *values; /* [n] of one dataset, of its type */
    char *text;   /* [n_text] */
} sorted_t;

static int n_datasets(const writer_t *w)
{
    return w->head->has_strand ? PAIRS_HIT_DATASETS : PAIRS_HIT_STRAND;
}

static bool has_text(const writer_t *w)
{
    return w->head->n_datasets == PAIRS_N_CIGAR;
}

static status_t begin(writer_t *w)
{
    const int64_t zero = 0;
    pool_t *pool = w->head->pool;
    bool good;

    w->row_start = calloc((size_t)w->grid->n + 1, sizeof(*w->row_start));
    if (w->row_start == NULL)
        return log_nomem("the rows of hits");
    w->group = h5util_create_group(w->file, "hits");
    good = w->group >= 0;
    for (int d = 0; good && d < n_datasets(w); d++)
        good = h5stream_begin(w->group, pairs_hit_name[d],
                              d == PAIRS_HIT_STRAND ? H5T_STD_I8LE : H5T_STD_I32LE, CHUNK,
                              -1, DEFLATE_NUMBERS, pool, &w->dataset[d]);
    if (good && has_text(w))
        good = h5stream_begin(w->file, "cigar", H5T_STD_U8LE, TEXT_CHUNK, -1,
                              DEFLATE_TEXT, pool, &w->text) &&
               h5stream_begin(w->group, "cigar_offset", H5T_STD_I64LE, CHUNK, -1,
                              DEFLATE_NUMBERS, pool, &w->text_start) &&
               h5stream_append(&w->text_start, &zero, 1);
    return good ? ST_OK : pairs_datasets_fail(w->path, "write");
}

static status_t next_record(writer_t *w, const buf_t **out)
{
    status_t st = ST_OK;

    if (w->ahead_at == w->ahead.n) {
        st = reslog_ahead_next(w->log, &w->ahead);
        w->ahead_at = 0;
    }
    if (st == ST_OK)
        *out = &w->ahead.records[w->ahead_at++];
    return st;
}

/* Read the records of a row of tiles. */
static status_t read_row(writer_t *w, int64_t row)
{
    int64_t end = tile_row_start(w->grid, row + 1);
    status_t st = ST_OK;

    w->hits.entries.len = 0;
    w->hits.text.len = 0;
    for (int64_t k = tile_row_start(w->grid, row); st == ST_OK && k < end; k++) {
        const buf_t *record;

        if ((st = next_record(w, &record)) == ST_OK)
            st = pairs_hits_unpack(record->data, record->len, &w->hits);
        if (st == ST_EINPUT) {
            log_error("%s: the log's record of tile %lld does not hold hits; start "
                      "over with --force",
                      w->path, (long long)k);
            st = ST_EIO;
        }
    }
    return st;
}

/* Counting sort by row.  It is stable: tiles come in order of columns, and so do the hits
 * of a row within a tile. */
static void sort_rows(const writer_t *w, int64_t row0, int64_t n_rows, sorted_t *s)
{
    int64_t start[TILE_SIDE_FILTERED + 1] = {0};

    for (int64_t k = 0; k < s->n; k++)
        start[pairs_hits_at(&w->hits, k)->hit.row - row0 + 1]++;
    for (int64_t i = 0; i < n_rows; i++)
        start[i + 1] += start[i];
    for (int64_t k = 0; k < s->n; k++) {
        const pairs_entry_t *e = pairs_hits_at(&w->hits, k);

        s->entries[start[e->hit.row - row0]++] = *e;
    }
}

static bool write_dataset(writer_t *w, int d, const sorted_t *s)
{
    int32_t *values = s->values;
    int8_t *strands = s->values;
    int64_t first = w->grid->is_rectangle ? w->grid->col_first : 0;

    for (int64_t k = 0; k < s->n; k++) {
        const pairs_hit_t *h = &s->entries[k].hit;

        if (d == PAIRS_HIT_STRAND)
            strands[k] = (int8_t)h->strand;
        else
            values[k] = d == PAIRS_HIT_ROW       ? h->row
                        : d == PAIRS_HIT_COL     ? (int32_t)(h->col - first)
                        : d == PAIRS_HIT_SCORE   ? h->score
                        : d == PAIRS_HIT_MATCHES ? h->matches
                                                 : h->columns;
    }
    return h5stream_append(&w->dataset[d], s->values, s->n);
}

/* Write the CIGARs in the order of the hits, and where each one ends. */
static bool write_text(writer_t *w, sorted_t *s)
{
    int64_t *ends = s->values;

    for (int64_t k = 0; k < s->n; k++) {
        const pairs_entry_t *e = &s->entries[k];

        if (e->text_len > 0)
            memcpy(s->text + s->n_text, w->hits.text.data + e->text_at,
                   (size_t)e->text_len);
        s->n_text += e->text_len;
        ends[k] = w->n_text + s->n_text;
    }
    return h5stream_append(&w->text_start, ends, s->n) &&
           h5stream_append(&w->text, s->text, s->n_text);
}

static bool write_sorted(writer_t *w, sorted_t *s)
{
    bool good = true;

    for (int d = 0; good && d < n_datasets(w); d++)
        good = write_dataset(w, d, s);
    if (good && has_text(w))
        good = write_text(w, s);
    for (int64_t k = 0; k < s->n; k++)
        w->row_start[s->entries[k].hit.row + 1]++;
    w->n += s->n;
    w->n_text += s->n_text;
    return good;
}

/* @return whether every hit is of the row of tiles that its record is of */
static bool rows_fit(const writer_t *w, int64_t row0, int64_t n_rows)
{
    for (int64_t k = 0; k < pairs_hits_n(&w->hits); k++) {
        int64_t i = pairs_hits_at(&w->hits, k)->hit.row - row0;

        if (i < 0 || i >= n_rows)
            return false;
    }
    return true;
}

static status_t write_row(writer_t *w, int64_t row)
{
    int64_t row0 = row * w->grid->side, left = w->grid->n - row0;
    int64_t n_rows = left < w->grid->side ? left : w->grid->side;
    sorted_t s = {.n = 0};
    status_t st = read_row(w, row);

    if (st != ST_OK)
        return st;
    if (!rows_fit(w, row0, n_rows))
        return pairs_datasets_fail(w->path, "write");
    s.n = pairs_hits_n(&w->hits);
    s.entries = malloc((size_t)s.n * sizeof(*s.entries) + 1);
    s.values = malloc((size_t)s.n * sizeof(int64_t) + 1);
    s.text = malloc(w->hits.text.len + 1);
    if (s.entries == NULL || s.values == NULL || s.text == NULL)
        st = log_nomem("a row of hits");
    if (st == ST_OK)
        sort_rows(w, row0, n_rows, &s);
    if (st == ST_OK && w->head->top > 0)
        st = pairs_order_keep(w->head->top_order, w->head->top, s.entries,
                              sizeof(*s.entries), &s.n);
    if (st == ST_OK && !write_sorted(w, &s))
        st = pairs_datasets_fail(w->path, "write");
    free(s.entries);
    free(s.values);
    free(s.text);
    return st;
}

static status_t end(writer_t *w, status_t st)
{
    bool good = true;

    for (int64_t i = 0; st == ST_OK && i < w->grid->n; i++)
        w->row_start[i + 1] += w->row_start[i];
    if (st == ST_OK)
        good =
            h5util_put_int64s(w->group, "row_start", w->row_start, w->grid->n + 1, CHUNK);
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++)
        good = h5stream_end(&w->dataset[d]) && good;
    good = h5stream_end(&w->text) && good;
    good = h5stream_end(&w->text_start) && good;
    good = h5util_close(w->group, good);
    free(w->row_start);
    pairs_hits_free(&w->hits);
    return st == ST_OK && !good ? pairs_datasets_fail(w->path, "write") : st;
}

static status_t write_all(writer_t *w, const reslog_t *log)
{
    status_t st = reslog_ahead_begin(log, w->grid->n_tiles, w->head->pool, true, &w->log);

    if (st == ST_OK)
        st = begin(w);
    for (int64_t row = 0; st == ST_OK && row < w->grid->n_blocks; row++)
        st = write_row(w, row);
    reslog_ahead_end(w->log);
    return end(w, st);
}

static void count_pairs(const writer_t *w, pairs_counts_t *c)
{
    int64_t n = w->grid->n, n_cols = w->grid->n_cols;

    *c = (pairs_counts_t){.n_kept = w->n,
                          .n_without_identity = w->hits.n_without_identity};
    c->n_pairs = !w->grid->is_rectangle ? n * (n - 1) / 2
                                        : n * n_cols * (w->head->has_strand ? 2 : 1);
    c->n_aligned = c->n_pairs - w->head->n_taken;
    for (int k = 0; k < PAIRS_STAGES_MAX; k++) {
        c->n_dropped[k] = w->hits.n_dropped[k];
        c->n_aligned -= c->n_dropped[k];
    }
}

static bool write_head(const writer_t *w, const seqset_t *set)
{
    const pairs_head_t *head = w->head;
    const tile_grid_t *grid = w->grid;
    char min_id[FRACTION_RATIO_BYTES];

    return pairs_datasets_put_root(w->file, head) &&
           h5text_put(w->file, "layout", "hits") &&
           (grid->is_rectangle || h5text_put(w->file, "triangle", "row < col")) &&
           (head->min_identity.denominator == 0 ||
            h5text_put(w->file, "min_identity",
                       fraction_to_ratio(&head->min_identity, min_id))) &&
           (head->top == 0 || h5util_put_int(w->file, "top", head->top)) &&
           pairs_datasets_put_names(w->file, "sequences", set, 0, grid->n) &&
           pairs_datasets_put_sequences(w->file, head, set, grid->n) &&
           (!grid->is_rectangle ||
            pairs_datasets_put_names(w->file, "references", set, grid->col_first,
                                     grid->n_cols));
}

status_t pairs_write_hits(const char *path, bool force, const pairs_head_t *head,
                          const seqset_t *set, const tile_grid_t *grid,
                          const reslog_t *log, pairs_counts_t *counts)
{
    writer_t w = {.path = path, .head = head, .grid = grid};
    pairs_counts_t c;
    h5whole_t f;
    status_t st;

    if ((st = h5whole_open(path, force, &f)) != ST_OK)
        return st;
    w.file = f.file;
    if (!write_head(&w, set))
        st = pairs_datasets_fail(path, "write");
    if (st == ST_OK)
        st = write_all(&w, log);
    count_pairs(&w, &c);
    if (st == ST_OK && !pairs_datasets_put_run(w.file, head, &c))
        st = pairs_datasets_fail(path, "write");
    log_phase("result");
    st = h5whole_close(&f, st);
    log_phase("disk");
    if (st == ST_OK)
        *counts = c;
    return st;
}
