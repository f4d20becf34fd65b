/*
 * ihist_tiled.c - one pass over the tiles of a row of tiles, which are small enough for
 * the cache.
 *
 * A pixel's numbers are those of the pixel above and those of its row up to it.  The row
 * above the tiles is a prefix sum of the counts of each column above, which are kept from
 * one row of tiles to the next; what a row has up to the begin of a tile is passed on
 * from tile to tile.
 */
#include "io/base/logmsg.h"
#include "kernels/ihist/ihist_backend.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ihist_shape_t shape;
    int32_t bin[256];

    const uint8_t *pixels; /* whose columns were counted down to a row */
    int64_t n_rows;
    int32_t *column; /* [width of whole tiles][n_bins] counts in these rows */
    int32_t *above;  /* [side][n_bins] P of the row above a tile */
    int32_t *rows;   /* [side][n_bins] of each of its rows, up to a pixel */
} tiled_t;

static bool takes(const ihist_context_t *context)
{
    return !context->shape.is_wide;
}

static void destroy(void *state)
{
    tiled_t *w = state;

    if (w == NULL)
        return;
    free(w->column);
    free(w->above);
    free(w->rows);
    free(w);
}

static size_t column_bytes(const ihist_shape_t *s)
{
    return (size_t)(ihist_tiles_across(s) * s->side * s->n_bins) * sizeof(int32_t);
}

static status_t create(const ihist_context_t *context, void **out)
{
    const ihist_shape_t *shape = &context->shape;
    const size_t row_bytes = (size_t)(shape->side * shape->n_bins) * sizeof(int32_t);
    tiled_t *w = calloc(1, sizeof(*w));

    if (w == NULL || (w->column = malloc(column_bytes(shape))) == NULL ||
        (w->above = malloc(row_bytes)) == NULL || (w->rows = malloc(row_bytes)) == NULL) {
        destroy(w);
        return log_nomem("an integral histogram");
    }
    w->shape = *shape;
    for (int v = 0; v < 256; v++)
        w->bin[v] = (int32_t)ihist_bin(v, shape->n_bins);
    *out = w;
    return ST_OK;
}

/* Count the columns of the rows above `end`, of which some may have been counted. */
static void count_columns(tiled_t *w, const uint8_t *pixels, int64_t end)
{
    const ihist_shape_t *s = &w->shape;

    if (pixels != w->pixels || end < w->n_rows) {
        memset(w->column, 0, column_bytes(s));
        w->pixels = pixels;
        w->n_rows = 0;
    }
    for (; w->n_rows < end; w->n_rows++) {
        const uint8_t *row = pixels + w->n_rows * s->width;

        for (int64_t x = 0; x < s->width; x++)
            w->column[x * s->n_bins + w->bin[row[x]]]++;
    }
}

/* Begin at tile `first` of a row of tiles: sum up what is left of it.
 * @param top  the row's first pixel row @param last  [n_bins] out: P at its corner */
static void begin_row(tiled_t *w, const uint8_t *pixels, int64_t first, int64_t top,
                      int32_t *last)
{
    const ihist_shape_t *s = &w->shape;
    const int64_t left = first * s->side;

    count_columns(w, pixels, top < s->height ? top : s->height);
    memset(last, 0, (size_t)s->n_bins * sizeof(*last));
    for (int64_t k = 0; k < left * s->n_bins; k++)
        last[k % s->n_bins] += w->column[k];
    memset(w->rows, 0, (size_t)(s->side * s->n_bins) * sizeof(*w->rows));
    for (int64_t y = 0; y < s->side && top + y < s->height; y++)
        for (int64_t x = 0; x < left; x++)
            w->rows[y * s->n_bins + w->bin[pixels[(top + y) * s->width + x]]]++;
}

/* The row above a tile. @param last  P left of it; out: at its end */
static void begin_tile(tiled_t *w, int64_t left, int32_t *last)
{
    const int64_t n_bins = w->shape.n_bins;

    for (int64_t x = 0; x < w->shape.side; x++)
        for (int64_t b = 0; b < n_bins; b++)
            w->above[x * n_bins + b] = last[b] += w->column[(left + x) * n_bins + b];
}

/* A row of a tile. @param n  pixels of the frame, behind which is padding */
static inline void fill_row(const int32_t *restrict bin, const uint8_t *restrict pixels,
                            int64_t n, int64_t side, int64_t n_bins,
                            const int32_t *restrict above, int32_t *restrict row,
                            int32_t *restrict out)
{
    for (int64_t x = 0; x < side; x++, above += n_bins, out += n_bins) {
        if (x < n)
            row[bin[pixels[x]]]++;
        for (int64_t b = 0; b < n_bins; b++)
            out[b] = above[b] + row[b];
    }
}

static void fill_tile(const tiled_t *w, const uint8_t *pixels, int64_t left, int64_t top,
                      int32_t *out)
{
    const ihist_shape_t *s = &w->shape;
    const int32_t *above = w->above;

    for (int64_t y = 0; y < s->side; y++) {
        const uint8_t *from = pixels + (top + y) * s->width + left;
        int64_t n = s->width - left;

        n = top + y >= s->height ? 0 : n < s->side ? n : s->side;
        if (s->n_bins == 32) /* known to the compiler */
            fill_row(w->bin, from, n, s->side, 32, above, w->rows + y * 32, out);
        else
            fill_row(w->bin, from, n, s->side, s->n_bins, above, w->rows + y * s->n_bins,
                     out);
        above = out;
        out += s->side * s->n_bins;
    }
}

static status_t run(void *state, const uint8_t *pixels, int64_t first, int64_t n,
                    void *out)
{
    tiled_t *w = state;
    const ihist_shape_t *s = &w->shape;
    const int64_t across = ihist_tiles_across(s), top = first / across * s->side;
    int32_t last[IHIST_BINS_MAX];

    begin_row(w, pixels, first % across, top, last);
    for (int64_t k = 0; k < n; k++) {
        const int64_t left = (first % across + k) * s->side;

        begin_tile(w, left, last);
        fill_tile(w, pixels, left, top, (int32_t *)out + k * ihist_tile_values(s));
    }
    return ST_OK;
}

const ihist_backend_t ihist_tiled_backend = {
    .base = {.name = "tiled", .kind = DEVICE_CPU, .rate = 1e9},
    .takes = takes,
    .create = create,
    .run = run,
    .destroy = destroy,
};
