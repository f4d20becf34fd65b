/*
 * carve.c - floods that stop at segments.
 */
#include "kernels/mesh/carve.h"

#include "io/base/logmsg.h"
#include "kernels/mesh/delaunay.h"
#include "kernels/mesh/exact/predicates.h"

#include <stdlib.h>

/* What a triangle is to be: a region from 0 on, or removed. */
enum { REMOVED = -1 };

typedef struct {
    tri_mesh_t *m;
    int32_t *stack; /* [n_triangles] */
    int64_t n_left; /* triangles that are not removed */
} flood_t;

/* Give a triangle and all that can be reached from it across no segment a region. */
static void flood(flood_t *f, int32_t first, int32_t region)
{
    mesh_tri_t *t = f->m->t;
    int64_t n = 0;

    if (t[first].region == region || t[first].region == REMOVED)
        return;
    f->n_left -= region == REMOVED;
    t[first].region = region;
    f->stack[n++] = first;
    while (n > 0) {
        const mesh_tri_t *from = &t[f->stack[--n]];

        for (int e = 0; e < 3; e++) {
            const int32_t to =
                from->n[e] == MESH_NONE ? MESH_NONE : mesh_tri_of(from->n[e]);

            if (to == MESH_NONE || from->s[e] != MESH_NONE || t[to].region == region ||
                t[to].region == REMOVED)
                continue;
            f->n_left -= region == REMOVED;
            t[to].region = region;
            f->stack[n++] = to;
        }
    }
}

static void flood_outside(flood_t *f, bool is_convex)
{
    tri_mesh_t *m = f->m;

    for (int32_t k = 0; k < m->n_triangles; k++)
        if (delaunay_is_ghost(&m->t[k]) && m->t[k].region != REMOVED) {
            if (!is_convex) {
                flood(f, k, REMOVED);
            } else {
                m->t[k].region = REMOVED;
                f->n_left--;
            }
        }
}

static bool has_point(const tri_mesh_t *m, int32_t t, const double p[2])
{
    const mesh_tri_t *tri = &m->t[t];

    if (delaunay_is_ghost(tri))
        return false;
    for (int e = 0; e < 3; e++)
        if (orient2d(m->p[tri->v[e]], m->p[tri->v[mesh_next(e)]], p) < 0)
            return false;
    return true;
}

/* @return the triangle that has a point, or MESH_NONE */
static int32_t find(const tri_mesh_t *m, const double p[2])
{
    const int32_t t = delaunay_locate(m, p, 0);

    if (t != MESH_NONE)
        return has_point(m, t, p) ? t : MESH_NONE;
    for (int32_t k = 0; k < m->n_triangles; k++)
        if (has_point(m, k, p))
            return k;
    return MESH_NONE;
}

static status_t flood_all(flood_t *f, const carve_t *what, carve_fault_t *fault,
                          int64_t *which)
{
    tri_mesh_t *m = f->m;

    flood_outside(f, what->is_convex);
    *fault = CARVE_OPEN;
    if (f->n_left == 0)
        return ST_EINPUT;
    for (*which = 0; *which < what->n_holes; ++*which) {
        const int32_t t = find(m, what->hole[*which]);

        *fault = CARVE_HOLE_OUTSIDE;
        if (t == MESH_NONE)
            return ST_EINPUT;
        flood(f, t, REMOVED); /* two points in a hole are one too many, but harmless */
        *fault = CARVE_EMPTY;
        if (f->n_left == 0)
            return ST_EINPUT;
    }
    for (*which = 0; *which < what->n_regions; ++*which) {
        const int32_t t = find(m, what->region[*which]);

        *fault = CARVE_REGION_OUTSIDE;
        if (t == MESH_NONE || m->t[t].region == REMOVED)
            return ST_EINPUT;
        flood(f, t, (int32_t)*which + 1);
    }
    *fault = CARVE_GOOD;
    return ST_OK;
}

/* Move triangles that stay to the front. @param number  [n_triangles] space */
static void compact(tri_mesh_t *m, int32_t *number)
{
    int32_t n = 0;

    for (int32_t k = 0; k < m->n_triangles; k++)
        number[k] = m->t[k].region == REMOVED ? MESH_NONE : n++;
    for (int32_t k = 0; k < m->n_triangles; k++) {
        mesh_tri_t t = m->t[k];

        if (number[k] == MESH_NONE)
            continue;
        for (int e = 0; e < 3; e++) {
            const int32_t to = number[mesh_tri_of(t.n[e])];

            t.n[e] = to == MESH_NONE ? MESH_NONE : MESH_EDGE(to, mesh_corner_of(t.n[e]));
        }
        m->t[number[k]] = t;
    }
    m->n_triangles = n;
}

status_t carve_number(tri_mesh_t *m)
{
    const int64_t n_edges = 3 * m->n_triangles;
    status_t st = ST_OK;

    m->n_subs = 0;
    for (int64_t k = 0; st == ST_OK && k < n_edges; k++) {
        const int32_t t = (int32_t)(k / 3), e = (int32_t)(k % 3);
        const mesh_tri_t *tri = &m->t[t];
        const int32_t edge = MESH_EDGE(t, e), other = tri->n[e];
        const int32_t a = tri->v[mesh_next(e)], b = tri->v[mesh_before(e)];
        int32_t part = tri->s[e];

        if ((other != MESH_NONE && (part == MESH_NONE || other < edge)) ||
            (st = tri_mesh_reserve_subs(m, 1)) != ST_OK ||
            (part == MESH_NONE &&
             (st = tri_mesh_add_part(m, a, b, MESH_NONE, &part)) != ST_OK))
            continue;
        m->s[m->n_subs++] =
            (mesh_sub_t){.a = m->part[part].a, m->part[part].b, part, edge, false, false};
    }
    for (int32_t k = 0; st == ST_OK && k < m->n_subs; k++) {
        const int32_t edge = m->s[k].edge;
        mesh_tri_t *t = &m->t[mesh_tri_of(edge)];
        const int32_t other = t->n[mesh_corner_of(edge)];

        t->s[mesh_corner_of(edge)] = k;
        if (other != MESH_NONE)
            m->t[mesh_tri_of(other)].s[mesh_corner_of(other)] = k;
    }
    return st;
}

status_t carve_mesh(tri_mesh_t *m, const carve_t *what, carve_fault_t *fault,
                    int64_t *which)
{
    flood_t f = {m, malloc((size_t)m->n_triangles * sizeof(*f.stack) + 1),
                 m->n_triangles};
    status_t st = f.stack != NULL ? ST_OK : log_nomem("a mesh");

    if (st == ST_OK && (st = flood_all(&f, what, fault, which)) == ST_OK) {
        compact(m, f.stack);
        st = carve_number(m);
    }
    free(f.stack);
    return st;
}
