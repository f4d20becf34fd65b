/*
 * mesh_assemble.c - edges sorted by their ends, so that equal ones are beside each other.
 */
#include "kernels/mesh/mesh_assemble.h"

#include "io/base/logmsg.h"
#include "io/graphfile/radix_sort.h"
#include "kernels/mesh/exact/predicates.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const mesh_data_t *d;
    tri_mesh_t *m;
    uint64_t *key; /* [n_edges] sorted: both ends of an edge, the lower first */
    int32_t *edge; /* [n_edges] */
    int64_t n_edges;
    int32_t *order; /* [n_points] of vertices on the outline, by x and then y; or by y */
    int64_t n_outline;
} assembly_t;

static status_t refuse(const char *path, int64_t line, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

static status_t refuse(const char *path, int64_t line, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    log_error("%s:%" PRId64 ": %s", path, line, text);
    return ST_EINPUT;
}

/* ---- points ---- */

static int compare_points(const void *a, const void *b, void *points)
{
    double(*p)[2] = points;
    const int32_t i = *(const int32_t *)a, k = *(const int32_t *)b;

    for (int d = 0; d < 2; d++)
        if (p[i][d] != p[k][d])
            return p[i][d] < p[k][d] ? -1 : 1;
    return (i > k) - (i < k);
}

static status_t check_points(const mesh_data_t *d)
{
    int32_t *order = malloc((size_t)d->n_points * sizeof(*order) + 1);
    status_t st = order != NULL ? ST_OK : log_nomem("a mesh");

    for (int32_t k = 0; st == ST_OK && k < d->n_points; k++)
        order[k] = k;
    if (st == ST_OK)
        qsort_r(order, (size_t)d->n_points, sizeof(*order), compare_points, d->p);
    for (int64_t k = 1; st == ST_OK && k < d->n_points; k++) {
        const int32_t a = order[k - 1], b = order[k];

        if (d->p[a][0] == d->p[b][0] && d->p[a][1] == d->p[b][1])
            st = refuse(d->point_path, d->point_line[b],
                        "point %" PRId32 " has the place of point %" PRId32
                        ", and the triangles would have a gap there; merge them in the "
                        ".ele file",
                        b + d->first_id, a + d->first_id);
    }
    free(order);
    return st;
}

/* ---- triangles ---- */

static status_t check_triangle(const mesh_data_t *d, int64_t k)
{
    const int32_t *v = d->triangle[k];
    const double side = orient2d(d->p[v[0]], d->p[v[1]], d->p[v[2]]);

    if (side > 0)
        return ST_OK;
    return refuse(d->triangle_path, d->triangle_line[k],
                  side == 0 ? "triangle %" PRId64 " is flat: its points lie on a line; "
                              "remove it"
                            : "triangle %" PRId64 " turns right; list its points "
                              "counterclockwise",
                  k + d->first_id);
}

static uint64_t key_of(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 29 | (uint64_t)b : (uint64_t)b << 29 | (uint64_t)a;
}

static void list_edges(assembly_t *s, uint64_t *spare_key, int32_t *spare_edge)
{
    const tri_mesh_t *m = s->m;

    for (int32_t t = 0; t < m->n_triangles; t++)
        for (int e = 0; e < 3; e++) {
            s->key[3 * (int64_t)t + e] =
                key_of(m->t[t].v[mesh_next(e)], m->t[t].v[mesh_before(e)]);
            s->edge[3 * (int64_t)t + e] = MESH_EDGE(t, e);
        }
    radix_sort((radix_items_t){s->key, s->edge, NULL},
               (radix_items_t){spare_key, spare_edge, NULL}, s->n_edges, 58);
}

static int32_t from_of(const tri_mesh_t *m, int32_t edge)
{
    return m->t[mesh_tri_of(edge)].v[mesh_next(mesh_corner_of(edge))];
}

static status_t link_pair(assembly_t *s, int32_t a, int32_t b)
{
    const mesh_data_t *d = s->d;
    const int32_t t = mesh_tri_of(a), u = mesh_tri_of(b);

    if (from_of(s->m, a) == from_of(s->m, b))
        return refuse(d->triangle_path, d->triangle_line[u],
                      "triangle %" PRId32 " lies on the same side of an edge as triangle "
                      "%" PRId32 " in line %" PRId64 "; remove one of them",
                      u + d->first_id, t + d->first_id, d->triangle_line[t]);
    tri_mesh_join(s->m, a, b);
    return ST_OK;
}

static status_t link_edges(assembly_t *s)
{
    const mesh_data_t *d = s->d;
    status_t st = ST_OK;

    for (int64_t k = 0, n; st == ST_OK && k < s->n_edges; k += n) {
        for (n = 1; k + n < s->n_edges && s->key[k + n] == s->key[k];)
            n++;
        if (n == 2)
            st = link_pair(s, s->edge[k], s->edge[k + 1]);
        if (n > 2)
            st = refuse(d->triangle_path, d->triangle_line[mesh_tri_of(s->edge[k + 2])],
                        "the edge of points %" PRId64 " and %" PRId64 " has %" PRId64
                        " triangles; an edge has two at most",
                        (int64_t)(s->key[k] >> 29) + d->first_id,
                        (int64_t)(s->key[k] & ((1U << 29) - 1)) + d->first_id, n);
    }
    return st;
}

/* ---- vertices within an edge: those of triangles of different sizes that only touch
 * ----
 */

static bool is_within(const double a[2], const double b[2], const double p[2])
{
    const bool in_x =
        a[0] < b[0] ? a[0] <= p[0] && p[0] <= b[0] : b[0] <= p[0] && p[0] <= a[0];
    const bool in_y =
        a[1] < b[1] ? a[1] <= p[1] && p[1] <= b[1] : b[1] <= p[1] && p[1] <= a[1];

    return in_x && in_y && orient2d(a, b, p) == 0;
}

/* @return the first vertex of the outline whose x is not below */
static int64_t first_from(const assembly_t *s, double x)
{
    int64_t low = 0, high = s->n_outline;

    while (low < high) {
        const int64_t middle = (low + high) / 2;

        if (s->m->p[s->order[middle]][0] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static status_t check_edge(const assembly_t *s, int32_t edge)
{
    const mesh_data_t *d = s->d;
    const mesh_tri_t *t = &s->m->t[mesh_tri_of(edge)];
    const int32_t a = t->v[mesh_next(mesh_corner_of(edge))];
    const int32_t b = t->v[mesh_before(mesh_corner_of(edge))];
    const double low = d->p[a][0] < d->p[b][0] ? d->p[a][0] : d->p[b][0];
    const double high = d->p[a][0] < d->p[b][0] ? d->p[b][0] : d->p[a][0];

    for (int64_t k = first_from(s, low); k < s->n_outline && d->p[s->order[k]][0] <= high;
         k++) {
        const int32_t v = s->order[k];

        if (v != a && v != b && is_within(d->p[a], d->p[b], d->p[v]))
            return refuse(d->triangle_path, d->triangle_line[mesh_tri_of(edge)],
                          "point %" PRId32 " lies within an edge of triangle %" PRId32
                          " (a T-junction); split the triangle there",
                          v + d->first_id, mesh_tri_of(edge) + d->first_id);
    }
    return ST_OK;
}

static status_t check_junctions(assembly_t *s)
{
    tri_mesh_t *m = s->m;
    bool *is_listed = calloc((size_t)m->n_points + 1, sizeof(*is_listed));
    status_t st = is_listed != NULL ? ST_OK : log_nomem("a mesh");

    for (int64_t k = 0; st == ST_OK && k < s->n_edges; k++) {
        const int32_t edge = s->edge[k], from = from_of(m, edge);

        if (m->t[mesh_tri_of(edge)].n[mesh_corner_of(edge)] == MESH_NONE &&
            !is_listed[from]) {
            is_listed[from] = true;
            s->order[s->n_outline++] = from;
        }
    }
    if (st == ST_OK)
        qsort_r(s->order, (size_t)s->n_outline, sizeof(*s->order), compare_points, m->p);
    for (int64_t k = 0; st == ST_OK && k < s->n_edges; k++)
        if (m->t[mesh_tri_of(s->edge[k])].n[mesh_corner_of(s->edge[k])] == MESH_NONE)
            st = check_edge(s, s->edge[k]);
    free(is_listed);
    return st;
}

/* ---- segments ---- */

static status_t put_segments(assembly_t *s)
{
    const mesh_data_t *d = s->d;
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < d->n_segments; k++) {
        const int32_t a = d->segment[k][0], b = d->segment[k][1];
        const int64_t at = radix_find(s->key, s->n_edges, key_of(a, b));
        mesh_tri_t *t;
        int32_t edge, other, part;

        if (at == MESH_NONE)
            return refuse(d->segment_path, d->segment_line[k],
                          "segment %" PRId64 " is no edge of the triangles; correct it, "
                          "or give the .poly file alone",
                          k + d->first_id);
        edge = s->edge[at];
        t = &s->m->t[mesh_tri_of(edge)];
        other = t->n[mesh_corner_of(edge)];
        if (t->s[mesh_corner_of(edge)] != MESH_NONE)
            return refuse(
                d->segment_path, d->segment_line[k],
                "segment %" PRId64 " stands in line %" PRId64 " already; remove it",
                k + d->first_id,
                d->segment_line[s->m->part[t->s[mesh_corner_of(edge)]].segment]);
        if ((st = tri_mesh_add_part(s->m, a, b, (int32_t)k, &part)) != ST_OK)
            return st;
        t->s[mesh_corner_of(edge)] = part;
        if (other != MESH_NONE)
            s->m->t[mesh_tri_of(other)].s[mesh_corner_of(other)] = part;
    }
    return st;
}

static status_t put_triangles(assembly_t *s)
{
    const mesh_data_t *d = s->d;
    status_t st = tri_mesh_reserve_triangles(s->m, d->n_triangles);

    for (int64_t k = 0; st == ST_OK && k < d->n_triangles; k++) {
        const int32_t *v = d->triangle[k];

        st = check_triangle(d, k);
        s->m->t[s->m->n_triangles++] =
            (mesh_tri_t){.v = {v[0], v[1], v[2]},
                         .n = {MESH_NONE, MESH_NONE, MESH_NONE},
                         .s = {MESH_NONE, MESH_NONE, MESH_NONE}};
    }
    return st;
}

status_t mesh_assemble(const mesh_data_t *d, tri_mesh_t *m)
{
    const int64_t n = 3 * d->n_triangles;
    assembly_t s = {.d = d, .m = m, .n_edges = n};
    uint64_t *keys = malloc((size_t)(2 * n) * sizeof(*keys) + 1);
    int32_t *edges = malloc((size_t)(2 * n) * sizeof(*edges) + 1);
    status_t st;

    s.order = malloc((size_t)m->n_points * sizeof(*s.order) + 1);
    s.key = keys;
    s.edge = edges;
    st = keys != NULL && edges != NULL && s.order != NULL ? ST_OK : log_nomem("a mesh");
    if (st == ST_OK && (st = check_points(d)) == ST_OK &&
        (st = put_triangles(&s)) == ST_OK) {
        list_edges(&s, keys + n, edges + n);
        if ((st = link_edges(&s)) == ST_OK && (st = check_junctions(&s)) == ST_OK)
            st = put_segments(&s);
    }
    free(keys);
    free(edges);
    free(s.order);
    return st;
}

int32_t mesh_find_illegal(const tri_mesh_t *m)
{
    for (int32_t t = 0; t < m->n_triangles; t++)
        for (int e = 0; e < 3; e++) {
            const mesh_tri_t *tri = &m->t[t];
            const int32_t other = tri->n[e];

            if (other > MESH_EDGE(t, e) && tri->s[e] == MESH_NONE &&
                incircle(m->p[tri->v[0]], m->p[tri->v[1]], m->p[tri->v[2]],
                         m->p[m->t[mesh_tri_of(other)].v[mesh_corner_of(other)]]) > 0)
                return MESH_EDGE(t, e);
        }
    return MESH_NONE;
}
