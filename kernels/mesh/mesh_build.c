/*
 * mesh_build.c - points in an order for insertion, segments, holes and regions, and their
 * faults by the lines of files.
 */
#include "kernels/mesh/mesh_build.h"

#include "io/base/logmsg.h"
#include "kernels/mesh/carve.h"
#include "kernels/mesh/constrain.h"
#include "kernels/mesh/delaunay.h"
#include "kernels/mesh/mesh_assemble.h"
#include "kernels/mesh/spatial_order.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void mesh_build_free(mesh_build_t *b)
{
    tri_mesh_free(&b->m);
    free(b->original);
    memset(b, 0, sizeof(*b));
}

static void refuse(const char *path, const int64_t *lines, int64_t k, const char *text)
{
    log_error("%s:%" PRId64 ": %s", path, lines[k], text);
}

/* Take over points, in an order, and regions. */
static status_t put_points(const mesh_data_t *d, bool in_order, mesh_build_t *b)
{
    tri_mesh_t *m = &b->m;
    status_t st = tri_mesh_reserve_points(m, d->n_points);

    if (st != ST_OK)
        return st;
    b->original = malloc((size_t)d->n_points * sizeof(*b->original) + 1);
    m->region = calloc((size_t)d->n_regions + 1, sizeof(*m->region));
    if (b->original == NULL || m->region == NULL)
        return log_nomem("a mesh");
    for (int32_t k = 0; k < d->n_points; k++)
        b->original[k] = k;
    if (in_order && (st = spatial_order(d->p, d->n_points, b->original)) != ST_OK)
        return st;
    for (int64_t k = 0; k < d->n_points; k++) {
        memcpy(m->p[k], d->p[b->original[k]], sizeof(*m->p));
        m->on[k] = MESH_GIVEN;
    }
    m->n_points = m->n_given = d->n_points;
    m->n_regions = d->n_regions + 1;
    for (int64_t k = 0; k < d->n_regions; k++)
        m->region[k + 1] = (mesh_region_t){d->region_attribute[k], d->region_area[k]};
    return ST_OK;
}

/* ---- points and segments ---- */

static status_t refuse_segments(const mesh_data_t *d, constrain_fault_t fault,
                                const int64_t which[2])
{
    log_error("%s:%" PRId64 ": segment %" PRId64 " %s segment %" PRId64
              " in line %" PRId64 "; %s",
              d->segment_path, d->segment_line[which[1]], which[1] + d->first_id,
              fault == CONSTRAIN_CROSS ? "crosses" : "overlaps", which[0] + d->first_id,
              d->segment_line[which[0]],
              fault == CONSTRAIN_CROSS ? "add the point where they meet, and split both"
                                       : "remove one of them, or split them");
    return ST_EINPUT;
}

/* Make segments edges. @param twin  [n_points] of the mesh */
static status_t put_segments(const mesh_data_t *d, const int32_t *twin, mesh_build_t *b)
{
    int32_t(*ends)[2] = malloc((size_t)d->n_segments * sizeof(*ends) + 1);
    int32_t *number = malloc((size_t)d->n_points * sizeof(*number) + 1);
    constrain_fault_t fault = CONSTRAIN_GOOD;
    int64_t which[2];
    status_t st = ends != NULL && number != NULL ? ST_OK : log_nomem("segments");

    for (int32_t k = 0; st == ST_OK && k < d->n_points; k++)
        number[b->original[k]] = twin[k] == MESH_NONE ? k : twin[k];
    for (int64_t k = 0; st == ST_OK && k < d->n_segments; k++) {
        for (int e = 0; e < 2; e++)
            ends[k][e] = number[d->segment[k][e]];
        if (ends[k][0] == ends[k][1]) {
            refuse(d->segment_path, d->segment_line, k,
                   "both ends of the segment have the same place; remove it");
            st = ST_EINPUT;
        }
    }
    if (st == ST_OK) {
        st = constrain_mesh(&b->m, ends, d->n_segments, &fault, which);
        if (st == ST_EINPUT && fault != CONSTRAIN_GOOD)
            st = refuse_segments(d, fault, which);
    }
    free(ends);
    free(number);
    return st;
}

static status_t carve(const mesh_data_t *d, mesh_build_t *b)
{
    const carve_t what = {d->n_segments == 0, d->hole, d->region, d->n_holes,
                          d->n_regions};
    carve_fault_t fault = CARVE_GOOD;
    int64_t which = 0;
    const status_t st = carve_mesh(&b->m, &what, &fault, &which);

    if (st != ST_EINPUT || fault == CARVE_GOOD)
        return st;
    if (fault == CARVE_OPEN)
        log_error(
            "%s: no triangle is left: the outline of segments is open; close it, or "
            "give the points as a .node file",
            d->segment_path);
    else if (fault == CARVE_EMPTY)
        refuse(d->segment_path, d->hole_line, which,
               "no triangle is left by this hole; move it, or close the outline of the "
               "hole with segments");
    else if (fault == CARVE_HOLE_OUTSIDE)
        refuse(d->segment_path, d->hole_line, which,
               "the hole lies outside of the mesh; move it into the outline of the hole");
    else
        refuse(d->segment_path, d->region_line, which,
               "the region lies outside of the mesh or in a hole; move it");
    return ST_EINPUT;
}

/* Warn of points that are equal. */
static void note_twins(const mesh_data_t *d, const int32_t *twin, mesh_build_t *b)
{
    int64_t first = MESH_NONE;

    for (int64_t k = 0; k < d->n_points; k++)
        if (twin[k] != MESH_NONE) {
            b->n_merged++;
            first = first == MESH_NONE || b->original[k] < b->original[first] ? k : first;
        }
    if (first == MESH_NONE)
        return;
    if (d->point_line != NULL)
        log_warn("%s:%" PRId64 ": point %" PRId32 " has the place of point %" PRId32
                 "; %" PRId64 " point%s merged with others",
                 d->point_path, d->point_line[b->original[first]],
                 b->original[first] + d->first_id, b->original[twin[first]] + d->first_id,
                 b->n_merged, b->n_merged == 1 ? " is" : "s are");
}

static status_t triangulate(const mesh_data_t *d, mesh_build_t *b)
{
    int32_t *twin = malloc((size_t)d->n_points * sizeof(*twin) + 1);
    status_t st = twin != NULL ? put_points(d, true, b) : log_nomem("a mesh");

    if (st == ST_OK) {
        st = delaunay_make(&b->m, twin);
        if (st == ST_EINPUT)
            log_error("%s: all points lie on a line; a mesh needs an area",
                      d->point_path);
    }
    if (st == ST_OK) {
        note_twins(d, twin, b);
        if ((st = put_segments(d, twin, b)) == ST_OK)
            st = carve(d, b);
    }
    free(twin);
    return st;
}

/* ---- triangles ---- */

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* @return the place of a number that is there, in numbers that ascend */
static int64_t place_of(const double *numbers, int64_t n, double x)
{
    return (const double *)bsearch(&x, numbers, (size_t)n, sizeof(x), compare_numbers) -
           numbers;
}

/* Make regions of the attributes of a file's triangles: one for each value. */
static status_t put_regions(const mesh_data_t *d, mesh_build_t *b)
{
    const int64_t n = d->n_triangles;
    tri_mesh_t *m = &b->m;
    double *values = malloc((size_t)n * sizeof(*values) + 1);
    int64_t n_values = 0;

    free(m->region);
    m->region = calloc((size_t)n + 1, sizeof(*m->region));
    if (values == NULL || m->region == NULL) {
        free(values);
        return log_nomem("a mesh");
    }
    memcpy(values, d->triangle_attribute, (size_t)n * sizeof(*values));
    qsort(values, (size_t)n, sizeof(*values), compare_numbers);
    for (int64_t k = 0; k < n; k++)
        if (k == 0 || values[k] != values[n_values - 1])
            values[n_values++] = values[k];
    for (int64_t k = 0; k < n_values; k++)
        m->region[k + 1].attribute = values[k];
    for (int64_t k = 0; k < n; k++)
        m->t[k].region =
            (int32_t)place_of(values, n_values, d->triangle_attribute[k]) + 1;
    m->n_regions = n_values + 1;
    free(values);
    return ST_OK;
}

static status_t assemble(const mesh_data_t *d, bool repair, mesh_build_t *b)
{
    int32_t illegal;
    status_t st = put_points(d, false, b);

    if (d->n_triangle_attributes > 1)
        return log_refusal(d->triangle_path, "remove all but one",
                           "its triangles have %" PRId64 " attributes",
                           d->n_triangle_attributes);
    if (d->n_regions > 0 && d->segment_path != NULL)
        log_warn("%s: regions are not used with triangles of a file, which have "
                 "attributes; limit areas by --max-area",
                 d->segment_path);
    if (st != ST_OK || (st = mesh_assemble(d, &b->m)) != ST_OK ||
        (d->n_triangle_attributes == 1 && (st = put_regions(d, b)) != ST_OK))
        return st;
    if (!repair && (illegal = mesh_find_illegal(&b->m)) != MESH_NONE) {
        const int32_t t = mesh_tri_of(illegal);
        const int32_t u = mesh_tri_of(b->m.t[t].n[mesh_corner_of(illegal)]);

        log_error("%s:%" PRId64 ": triangle %" PRId32
                  " is not Delaunay: its circle has a "
                  "point of triangle %" PRId32 "; give --repair to flip such edges",
                  d->triangle_path, d->triangle_line[t], t + d->first_id,
                  u + d->first_id);
        return ST_EINPUT;
    }
    if (repair && (b->n_flips = constrain_repair(&b->m)) < 0)
        return ST_ENOMEM;
    return carve_number(&b->m);
}

/* ---- corners ---- */

/* @return the angle between two edges of a triangle, at a corner, in degrees */
static double angle(const tri_mesh_t *m, const mesh_tri_t *t, int corner)
{
    const double *o = m->p[t->v[corner]], *a = m->p[t->v[mesh_next(corner)]];
    const double *b = m->p[t->v[mesh_before(corner)]];
    const double ax = a[0] - o[0], ay = a[1] - o[1], bx = b[0] - o[0], by = b[1] - o[1];

    return fabs(atan2(ax * by - ay * bx, ax * bx + ay * by)) *
           (180 / 3.14159265358979323846);
}

/* @return the angle from a segment to the next one to the left, or a larger one of 60 */
static double wedge(const tri_mesh_t *m, int32_t t, int corner)
{
    double sum = 0;

    for (;;) {
        const mesh_tri_t *tri = &m->t[t];
        const int32_t other = tri->n[mesh_next(corner)];

        sum += angle(m, tri, corner);
        if (sum >= 60 || tri->s[mesh_next(corner)] != MESH_NONE)
            return sum;
        t = mesh_tri_of(other);
        corner = mesh_next(mesh_corner_of(other));
    }
}

static int64_t count_sharp(const tri_mesh_t *m)
{
    int64_t n = 0;

    for (int32_t t = 0; t < m->n_triangles; t++)
        for (int corner = 0; corner < 3; corner++)
            if (m->t[t].s[mesh_before(corner)] != MESH_NONE)
                n += wedge(m, t, corner) < 60 - 1e-9;
    return n;
}

status_t mesh_build(const mesh_data_t *d, bool repair, mesh_build_t *out)
{
    mesh_build_t b = {.n_merged = 0};
    status_t st = d->n_triangles > 0 ? assemble(d, repair, &b) : triangulate(d, &b);

    if (st == ST_OK && d->n_attributes > 0)
        st = tri_mesh_keep_parents(&b.m);
    if (st != ST_OK) {
        mesh_build_free(&b);
        return st;
    }
    b.n_sharp = count_sharp(&b.m);
    *out = b;
    return ST_OK;
}
