/*
 * test_ihist_backend.c - every backend against naive counts: all rectangles of small
 * images, sides of 31, 32, 33 and primes, tiles in any order.
 */
#include "tests/support/unit_test.h"

#include "tests/kernels/ihist/ihist_case.h"

static const ihist_backend_t *const backends[] = {&ihist_serial_backend,
                                                  &ihist_tiled_backend, NULL};

static uint8_t pixels[IHIST_CASE_PIXELS];

static void all_rectangles_of_small_images_are_naive_counts(void **state)
{
    const ihist_backend_t *const *row = backends;

    (void)state;
    for (; *row != NULL; row++)
        for (int64_t height = 1; height <= 9; height++)
            for (int64_t width = 1; width <= 9; width++) {
                const ihist_shape_t s = {height, width, 1 + (height * width) % 5, 32,
                                         false};
                void *tiles;

                ihist_case_pixels((uint64_t)(height * 10 + width), height * width,
                                  pixels);
                tiles = ihist_case_tiles(*row, NULL, &s, pixels, 1, false);
                assert_non_null(tiles);
                assert_true(ihist_case_is_naive(&s, pixels, tiles));
                free(tiles);
            }
}

static void sides_around_those_of_tiles_and_primes_are_padded(void **state)
{
    const ihist_backend_t *const *row = backends;
    int n = 0;

    (void)state;
    for (; *row != NULL; row++)
        for (int k = 0; k < IHIST_CASE_SHAPES; k++, n++) {
            ihist_context_t c = {.shape = ihist_case_shape(k, n)};
            void *tiles;

            if (!(*row)->takes(&c))
                c.shape.is_wide = false;
            ihist_case_pixels((uint64_t)n, c.shape.height * c.shape.width, pixels);
            tiles = ihist_case_tiles(*row, NULL, &c.shape, pixels, 1 + n % 3, n % 2 == 1);
            assert_non_null(tiles);
            assert_true(ihist_case_is_whole(&c.shape, pixels, tiles));
            free(tiles);
        }
}

static void another_frame_begins_anew(void **state)
{
    const ihist_context_t c = {.shape = {40, 50, 8, 32, false}};
    int32_t *tile = malloc((size_t)ihist_tile_values(&c.shape) * 2 * sizeof(*tile));
    uint8_t black[40 * 50] = {0};
    void *tiled = NULL;

    (void)state;
    assert_non_null(tile);
    ihist_case_pixels(3, 40 * 50, pixels);
    assert_int_equal(ihist_tiled_backend.create(&c, &tiled), ST_OK);
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
    const ihist_context_t wide = {.shape = {4, 4, 4, 32, true}};

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
