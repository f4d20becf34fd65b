/*
 * ihist_backend.h - integral histograms of images, some tiles at a time, and what
 * computes them.
 *
 * The cells of integral.h are pixels: one count, in the bin of its value.  A frame is cut
 * into square tiles, numbered row by row, and a tile has P(y + 1, x + 1) of each of its
 * pixels, row by row.  Frames are padded to whole tiles with pixels of no bin.  All
 * backends return the same numbers; ihist_serial.c defines them.
 */
#pragma once

#include "kernels/device/backend.h"

#include <stdbool.h>
#include <stdint.h>

enum { IHIST_BINS_MAX = 256, IHIST_SIDE_STEP = 32, IHIST_SIDE_MAX = 256 };

/* What frames have in common. */
typedef struct {
    int64_t height, width;
    int64_t n_bins; /* value v is in bin v n_bins / 256 */
    int64_t side;   /* of a tile: a multiple of IHIST_SIDE_STEP */
    bool is_wide;   /* numbers have 64 bits; else 32, which suffice */
} ihist_shape_t;

/* @return whether counts need 64 bits */
static inline bool ihist_needs_wide(int64_t height, int64_t width)
{
    return height * width > INT32_MAX;
}

/* @return the tiles in a row of tiles, those of a frame, and the values of one */
static inline int64_t ihist_tiles_across(const ihist_shape_t *s)
{
    return (s->width + s->side - 1) / s->side;
}

static inline int64_t ihist_n_tiles(const ihist_shape_t *s)
{
    return (s->height + s->side - 1) / s->side * ihist_tiles_across(s);
}

static inline int64_t ihist_tile_values(const ihist_shape_t *s)
{
    return s->side * s->side * s->n_bins;
}

static inline int64_t ihist_bin(int64_t value, int64_t n_bins)
{
    return value * n_bins / 256;
}

typedef struct {
    backend_t base; /* its rate: values per second */

    /* @return whether it computes such frames; NULL: any */
    bool (*takes)(const ihist_shape_t *shape);

    /* @param out  of one thread @return ST_OK or ST_ENOMEM (logged) */
    status_t (*create)(const ihist_shape_t *shape, void **out);

    /*
     * Compute tiles of one row of tiles.  It is fast if the tiles of a frame come in
     * order.
     *
     * @param pixels  [height][width] of the frame, which stay as they are
     * @param out     [n][side][side][n_bins] int32_t, or int64_t
     * @return ST_OK or ST_ENOMEM (logged)
     */
    status_t (*run)(void *state, const uint8_t *pixels, int64_t first, int64_t n,
                    void *out);

    void (*destroy)(void *state);
} ihist_backend_t;

extern const ihist_backend_t ihist_serial_backend;
extern const ihist_backend_t ihist_tiled_backend;
