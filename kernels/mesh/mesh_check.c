/*
 * mesh_check.c - neighbours by sorted edges, Euler's number, outline, segments, circles.
 */
#include "kernels/mesh/mesh_check.h"

#include "io/base/logmsg.h"
#include "io/graphfile/radix_sort.h"
#include "kernels/mesh/exact/predicates.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, KEY_BITS = 58 };

/* Edges are numbered 3 t + e, from point e + 1 to point e + 2 of triangle t. */
typedef struct {
    const mesh_data_t *d, *of;
    mesh_check_t *out;
    uint64_t *key; /* [n] sorted */
    int32_t *edge; /* [n] */
    int64_t n;
    int32_t *twin;    /* [n] the other side of an edge, or NONE */
    bool *is_segment; /* [n] */
    int32_t *root;    /* [n_triangles] of its component, in the end */
    int32_t *n_leave; /* [n_points] edges of the outline that begin there */
    bool *is_used;    /* [n_points] */
    int32_t *outline; /* [n] its edges, by their lowest x */
} check_t;

static status_t fault(const check_t *c, const char *fmt, ...) PRINTF_LIKE(2, 3);

static status_t fault(const check_t *c, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    log_error("%s: %s", c->d->triangle_path, text);
    return ST_EINPUT;
}

static int32_t corner(const check_t *c, int32_t edge, int k)
{
    return c->d->triangle[edge / 3][(edge % 3 + k) % 3];
}

static int32_t from_of(const check_t *c, int32_t edge)
{
    return corner(c, edge, 1);
}

static int32_t to_of(const check_t *c, int32_t edge)
{
    return corner(c, edge, 2);
}

static uint64_t key_of(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 29 | (uint64_t)b : (uint64_t)b << 29 | (uint64_t)a;
}

static int32_t id(const check_t *c, int64_t k)
{
    return (int32_t)k + c->d->first_id;
}

double mesh_check_angles(const mesh_data_t *d, int64_t triangle, double *max)
{
    const int32_t *v = d->triangle[triangle];
    double min = 180;

    *max = 0;
    for (int k = 0; k < 3; k++) {
        const double *o = d->p[v[k]], *a = d->p[v[(k + 1) % 3]],
                     *b = d->p[v[(k + 2) % 3]];
        const double ax = a[0] - o[0], ay = a[1] - o[1], bx = b[0] - o[0],
                     by = b[1] - o[1];
        const double angle = atan2(fabs(ax * by - ay * bx), ax * bx + ay * by) *
                             (180 / 3.14159265358979323846);

        min = fmin(min, angle);
        *max = fmax(*max, angle);
    }
    return min;
}

/* ---- triangles and edges ---- */

static status_t check_triangles(check_t *c, double min_angle)
{
    const mesh_data_t *d = c->d;
    mesh_check_t *out = c->out;

    out->min_angle = 180;
    out->min_area = INFINITY;
    for (int64_t k = 0; k < d->n_triangles; k++) {
        const int32_t *v = d->triangle[k];
        const double side = orient2d(d->p[v[0]], d->p[v[1]], d->p[v[2]]);
        double max, min;

        if (side <= 0)
            return fault(c, "triangle %" PRId32 " %s", id(c, k),
                         side == 0 ? "is flat" : "turns right");
        min = mesh_check_angles(d, k, &max);
        out->min_angle = fmin(out->min_angle, min);
        out->max_angle = fmax(out->max_angle, max);
        out->min_area = fmin(out->min_area, side / 2);
        out->max_area = fmax(out->max_area, side / 2);
        out->n_below += min < min_angle - 1e-7;
        out->histogram[min >= 60 ? 11 : (int)(min / 5)]++;
        for (int e = 0; e < 3; e++) {
            out->n_used += !c->is_used[v[e]];
            c->is_used[v[e]] = true;
        }
    }
    out->n_triangles = d->n_triangles;
    return ST_OK;
}

static status_t pair_edges(check_t *c)
{
    for (int64_t k = 0; k < c->n; k++)
        c->twin[k] = NONE;
    for (int64_t k = 0; k < c->n; k++) {
        const bool is_same = k > 0 && c->key[k] == c->key[k - 1];

        c->out->n_edges += !is_same;
        if (!is_same)
            continue;
        const int32_t a = c->edge[k - 1], b = c->edge[k];

        if (c->twin[a] != NONE)
            return fault(c,
                         "the edge of points %" PRId32 " and %" PRId32
                         " has more than two triangles, one of them %" PRId32,
                         id(c, from_of(c, a)), id(c, to_of(c, a)), id(c, b / 3));
        if (from_of(c, a) == from_of(c, b))
            return fault(c,
                         "triangles %" PRId32 " and %" PRId32
                         " lie on the same side of an edge",
                         id(c, a / 3), id(c, b / 3));
        c->twin[a] = b;
        c->twin[b] = a;
    }
    return ST_OK;
}

/* ---- Euler's number ---- */

static int32_t find_root(int32_t *root, int32_t t)
{
    while (root[t] != t)
        t = root[t] = root[root[t]];
    return t;
}

static void count_components(check_t *c)
{
    for (int32_t t = 0; t < c->d->n_triangles; t++)
        c->root[t] = t;
    for (int32_t k = 0; k < c->n; k++)
        if (c->twin[k] != NONE)
            c->root[find_root(c->root, k / 3)] = find_root(c->root, c->twin[k] / 3);
    for (int32_t t = 0; t < c->d->n_triangles; t++)
        c->out->n_components += find_root(c->root, t) == t;
}

/* @return the edge of the outline that follows one, around the triangles at its end */
static int32_t next_on_outline(const check_t *c, int32_t edge)
{
    int32_t k = edge / 3 * 3 + (edge % 3 + 1) % 3; /* begins where `edge` ends */

    while (c->twin[k] != NONE) {
        const int32_t other = c->twin[k];

        k = other / 3 * 3 + (other % 3 + 1) % 3;
    }
    return k;
}

/* Count loops, and vertices as often as the outline goes through them: there the mesh is
 * not a surface, but its pieces between are. */
static status_t check_euler(check_t *c)
{
    mesh_check_t *out = c->out;
    bool *is_seen = calloc((size_t)c->n + 1, sizeof(*is_seen));
    int64_t n_vertices = out->n_used;

    if (is_seen == NULL)
        return log_nomem("a mesh");
    count_components(c);
    for (int32_t k = 0; k < c->n; k++) {
        if (c->twin[k] != NONE)
            continue;
        n_vertices += c->n_leave[from_of(c, k)]++ > 0;
        c->outline[out->n_outline++] = k;
        out->n_loops += !is_seen[k];
        for (int32_t at = k; !is_seen[at]; at = next_on_outline(c, at))
            is_seen[at] = true;
    }
    free(is_seen);
    if (n_vertices - out->n_edges + out->n_triangles ==
        2 * out->n_components - out->n_loops)
        return ST_OK;
    return fault(c,
                 "%" PRId64 " points - %" PRId64 " edges + %" PRId64 " triangles is not "
                 "Euler's number of %" PRId64 " components and %" PRId64 " outlines",
                 n_vertices, out->n_edges, out->n_triangles, out->n_components,
                 out->n_loops);
}

/* ---- the outline ---- */

static double low(const check_t *c, int32_t edge, int d)
{
    return fmin(c->d->p[from_of(c, edge)][d], c->d->p[to_of(c, edge)][d]);
}

static double high(const check_t *c, int32_t edge, int d)
{
    return fmax(c->d->p[from_of(c, edge)][d], c->d->p[to_of(c, edge)][d]);
}

static int compare_outline(const void *a, const void *b, void *ctx)
{
    const double x = low(ctx, *(const int32_t *)a, 0),
                 y = low(ctx, *(const int32_t *)b, 0);

    return (x > y) - (x < y);
}

/* @return whether two edges meet other than at ends that they share */
static bool do_meet(const check_t *c, int32_t k, int32_t l)
{
    double(*p)[2] = c->d->p;
    const int32_t a = from_of(c, k), b = to_of(c, k), u = from_of(c, l), v = to_of(c, l);
    const double u_side = orient2d(p[a], p[b], p[u]), v_side = orient2d(p[a], p[b], p[v]);
    const double a_side = orient2d(p[u], p[v], p[a]), b_side = orient2d(p[u], p[v], p[b]);
    const bool do_share = a == u || a == v || b == u || b == v;

    if (u_side == 0 && v_side == 0) { /* on a line */
        const int d = p[a][0] == p[b][0];

        return fmin(high(c, k, d), high(c, l, d)) > fmax(low(c, k, d), low(c, l, d));
    }
    return !do_share &&
           (u_side > 0   ? v_side <= 0
            : u_side < 0 ? v_side >= 0
                         : true) &&
           (a_side > 0   ? b_side <= 0
            : a_side < 0 ? b_side >= 0
                         : true);
}

static status_t check_outline(check_t *c)
{
    const int64_t n = c->out->n_outline;

    qsort_r(c->outline, (size_t)n, sizeof(*c->outline), compare_outline, c);
    for (int64_t i = 0; i < n; i++) {
        const int32_t k = c->outline[i];
        const double end = high(c, k, 0), bottom = low(c, k, 1), top = high(c, k, 1);

        for (int64_t j = i + 1; j < n && low(c, c->outline[j], 0) <= end; j++) {
            const int32_t l = c->outline[j];

            if (low(c, l, 1) <= top && high(c, l, 1) >= bottom && do_meet(c, k, l))
                return fault(c,
                             "triangles %" PRId32 " and %" PRId32
                             " meet other than at an edge: the mesh overlaps, or has a "
                             "point within an edge",
                             id(c, k / 3), id(c, l / 3));
        }
    }
    return ST_OK;
}

/* ---- segments ---- */

static status_t check_segments(check_t *c)
{
    const mesh_data_t *d = c->d;

    for (int64_t k = 0; k < d->n_segments; k++) {
        const int64_t at =
            radix_find(c->key, c->n, key_of(d->segment[k][0], d->segment[k][1]));

        if (at == NONE)
            return fault(c, "segment %" PRId32 " is no edge", id(c, k));
        c->is_segment[c->edge[at]] = true;
        if (c->twin[c->edge[at]] != NONE)
            c->is_segment[c->twin[c->edge[at]]] = true;
    }
    c->out->n_segments = d->n_segments;
    for (int32_t k = 0; k < c->n; k++) {
        const int32_t other = c->twin[k];

        if (other == NONE && d->n_segments > 0 && !c->is_segment[k])
            return fault(c,
                         "the edge of points %" PRId32 " and %" PRId32
                         " is on the outline, but no segment",
                         id(c, from_of(c, k)), id(c, to_of(c, k)));
        if (other > k && !c->is_segment[k] &&
            incircle(d->p[corner(c, k, 0)], d->p[from_of(c, k)], d->p[to_of(c, k)],
                     d->p[corner(c, other, 0)]) > 0)
            return fault(c,
                         "triangles %" PRId32 " and %" PRId32
                         " are not Delaunay, and no segment is between them",
                         id(c, k / 3), id(c, other / 3));
    }
    return ST_OK;
}

/* ---- the input ---- */

/* Segments of the mesh at each point. */
typedef struct {
    int64_t *begin; /* [n_points + 1] */
    int32_t *other; /* [2 n_segments] the other end */
} fans_t;

static status_t make_fans(const mesh_data_t *d, fans_t *f)
{
    f->begin = calloc((size_t)d->n_points + 2, sizeof(*f->begin));
    f->other = malloc((size_t)(2 * d->n_segments) * sizeof(*f->other) + 1);
    if (f->begin == NULL || f->other == NULL)
        return log_nomem("segments");
    for (int64_t k = 0; k < 2 * d->n_segments; k++)
        f->begin[d->segment[k / 2][k % 2] + 2]++;
    for (int64_t k = 1; k < d->n_points + 2; k++)
        f->begin[k] += f->begin[k - 1];
    for (int64_t k = 0; k < 2 * d->n_segments; k++)
        f->other[f->begin[d->segment[k / 2][k % 2] + 1]++] = d->segment[k / 2][1 - k % 2];
    return ST_OK;
}

/* @return how far p lies from the line through a and b, in units in the last place of the
 * coordinates; infinity: not between them */
static double distance(const double a[2], const double b[2], const double p[2])
{
    const double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy);
    const double along = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / length;
    const double size = fmax(fmax(fabs(a[0]), fabs(a[1])), fmax(fabs(b[0]), fabs(b[1])));

    if (along <= 0 || along > length * (1 + 1e-12))
        return INFINITY;
    return fabs((p[0] - a[0]) * dy - (p[1] - a[1]) * dx) / length / (size * 0x1p-53);
}

/* New points are rounded, those of a chain each from the one before. */
static const double max_distance = 64;

static status_t check_chain(const check_t *c, const fans_t *f, int64_t segment)
{
    const mesh_data_t *d = c->d;
    const int32_t a = c->of->segment[segment][0], b = c->of->segment[segment][1];
    int32_t at = a;

    for (int64_t n = 0; at != b; n++) {
        int32_t best = NONE;

        for (int64_t k = f->begin[at]; k < f->begin[at + 1]; k++) {
            const int32_t to = f->other[k];

            if (to == b || distance(d->p[at], d->p[b], d->p[to]) <= max_distance)
                best = best == NONE || to == b ? to : best;
        }
        if (best == NONE || n > d->n_segments) {
            log_error("%s:%" PRId64 ": segment %" PRId64 " is no chain of segments of %s",
                      c->of->segment_path, c->of->segment_line[segment],
                      segment + c->of->first_id, d->segment_path);
            return ST_EINPUT;
        }
        at = best;
    }
    return ST_OK;
}

static status_t check_of(const check_t *c)
{
    const mesh_data_t *d = c->d, *of = c->of;
    fans_t f = {NULL, NULL};
    status_t st = make_fans(d, &f);

    for (int64_t k = 0; st == ST_OK && k < of->n_points; k++)
        if (k >= d->n_points || d->p[k][0] != of->p[k][0] || d->p[k][1] != of->p[k][1])
            st =
                fault(c, "point %" PRId32 " is not that of %s", id(c, k), of->point_path);
    for (int64_t k = 0; st == ST_OK && k < of->n_segments; k++)
        if (c->is_used[of->segment[k][0]] && c->is_used[of->segment[k][1]])
            st = check_chain(c, &f, k);
    free(f.begin);
    free(f.other);
    return st;
}

/* ---- all ---- */

static status_t begin(check_t *c, uint64_t **keys, int32_t **edges)
{
    const mesh_data_t *d = c->d;
    const size_t n = (size_t)c->n;

    *keys = malloc(2 * n * sizeof(**keys) + 1);
    *edges = malloc(2 * n * sizeof(**edges) + 1);
    c->twin = malloc(n * sizeof(*c->twin) + 1);
    c->is_segment = calloc(n + 1, sizeof(*c->is_segment));
    c->outline = malloc(n * sizeof(*c->outline) + 1);
    c->root = malloc((size_t)d->n_triangles * sizeof(*c->root) + 1);
    c->n_leave = calloc((size_t)d->n_points + 1, sizeof(*c->n_leave));
    c->is_used = calloc((size_t)d->n_points + 1, sizeof(*c->is_used));
    c->key = *keys;
    c->edge = *edges;
    if (*keys == NULL || *edges == NULL || c->twin == NULL || c->is_segment == NULL ||
        c->outline == NULL || c->root == NULL || c->n_leave == NULL || c->is_used == NULL)
        return log_nomem("a mesh");
    for (int32_t k = 0; k < c->n; k++) {
        c->key[k] = key_of(from_of(c, k), to_of(c, k));
        c->edge[k] = k;
    }
    radix_sort((radix_items_t){*keys, *edges, NULL},
               (radix_items_t){*keys + n, *edges + n, NULL}, c->n, KEY_BITS);
    return ST_OK;
}

status_t mesh_check(const mesh_data_t *d, const mesh_data_t *of, double min_angle,
                    mesh_check_t *out)
{
    check_t c = {.d = d, .of = of, .out = out, .n = 3 * d->n_triangles};
    uint64_t *keys = NULL;
    int32_t *edges = NULL;
    status_t st = begin(&c, &keys, &edges);

    memset(out, 0, sizeof(*out));
    if (st == ST_OK && (st = check_triangles(&c, min_angle)) == ST_OK &&
        (st = pair_edges(&c)) == ST_OK && (st = check_euler(&c)) == ST_OK &&
        (st = check_outline(&c)) == ST_OK && (st = check_segments(&c)) == ST_OK &&
        of != NULL)
        st = check_of(&c);
    free(keys);
    free(edges);
    free(c.twin);
    free(c.is_segment);
    free(c.outline);
    free(c.root);
    free(c.n_leave);
    free(c.is_used);
    return st;
}
