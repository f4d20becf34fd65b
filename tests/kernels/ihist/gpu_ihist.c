/*
 * gpu_ihist.c - the backends of GPUs against naive counts: all rectangles of small
 * images, sides around those of tiles and primes, and batches of many frames.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It exits with 1 if any
 * number differs, 77 without a GPU.
 */
#include "tests/kernels/ihist/ihist_case.h"
#include "tests/support/gpu_case.h"

#include <inttypes.h>
#include <stdio.h>

enum { FRAMES = 250, BATCHES = 7, FRAME_SIDE = 70 };

static const ihist_backend_t *const backends[] = {&ihist_look_back_backend,
                                                  &ihist_wf_tiled_backend,
                                                  &ihist_cw_tiledhv_backend, NULL};

static uint8_t pixels[IHIST_CASE_PIXELS];
static uint8_t film[FRAMES * FRAME_SIDE * FRAME_SIDE];

static int report(const ihist_backend_t *b, const ihist_shape_t *s, bool good)
{
    if (!good)
        printf("%s: %" PRId64 " x %" PRId64 " pixels, %" PRId64 " bins, tiles of %" PRId64
               ": other numbers than those of naive counts\n",
               b->base.name, s->width, s->height, s->n_bins, s->side);
    return !good;
}

static int compare(const ihist_backend_t *b, const device_t *gpu, const ihist_shape_t *s,
                   int n)
{
    void *tiles;
    bool good;

    ihist_case_pixels((uint64_t)n, s->height * s->width, pixels);
    tiles = ihist_case_tiles(b, gpu, s, pixels, 1 + n % 3, n % 2 == 1);
    good = tiles != NULL && ihist_case_is_whole(s, pixels, tiles) &&
           (s->height * s->width > 81 || ihist_case_is_naive(s, pixels, tiles));
    free(tiles);
    return report(b, s, good);
}

/* @return whether a slot has the frames of a batch */
static bool is_batch(const ihist_backend_t *b, void *state, int slot,
                     const ihist_shape_t *s, const ihist_run_t *runs, int n_runs)
{
    const void *tiles = NULL;
    bool good = b->wait(state, slot, &tiles, NULL) == ST_OK;

    for (int k = 0; good && k < n_runs; k++)
        good = ihist_case_is_whole(s, film + runs[k].frame * s->height * s->width,
                                   (const int32_t *)tiles +
                                       k * ihist_n_tiles(s) * ihist_tile_values(s));
    return good;
}

/* Batches of frames, one row of tiles each, two at a time. */
static int compare_film(const ihist_backend_t *b, const device_t *gpu, int64_t n_bins)
{
    enum { RUNS = 2 * FRAMES / BATCHES };
    const ihist_context_t c = {{.height = 60, FRAME_SIDE, n_bins, 64, false},
                               gpu,
                               {film, FRAMES}};
    ihist_run_t runs[2][RUNS];
    void *state = NULL;
    bool good = b->create(&c, &state) == ST_OK;

    for (int k = 0; k < 2 * BATCHES; k++) {
        for (int r = 0; r < RUNS; r++) /* some again, some in no order */
            runs[k % 2][r] = (ihist_run_t){k < BATCHES ? k * RUNS / 2 + r / 2
                                                       : (k * 31 + r * 7) % FRAMES,
                                           0, 2};
        good = good && b->start(state, k % IHIST_SLOTS, runs[k % 2], RUNS) == ST_OK;
        if (k > 0)
            good = good && is_batch(b, state, (k - 1) % IHIST_SLOTS, &c.shape,
                                    runs[(k - 1) % 2], RUNS);
    }
    b->destroy(state);
    return report(b, &c.shape, good);
}

static int compare_all(const ihist_backend_t *b, const device_t *gpu)
{
    int n_failed = 0, n = 0;

    for (int64_t height = 1; height <= 9; height++)
        for (int64_t width = 1; width <= 9; width++, n++) {
            const ihist_shape_t s = {height, width, 1 + n % 40, n % 2 == 0 ? 32 : 64,
                                     false};

            n_failed += compare(b, gpu, &s, n);
        }
    for (int k = 0; k < IHIST_CASE_SHAPES; k++)
        for (int i = 0; i < 5; i++, n++) {
            ihist_shape_t s = ihist_case_shape(k, n);

            s.is_wide = false;
            n_failed += compare(b, gpu, &s, n);
        }
    n_failed += compare_film(b, gpu, 32) + compare_film(b, gpu, 71);
    return n_failed;
}

int main(void)
{
    const ihist_backend_t *const *row = backends;
    device_t cpu, gpu;
    pool_t *pool = NULL;
    int n_failed = 0;
    const int code = gpu_case_begin(0, &cpu, &gpu, &pool);

    if (code != EXIT_SUCCESS)
        return code;
    pool_destroy(pool);
    ihist_case_pixels(7, (int64_t)sizeof(film), film);
    for (; *row != NULL; row++)
        n_failed += compare_all(*row, &gpu);
    printf("%d cases differ\n", n_failed);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
