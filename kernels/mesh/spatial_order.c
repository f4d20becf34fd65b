/*
 * spatial_order.c - a key for each point: its round, then its place on Hilbert's curve.
 */
#include "kernels/mesh/spatial_order.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/graphfile/radix_sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a coordinate on the curve, and of the number of a round. */
enum { CURVE_BITS = 20, ROUND_BITS = 5, MAX_ROUND = (1 << ROUND_BITS) - 1 };

/* The last round has half of the points; the first has at least this many. */
enum { FIRST_ROUND = 1000 };

/* @return the place of a cell of 2^CURVE_BITS squared on the curve */
static uint64_t curve(uint32_t x, uint32_t y)
{
    uint64_t place = 0;

    for (int bit = CURVE_BITS - 1; bit >= 0; bit--) {
        const uint32_t in_x = x >> bit & 1, in_y = y >> bit & 1;

        place = place << 2 | (3 * in_x ^ in_y);
        if (in_y == 0) {
            const uint32_t old = in_x ? ~x : x;

            x = in_x ? ~y : y;
            y = old;
        }
    }
    return place;
}

static uint32_t cell(double x, double low, double scale)
{
    const double at = (x - low) * scale;
    const uint32_t last = (1U << CURVE_BITS) - 1;

    return at < last ? (uint32_t)at : last;
}

/* @return the round of a point, the last with half of them */
static int round_of(int64_t k, int n_rounds)
{
    uint64_t state = (uint64_t)k;
    const uint64_t bits = rng_splitmix(&state) | UINT64_C(1) << 63;
    const int zeros = __builtin_ctzll(bits);

    return zeros < n_rounds ? n_rounds - 1 - zeros : 0;
}

static void set_keys(double (*p)[2], int64_t n, uint64_t *key, int32_t *number)
{
    double low[2] = {p[0][0], p[0][1]}, high[2] = {p[0][0], p[0][1]}, side = 0;
    int n_rounds = 1;

    for (int64_t k = 1; k < n; k++)
        for (int d = 0; d < 2; d++) {
            low[d] = fmin(low[d], p[k][d]);
            high[d] = fmax(high[d], p[k][d]);
        }
    side = fmax(high[0] - low[0], high[1] - low[1]);
    const double scale = side > 0 ? (double)(1U << CURVE_BITS) / side : 0;

    while (n_rounds < MAX_ROUND && n >> n_rounds >= FIRST_ROUND)
        n_rounds++;
    for (int64_t k = 0; k < n; k++) {
        key[k] = (uint64_t)round_of(k, n_rounds) << 2 * CURVE_BITS |
                 curve(cell(p[k][0], low[0], scale), cell(p[k][1], low[1], scale));
        number[k] = (int32_t)k;
    }
}

status_t spatial_order(double (*p)[2], int64_t n, int32_t *order)
{
    uint64_t *keys = malloc((size_t)(2 * n + 1) * sizeof(*keys));
    int32_t *numbers = malloc((size_t)(2 * n + 1) * sizeof(*numbers));
    const status_t st =
        keys != NULL && numbers != NULL ? ST_OK : log_nomem("an order of points");

    if (st == ST_OK && n > 0) {
        set_keys(p, n, keys, numbers);
        radix_sort((radix_items_t){keys, numbers, NULL},
                   (radix_items_t){keys + n, numbers + n, NULL}, n,
                   2 * CURVE_BITS + ROUND_BITS);
        memcpy(order, numbers, (size_t)n * sizeof(*order));
    }
    free(keys);
    free(numbers);
    return st;
}
