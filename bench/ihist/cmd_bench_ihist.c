/*
 * cmd_bench_ihist.c - `ribogrid-bench ihist`: times the kernels of integral histograms on
 * one thread, and compares rectangles with naive counts.
 */
#include "bench/options/benchmarks.h"
#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"
#include "io/base/rng.h"
#include "kernels/registry/backends.h"
#include "tools/options/option_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS_MAX = 100, N_RECTANGLES = 16 };

typedef struct {
    job_opts_t common;
    int64_t height, width, n_bins, side, seed, n_runs;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t options[] = {
    {OPTION_INT, "height", 0, AT(height), "N", "rows of the image ({})", 1, 1 << 16},
    {OPTION_INT, "width", 0, AT(width), "N", "columns ({})", 1, 1 << 16},
    {.word = WORD_BINS, AT(n_bins), .max = IHIST_BINS_MAX, .help = " ({})"},
    {OPTION_INT, "tile-side", 0, AT(side), "N", "side of a tile, a multiple of 32 ({})",
     IHIST_SIDE_STEP, IHIST_SIDE_MAX},
    {OPTION_TEXT, "kernel", 'k', AT(common.kernel), "NAME", "only this kernel ({})"},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.word = WORD_RUNS,
     AT(n_runs),
     .max = RUNS_MAX,
     .help = ", after one to warm up ({})"},
    {.kind = OPTION_END}};

/* An image and its integral histogram. */
typedef struct {
    ihist_shape_t shape;
    uint8_t *pixels;
    int32_t *tiles;
} bench_t;

static status_t run_all(const bench_t *b, const ihist_backend_t *kernel)
{
    const int64_t across = ihist_tiles_across(&b->shape);
    void *state = NULL;
    status_t st = kernel->create(&b->shape, &state);

    for (int64_t k = 0; st == ST_OK && k < ihist_n_tiles(&b->shape); k += across)
        st = kernel->run(state, b->pixels, k, across,
                         b->tiles + k * ihist_tile_values(&b->shape));
    if (st == ST_OK)
        kernel->destroy(state);
    return st;
}

/* @return P(y, x) of a bin */
static int64_t value_of(const bench_t *b, int64_t y, int64_t x, int64_t bin)
{
    const ihist_shape_t *s = &b->shape;
    const int64_t tile = (y - 1) / s->side * ihist_tiles_across(s) + (x - 1) / s->side;

    return y == 0 || x == 0
               ? 0
               : b->tiles[tile * ihist_tile_values(s) +
                          ((y - 1) % s->side * s->side + (x - 1) % s->side) * s->n_bins +
                          bin];
}

/* Compare random rectangles, of which the first is the image. @return whether they agree
 */
static bool is_right(const bench_t *b, uint64_t seed)
{
    const ihist_shape_t *s = &b->shape;
    rng_t rng = rng_seed(seed);

    for (int k = 0; k < N_RECTANGLES; k++) {
        const int64_t y0 = k == 0 ? 0 : (int64_t)rng_below(&rng, (uint64_t)s->height);
        const int64_t x0 = k == 0 ? 0 : (int64_t)rng_below(&rng, (uint64_t)s->width);
        const int64_t y1 =
            k == 0 ? s->height
                   : y0 + 1 + (int64_t)rng_below(&rng, (uint64_t)(s->height - y0));
        const int64_t x1 =
            k == 0 ? s->width
                   : x0 + 1 + (int64_t)rng_below(&rng, (uint64_t)(s->width - x0));
        int64_t want[IHIST_BINS_MAX] = {0};

        for (int64_t y = y0; y < y1; y++)
            for (int64_t x = x0; x < x1; x++)
                want[ihist_bin(b->pixels[y * s->width + x], s->n_bins)]++;
        for (int64_t bin = 0; bin < s->n_bins; bin++)
            if (want[bin] != value_of(b, y1, x1, bin) - value_of(b, y0, x1, bin) -
                                 value_of(b, y1, x0, bin) + value_of(b, y0, x0, bin))
                return false;
    }
    return true;
}

static status_t measure(const bench_t *b, const args_t *a, const ihist_backend_t *kernel)
{
    const double bytes =
        (double)ihist_n_tiles(&b->shape) * (double)ihist_tile_values(&b->shape) * 4;
    double seconds[RUNS_MAX], min, median, max;
    status_t st = run_all(b, kernel);

    for (int64_t k = 0; st == ST_OK && k < a->n_runs; k++) {
        const double begin = bench_processor_s(CLOCK_THREAD_CPUTIME_ID);

        st = run_all(b, kernel);
        seconds[k] = bench_processor_s(CLOCK_THREAD_CPUTIME_ID) - begin;
    }
    if (st != ST_OK)
        return st;
    if (!is_right(b, (uint64_t)a->seed)) {
        log_error("kernel %s: a rectangle has other counts than its pixels",
                  kernel->base.name);
        return ST_EINPUT;
    }
    bench_times(seconds, (int)a->n_runs, &min, &median, &max);
    printf("%s\tcpu\t%" PRId64 "x%" PRId64 "x%" PRId64 "/%" PRId64
           "\t%.3e\t%.3e\t%.3e\t%.2f\n",
           kernel->base.name, a->width, a->height, a->n_bins, a->side, min, median, max,
           bytes / median / 1e9);
    return ST_OK;
}

static status_t make_image(const args_t *a, bench_t *out)
{
    const ihist_shape_t shape = {a->height, a->width, a->n_bins, a->side, false};
    const size_t n_pixels = (size_t)(a->height * a->width);
    const size_t bytes = (size_t)(ihist_n_tiles(&shape) * ihist_tile_values(&shape)) * 4;
    rng_t rng = rng_seed((uint64_t)a->seed);
    status_t st =
        memory_limit_check((double)bytes, "give a smaller image or fewer --bins",
                           "an integral histogram");

    if (st != ST_OK)
        return st;
    *out = (bench_t){shape, malloc(n_pixels), buf_alloc_pages(bytes)};
    if (out->pixels == NULL || out->tiles == NULL)
        return log_nomem("an integral histogram");
    for (size_t k = 0; k < n_pixels; k++)
        out->pixels[k] = (uint8_t)rng_below(&rng, 256);
    return ST_OK;
}

static status_t run(void *args)
{
    const args_t *a = args;
    const backend_t *const *row = ihist_table.rows;
    bench_t b = {.pixels = NULL};
    status_t st;

    if (a->side % IHIST_SIDE_STEP != 0)
        return options_misuse(&cmd_bench_ihist, "--tile-side: give a multiple of %d",
                              IHIST_SIDE_STEP);
    if (strcmp(a->common.kernel, "all") != 0 &&
        backend_find(&ihist_table, a->common.kernel, DEVICE_CPU) == NULL)
        return backend_refuse_name(&ihist_table, a->common.kernel, DEVICE_CPU);
    st = make_image(a, &b);
    if (st == ST_OK)
        puts("kernel\tdevice\tsize\tmin_s\tmedian_s\tmax_s\tGB/s");
    for (; st == ST_OK && *row != NULL; row++)
        if (strcmp(a->common.kernel, "all") == 0 ||
            strcmp(a->common.kernel, (*row)->name) == 0)
            st = measure(&b, a, (const ihist_backend_t *)*row);
    free(b.pixels);
    free(b.tiles);
    return st;
}

static void defaults(void *args)
{
    *(args_t *)args = (args_t){.common = job_opts_defaults(),
                               .height = 4096,
                               .width = 4096,
                               .n_bins = 32,
                               .side = 64,
                               .seed = 1,
                               .n_runs = 3};
    ((args_t *)args)->common.kernel = "tiled";
}

const command_t cmd_bench_ihist = {
    .name = "ihist",
    .summary = "time the kernels of integral histograms",
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "Random pixels, on one thread. Seconds are those of the processor. --kernel all\n"
        "measures every kernel. Rectangles are compared with naive counts: a difference\n"
        "ends the benchmark with exit code 1.\n",
    .example = "ribogrid-bench ihist --width 640 --height 480",
    .defaults = defaults,
    .run = run,
};
