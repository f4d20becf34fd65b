/*
 * delaunay.c - Bowyer and Watson's insertion: the triangles whose circles have the new
 * point are replaced by those that join it with their outline.
 *
 * Triangles whose circles have the point form a tree of neighbours, because no vertex
 * lies within their outline; walking around it gives the outline in order.
 */
#include "kernels/mesh/delaunay.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "kernels/mesh/exact/predicates.h"

/* An edge of the outline: where it begins, and what is outside. */
typedef struct {
    int32_t from, outside;
} border_t;

typedef struct {
    tri_mesh_t *m;
    buf_t stack;   /* int32_t: edges to cross */
    buf_t outline; /* border_t */
    buf_t inside;  /* int32_t: triangles */
} maker_t;

static status_t push(buf_t *to, int32_t value)
{
    if (to->capacity - to->len < sizeof(value)) {
        const status_t st = buf_reserve(to, 4096 + to->len);

        if (st != ST_OK)
            return st;
    }
    *(int32_t *)(void *)(to->data + to->len) = value;
    to->len += sizeof(value);
    return ST_OK;
}

/* @return whether p lies strictly between a and b, which are on a line with it */
static bool is_between(const double a[2], const double b[2], const double p[2])
{
    return a[0] != b[0] ? (a[0] < p[0]) != (b[0] < p[0]) && p[0] != a[0] && p[0] != b[0]
                        : (a[1] < p[1]) != (b[1] < p[1]) && p[1] != a[1] && p[1] != b[1];
}

/* @return whether the circle of a triangle has a point; a ghost's is the half plane
 * outside, with the edge itself */
static bool has_in_circle(const tri_mesh_t *m, const mesh_tri_t *t, const double p[2])
{
    double(*at)[2] = m->p;

    for (int e = 0; e < 3; e++)
        if (t->v[e] == MESH_GHOST) {
            const double *a = at[t->v[mesh_next(e)]], *b = at[t->v[mesh_before(e)]];
            const double side = orient2d(a, b, p);

            return side > 0 || (side == 0 && is_between(a, b, p));
        }
    return incircle(at[t->v[0]], at[t->v[1]], at[t->v[2]], p) > 0;
}

int32_t delaunay_locate(const tri_mesh_t *m, const double p[2], int32_t from)
{
    int32_t t = from, came = MESH_NONE;

    for (int e = 0; e < 3; e++)
        if (m->t[t].v[e] == MESH_GHOST)
            t = mesh_tri_of(m->t[from].n[e]);
    for (int64_t n_steps = 0; n_steps <= m->n_triangles; n_steps++) {
        const mesh_tri_t *tri = &m->t[t];
        int32_t to = MESH_NONE;

        for (int e = 0; e < 3 && to == MESH_NONE; e++) {
            if (tri->v[e] == MESH_GHOST)
                return t;
            if (MESH_EDGE(t, e) != came &&
                orient2d(m->p[tri->v[mesh_next(e)]], m->p[tri->v[mesh_before(e)]], p) < 0)
                to = tri->n[e];
        }
        if (to == MESH_NONE)
            return t;
        came = to;
        t = mesh_tri_of(to);
        if (delaunay_is_ghost(&m->t[t]))
            return t;
    }
    return MESH_NONE;
}

/* ---- a point ---- */

/* Collect the triangles whose circles have a point, and their outline, which begins
 * anywhere and turns left. */
static status_t collect(maker_t *k, int32_t first, const double p[2])
{
    const tri_mesh_t *m = k->m;
    status_t st = ST_OK;

    k->stack.len = k->outline.len = k->inside.len = 0;
    st = push(&k->inside, first);
    for (int e = 2; st == ST_OK && e >= 0; e--)
        st = push(&k->stack, MESH_EDGE(first, e));
    while (st == ST_OK && k->stack.len > 0) {
        const int32_t edge =
            *(int32_t *)(void *)(k->stack.data + (k->stack.len -= sizeof(int32_t)));
        const mesh_tri_t *t = &m->t[mesh_tri_of(edge)];
        const int32_t other = t->n[mesh_corner_of(edge)], u = mesh_tri_of(other);
        const int corner = mesh_corner_of(other);

        if (has_in_circle(m, &m->t[u], p)) {
            if ((st = push(&k->inside, u)) == ST_OK &&
                (st = push(&k->stack, MESH_EDGE(u, mesh_before(corner)))) == ST_OK)
                st = push(&k->stack, MESH_EDGE(u, mesh_next(corner)));
        } else if ((st = push(&k->outline, t->v[mesh_next(mesh_corner_of(edge))])) ==
                   ST_OK)
            st = push(&k->outline, other);
    }
    return st;
}

/* Join a point with the outline. */
static status_t fill(maker_t *k, int32_t point)
{
    tri_mesh_t *m = k->m;
    const border_t *border = (const void *)k->outline.data;
    int32_t *slot = (void *)k->inside.data;
    const int64_t n = (int64_t)(k->outline.len / sizeof(*border));
    const int64_t n_old = (int64_t)(k->inside.len / sizeof(*slot));
    status_t st = tri_mesh_reserve_triangles(m, n - n_old);

    for (int64_t i = n_old; st == ST_OK && i < n; i++)
        st = push(&k->inside, (int32_t)m->n_triangles++);
    if (st != ST_OK)
        return st;
    slot = (void *)k->inside.data;
    for (int64_t i = 0; i < n; i++) {
        const int64_t after = i + 1 < n ? i + 1 : 0, before = i > 0 ? i - 1 : n - 1;
        mesh_tri_t *t = &m->t[slot[i]];

        *t = (mesh_tri_t){.v = {point, border[i].from, border[after].from},
                          .n = {border[i].outside, MESH_EDGE(slot[after], 2),
                                MESH_EDGE(slot[before], 1)},
                          .s = {MESH_NONE, MESH_NONE, MESH_NONE}};
        m->t[mesh_tri_of(border[i].outside)].n[mesh_corner_of(border[i].outside)] =
            MESH_EDGE(slot[i], 0);
    }
    return ST_OK;
}

/* @return the vertex of a triangle that has the same place, or MESH_NONE */
static int32_t equal_vertex(const tri_mesh_t *m, const mesh_tri_t *t, const double p[2])
{
    for (int e = 0; e < 3; e++)
        if (t->v[e] != MESH_GHOST && m->p[t->v[e]][0] == p[0] && m->p[t->v[e]][1] == p[1])
            return t->v[e];
    return MESH_NONE;
}

static status_t insert(maker_t *k, int32_t point, int32_t *hint, int32_t *twin)
{
    tri_mesh_t *m = k->m;
    const double *p = m->p[point];
    const int32_t t = delaunay_locate(m, p, *hint);
    status_t st;

    if ((*twin = equal_vertex(m, &m->t[t], p)) != MESH_NONE)
        return ST_OK;
    if ((st = collect(k, t, p)) == ST_OK && (st = fill(k, point)) == ST_OK)
        *hint = *(const int32_t *)(const void *)k->inside.data;
    return st;
}

/* ---- all points ---- */

/* Find three points that are not on a line, of which the first is point 0. */
static status_t find_first(const tri_mesh_t *m, int32_t first[3])
{
    int32_t b = 1, c;

    while (b < m->n_points && m->p[b][0] == m->p[0][0] && m->p[b][1] == m->p[0][1])
        b++;
    for (c = b + 1; c < m->n_points; c++) {
        const double side = orient2d(m->p[0], m->p[b], m->p[c]);

        if (side != 0) {
            first[0] = 0;
            first[1] = side > 0 ? b : c;
            first[2] = side > 0 ? c : b;
            return ST_OK;
        }
    }
    return ST_EINPUT;
}

/* Make a triangle, and the three outside. */
static status_t make_first(tri_mesh_t *m, const int32_t v[3])
{
    const status_t st = tri_mesh_reserve_triangles(m, 2 * m->n_points + 16);

    if (st != ST_OK)
        return st;
    m->n_triangles = 4;
    m->t[0] =
        (mesh_tri_t){.v = {v[0], v[1], v[2]}, .s = {MESH_NONE, MESH_NONE, MESH_NONE}};
    for (int e = 0; e < 3; e++) { /* ghost e + 1 is beyond edge e */
        m->t[e + 1] = (mesh_tri_t){.v = {MESH_GHOST, v[mesh_before(e)], v[mesh_next(e)]},
                                   .s = {MESH_NONE, MESH_NONE, MESH_NONE}};
        tri_mesh_join(m, MESH_EDGE(0, e), MESH_EDGE(e + 1, 0));
    }
    for (int e = 0; e < 3; e++) /* they meet at v[e + 1] of the first */
        tri_mesh_join(m, MESH_EDGE(e + 1, 1), MESH_EDGE(mesh_before(e) + 1, 2));
    return ST_OK;
}

status_t delaunay_make(tri_mesh_t *m, int32_t *twin)
{
    maker_t k = {.m = m};
    int32_t first[3], hint = 0;
    status_t st = find_first(m, first);

    if (st == ST_OK)
        st = make_first(m, first);
    for (int32_t p = 0; st == ST_OK && p < m->n_points; p++) {
        twin[p] = MESH_NONE;
        if (p != first[0] && p != first[1] && p != first[2])
            st = insert(&k, p, &hint, &twin[p]);
    }
    buf_free(&k.stack);
    buf_free(&k.outline);
    buf_free(&k.inside);
    return st;
}
