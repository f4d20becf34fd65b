/*
 * ihist_serial.c - the definition: every row of the frame becomes a row of the integral.
 */
#include "io/base/integral.h"
#include "io/base/logmsg.h"
#include "kernels/ihist/ihist_backend.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ihist_shape_t shape;
    int64_t *before, *row; /* [width of whole tiles][n_bins] */
} serial_t;

static size_t row_values(const ihist_shape_t *s)
{
    return (size_t)(ihist_tiles_across(s) * s->side * s->n_bins);
}

static void destroy(void *state)
{
    serial_t *w = state;

    if (w == NULL)
        return;
    free(w->before);
    free(w->row);
    free(w);
}

static bool takes(const ihist_context_t *context)
{
    (void)context;
    return true;
}

static status_t create(const ihist_context_t *context, void **out)
{
    const ihist_shape_t *shape = &context->shape;
    const size_t n = row_values(shape);
    serial_t *w = calloc(1, sizeof(*w));

    if (w == NULL || (w->before = malloc(n * sizeof(*w->before))) == NULL ||
        (w->row = malloc(n * sizeof(*w->row))) == NULL) {
        destroy(w);
        return log_nomem("an integral histogram");
    }
    w->shape = *shape;
    *out = w;
    return ST_OK;
}

static void put_row(const serial_t *w, int64_t x, int64_t y, void *out)
{
    const ihist_shape_t *s = &w->shape;
    const int64_t *from = w->row + x * s->n_bins;

    for (int64_t k = 0; k < s->side * s->n_bins; k++)
        if (s->is_wide)
            ((int64_t *)out)[y * s->side * s->n_bins + k] = from[k];
        else
            ((int32_t *)out)[y * s->side * s->n_bins + k] = (int32_t)from[k];
}

static status_t run(void *state, const uint8_t *pixels, int64_t first, int64_t n,
                    void *out)
{
    serial_t *w = state;
    const ihist_shape_t *s = &w->shape;
    const int64_t across = ihist_tiles_across(s), top = first / across * s->side;
    const size_t bytes = row_values(s) * sizeof(*w->row);
    const size_t tile_bytes = (size_t)ihist_tile_values(s) * (s->is_wide ? 8 : 4);

    memset(w->before, 0, bytes);
    for (int64_t y = 0; y < top + s->side; y++) {
        memset(w->row, 0, bytes);
        for (int64_t x = 0; y < s->height && x < s->width; x++)
            w->row[x * s->n_bins + ihist_bin(pixels[y * s->width + x], s->n_bins)] = 1;
        integral_add_row(w->before, w->row, 0, across * s->side, s->n_bins);
        for (int64_t k = 0; y >= top && k < n; k++)
            put_row(w, (first % across + k) * s->side, y - top,
                    (char *)out + (size_t)k * tile_bytes);
    }
    return ST_OK;
}

const ihist_backend_t ihist_serial_backend = {
    .base = {.name = "serial", .kind = DEVICE_CPU, .rate = 3e8},
    .takes = takes,
    .create = create,
    .run = run,
    .destroy = destroy,
};
