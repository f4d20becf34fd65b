/*
 * constrain.c - edges that cross a segment are flipped until none does (Sloan 1993), then
 * those that took their place until they are Delaunay (Lawson 1977).
 *
 * Flips renumber edges, so that lists have edges as pairs of vertices.
 */
#include "kernels/mesh/constrain.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "kernels/mesh/exact/predicates.h"

#include <stdlib.h>

typedef struct {
    int32_t a, b;
} pair_t;

typedef struct {
    tri_mesh_t *m;
    int32_t *at;    /* [n_points] a triangle of each vertex, or MESH_NONE */
    buf_t crossing; /* pair_t: a queue */
    buf_t made;     /* pair_t: a stack of edges that may not be Delaunay */
    int64_t n_flips;
    constrain_fault_t *fault;
    int64_t *which;
} state_t;

static status_t push(buf_t *to, int32_t a, int32_t b)
{
    const pair_t pair = {a, b};

    if (to->capacity - to->len < sizeof(pair) && buf_reserve(to, 4096 + to->len) != ST_OK)
        return ST_ENOMEM;
    *(pair_t *)(void *)(to->data + to->len) = pair;
    to->len += sizeof(pair);
    return ST_OK;
}

static double side(const tri_mesh_t *m, int32_t a, int32_t b, int32_t c)
{
    return orient2d(m->p[a], m->p[b], m->p[c]);
}

static int corner_of(const mesh_tri_t *t, int32_t vertex)
{
    return t->v[0] == vertex ? 0 : t->v[1] == vertex ? 1 : 2;
}

/* @return the next triangle around its vertex v[corner], to the left */
static int32_t turn(const tri_mesh_t *m, int32_t t, int corner)
{
    return m->t[t].n[mesh_next(corner)] == MESH_NONE
               ? MESH_NONE
               : mesh_tri_of(m->t[t].n[mesh_next(corner)]);
}

static int32_t turn_right(const tri_mesh_t *m, int32_t t, int corner)
{
    return m->t[t].n[mesh_before(corner)] == MESH_NONE
               ? MESH_NONE
               : mesh_tri_of(m->t[t].n[mesh_before(corner)]);
}

/* @return the edge from a to b, of the triangle to its left, or MESH_NONE */
static int32_t find_edge(const state_t *s, int32_t a, int32_t b)
{
    const tri_mesh_t *m = s->m;
    const int32_t first = s->at[a];
    int32_t t = first;

    do {
        const int c = corner_of(&m->t[t], a);

        if (m->t[t].v[mesh_next(c)] == b)
            return MESH_EDGE(t, mesh_before(c));
        t = turn(m, t, c);
    } while (t != first && t != MESH_NONE);
    for (t = t == MESH_NONE ? first : MESH_NONE; t != MESH_NONE;) {
        const int c = corner_of(&m->t[t], a);

        if (m->t[t].v[mesh_next(c)] == b)
            return MESH_EDGE(t, mesh_before(c));
        t = turn_right(m, t, c);
    }
    return MESH_NONE;
}

/* ---- flips ---- */

static void set_triangle(state_t *s, int32_t t, const int32_t v[3], const int32_t n[3],
                         const int32_t sub[3])
{
    mesh_tri_t *tri = &s->m->t[t];

    for (int e = 0; e < 3; e++) {
        tri->v[e] = v[e];
        tri->s[e] = sub[e];
        tri_mesh_join(s->m, MESH_EDGE(t, e), n[e]);
        if (v[e] != MESH_GHOST)
            s->at[v[e]] = t;
    }
}

/* Replace an edge by the other diagonal of its two triangles. */
static void flip(state_t *s, int32_t edge)
{
    tri_mesh_t *m = s->m;
    const int32_t t = mesh_tri_of(edge);
    const int e = mesh_corner_of(edge);
    const int32_t other = m->t[t].n[e], u = mesh_tri_of(other);
    const int f = mesh_corner_of(other);
    const mesh_tri_t old = m->t[t], beyond = m->t[u];
    const int32_t p = old.v[e], a = old.v[mesh_next(e)], b = old.v[mesh_before(e)];
    const int32_t q = beyond.v[f];

    set_triangle(s, t, (int32_t[]){p, a, q},
                 (int32_t[]){beyond.n[mesh_next(f)], MESH_EDGE(u, 2),
                             old.n[mesh_before(e)]},
                 (int32_t[]){beyond.s[mesh_next(f)], MESH_NONE, old.s[mesh_before(e)]});
    set_triangle(s, u, (int32_t[]){p, q, b},
                 (int32_t[]){beyond.n[mesh_before(f)], old.n[mesh_next(e)],
                             MESH_EDGE(t, 1)},
                 (int32_t[]){beyond.s[mesh_before(f)], old.s[mesh_next(e)], MESH_NONE});
    s->n_flips++;
}

/* @return whether both triangles of an edge are real, and form a convex quadrangle */
static bool is_convex(const tri_mesh_t *m, int32_t edge)
{
    const mesh_tri_t *t = &m->t[mesh_tri_of(edge)];
    const int e = mesh_corner_of(edge);
    const mesh_tri_t *u = &m->t[mesh_tri_of(t->n[e])];
    const int32_t p = t->v[e], q = u->v[mesh_corner_of(t->n[e])];
    const int32_t a = t->v[mesh_next(e)], b = t->v[mesh_before(e)];

    return side(m, p, a, q) > 0 && side(m, q, b, p) > 0;
}

/* Flip an edge if it is not Delaunay, and list those around it. */
static status_t legalise(state_t *s, int32_t a, int32_t b)
{
    tri_mesh_t *m = s->m;
    const int32_t edge = find_edge(s, a, b);
    const mesh_tri_t *t = &m->t[edge == MESH_NONE ? 0 : mesh_tri_of(edge)], *u;
    const int e = mesh_corner_of(edge);
    int32_t p, q;
    status_t st;

    if (edge == MESH_NONE || t->s[e] != MESH_NONE || t->n[e] == MESH_NONE)
        return ST_OK;
    u = &m->t[mesh_tri_of(t->n[e])];
    p = t->v[e];
    q = u->v[mesh_corner_of(t->n[e])];
    if (p == MESH_GHOST || q == MESH_GHOST ||
        incircle(m->p[t->v[0]], m->p[t->v[1]], m->p[t->v[2]], m->p[q]) <= 0)
        return ST_OK;
    flip(s, edge);
    if ((st = push(&s->made, a, q)) == ST_OK && (st = push(&s->made, q, b)) == ST_OK &&
        (st = push(&s->made, b, p)) == ST_OK)
        st = push(&s->made, p, a);
    return st;
}

static status_t legalise_all(state_t *s)
{
    status_t st = ST_OK;

    while (st == ST_OK && s->made.len > 0) {
        s->made.len -= sizeof(pair_t);
        const pair_t pair = *(pair_t *)(void *)(s->made.data + s->made.len);

        st = legalise(s, pair.a, pair.b);
    }
    return st;
}

/* ---- a segment ---- */

static status_t refuse(state_t *s, constrain_fault_t fault, int64_t segment, int32_t part)
{
    *s->fault = fault;
    s->which[0] = s->m->part[part].segment;
    s->which[1] = segment;
    return ST_EINPUT;
}

/* Make an edge a part of a segment. */
static status_t mark(state_t *s, int32_t edge, int32_t a, int32_t b, int64_t segment)
{
    tri_mesh_t *m = s->m;
    mesh_tri_t *t = &m->t[mesh_tri_of(edge)];
    const int e = mesh_corner_of(edge);
    int32_t part;
    status_t st;

    if (t->s[e] != MESH_NONE)
        return refuse(s, CONSTRAIN_OVERLAP, segment, t->s[e]);
    if ((st = tri_mesh_add_part(m, a, b, (int32_t)segment, &part)) != ST_OK)
        return st;
    t->s[e] = part;
    m->t[mesh_tri_of(t->n[e])].s[mesh_corner_of(t->n[e])] = part;
    return ST_OK;
}

/* @return whether c, on the line through a and b, lies on b's side of a */
static bool is_ahead(const tri_mesh_t *m, int32_t a, int32_t b, int32_t c)
{
    const double *pa = m->p[a], *pb = m->p[b], *pc = m->p[c];

    return pa[0] != pb[0] ? (pb[0] > pa[0]) == (pc[0] > pa[0])
                          : (pb[1] > pa[1]) == (pc[1] > pa[1]);
}

/* Find what a segment meets when it leaves a: a vertex, or the edge opposite a.
 * @param vertex  out: the vertex, or MESH_NONE @return the edge, of the triangle of a */
static int32_t leave(const state_t *s, int32_t a, int32_t b, int32_t *vertex)
{
    const tri_mesh_t *m = s->m;
    const int32_t first = s->at[a];
    int32_t t = first;

    *vertex = MESH_NONE;
    do {
        const mesh_tri_t *tri = &m->t[t];
        const int c = corner_of(tri, a);
        const int32_t right = tri->v[mesh_next(c)], left = tri->v[mesh_before(c)];

        if (right != MESH_GHOST) {
            const double right_side = side(m, a, b, right);

            if (right == b || (right_side == 0 && is_ahead(m, a, b, right))) {
                *vertex = right;
                return MESH_EDGE(t, mesh_before(c));
            }
            if (left != MESH_GHOST && right_side < 0 && side(m, a, b, left) > 0)
                return MESH_EDGE(t, c);
        }
        t = turn(m, t, c);
    } while (t != first);
    return MESH_NONE; /* never: b lies within the hull */
}

/* List the edges that a segment crosses from one on.
 * @param end  out: the vertex that it meets then */
static status_t list_crossing(state_t *s, int32_t a, int32_t b, int32_t edge,
                              int64_t segment, int32_t *end)
{
    const tri_mesh_t *m = s->m;

    s->crossing.len = 0;
    for (;;) {
        const mesh_tri_t *t = &m->t[mesh_tri_of(edge)], *u;
        const int e = mesh_corner_of(edge), f = mesh_corner_of(t->n[e]);
        status_t st;
        double apex;

        if (t->s[e] != MESH_NONE)
            return refuse(s, CONSTRAIN_CROSS, segment, t->s[e]);
        if ((st = push(&s->crossing, t->v[mesh_next(e)], t->v[mesh_before(e)])) != ST_OK)
            return st;
        u = &m->t[mesh_tri_of(t->n[e])];
        *end = u->v[f];
        if (*end == b || (apex = side(m, a, b, *end)) == 0)
            return ST_OK;
        /* it goes from the right of the segment to the left, as all of them */
        edge = MESH_EDGE(mesh_tri_of(t->n[e]), apex > 0 ? mesh_next(f) : mesh_before(f));
    }
}

/* Flip edges until none crosses the segment from a to b. */
static status_t clear(state_t *s, int32_t a, int32_t b)
{
    const tri_mesh_t *m = s->m;
    status_t st = ST_OK;

    s->made.len = 0;
    for (size_t k = 0; st == ST_OK && k < s->crossing.len / sizeof(pair_t); k++) {
        const pair_t pair = ((const pair_t *)(const void *)s->crossing.data)[k];
        const int32_t edge = find_edge(s, pair.a, pair.b);
        const mesh_tri_t *t = &m->t[mesh_tri_of(edge)];
        const int32_t p = t->v[mesh_corner_of(edge)];
        const int32_t across = t->n[mesh_corner_of(edge)];
        const int32_t q = m->t[mesh_tri_of(across)].v[mesh_corner_of(across)];

        if (!is_convex(m, edge)) {
            st = push(&s->crossing, pair.a, pair.b);
            continue;
        }
        flip(s, edge);
        if ((p == a && q == b) || (p == b && q == a))
            continue;
        if (p != a && p != b && q != a && q != b &&
            (side(m, a, b, p) > 0) != (side(m, a, b, q) > 0))
            st = push(&s->crossing, p, q);
        else
            st = push(&s->made, p, q);
    }
    return st;
}

static status_t insert(state_t *s, int32_t a, int32_t b, int64_t segment)
{
    while (a != b) {
        int32_t to, edge = leave(s, a, b, &to);
        status_t st = ST_OK;

        if (to == MESH_NONE) {
            if ((st = list_crossing(s, a, b, edge, segment, &to)) != ST_OK ||
                (st = clear(s, a, to)) != ST_OK)
                return st;
            edge = find_edge(s, a, to);
        }
        if ((st = mark(s, edge, a, to, segment)) != ST_OK ||
            (st = legalise_all(s)) != ST_OK)
            return st;
        a = to;
    }
    return ST_OK;
}

static status_t begin(state_t *s)
{
    const tri_mesh_t *m = s->m;

    s->at = malloc((size_t)m->n_points * sizeof(*s->at) + 1);
    if (s->at == NULL)
        return log_nomem("segments");
    for (int64_t k = 0; k < m->n_points; k++)
        s->at[k] = MESH_NONE;
    for (int32_t t = 0; t < m->n_triangles; t++)
        for (int e = 0; e < 3; e++)
            if (m->t[t].v[e] != MESH_GHOST)
                s->at[m->t[t].v[e]] = t;
    return ST_OK;
}

static void end(state_t *s)
{
    free(s->at);
    buf_free(&s->crossing);
    buf_free(&s->made);
}

status_t constrain_mesh(tri_mesh_t *m, int32_t (*ends)[2], int64_t n,
                        constrain_fault_t *fault, int64_t which[2])
{
    state_t s = {.m = m, .fault = fault, .which = which};
    status_t st = begin(&s);

    *fault = CONSTRAIN_GOOD;
    for (int64_t k = 0; st == ST_OK && k < n; k++)
        st = insert(&s, ends[k][0], ends[k][1], k);
    end(&s);
    return st;
}

int64_t constrain_repair(tri_mesh_t *m)
{
    state_t s = {.m = m};
    status_t st = begin(&s);

    for (int32_t t = 0; st == ST_OK && t < m->n_triangles; t++)
        for (int e = 0; st == ST_OK && e < 3; e++)
            if (m->t[t].n[e] > MESH_EDGE(t, e))
                if ((st = push(&s.made, m->t[t].v[mesh_next(e)],
                               m->t[t].v[mesh_before(e)])) == ST_OK)
                    st = legalise_all(&s);
    end(&s);
    return st == ST_OK ? s.n_flips : -1;
}
