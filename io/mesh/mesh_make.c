/*
 * mesh_make.c - random and regular points, in arithmetic that rounds alike everywhere.
 */
#include "io/mesh/mesh_make.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <math.h>
#include <stdlib.h>

/* Octaves of distances of a graded mesh. */
enum { OCTAVES = 20, N_CORNERS = 4 };

static double fraction(rng_t *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

static void make_random(rng_t *rng, double (*p)[2], int64_t n)
{
    for (int64_t k = N_CORNERS; k < n; k++)
        for (int d = 0; d < 2; d++)
            p[k][d] = fraction(rng);
}

/* A point of an octave is as likely as one of another. */
static void make_grading(rng_t *rng, double (*p)[2], int64_t n)
{
    for (int64_t k = N_CORNERS; k < n; k++) {
        const int octave = (int)rng_below(rng, OCTAVES);

        do {
            for (int d = 0; d < 2; d++)
                p[k][d] = ldexp(fraction(rng), -octave);
        } while (p[k][0] < ldexp(.5, -octave) && p[k][1] < ldexp(.5, -octave));
    }
}

/* @return the side of a grid of at most n points, which are written */
static int64_t make_grid(double (*p)[2], int64_t n)
{
    int64_t side = (int64_t)sqrt((double)n), k = N_CORNERS;

    while (side * side > n)
        side--;
    for (int64_t row = 0; row < side; row++)
        for (int64_t column = 0; column < side; column++)
            if ((row != 0 && row != side - 1) || (column != 0 && column != side - 1)) {
                p[k][0] = (double)column / (double)(side - 1);
                p[k++][1] = (double)row / (double)(side - 1);
            }
    return side;
}

status_t mesh_make(mesh_make_kind_t kind, int64_t n, int64_t seed, mesh_data_t *out)
{
    static const double corner[N_CORNERS][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    rng_t rng = rng_seed((uint64_t)seed);
    mesh_data_t d = {.first_id = 1, .n_points = n, .n_segments = N_CORNERS};

    d.p = malloc((size_t)n * sizeof(*d.p));
    d.segment = malloc(N_CORNERS * sizeof(*d.segment));
    d.segment_marker = malloc(N_CORNERS * sizeof(*d.segment_marker));
    if (d.p == NULL || d.segment == NULL || d.segment_marker == NULL) {
        mesh_data_free(&d);
        return log_nomem("points");
    }
    for (int32_t k = 0; k < N_CORNERS; k++) {
        d.p[k][0] = corner[k][0];
        d.p[k][1] = corner[k][1];
        d.segment[k][0] = k;
        d.segment[k][1] = (k + 1) % N_CORNERS;
        d.segment_marker[k] = 1;
    }
    if (kind == MESH_MAKE_RANDOM) {
        make_random(&rng, d.p, n);
    } else if (kind == MESH_MAKE_GRADING) {
        make_grading(&rng, d.p, n);
    } else {
        const int64_t side = make_grid(d.p, n);

        d.n_points = side * side;
    }
    *out = d;
    return ST_OK;
}
