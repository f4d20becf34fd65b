/*
 * refine_rule_body.h - angles by their squared cosines, centres, lenses and shells
 * (mesh_fn.h).
 */
/* Distances from a corner that differ by less are equal. */
static const double equal_distance = 0.001;

MESH_STATIC double length2(const double a[2], const double b[2])
{
    const double x = a[0] - b[0], y = a[1] - b[1];

    return x * x + y * y;
}

MESH_STATIC double dot(const double from[2], const double a[2], const double b[2])
{
    return (a[0] - from[0]) * (b[0] - from[0]) + (a[1] - from[1]) * (b[1] - from[1]);
}

/* @return the edge of a triangle that is shortest; the first of equal ones */
MESH_STATIC int shortest(const tri_mesh_t *m, const mesh_tri_t *t, double length[3])
{
    int e = 0;

    for (int k = 0; k < 3; k++)
        length[k] = length2(m->p[t->v[mesh_next(k)]], m->p[t->v[mesh_before(k)]]);
    if (length[1] < length[e])
        e = 1;
    return length[2] < length[e] ? 2 : e;
}

/* @return the vertex that two parts share, or MESH_NONE */
MESH_STATIC int32_t shared_end(const mesh_part_t *a, const mesh_part_t *b)
{
    return a->a == b->a || a->a == b->b   ? a->a
           : a->b == b->a || a->b == b->b ? a->b
                                          : MESH_NONE;
}

/* @return whether an edge joins two segments at the same distance from their corner: the
 * angle opposite it is that of the input */
MESH_STATIC bool is_across_corner(const tri_mesh_t *m, int32_t a, int32_t b)
{
    const int32_t on_a = m->on[a], on_b = m->on[b];
    int32_t corner;
    double to_a, to_b;

    if (on_a < 0 || on_b < 0 || on_a == on_b)
        return false;
    corner = shared_end(&m->part[on_a], &m->part[on_b]);
    if (corner == MESH_NONE)
        return false;
    to_a = length2(m->p[a], m->p[corner]);
    to_b = length2(m->p[b], m->p[corner]);
    return to_a < (1 + equal_distance) * to_b && to_a > (1 - equal_distance) * to_b;
}

MESH_STATIC double area_limit(const refine_rule_t *r, const tri_mesh_t *m,
                              const mesh_tri_t *t)
{
    const double limit = m->n_regions > 0 ? m->region[t->region].max_area : 0;

    return r->max_area > 0 && (limit == 0 || r->max_area < limit) ? r->max_area : limit;
}

MESH_STATIC bool is_too_large(const refine_rule_t *r, const tri_mesh_t *m,
                              const mesh_tri_t *t)
{
    const double limit = area_limit(r, m, t);
    const double *a = m->p[t->v[0]], *b = m->p[t->v[1]], *c = m->p[t->v[2]];

    return limit > 0 &&
           .5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) > limit;
}

/* @return what orders lengths; not 0 */
MESH_STATIC uint32_t key_of(double length)
{
    uint64_t bits;

    memcpy(&bits, &length, sizeof(bits));
    return (uint32_t)(bits >> 32) | 1;
}

MESH_FN uint32_t refine_rule_key(const refine_rule_t *r, const tri_mesh_t *m,
                                 const mesh_tri_t *t)
{
    double length[3], cosine;
    const int e = shortest(m, t, length);
    const int32_t a = t->v[mesh_next(e)], b = t->v[mesh_before(e)];

    cosine = dot(m->p[t->v[e]], m->p[a], m->p[b]);
    if (!is_too_large(r, m, t) &&
        (r->min_angle <= 0 || cosine <= 0 ||
         cosine * cosine <= r->cos2 * (length[mesh_next(e)] * length[mesh_before(e)]) ||
         is_across_corner(m, a, b)))
        return 0;
    return key_of(length[e]);
}

MESH_FN uint32_t refine_rule_length_key(const double a[2], const double b[2])
{
    return key_of(length2(a, b));
}

MESH_FN void refine_rule_center(const refine_rule_t *r, const tri_mesh_t *m,
                                const mesh_tri_t *t, double p[2])
{
    double length[3], center[2], off[2];
    const int e = shortest(m, t, length);
    const double *o = m->p[t->v[mesh_next(e)]], *d = m->p[t->v[mesh_before(e)]];
    const double *apex = m->p[t->v[e]];
    const double dx = d[0] - o[0], dy = d[1] - o[1];
    const double ax = apex[0] - o[0], ay = apex[1] - o[1];
    const double d2 = dx * dx + dy * dy, a2 = ax * ax + ay * ay;
    const double scale = .5 / orient2d(o, d, apex);

    center[0] = (ay * d2 - dy * a2) * scale;
    center[1] = (dx * a2 - ax * d2) * scale;
    if (r->off_center) {
        off[0] = .5 * dx - r->offset * dy;
        off[1] = .5 * dy + r->offset * dx;
        if (off[0] * off[0] + off[1] * off[1] <
            center[0] * center[0] + center[1] * center[1])
            memcpy(center, off, sizeof(center));
    }
    for (int k = 0; k < 2; k++) {
        p[k] = o[k] + center[k];
        if (fabs(p[k]) < PREDICATES_MIN)
            p[k] = 0;
    }
}

MESH_FN bool refine_rule_encroaches(const refine_rule_t *r, const double a[2],
                                    const double b[2], const double p[2])
{
    const double cosine = dot(p, a, b);

    return cosine < 0 && cosine * cosine >= r->lens * (length2(p, a) * length2(p, b));
}

/* @return whether another subsegment leaves an end of one, in a triangle beside it */
MESH_STATIC bool has_neighbor(const tri_mesh_t *m, const mesh_sub_t *s, int32_t end)
{
    const int32_t both[2] = {s->edge,
                             m->t[mesh_tri_of(s->edge)].n[mesh_corner_of(s->edge)]};

    for (int k = 0; k < 2; k++) {
        const mesh_tri_t *t = &m->t[mesh_tri_of(both[k])];

        if (both[k] == MESH_NONE)
            continue;
        for (int e = 0; e < 3; e++)
            if (e != mesh_corner_of(both[k]) && t->s[e] != MESH_NONE &&
                (t->v[mesh_next(e)] == end || t->v[mesh_before(e)] == end))
                return true;
    }
    return false;
}

/* @return the fraction of a length that is a power of two, 1/3 to 2/3 of it */
MESH_STATIC double shell(double length)
{
    int exponent;
    double fraction = frexp(length, &exponent); /* .5 <= fraction < 1 */

    fraction = .5 / fraction; /* the power of two below, above .5 */
    return fraction > 2. / 3 ? fraction / 2 : fraction;
}

MESH_FN bool refine_rule_cut(const tri_mesh_t *m, const mesh_sub_t *s, double p[2])
{
    const double *a = m->p[s->a], *b = m->p[s->b];
    const bool at_a = has_neighbor(m, s, s->a), at_b = has_neighbor(m, s, s->b);
    double part = .5;

    if (at_a || at_b)
        part = shell(sqrt(length2(a, b)));
    if (at_b)
        part = 1 - part;
    for (int k = 0; k < 2; k++) {
        p[k] = a[k] + part * (b[k] - a[k]);
        if (fabs(p[k]) < PREDICATES_MIN)
            p[k] = 0;
    }
    return (p[0] != a[0] || p[1] != a[1]) && (p[0] != b[0] || p[1] != b[1]);
}
