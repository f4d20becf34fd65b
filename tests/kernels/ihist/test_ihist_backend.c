/*
 * test_ihist_backend.c - every backend against naive counts: all rectangles of small
 * images, sides of 31, 32, 33 and primes, tiles in any order.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "kernels/ihist/ihist_backend.h"

#include <stdlib.h>
#include <string.h>

enum { PIXELS_MAX = 140 * 140 };

static const ihist_backend_t *const backends[] = {&ihist_serial_backend,
                                                  &ihist_tiled_backend, NULL};

static uint8_t pixels[PIXELS_MAX];

static void make_pixels(int64_t n, uint64_t seed)
{
    rng_t rng = rng_seed(seed);

    for (int64_t k = 0; k < n; k++)
        pixels[k] = (uint8_t)rng_below(&rng, 256);
}

/* @return P(y + 1, x + 1) of a bin, from tiles; numbers left of the frame are 0 */
static int64_t value_at(const ihist_shape_t *s, const void *tiles, int64_t y, int64_t x,
                        int64_t bin)
{
    const int64_t tile = y / s->side * ihist_tiles_across(s) + x / s->side;
    const int64_t at = tile * ihist_tile_values(s) +
                       (y % s->side * s->side + x % s->side) * s->n_bins + bin;

    if (y < 0 || x < 0)
        return 0;
    return s->is_wide ? ((const int64_t *)tiles)[at] : ((const int32_t *)tiles)[at];
}

/* Compute all tiles, some at a time. @return them, the caller's */
static void *all_tiles(const ihist_backend_t *b, const ihist_shape_t *s, int64_t together,
                       bool backwards)
{
    const int64_t across = ihist_tiles_across(s), n = ihist_n_tiles(s);
    const size_t tile_bytes = (size_t)ihist_tile_values(s) * (s->is_wide ? 8 : 4);
    char *tiles = malloc((size_t)n * tile_bytes);
    void *state = NULL;

    assert_non_null(tiles);
    memset(tiles, 0x5a, (size_t)n * tile_bytes);
    assert_int_equal(b->create(s, &state), ST_OK);
    for (int64_t k = 0; k < n / across; k++)
        for (int64_t x = 0; x < across; x += together) {
            const int64_t row = backwards ? n / across - 1 - k : k;
            const int64_t m = across - x < together ? across - x : together;

            assert_int_equal(b->run(state, pixels, row * across + x, m,
                                    tiles + (size_t)(row * across + x) * tile_bytes),
                             ST_OK);
        }
    b->destroy(state);
    return tiles;
}

/* Compare all rectangles with naive counts. */
static void compare_rectangles(const ihist_shape_t *s, const void *tiles)
{
    for (int64_t y0 = 0; y0 < s->height; y0++)
        for (int64_t y1 = y0 + 1; y1 <= s->height; y1++)
            for (int64_t x0 = 0; x0 < s->width; x0++)
                for (int64_t x1 = x0 + 1; x1 <= s->width; x1++) {
                    int64_t want[IHIST_BINS_MAX] = {0};

                    for (int64_t y = y0; y < y1; y++)
                        for (int64_t x = x0; x < x1; x++)
                            want[pixels[y * s->width + x] * s->n_bins / 256]++;
                    for (int64_t b = 0; b < s->n_bins; b++)
                        assert_int_equal(want[b],
                                         value_at(s, tiles, y1 - 1, x1 - 1, b) -
                                             value_at(s, tiles, y0 - 1, x1 - 1, b) -
                                             value_at(s, tiles, y1 - 1, x0 - 1, b) +
                                             value_at(s, tiles, y0 - 1, x0 - 1, b));
                }
}

static void all_rectangles_of_small_images_are_naive_counts(void **state)
{
    const ihist_backend_t *const *row = backends;

    (void)state;
    for (; *row != NULL; row++)
        for (int64_t height = 1; height <= 9; height++)
            for (int64_t width = 1; width <= 9; width++) {
                const ihist_backend_t *b = *row;
                const ihist_shape_t s = {height, width, 1 + (height * width) % 5, 32,
                                         false};
                void *tiles;

                make_pixels(height * width, (uint64_t)(height * 10 + width));
                tiles = all_tiles(b, &s, 1, false);
                compare_rectangles(&s, tiles);
                free(tiles);
            }
}

/* Every number, by the counts of each row and column by hand. */
static void compare_all(const ihist_shape_t *s, const void *tiles)
{
    const int64_t across = ihist_tiles_across(s) * s->side;
    const int64_t down = ihist_n_tiles(s) / ihist_tiles_across(s) * s->side;
    int64_t *sums = calloc((size_t)(across * s->n_bins), sizeof(*sums));

    assert_non_null(sums);
    for (int64_t y = 0; y < down; y++) {
        int64_t row[IHIST_BINS_MAX] = {0};

        for (int64_t x = 0; x < across; x++) {
            if (y < s->height && x < s->width)
                row[pixels[y * s->width + x] * s->n_bins / 256]++;
            for (int64_t b = 0; b < s->n_bins; b++) {
                sums[x * s->n_bins + b] += row[b];
                assert_int_equal(value_at(s, tiles, y, x, b), sums[x * s->n_bins + b]);
            }
        }
    }
    free(sums);
}

static void sides_around_those_of_tiles_and_primes_are_padded(void **state)
{
    static const int64_t sides[] = {31, 32, 33, 1, 63, 64, 65, 97, 127, 131};
    enum { N_SIDES = sizeof(sides) / sizeof(*sides) };
    const ihist_backend_t *const *row = backends;
    int n = 0;

    (void)state;
    for (; *row != NULL; row++)
        for (int64_t i = 0; i < N_SIDES; i++, n++) {
            const ihist_backend_t *b = *row;
            ihist_shape_t s = {sides[i], sides[(3 * i + n) % N_SIDES],
                               n % 3 == 0 ? 32 : 1 + 37 * n % 256, n % 4 == 3 ? 96 : 32,
                               n % 5 == 1};
            void *tiles;

            if (b->takes != NULL && !b->takes(&s))
                s.is_wide = false;
            make_pixels(s.height * s.width, (uint64_t)n);
            tiles = all_tiles(b, &s, 1 + n % 3, n % 2 == 1);
            compare_all(&s, tiles);
            free(tiles);
        }
}

static void another_frame_begins_anew(void **state)
{
    const ihist_shape_t s = {40, 50, 8, 32, false};
    int32_t *tile = malloc((size_t)ihist_tile_values(&s) * 2 * sizeof(*tile));
    uint8_t black[40 * 50] = {0};
    void *tiled = NULL;

    (void)state;
    assert_non_null(tile);
    make_pixels(40 * 50, 3);
    assert_int_equal(ihist_tiled_backend.create(&s, &tiled), ST_OK);
    assert_int_equal(ihist_tiled_backend.run(tiled, pixels, 2, 2, tile), ST_OK);
    assert_int_equal(ihist_tiled_backend.run(tiled, black, 2, 2, tile), ST_OK);
    assert_int_equal(tile[0], 33); /* 33 rows, one column */
    assert_int_equal(tile[1], 0);  /* no pixel of another bin */
    assert_int_equal(tile[31 * 8], 33 * 32);
    ihist_tiled_backend.destroy(tiled);
    free(tile);
}

static void counts_above_31_bits_are_wide(void **state)
{
    const ihist_shape_t wide = {4, 4, 4, 32, true};

    (void)state;
    assert_false(ihist_needs_wide(46340, 46340));
    assert_false(ihist_needs_wide(1, INT32_MAX));
    assert_true(ihist_needs_wide(46341, 46341));
    assert_true(ihist_needs_wide(1 << 20, 1 << 20));
    assert_false(ihist_tiled_backend.takes(&wide));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rectangles_of_small_images_are_naive_counts),
        cmocka_unit_test(sides_around_those_of_tiles_and_primes_are_padded),
        cmocka_unit_test(another_frame_begins_anew),
        cmocka_unit_test(counts_above_31_bits_are_wide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
