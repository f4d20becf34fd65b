/*
 * mesh_result.c - a mesh as what files have: points under their numbers in the file, then
 * new ones.
 */
#include "kernels/mesh/mesh_build.h"

#include "io/base/logmsg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* @return the number in the file of a vertex */
static int32_t number_of(const mesh_build_t *b, int32_t vertex)
{
    return vertex < b->m.n_given ? b->original[vertex] : vertex;
}

/* Copy n elements. */
static status_t copy(void *to, const void *from, int64_t n, size_t size)
{
    void **out = to;

    *out = malloc((size_t)n * size + 1);
    if (*out == NULL)
        return log_nomem("a mesh");
    if (n > 0)
        memcpy(*out, from, (size_t)n * size);
    return ST_OK;
}

/* ---- attributes ---- */

static double area(const double a[2], const double b[2], const double c[2])
{
    return (a[0] - c[0]) * (b[1] - c[1]) - (a[1] - c[1]) * (b[0] - c[0]);
}

/* Set the attributes of a new point: linear between its parents, which come before it. */
static void interpolate(const mesh_build_t *b, int32_t point, int64_t n,
                        double *attribute)
{
    const tri_mesh_t *m = &b->m;
    const int32_t *v = m->parent[point];
    const double *p = m->p[point], *x = m->p[v[0]], *y = m->p[v[1]];
    double weight[3] = {0, 0, 0};

    if (v[2] == MESH_NONE) {
        const double all = hypot(y[0] - x[0], y[1] - x[1]);

        weight[1] = all > 0 ? hypot(p[0] - x[0], p[1] - x[1]) / all : 0;
        weight[0] = 1 - weight[1];
    } else {
        const double *z = m->p[v[2]], all = area(x, y, z);

        weight[0] = area(p, y, z) / all;
        weight[1] = area(x, p, z) / all;
        weight[2] = 1 - weight[0] - weight[1];
    }
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;

        for (int k = 0; k < 3 && v[k] != MESH_NONE; k++)
            sum += weight[k] * attribute[(int64_t)number_of(b, v[k]) * n + i];
        attribute[(int64_t)point * n + i] = sum;
    }
}

/* ---- the parts of a file ---- */

static status_t put_points(const mesh_build_t *b, const mesh_data_t *d, mesh_data_t *out)
{
    const tri_mesh_t *m = &b->m;
    const int64_t n = m->n_points, n_values = d->n_attributes;

    out->n_points = n;
    out->n_attributes = n_values;
    out->p = malloc((size_t)n * sizeof(*out->p));
    out->marker = calloc((size_t)n, sizeof(*out->marker));
    out->attribute = malloc((size_t)(n * n_values) * sizeof(*out->attribute) + 1);
    if (out->p == NULL || out->marker == NULL || out->attribute == NULL)
        return log_nomem("a mesh");
    for (int32_t k = 0; k < n; k++)
        memcpy(out->p[number_of(b, k)], m->p[k], sizeof(*out->p));
    if (d->marker != NULL)
        memcpy(out->marker, d->marker, (size_t)d->n_points * sizeof(*out->marker));
    if (n_values > 0)
        memcpy(out->attribute, d->attribute,
               (size_t)(d->n_points * n_values) * sizeof(*out->attribute));
    for (int64_t k = m->n_given; n_values > 0 && k < n; k++)
        interpolate(b, (int32_t)k, n_values, out->attribute);
    return ST_OK;
}

/* A segment without a marker has 1 on the outline, as in Triangle; so have points that
 * have none and lie on a segment. */
static status_t put_segments(const mesh_build_t *b, const mesh_data_t *d,
                             mesh_data_t *out)
{
    const tri_mesh_t *m = &b->m;
    const int64_t n = m->n_subs;

    out->n_segments = n;
    out->segment = malloc((size_t)n * sizeof(*out->segment) + 1);
    out->segment_marker = malloc((size_t)n * sizeof(*out->segment_marker) + 1);
    if (out->segment == NULL || out->segment_marker == NULL)
        return log_nomem("a mesh");
    for (int64_t k = 0; k < n; k++) {
        const mesh_sub_t *s = &m->s[k];
        const int32_t segment = m->part[s->part].segment;
        const bool is_outer =
            m->t[mesh_tri_of(s->edge)].n[mesh_corner_of(s->edge)] == MESH_NONE;
        int32_t marker = segment == MESH_NONE ? 0 : d->segment_marker[segment];

        if (marker == 0 && is_outer)
            marker = 1;
        out->segment_marker[k] = marker;
        out->segment[k][0] = number_of(b, s->a);
        out->segment[k][1] = number_of(b, s->b);
        for (int e = 0; e < 2; e++)
            if (out->marker[out->segment[k][e]] == 0)
                out->marker[out->segment[k][e]] = marker;
    }
    return ST_OK;
}

static status_t put_triangles(const mesh_build_t *b, mesh_data_t *out)
{
    const tri_mesh_t *m = &b->m;
    const int64_t n = m->n_triangles;

    out->n_triangles = n;
    out->n_triangle_attributes = m->n_regions > 1;
    out->triangle = malloc((size_t)n * sizeof(*out->triangle));
    out->triangle_attribute = malloc((size_t)n * sizeof(*out->triangle_attribute));
    if (out->triangle == NULL || out->triangle_attribute == NULL)
        return log_nomem("a mesh");
    for (int64_t k = 0; k < n; k++) {
        for (int e = 0; e < 3; e++)
            out->triangle[k][e] = number_of(b, m->t[k].v[e]);
        out->triangle_attribute[k] = m->region[m->t[k].region].attribute;
    }
    return ST_OK;
}

status_t mesh_build_data(const mesh_build_t *b, const mesh_data_t *d, mesh_data_t *out)
{
    mesh_data_t made = {.first_id = d->first_id};
    status_t st = put_points(b, d, &made);

    if (st == ST_OK && (st = put_segments(b, d, &made)) == ST_OK &&
        (st = put_triangles(b, &made)) == ST_OK &&
        (st = copy(&made.hole, d->hole, d->n_holes, sizeof(*d->hole))) == ST_OK &&
        (st = copy(&made.region, d->region, d->n_regions, sizeof(*d->region))) == ST_OK &&
        (st = copy(&made.region_attribute, d->region_attribute, d->n_regions,
                   sizeof(*d->region_attribute))) == ST_OK)
        st = copy(&made.region_area, d->region_area, d->n_regions,
                  sizeof(*d->region_area));
    made.n_holes = d->n_holes;
    made.n_regions = d->n_regions;
    if (st == ST_OK)
        *out = made;
    else
        mesh_data_free(&made);
    return st;
}
