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

/* Images, which stay as they are. */
typedef struct {
    const uint8_t *pixels; /* [n][height][width] */
    int64_t n;
} ihist_frames_t;

/* What a backend is created for. */
typedef struct {
    ihist_shape_t shape;
    const device_t *device;
    ihist_frames_t frames; /* of batches, which a GPU copies from there: it pins the
                            * memory; none: there are no batches */
} ihist_context_t;

/* Tiles of one row of tiles of a frame; n = 0: none, but the frame is computed. */
typedef struct {
    int64_t frame, first, n;
} ihist_run_t;

/* Batches that a GPU computes at a time, or keeps the results of. */
enum { IHIST_SLOTS = 4 };

typedef struct {
    backend_t base; /* its rate: values per second */

    /* @return whether it computes such frames on the context's device */
    bool (*takes)(const ihist_context_t *context);

    /*
     * Create a state.
     *
     * @param out  a CPU: of one thread
     * @return ST_OK, ST_ENOMEM or ST_ELOST (logged), or ST_EDEVICE: too little memory
     *         there
     */
    status_t (*create)(const ihist_context_t *context, void **out);

    /*
     * Compute tiles of one row of tiles.  It is fast if the tiles of a frame come in
     * order.
     *
     * @param pixels  [height][width] of the frame, which stay as they are
     * @param out     [n][side][side][n_bins] int32_t, or int64_t
     * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST (logged)
     */
    status_t (*run)(void *state, const uint8_t *pixels, int64_t first, int64_t n,
                    void *out);

    /*
     * GPUs (else NULL): begin to compute a batch, without waiting for it.  A GPU computes
     * whole frames, and keeps those of the last batches.
     *
     * @param slot  0 .. IHIST_SLOTS - 1: what it holds is overwritten
     * @return as run
     */
    status_t (*start)(void *state, int slot, const ihist_run_t *runs, int n_runs);

    /*
     * GPUs (else NULL): wait for a batch.
     *
     * @param out       the tiles of its runs, one after the other, the slot's
     * @param kernel_s  NULL or: seconds of the kernels
     * @return as run
     */
    status_t (*wait)(void *state, int slot, const void **out, double *kernel_s);

    void (*destroy)(void *state); /* takes NULL */
} ihist_backend_t;

extern const ihist_backend_t ihist_serial_backend;
extern const ihist_backend_t ihist_tiled_backend;
#ifdef RIBOGRID_HAVE_CUDA
extern const ihist_backend_t ihist_look_back_backend;
extern const ihist_backend_t ihist_wf_tiled_backend;
extern const ihist_backend_t ihist_cw_tiledhv_backend;
#endif
