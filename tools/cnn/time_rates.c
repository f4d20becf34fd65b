/*
 * time_rates.c - rates of a network from what `ribogrid cnn time --kinds` has measured.
 */
#include "tools/cnn/cnn_times.h"

#include "io/base/logmsg.h"
#include "kernels/registry/backends.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Take a measurement. @param per_s  bytes, of copies */
static bool take(cnn_rates_t *r, const char *layers, double seconds, double per_s)
{
    if (strcmp(layers, time_training) == 0)
        r->iteration_s = seconds;
    else if (strcmp(layers, cnn_op_name(CNN_FETCH)) == 0)
        r->in_per_s = per_s;
    else if (strcmp(layers, cnn_op_name(CNN_EVICT)) == 0)
        r->out_per_s = per_s;
    for (int k = 0; k < CNN_N_KINDS; k++)
        if (strcmp(layers, cnn_kind_name((cnn_kind_t)k)) == 0) {
            r->kind_s[k] = seconds;
            return true;
        }
    return false;
}

static void name_kernel(cnn_rates_t *r, const char *kernel)
{
    snprintf(r->kernel, sizeof(r->kernel), "%s", kernel);
}

bool time_rates_of(const time_run_t *results, int n, int n_windows, const char *kernel,
                   const device_t *device, int n_threads, cnn_rates_t *out)
{
    cnn_rates_t r = {.device = device->kind,
                     .n_threads = device_is_gpu(device) ? 0 : n_threads};
    bool has_kinds = false;

    name_kernel(&r, kernel);
    for (int i = 0; i < n; i++) {
        const double s = results[i].seconds[n_windows / 2];

        has_kinds |= take(&r, results[i].layers, s, results[i].bytes / s);
    }
    if (has_kinds)
        *out = r;
    return has_kinds;
}

/* ---- tables ---- */

typedef struct {
    const char *path, *net, *type;
    const cnn_program_t *program;
} wanted_t;

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static bool is_of(const wanted_t *w, const time_row_t *r)
{
    return strcmp(last_part(r->word[TIME_NET]), last_part(w->net)) == 0 &&
           strcmp(r->word[TIME_TYPE], w->type) == 0 &&
           r->value[TIME_BATCH] == (double)w->program->tensors[0].size[0];
}

static bool is_same_clock(const time_row_t *a, const time_row_t *b)
{
    const double x = a->value[TIME_LOCKED_MHZ], y = b->value[TIME_LOCKED_MHZ];

    return strcmp(a->word[TIME_KERNEL], b->word[TIME_KERNEL]) == 0 &&
           (x == y || (isnan(x) && isnan(y)));
}

/* @return the fastest measurement of training that has kinds of layers, or NULL */
static const time_row_t *find_training(const wanted_t *w, const time_table_t *t)
{
    const time_row_t *best = NULL;

    for (int i = 0; i < t->n; i++) {
        const time_row_t *r = &t->rows[i];
        cnn_rates_t ignored = {.n_threads = 0};
        bool has_kinds = false;

        if (!is_of(w, r) || strcmp(r->word[TIME_LAYERS], time_training) != 0)
            continue;
        for (int k = 0; k < t->n; k++)
            if (is_of(w, &t->rows[k]) && is_same_clock(&t->rows[k], r))
                has_kinds |= take(&ignored, t->rows[k].word[TIME_LAYERS], 0, 0);
        if (has_kinds &&
            (best == NULL || r->value[TIME_MEDIAN_S] < best->value[TIME_MEDIAN_S]))
            best = r;
    }
    return best;
}

/* @return whether a and b agree up to what a table rounds, and `slack` */
static bool agree(double a, double b, double slack)
{
    return fabs(a - b) <= 0.01 * fabs(b) + slack;
}

/* What was measured computes as much as the program: GFLOPS have two decimals. */
static status_t check_training(const wanted_t *w, const time_row_t *r)
{
    const double s = r->value[TIME_MEDIAN_S];
    const double measured = r->value[TIME_GFLOPS] * s;
    double flops = 0;

    for (int i = 0; i < w->program->n_steps; i++)
        flops += w->program->steps[i].flops;
    if (!agree(r->value[TIME_IMAGES_PER_S] * s, r->value[TIME_BATCH], 0.06 * s)) {
        log_error("--rates %s: %.1f images per second and %.4g s per batch of %.0f "
                  "contradict each other; give a table as `ribogrid cnn time` wrote it",
                  w->path, r->value[TIME_IMAGES_PER_S], s, r->value[TIME_BATCH]);
        return ST_EINPUT;
    }
    if (agree(measured, flops * 1e-9, 0.006 * s))
        return ST_OK;
    log_error("--rates %s: the %s that was measured computes %.4g GFLOP per batch, this "
              "one %.4g: another network; measure it with `ribogrid cnn time %s --batch "
              "%.0f --type %s --kinds`",
              w->path, r->word[TIME_NET], measured, flops * 1e-9, w->net,
              r->value[TIME_BATCH], w->type);
    return ST_EINPUT;
}

static status_t find_device(const wanted_t *w, const char *kernel, cnn_rates_t *out)
{
    name_kernel(out, kernel);
    for (const backend_t *const *row = cnn_table.rows; *row != NULL; row++)
        if (strcmp((*row)->name, kernel) == 0) {
            out->device = (*row)->kind;
            return ST_OK;
        }
    if (strcmp(kernel, "cudnn") == 0 || strcmp(kernel, "native") == 0) {
        out->device = DEVICE_CUDA; /* this program may be built without CUDA */
        return ST_OK;
    }
    log_error("--rates %s: no such kernel: '%s'; give a table that this version of "
              "`ribogrid cnn time` wrote",
              w->path, kernel);
    return ST_EINPUT;
}

static status_t collect(const wanted_t *w, const time_table_t *t, const time_row_t *first,
                        cnn_rates_t *out)
{
    const char *why;
    status_t st = find_device(w, first->word[TIME_KERNEL], out);

    for (int i = 0; st == ST_OK && i < t->n; i++) {
        const time_row_t *r = &t->rows[i];
        const double gb = r->value[TIME_GB_PER_S];

        if (is_of(w, r) && is_same_clock(r, first))
            (void)take(out, r->word[TIME_LAYERS], r->value[TIME_MEDIAN_S],
                       isnan(gb) ? 0 : 1e9 * gb);
    }
    if (st != ST_OK || (why = cnn_rates_check(out, w->program)) == NULL)
        return st;
    log_error("--rates %s: %s of %s; give a whole table of `ribogrid cnn time --kinds`",
              w->path, why, w->net);
    return ST_EINPUT;
}

static status_t find(const wanted_t *w, const time_table_t *t, cnn_rates_t *out)
{
    const time_row_t *first = find_training(w, t);
    status_t st;

    if (first == NULL) {
        log_error("--rates %s: it has no kinds of layers of %s in %s and batches of "
                  "%" PRId64 "; measure them with `ribogrid cnn time %s --batch %" PRId64
                  " --type %s --kinds`",
                  w->path, w->net, w->type, w->program->tensors[0].size[0], w->net,
                  w->program->tensors[0].size[0], w->type);
        return ST_EINPUT;
    }
    st = check_training(w, first);
    return st == ST_OK ? collect(w, t, first, out) : st;
}

status_t time_rates_read(const char *path, const char *net, const char *type,
                         const cnn_program_t *program, cnn_rates_t *out)
{
    const wanted_t w = {path, net, type, program};
    time_table_t table = {.n = 0};
    cnn_rates_t rates = {.n_threads = 0};
    bool is_table = false;
    status_t st = time_table_read(path, &table, &is_table);

    if (st == ST_OK && !is_table) {
        log_error("--rates %s: no table of times; give one that `ribogrid cnn time "
                  "--kinds` wrote",
                  path);
        st = ST_EINPUT;
    }
    if (st == ST_OK)
        st = find(&w, &table, &rates);
    time_table_free(&table);
    if (st == ST_OK)
        *out = rates;
    return st;
}
