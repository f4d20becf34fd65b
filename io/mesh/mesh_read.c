/*
 * mesh_read.c - Triangle's files: .node, .ele and .poly.
 *
 * A header line has counts, then follows a line per row: its number, then values. Numbers
 * count from 0 or from 1, as the first row of points has it. Empty lines, and what
 * follows a '#', are comments.
 */
#include "io/base/logmsg.h"
#include "io/graphfile/read/graph_text.h"
#include "io/mesh/mesh_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static status_t open_text(const char *path, graph_text_t *t, char **name)
{
    *t = (graph_text_t){.weights = GRAPH_WEIGHTS_UNREAD};
    if ((*name = strdup(path)) == NULL)
        return log_nomem("a mesh");
    return lines_open(path, &t->lines);
}

/* Go to the next line with fields. */
static status_t next(graph_text_t *t, const char *missing)
{
    status_t st;

    do {
        st = graph_text_next(t);
        if (st == ST_OK && t->line != NULL)
            t->line[strcspn(t->line, "#")] = '\0';
    } while (st == ST_OK && t->line != NULL && graph_text_at_end(t));
    if (st == ST_OK && t->line == NULL && missing != NULL)
        return lines_refuse(t->lines, "the file ends before %s; complete it", missing);
    return st;
}

static status_t optional_int(graph_text_t *t, const char *what, int64_t high,
                             int64_t *out)
{
    *out = 0;
    return graph_text_at_end(t) ? ST_OK
                                : graph_text_int(t, what, 0, high, "correct it", out);
}

static status_t read_marker(graph_text_t *t, int32_t *out)
{
    double value;
    status_t st = graph_text_real(t, "marker", &value);

    if (st == ST_OK && (value != floor(value) || fabs(value) > INT32_MAX))
        return lines_refuse(t->lines, "the marker %.17g is not an integer; correct it",
                            value);
    if (st == ST_OK)
        *out = (int32_t)value;
    return st;
}

static status_t read_point(graph_text_t *t, double p[2])
{
    for (int k = 0; k < 2; k++) {
        status_t st = graph_text_real(t, k == 0 ? "x coordinate" : "y coordinate", &p[k]);

        if (st != ST_OK)
            return st;
        if (p[k] != 0 &&
            (fabs(p[k]) < MESH_MIN_COORDINATE || fabs(p[k]) > MESH_MAX_COORDINATE))
            return lines_refuse(t->lines,
                                "the coordinate %g is not 0, nor of %g .. %g, within "
                                "which predicates are exact; scale the mesh",
                                p[k], MESH_MIN_COORDINATE, MESH_MAX_COORDINATE);
        p[k] += 0.0; /* -0 is 0 */
    }
    return ST_OK;
}

/* Read the number of a row. @param first_id  of the first row; -1: not yet known, and 0
 * or 1 then */
static status_t read_id(graph_text_t *t, const char *what, int64_t k, int32_t *first_id)
{
    const int64_t low = *first_id < 0 ? 0 : *first_id + k;
    const int64_t high = *first_id < 0 ? 1 : low;
    int64_t id;

    if (!graph_text_scan(t, &id) || id < low || id > high) {
        graph_text_skip(t);
        return *first_id < 0
                   ? lines_refuse(t->lines,
                                  "the first %s is not number 0 or 1; number them from "
                                  "0 or 1 in order",
                                  what)
                   : lines_refuse(t->lines,
                                  "%s %" PRId64 " is missing, or stands here under "
                                  "another number; number them in order",
                                  what, low);
    }
    if (*first_id < 0)
        *first_id = (int32_t)id;
    return ST_OK;
}

/* Allocate n elements of zeros, at least one. */
static status_t allocate(void *array, int64_t n, size_t size)
{
    void **to = array;

    free(*to);
    *to = calloc((size_t)n + 1, size);
    return *to != NULL ? ST_OK : log_nomem("a mesh");
}

/* The file of a header has at least two bytes per row; a count that no memory has room
 * for is refused as such. */
#define ALLOCATE(array, n) allocate(&(array), n, sizeof(*(array)))

/* ---- points ---- */

static status_t read_points_header(graph_text_t *t, mesh_data_t *d, bool *has_markers)
{
    int64_t dimension, markers, n;
    status_t st;

    if ((st = next(t, "the header of points")) != ST_OK ||
        (st = graph_text_int(t, "number of points", 0, MESH_MAX_POINTS, "correct it",
                             &n)) != ST_OK ||
        (st = graph_text_int(t, "dimension", 2, 2, "points have two coordinates",
                             &dimension)) != ST_OK ||
        (st = optional_int(t, "number of attributes", MESH_MAX_ATTRIBUTES,
                           &d->n_attributes)) != ST_OK ||
        (st = optional_int(t, "number of markers", 1, &markers)) != ST_OK ||
        (st = graph_text_end(t)) != ST_OK)
        return st;
    d->n_points = n;
    *has_markers = markers == 1;
    return ST_OK;
}

static status_t read_points(graph_text_t *t, mesh_data_t *d, bool has_markers)
{
    const int64_t n = d->n_points, n_values = d->n_attributes;
    status_t st;

    d->first_id = -1;
    if ((st = ALLOCATE(d->p, n)) != ST_OK ||
        (st = ALLOCATE(d->attribute, n * n_values)) != ST_OK ||
        (st = ALLOCATE(d->point_line, n)) != ST_OK ||
        (has_markers && (st = ALLOCATE(d->marker, n)) != ST_OK))
        return st;
    for (int64_t k = 0; k < n; k++) {
        if ((st = next(t, "its last point")) != ST_OK ||
            (st = read_id(t, "point", k, &d->first_id)) != ST_OK ||
            (st = read_point(t, d->p[k])) != ST_OK)
            return st;
        for (int64_t i = 0; i < n_values; i++)
            if ((st = graph_text_real(t, "attribute", &d->attribute[k * n_values + i])) !=
                ST_OK)
                return st;
        if ((has_markers && (st = read_marker(t, &d->marker[k])) != ST_OK) ||
            (st = graph_text_end(t)) != ST_OK)
            return st;
        d->point_line[k] = lines_number(t->lines);
    }
    return ST_OK;
}

static status_t refuse_more(graph_text_t *t)
{
    status_t st = next(t, NULL);

    if (st == ST_OK && t->line != NULL)
        return lines_refuse(t->lines,
                            "a line too many; remove it, or correct the counts");
    return st;
}

status_t mesh_data_read_points(const char *path, mesh_data_t *d)
{
    graph_text_t t;
    bool has_markers;
    status_t st = open_text(path, &t, &d->point_path);

    if (st == ST_OK && (st = read_points_header(&t, d, &has_markers)) == ST_OK &&
        (st = read_points(&t, d, has_markers)) == ST_OK &&
        (st = refuse_more(&t)) == ST_OK && d->n_points < 3)
        st = lines_refuse(t.lines, "a mesh has at least three points; add some");
    lines_close(t.lines);
    return st;
}

/* Read the number of a point. */
static status_t read_vertex(graph_text_t *t, const mesh_data_t *d, int32_t *out)
{
    int64_t id;
    status_t st = graph_text_int(t, "point", d->first_id, d->first_id + d->n_points - 1,
                                 "give one of the points", &id);

    if (st == ST_OK)
        *out = (int32_t)(id - d->first_id);
    return st;
}

/* ---- triangles ---- */

static status_t read_triangle(graph_text_t *t, mesh_data_t *d, int64_t k)
{
    int32_t first_id = d->first_id, *v = d->triangle[k];
    status_t st = read_id(t, "triangle", k, &first_id);

    for (int e = 0; st == ST_OK && e < 3; e++)
        st = read_vertex(t, d, &v[e]);
    if (st == ST_OK && (v[0] == v[1] || v[1] == v[2] || v[2] == v[0]))
        st = lines_refuse(t->lines, "a triangle has a point twice; correct it");
    for (int64_t i = 0; st == ST_OK && i < d->n_triangle_attributes; i++)
        st = graph_text_real(t, "attribute",
                             &d->triangle_attribute[k * d->n_triangle_attributes + i]);
    d->triangle_line[k] = lines_number(t->lines);
    return st == ST_OK ? graph_text_end(t) : st;
}

static status_t read_triangles(graph_text_t *t, mesh_data_t *d)
{
    int64_t n, n_corners;
    status_t st;

    if ((st = next(t, "the header of triangles")) != ST_OK ||
        (st = graph_text_int(t, "number of triangles", 1, MESH_MAX_POINTS, "correct it",
                             &n)) != ST_OK ||
        (st = graph_text_int(t, "number of points of a triangle", 3, 3,
                             "give a mesh of linear triangles", &n_corners)) != ST_OK ||
        (st = optional_int(t, "number of attributes", MESH_MAX_ATTRIBUTES,
                           &d->n_triangle_attributes)) != ST_OK ||
        (st = graph_text_end(t)) != ST_OK || (st = ALLOCATE(d->triangle, n)) != ST_OK ||
        (st = ALLOCATE(d->triangle_attribute, n * d->n_triangle_attributes)) != ST_OK ||
        (st = ALLOCATE(d->triangle_line, n)) != ST_OK)
        return st;
    d->n_triangles = n;
    for (int64_t k = 0; st == ST_OK && k < n; k++)
        if ((st = next(t, "its last triangle")) == ST_OK)
            st = read_triangle(t, d, k);
    return st == ST_OK ? refuse_more(t) : st;
}

status_t mesh_data_read_triangles(const char *path, mesh_data_t *d)
{
    graph_text_t t;
    status_t st = open_text(path, &t, &d->triangle_path);

    if (st == ST_OK)
        st = read_triangles(&t, d);
    lines_close(t.lines);
    return st;
}

/* ---- segments, holes, regions ---- */

static status_t read_segment(graph_text_t *t, mesh_data_t *d, int64_t k, bool has_markers,
                             int32_t *first_id)
{
    status_t st = read_id(t, "segment", k, first_id);

    for (int e = 0; st == ST_OK && e < 2; e++)
        st = read_vertex(t, d, &d->segment[k][e]);
    if (st == ST_OK && has_markers)
        st = read_marker(t, &d->segment_marker[k]);
    if (st == ST_OK && d->segment[k][0] == d->segment[k][1])
        st = lines_refuse(t->lines, "both ends of the segment are the same point; remove "
                                    "it");
    d->segment_line[k] = lines_number(t->lines);
    return st == ST_OK ? graph_text_end(t) : st;
}

static status_t read_segments(graph_text_t *t, mesh_data_t *d)
{
    int32_t first_id = -1;
    int64_t n, markers;
    status_t st;

    if ((st = next(t, "the number of segments")) != ST_OK ||
        (st = graph_text_int(t, "number of segments", 0, MESH_MAX_POINTS, "correct it",
                             &n)) != ST_OK ||
        (st = optional_int(t, "number of markers", 1, &markers)) != ST_OK ||
        (st = graph_text_end(t)) != ST_OK || (st = ALLOCATE(d->segment, n)) != ST_OK ||
        (st = ALLOCATE(d->segment_marker, n)) != ST_OK ||
        (st = ALLOCATE(d->segment_line, n)) != ST_OK)
        return st;
    d->n_segments = n;
    for (int64_t k = 0; st == ST_OK && k < n; k++)
        if ((st = next(t, "its last segment")) == ST_OK)
            st = read_segment(t, d, k, markers == 1, &first_id);
    return st;
}

static status_t read_holes(graph_text_t *t, mesh_data_t *d)
{
    int32_t first_id = -1;
    int64_t n;
    status_t st;

    if ((st = next(t, "the number of holes, 0 or more")) != ST_OK ||
        (st = graph_text_int(t, "number of holes", 0, MESH_MAX_POINTS, "correct it",
                             &n)) != ST_OK ||
        (st = graph_text_end(t)) != ST_OK || (st = ALLOCATE(d->hole, n)) != ST_OK ||
        (st = ALLOCATE(d->hole_line, n)) != ST_OK)
        return st;
    d->n_holes = n;
    for (int64_t k = 0; k < n; k++) {
        if ((st = next(t, "its last hole")) != ST_OK ||
            (st = read_id(t, "hole", k, &first_id)) != ST_OK ||
            (st = read_point(t, d->hole[k])) != ST_OK ||
            (st = graph_text_end(t)) != ST_OK)
            return st;
        d->hole_line[k] = lines_number(t->lines);
    }
    return ST_OK;
}

static status_t read_region(graph_text_t *t, mesh_data_t *d, int64_t k)
{
    status_t st = read_point(t, d->region[k]);

    if (st == ST_OK)
        st = graph_text_real(t, "attribute of the region", &d->region_attribute[k]);
    if (st == ST_OK && !graph_text_at_end(t))
        st = graph_text_real(t, "maximum area", &d->region_area[k]);
    if (st == ST_OK && d->region_area[k] < 0)
        d->region_area[k] = 0; /* Triangle's sign for no limit */
    d->region_line[k] = lines_number(t->lines);
    return st == ST_OK ? graph_text_end(t) : st;
}

/* They may be absent. */
static status_t read_regions(graph_text_t *t, mesh_data_t *d)
{
    int32_t first_id = -1;
    int64_t n;
    status_t st = next(t, NULL);

    if (st != ST_OK || t->line == NULL)
        return st;
    if ((st = graph_text_int(t, "number of regions", 0, MESH_MAX_POINTS, "correct it",
                             &n)) != ST_OK ||
        (st = graph_text_end(t)) != ST_OK || (st = ALLOCATE(d->region, n)) != ST_OK ||
        (st = ALLOCATE(d->region_attribute, n)) != ST_OK ||
        (st = ALLOCATE(d->region_area, n)) != ST_OK ||
        (st = ALLOCATE(d->region_line, n)) != ST_OK)
        return st;
    d->n_regions = n;
    for (int64_t k = 0; st == ST_OK && k < n; k++)
        if ((st = next(t, "its last region")) == ST_OK &&
            (st = read_id(t, "region", k, &first_id)) == ST_OK)
            st = read_region(t, d, k);
    return st == ST_OK ? refuse_more(t) : st;
}

bool mesh_data_beside(const char *path, const char *ending, char out[MESH_PATH_BYTES])
{
    static const char *const packed[] = {"", ".gz", ".bz2", ".xz", ".zst"};
    const char *name = strrchr(path, '/'), *dot;
    size_t len;

    name = name == NULL ? path : name + 1;
    dot = strstr(name, ".poly");
    dot = dot == NULL ? strstr(name, ".node") : dot;
    len = dot == NULL ? strlen(path) : (size_t)(dot - path);
    for (size_t k = 0; k < sizeof(packed) / sizeof(packed[0]); k++) {
        const int n =
            snprintf(out, MESH_PATH_BYTES, "%.*s%s%s", (int)len, path, ending, packed[k]);

        if (n > 0 && n < MESH_PATH_BYTES && access(out, F_OK) == 0)
            return true;
    }
    return false;
}

/* Read the points of a .poly, which may be in a .node beside it. */
static status_t read_own_points(graph_text_t *t, mesh_data_t *d, const char *path)
{
    char beside[MESH_PATH_BYTES];
    mesh_data_t head = {0};
    bool has_markers;
    status_t st = read_points_header(t, &head, &has_markers);

    if (st != ST_OK || (head.n_points == 0 && d->n_points > 0))
        return st;
    if (d->n_points > 0)
        return lines_refuse(t->lines, "it has points of its own, but those of the .node "
                                      "file were given; begin it with 0");
    if (head.n_points == 0)
        return mesh_data_beside(path, ".node", beside)
                   ? mesh_data_read_points(beside, d)
                   : lines_refuse(t->lines, "its points are in a .node file beside it, "
                                            "which is missing; add it");
    d->n_points = head.n_points;
    d->n_attributes = head.n_attributes;
    if (d->n_points < 3)
        return lines_refuse(t->lines, "a mesh has at least three points; add some");
    if ((d->point_path = strdup(path)) == NULL)
        return log_nomem("a mesh");
    return read_points(t, d, has_markers);
}

status_t mesh_data_read_segments(const char *path, mesh_data_t *d)
{
    graph_text_t t;
    status_t st = open_text(path, &t, &d->segment_path);

    if (st == ST_OK && (st = read_own_points(&t, d, path)) == ST_OK &&
        (st = read_segments(&t, d)) == ST_OK && (st = read_holes(&t, d)) == ST_OK)
        st = read_regions(&t, d);
    lines_close(t.lines);
    return st;
}

/* ---- files that belong together ---- */

static bool has_ending(const char *path, const char *ending)
{
    const char *name = strrchr(path, '/');
    const char *at = strstr(name == NULL ? path : name, ending);
    const size_t len = strlen(ending);

    return at != NULL && (at[len] == '\0' || at[len] == '.');
}

status_t mesh_data_read(const char *path, const char *triangles, mesh_data_t *out)
{
    char beside[MESH_PATH_BYTES];
    mesh_data_t d = {.first_id = 1};
    const bool is_poly = has_ending(path, ".poly");
    status_t st = ST_OK;

    if (mesh_data_is_hdf5(path) && triangles == NULL)
        return mesh_file_read(path, out, NULL);
    if (mesh_data_is_hdf5(path))
        return log_refusal(path, "give it alone", "it has the triangles of its mesh");
    if (!is_poly && !has_ending(path, ".node"))
        return log_refusal(path, "name it FILE.node, FILE.poly or FILE.h5",
                           "it is neither points nor segments by its name");
    st = is_poly ? mesh_data_read_segments(path, &d) : mesh_data_read_points(path, &d);
    if (st == ST_OK && triangles != NULL)
        st = mesh_data_read_triangles(triangles, &d);
    if (st == ST_OK && triangles != NULL && !is_poly &&
        mesh_data_beside(path, ".poly", beside))
        st = mesh_data_read_segments(beside, &d);
    if (st == ST_OK)
        *out = d;
    else
        mesh_data_free(&d);
    return st;
}

status_t mesh_data_read_all(const char *path, mesh_data_t *out)
{
    char triangles[MESH_PATH_BYTES];
    status_t st;

    if (mesh_data_is_hdf5(path)) {
        st = mesh_file_read(path, out, NULL);
        if (st != ST_OK || out->n_triangles > 0)
            return st;
        mesh_data_free(out);
        return log_refusal(path, "make some with `ribogrid mesh refine`",
                           "it has no triangles");
    }
    if (!mesh_data_beside(path, ".ele", triangles))
        return log_refusal(path, "add the file, or make it with `ribogrid mesh refine`",
                           "the triangles, FILE.ele, are not beside it");
    return mesh_data_read(path, triangles, out);
}
