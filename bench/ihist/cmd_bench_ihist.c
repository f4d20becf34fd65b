/*
 * cmd_bench_ihist.c - `ribogrid-bench ihist`: times the kernels of integral histograms on
 * one thread or a GPU, and compares rectangles with naive counts.
 */
#include "bench/options/benchmarks.h"
#include "io/base/buf.h"
#include "io/base/clock.h"
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

/* A GPU gets another group of frames in each run: it computes none again that it has. */
enum { RUNS_MAX = 100, N_RECTANGLES = 16, FRAMES_MAX = 1024, GROUPS = 4 };

typedef struct {
    job_opts_t common;
    int64_t height, width, n_bins, side, n_frames, seed, n_runs;
} args_t;

#define AT(member) OPTION_AT(args_t, member)

static const option_t options[] = {
    {OPTION_INT, "height", 0, AT(height), "N", "rows of the image ({})", 1, 1 << 16},
    {OPTION_INT, "width", 0, AT(width), "N", "columns ({})", 1, 1 << 16},
    {.word = WORD_BINS, AT(n_bins), .max = IHIST_BINS_MAX, .help = " ({})"},
    {OPTION_INT, "tile-side", 0, AT(side), "N", "side of a tile, a multiple of 32 ({})",
     IHIST_SIDE_STEP, IHIST_SIDE_MAX},
    {OPTION_INT, "frames", 0, AT(n_frames), "N", "images computed together ({})", 1,
     FRAMES_MAX},
    {.word = WORD_DEVICE, AT(common.device)},
    {OPTION_TEXT, "kernel", 'k', AT(common.kernel), "NAME",
     "only this kernel, or all of the device ({})"},
    {.kind = OPTION_TABLE, AT(seed), .table = option_seed},
    {.word = WORD_RUNS,
     AT(n_runs),
     .max = RUNS_MAX,
     .help = ", after one to warm up ({})"},
    {.kind = OPTION_END}};

/* Images, and the integral histogram of the first. */
typedef struct {
    device_t device;
    ihist_shape_t shape;
    int64_t n_frames, n_runs; /* of a run; runs */
    ihist_frames_t frames;    /* of all groups */
    uint8_t *pixels;          /* of the frames */
    int32_t *tiles;
} bench_t;

/* What runs took, per frame. */
typedef struct {
    double seconds[RUNS_MAX]; /* a GPU: of its kernels */
    double frames_per_s;      /* a GPU: uploaded and computed, two runs at a time */
} times_t;

/* ---- a processor ---- */

/* Compute the frames, the first one last. */
static status_t run_on_cpu(const bench_t *b, const ihist_backend_t *kernel, void *state)
{
    const int64_t across = ihist_tiles_across(&b->shape);
    status_t st = ST_OK;

    for (int64_t f = b->n_frames - 1; f >= 0; f--)
        for (int64_t k = 0; st == ST_OK && k < ihist_n_tiles(&b->shape); k += across)
            st = kernel->run(state, b->pixels + f * b->shape.height * b->shape.width, k,
                             across, b->tiles + k * ihist_tile_values(&b->shape));
    return st;
}

static status_t time_on_cpu(const bench_t *b, const ihist_backend_t *kernel, void *state,
                            times_t *out)
{
    status_t st = run_on_cpu(b, kernel, state);
    double begin = bench_processor_s(CLOCK_THREAD_CPUTIME_ID), all = 0;

    for (int64_t k = 0; st == ST_OK && k < b->n_runs; k++) {
        double end;

        st = run_on_cpu(b, kernel, state);
        end = bench_processor_s(CLOCK_THREAD_CPUTIME_ID);
        out->seconds[k] = (end - begin) / (double)b->n_frames;
        all += out->seconds[k];
        begin = end;
    }
    out->frames_per_s = (double)b->n_runs / all;
    return st;
}

/* ---- a GPU ---- */

/* Begin to compute a group of frames, none of which is copied back. */
static status_t start_group(const bench_t *b, const ihist_backend_t *kernel, void *state,
                            int64_t k)
{
    ihist_run_t runs[FRAMES_MAX];

    for (int64_t f = 0; f < b->n_frames; f++)
        runs[f] = (ihist_run_t){k % GROUPS * b->n_frames + f, 0, 0};
    return kernel->start(state, (int)(k % IHIST_SLOTS), runs, (int)b->n_frames);
}

/* @param together  runs that are begun before the first is waited for */
static status_t run_groups(const bench_t *b, const ihist_backend_t *kernel, void *state,
                           int64_t n_runs, int64_t together, double *kernel_s)
{
    const void *tiles;
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < n_runs + together - 1; k++) {
        const int64_t oldest = k - together + 1;
        double seconds = 0;

        if (k < n_runs)
            st = start_group(b, kernel, state, k);
        if (st != ST_OK || oldest < 0)
            continue;
        st = kernel->wait(state, (int)(oldest % IHIST_SLOTS), &tiles, &seconds);
        kernel_s[oldest] = seconds / (double)b->n_frames;
    }
    return st;
}

/* Copy back the first frame's numbers. */
static status_t fetch_first(const bench_t *b, const ihist_backend_t *kernel, void *state)
{
    const ihist_run_t run = {0, 0, ihist_n_tiles(&b->shape)};
    const void *tiles;
    status_t st = kernel->start(state, 0, &run, 1);

    if (st == ST_OK && (st = kernel->wait(state, 0, &tiles, NULL)) == ST_OK)
        memcpy(b->tiles, tiles,
               (size_t)(run.n * ihist_tile_values(&b->shape)) * sizeof(*b->tiles));
    return st;
}

static status_t time_on_gpu(const bench_t *b, const ihist_backend_t *kernel, void *state,
                            times_t *out)
{
    double ignored[RUNS_MAX], begin;
    status_t st = run_groups(b, kernel, state, 2, 1, ignored); /* both halves warm */

    if (st == ST_OK)
        st = run_groups(b, kernel, state, b->n_runs, 1, out->seconds);
    begin = clock_now_s();
    if (st == ST_OK)
        st = run_groups(b, kernel, state, b->n_runs, 2, ignored);
    out->frames_per_s = (double)(b->n_runs * b->n_frames) / (clock_now_s() - begin);
    return st == ST_OK ? fetch_first(b, kernel, state) : st;
}

/* ---- the same of both ---- */

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

static void print(const bench_t *b, const ihist_backend_t *kernel, const times_t *t)
{
    const ihist_shape_t *s = &b->shape;
    const double bytes = (double)ihist_n_tiles(s) * (double)ihist_tile_values(s) * 4;
    double seconds[RUNS_MAX], min, median, max;

    memcpy(seconds, t->seconds, sizeof(seconds));
    bench_times(seconds, (int)b->n_runs, &min, &median, &max);
    printf("%s\t%s\t%" PRId64 "x%" PRId64 "x%" PRId64 "/%" PRId64
           "\t%.3e\t%.3e\t%.3e\t%.2f\t%.1f\n",
           kernel->base.name, device_kind_name[kernel->base.kind], s->width, s->height,
           s->n_bins, s->side, min, median, max, bytes / median / 1e9, t->frames_per_s);
}

static status_t measure(const bench_t *b, const args_t *a, const ihist_backend_t *kernel)
{
    const ihist_context_t context = {b->shape, &b->device, b->frames};
    times_t times = {.frames_per_s = 0};
    void *state = NULL;
    status_t st = ST_EDEVICE;

    if (!kernel->takes(&context) ||
        (st = kernel->create(&context, &state)) == ST_EDEVICE) {
        ihist_table.refuse(&context);
        return st;
    }
    if (st == ST_OK)
        st = device_is_gpu(&b->device) ? time_on_gpu(b, kernel, state, &times)
                                       : time_on_cpu(b, kernel, state, &times);
    kernel->destroy(state);
    if (st == ST_OK && !is_right(b, (uint64_t)a->seed)) {
        log_error("kernel %s: a rectangle has other counts than its pixels",
                  kernel->base.name);
        st = ST_EINPUT;
    }
    if (st == ST_OK)
        print(b, kernel, &times);
    return st;
}

static status_t make_images(const args_t *a, bench_t *out)
{
    const ihist_shape_t *s = &out->shape;
    const int64_t n_groups = device_is_gpu(&out->device) ? GROUPS : 1;
    const size_t n_pixels = (size_t)(n_groups * a->n_frames * a->height * a->width);
    const size_t bytes = (size_t)(ihist_n_tiles(s) * ihist_tile_values(s)) * 4;
    rng_t rng = rng_seed((uint64_t)a->seed);
    status_t st = memory_limit_check((double)bytes + (double)n_pixels,
                                     "give smaller images, or fewer --bins or --frames",
                                     "an integral histogram");

    if (st != ST_OK)
        return st;
    out->pixels = malloc(n_pixels);
    out->tiles = buf_alloc_pages(bytes);
    if (out->pixels == NULL || out->tiles == NULL)
        return log_nomem("an integral histogram");
    for (size_t k = 0; k < n_pixels; k++)
        out->pixels[k] = (uint8_t)rng_below(&rng, 256);
    out->frames = (ihist_frames_t){out->pixels, n_groups * a->n_frames};
    return ST_OK;
}

/* @return whether a row is to be measured; `auto` is the device's first */
static bool is_wanted(const bench_t *b, const char *name, const backend_t *row)
{
    return row->kind == b->device.kind &&
           (strcmp(name, "all") == 0 ||
            row == backend_find(&ihist_table, name, b->device.kind));
}

static status_t run(void *args)
{
    const args_t *a = args;
    const backend_t *const *row = ihist_table.rows;
    bench_t b = {.shape = {a->height, a->width, a->n_bins, a->side, false},
                 .n_frames = a->n_frames,
                 .n_runs = a->n_runs};
    status_t st = one_device_find(&cmd_bench_ihist, a->common.device, &b.device);

    if (st != ST_OK)
        return st;
    if (a->side % IHIST_SIDE_STEP != 0)
        return options_misuse(&cmd_bench_ihist, "--tile-side: give a multiple of %d",
                              IHIST_SIDE_STEP);
    if (strcmp(a->common.kernel, "all") != 0 &&
        backend_find(&ihist_table, a->common.kernel, b.device.kind) == NULL)
        return backend_refuse_name(&ihist_table, a->common.kernel, b.device.kind);
    st = make_images(a, &b);
    if (st == ST_OK)
        puts("kernel\tdevice\tsize\tmin_s\tmedian_s\tmax_s\tGB/s\tframes/s");
    for (; st == ST_OK && *row != NULL; row++)
        if (is_wanted(&b, a->common.kernel, *row))
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
                               .n_frames = 1,
                               .seed = 1,
                               .n_runs = 3};
    ((args_t *)args)->common.device = "cpu";
    ((args_t *)args)->common.kernel = "auto";
}

const command_t cmd_bench_ihist = {
    .name = "ihist",
    .summary = "time the kernels of integral histograms",
    .usage = "[options]",
    .options = options,
    .args_bytes = sizeof(args_t),
    .notes =
        "Random pixels. Seconds are per image: on the CPU those of the processor, of "
        "one\n"
        "thread; on a GPU those of the kernels, whose results stay there. Images per\n"
        "second of a GPU count their upload, too, with two batches of --frames in "
        "flight.\n"
        "--kernel all measures every kernel of the device. Rectangles are compared with\n"
        "naive counts: a difference ends the benchmark with exit code 1.\n",
    .example = "ribogrid-bench ihist --device cuda --width 640 --height 480 --frames 48",
    .defaults = defaults,
    .run = run,
};
