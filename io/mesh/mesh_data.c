/*
 * mesh_data.c - the arrays of a mesh, and what no mesh may have.
 */
#include "io/mesh/mesh_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ARRAY_COUNT(point_values, mesh_data_t, 2 * o->n_points)
ARRAY_COUNT(attribute_values, mesh_data_t, o->n_points * o->n_attributes)
ARRAY_COUNT(points, mesh_data_t, o->n_points)
ARRAY_COUNT(corners, mesh_data_t, 3 * o->n_triangles)
ARRAY_COUNT(triangle_values, mesh_data_t, o->n_triangles * o->n_triangle_attributes)
ARRAY_COUNT(ends, mesh_data_t, 2 * o->n_segments)
ARRAY_COUNT(segments, mesh_data_t, o->n_segments)
ARRAY_COUNT(hole_values, mesh_data_t, 2 * o->n_holes)
ARRAY_COUNT(region_values, mesh_data_t, 2 * o->n_regions)
ARRAY_COUNT(regions, mesh_data_t, o->n_regions)

#define VALUE(member)       ARRAY_VALUE(mesh_data_t, member, ARRAY_INT64)
#define OF(member, type, n) ARRAY_OF(mesh_data_t, member, type, n, .is_optional = true)

static const array_t rows[] = {ARRAY_VALUE(mesh_data_t, first_id, ARRAY_INT32),
                               VALUE(n_points),
                               VALUE(n_attributes),
                               VALUE(n_triangles),
                               VALUE(n_triangle_attributes),
                               VALUE(n_segments),
                               VALUE(n_holes),
                               VALUE(n_regions),
                               ARRAY_OF(mesh_data_t, p, ARRAY_DOUBLE, point_values),
                               OF(attribute, ARRAY_DOUBLE, attribute_values),
                               OF(marker, ARRAY_INT32, points),
                               OF(triangle, ARRAY_INT32, corners),
                               OF(triangle_attribute, ARRAY_DOUBLE, triangle_values),
                               OF(segment, ARRAY_INT32, ends),
                               OF(segment_marker, ARRAY_INT32, segments),
                               OF(hole, ARRAY_DOUBLE, hole_values),
                               OF(region, ARRAY_DOUBLE, region_values),
                               OF(region_attribute, ARRAY_DOUBLE, regions),
                               OF(region_area, ARRAY_DOUBLE, regions),
                               ARRAYS_END};

static bool is_within(int64_t n, int64_t max)
{
    return n >= 0 && n <= max;
}

/* @return whether arrays that are not empty are there */
static bool is_valid(const void *object)
{
    const mesh_data_t *d = object;

    return is_within(d->first_id, 1) && is_within(d->n_points, MESH_MAX_POINTS) &&
           is_within(d->n_attributes, MESH_MAX_ATTRIBUTES) &&
           is_within(d->n_triangles, 2LL * MESH_MAX_POINTS) &&
           is_within(d->n_triangle_attributes, MESH_MAX_ATTRIBUTES) &&
           is_within(d->n_segments, 3LL * MESH_MAX_POINTS) &&
           is_within(d->n_holes, MESH_MAX_POINTS) &&
           is_within(d->n_regions, MESH_MAX_POINTS) &&
           (d->n_attributes == 0 || d->attribute != NULL) &&
           (d->n_triangles == 0 || d->triangle != NULL) &&
           (d->n_triangles * d->n_triangle_attributes == 0 ||
            d->triangle_attribute != NULL) &&
           (d->n_segments == 0 || (d->segment != NULL && d->segment_marker != NULL)) &&
           (d->n_holes == 0 || d->hole != NULL) &&
           (d->n_regions == 0 ||
            (d->region != NULL && d->region_attribute != NULL && d->region_area != NULL));
}

const arrays_t mesh_data_arrays = {"a mesh", sizeof(mesh_data_t), rows, is_valid};

void mesh_data_free(mesh_data_t *d)
{
    void *const others[] = {d->point_line,    d->triangle_line, d->segment_line,
                            d->hole_line,     d->region_line,   d->point_path,
                            d->triangle_path, d->segment_path};

    arrays_free(&mesh_data_arrays, d);
    for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++)
        free(others[k]);
    memset(d, 0, sizeof(*d));
}

/* ---- numbers ---- */

static bool are_coordinates(const double (*p)[2], int64_t n)
{
    for (int64_t k = 0; k < 2 * n; k++) {
        const double x = fabs(p[k / 2][k % 2]);

        if (!(x == 0 || (x >= MESH_MIN_COORDINATE && x <= MESH_MAX_COORDINATE)))
            return false;
    }
    return true;
}

static bool are_finite(const double *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (!isfinite(x[k]))
            return false;
    return true;
}

/* @return whether rows of n_each numbers of points have different ones that exist */
static bool are_points(const int32_t *v, int64_t n, int n_each, int64_t n_points)
{
    for (int64_t k = 0; k < n; k++, v += n_each)
        for (int e = 0; e < n_each; e++)
            if (v[e] < 0 || v[e] >= n_points || v[e] == v[(e + 1) % n_each])
                return false;
    return true;
}

const char *mesh_data_find_wrong(const mesh_data_t *d)
{
    const double(*p)[2] = (const double(*)[2])d->p;

    if (d->n_points < 3)
        return "has fewer than three points";
    if (!are_coordinates(p, d->n_points) ||
        !are_coordinates((const double(*)[2])d->hole, d->n_holes) ||
        !are_coordinates((const double(*)[2])d->region, d->n_regions))
        return "has coordinates beyond 1e60 or below 1e-60";
    if (!are_finite(d->attribute, d->n_points * d->n_attributes) ||
        !are_finite(d->triangle_attribute, d->n_triangles * d->n_triangle_attributes) ||
        !are_finite(d->region_attribute, d->n_regions) ||
        !are_finite(d->region_area, d->n_regions))
        return "has attributes that are no numbers";
    if (!are_points((const int32_t *)d->triangle, d->n_triangles, 3, d->n_points) ||
        !are_points((const int32_t *)d->segment, d->n_segments, 2, d->n_points))
        return "has triangles or segments whose points are none, or double";
    return NULL;
}
