/*
 * ihist_case.h - images, and their integral histograms by naive counts.
 */
#pragma once

#include "io/base/rng.h"
#include "kernels/ihist/ihist_backend.h"

#include <stdlib.h>
#include <string.h>

enum { IHIST_CASE_PIXELS = 140 * 140 };

static inline void ihist_case_pixels(uint64_t seed, int64_t n, uint8_t *out)
{
    rng_t rng = rng_seed(seed);

    for (int64_t k = 0; k < n; k++)
        out[k] = (uint8_t)rng_below(&rng, 256);
}

/* @return P(y + 1, x + 1) of a bin, from tiles; numbers left of the frame are 0 */
static inline int64_t ihist_case_value(const ihist_shape_t *s, const void *tiles,
                                       int64_t y, int64_t x, int64_t bin)
{
    const int64_t tile = y / s->side * ihist_tiles_across(s) + x / s->side;
    const int64_t at = tile * ihist_tile_values(s) +
                       (y % s->side * s->side + x % s->side) * s->n_bins + bin;

    if (y < 0 || x < 0)
        return 0;
    return s->is_wide ? ((const int64_t *)tiles)[at] : ((const int32_t *)tiles)[at];
}

/* Compute all tiles, some at a time.
 * @param backwards  the last row of tiles first @return them, the caller's; or NULL */
static inline void *ihist_case_tiles(const ihist_backend_t *b, const device_t *device,
                                     const ihist_shape_t *s, const uint8_t *pixels,
                                     int64_t together, bool backwards)
{
    const ihist_context_t context = {.shape = *s, .device = device};
    const int64_t across = ihist_tiles_across(s), n = ihist_n_tiles(s);
    const size_t tile_bytes = (size_t)ihist_tile_values(s) * (s->is_wide ? 8 : 4);
    char *tiles = malloc((size_t)n * tile_bytes);
    void *state = NULL;
    status_t st = ST_ENOMEM;

    if (tiles != NULL && (st = b->create(&context, &state)) == ST_OK)
        memset(tiles, 0x5a, (size_t)n * tile_bytes);
    for (int64_t k = 0; st == ST_OK && k < n / across; k++)
        for (int64_t x = 0; st == ST_OK && x < across; x += together) {
            const int64_t row = backwards ? n / across - 1 - k : k;
            const int64_t m = across - x < together ? across - x : together;

            st = b->run(state, pixels, row * across + x, m,
                        tiles + (size_t)(row * across + x) * tile_bytes);
        }
    b->destroy(state);
    if (st == ST_OK)
        return tiles;
    free(tiles);
    return NULL;
}

/* @return whether the four numbers at its corners give the counts of a rectangle */
static inline bool ihist_case_is_rectangle(const ihist_shape_t *s, const uint8_t *pixels,
                                           const void *tiles, const int64_t *x,
                                           const int64_t *y)
{
    int64_t want[IHIST_BINS_MAX] = {0};

    for (int64_t row = y[0]; row < y[1]; row++)
        for (int64_t column = x[0]; column < x[1]; column++)
            want[pixels[row * s->width + column] * s->n_bins / 256]++;
    for (int64_t b = 0; b < s->n_bins; b++)
        if (want[b] != ihist_case_value(s, tiles, y[1] - 1, x[1] - 1, b) -
                           ihist_case_value(s, tiles, y[0] - 1, x[1] - 1, b) -
                           ihist_case_value(s, tiles, y[1] - 1, x[0] - 1, b) +
                           ihist_case_value(s, tiles, y[0] - 1, x[0] - 1, b))
            return false;
    return true;
}

/* @return whether the numbers give the naive counts of all rectangles */
static inline bool ihist_case_is_naive(const ihist_shape_t *s, const uint8_t *pixels,
                                       const void *tiles)
{
    int64_t x[2], y[2];

    for (y[0] = 0; y[0] < s->height; y[0]++)
        for (y[1] = y[0] + 1; y[1] <= s->height; y[1]++)
            for (x[0] = 0; x[0] < s->width; x[0]++)
                for (x[1] = x[0] + 1; x[1] <= s->width; x[1]++)
                    if (!ihist_case_is_rectangle(s, pixels, tiles, x, y))
                        return false;
    return true;
}

/* @return whether every number, also those of padding, is the sum of the counts of its
 *         row and those above */
static inline bool ihist_case_is_whole(const ihist_shape_t *s, const uint8_t *pixels,
                                       const void *tiles)
{
    const int64_t across = ihist_tiles_across(s) * s->side;
    const int64_t down = ihist_n_tiles(s) / ihist_tiles_across(s) * s->side;
    int64_t *sums = calloc((size_t)(across * s->n_bins), sizeof(*sums));
    bool good = sums != NULL;

    for (int64_t y = 0; good && y < down; y++) {
        int64_t row[IHIST_BINS_MAX] = {0};

        for (int64_t x = 0; good && x < across; x++) {
            if (y < s->height && x < s->width)
                row[pixels[y * s->width + x] * s->n_bins / 256]++;
            for (int64_t b = 0; good && b < s->n_bins; b++) {
                sums[x * s->n_bins + b] += row[b];
                good = ihist_case_value(s, tiles, y, x, b) == sums[x * s->n_bins + b];
            }
        }
    }
    free(sums);
    return good;
}

/* Shapes that differ in all ways.
 * @param k  0 .. IHIST_CASE_SHAPES - 1 @param n  of the test, to vary the rest */
enum { IHIST_CASE_SHAPES = 10 };

static inline ihist_shape_t ihist_case_shape(int k, int n)
{
    static const int64_t sides[IHIST_CASE_SHAPES] = {31, 32, 33, 1,   63,
                                                     64, 65, 97, 127, 131};
    static const int64_t tile_sides[] = {32, 32, 64, 96, 128};

    return (ihist_shape_t){sides[k], sides[(3 * k + n) % IHIST_CASE_SHAPES],
                           n % 3 == 0 ? 32 : 1 + 37 * n % 256, tile_sides[n % 5],
                           n % 7 == 1};
}
