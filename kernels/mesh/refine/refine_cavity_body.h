/*
 * refine_cavity_body.h - where a new vertex goes, and which triangles it replaces
 * (mesh_fn.h).
 */
/* Collect the cavity beyond edges on the stack, and its outline. */
MESH_STATIC status_t cross(const tri_mesh_t *m, refine_chunk_t *chunk, buf_t *outline,
                           const double p[2])
{
    status_t st = ST_OK;

    while (st == ST_OK && chunk->stack.len > 0) {
        const int32_t edge = *(int32_t *)(void *)(chunk->stack.data +
                                                  (chunk->stack.len -= sizeof(int32_t)));
        const mesh_tri_t *t = &m->t[mesh_tri_of(edge)], *u;
        const int e = mesh_corner_of(edge);
        const int32_t other = t->n[e];

        if (other != MESH_NONE && t->s[e] == MESH_NONE) {
            u = &m->t[mesh_tri_of(other)];
            if (incircle(m->p[u->v[0]], m->p[u->v[1]], m->p[u->v[2]], p) > 0) {
                const int f = mesh_corner_of(other);
                const int32_t at = mesh_tri_of(other);

                if ((st = refine_push(&chunk->cavities, at)) == ST_OK &&
                    (st = refine_push(&chunk->stack, MESH_EDGE(at, mesh_before(f)))) ==
                        ST_OK)
                    st = refine_push(&chunk->stack, MESH_EDGE(at, mesh_next(f)));
                continue;
            }
        }
        if ((st = refine_push(outline, t->v[mesh_next(e)])) == ST_OK &&
            (st = refine_push(outline, other)) == ST_OK &&
            (st = refine_push(outline, t->s[e])) == ST_OK)
            st = refine_push(outline, t->region);
    }
    return st;
}

/* Begin at a triangle: cross all its edges but one. @param but  3: none */
MESH_STATIC status_t enter(refine_chunk_t *chunk, int32_t t, int but)
{
    status_t st = refine_push(&chunk->cavities, t);
    const int n = but == 3 ? 3 : 2, first = but == 3 ? 0 : mesh_next(but);

    for (int k = n - 1; st == ST_OK && k >= 0; k--)
        st = refine_push(&chunk->stack, MESH_EDGE(t, (first + k) % 3));
    return st;
}

/* @return whether the vertex sees the whole outline from inside */
MESH_STATIC bool sees_outline(const tri_mesh_t *m, const refine_border_t *b, int32_t n,
                              int32_t last, const double p[2])
{
    for (int32_t k = 0; k < n; k++)
        if (orient2d(m->p[b[k].from], m->p[k + 1 < n ? b[k + 1].from : last], p) <= 0)
            return false;
    return true;
}

/* Append the outline to the cavity. */
MESH_STATIC status_t keep_outline(refine_chunk_t *chunk, const buf_t *outline,
                                  refine_candidate_t *c)
{
    const size_t begin = (size_t)c->at * sizeof(int32_t);
    const int32_t *from = (const int32_t *)(const void *)outline->data;
    const int32_t n = (int32_t)(outline->len / sizeof(int32_t));
    status_t st = ST_OK;

    c->n_inside = (int32_t)((chunk->cavities.len - begin) / sizeof(int32_t));
    c->n_borders = (int32_t)(outline->len / sizeof(refine_border_t));
    for (int32_t k = 0; st == ST_OK && k < n; k++)
        st = refine_push(&chunk->cavities, from[k]);
    return st;
}

/* ---- triangles ---- */

/* Walk from a triangle to the one that has a point.
 * @param sub  out: the subsegment in the way, or MESH_NONE @return the triangle */
MESH_STATIC int32_t walk(const tri_mesh_t *m, int32_t from, const double p[2],
                         int32_t *sub)
{
    int32_t t = from, came = MESH_NONE;

    *sub = MESH_NONE;
    for (int64_t n_steps = 0; n_steps < 100 + m->n_triangles; n_steps++) {
        const mesh_tri_t *tri = &m->t[t];
        int e = 0;

        while (e < 3 && (MESH_EDGE(t, e) == came ||
                         orient2d(m->p[tri->v[mesh_next(e)]],
                                  m->p[tri->v[mesh_before(e)]], p) >= 0))
            e++;
        if (e == 3)
            return t;
        if (tri->s[e] != MESH_NONE) {
            *sub = tri->s[e];
            return t;
        }
        came = tri->n[e];
        t = mesh_tri_of(came);
    }
    return MESH_NONE;
}

MESH_STATIC bool is_vertex(const tri_mesh_t *m, const mesh_tri_t *t, const double p[2])
{
    for (int e = 0; e < 3; e++)
        if (m->p[t->v[e]][0] == p[0] && m->p[t->v[e]][1] == p[1])
            return true;
    return false;
}

/* List subsegments of the outline that the vertex requires to be cut.
 * @param n_final  out: those that cannot be */
MESH_STATIC status_t list_hit(const refine_view_t *r, refine_chunk_t *chunk,
                              const buf_t *outline, refine_candidate_t *c, int *n_final)
{
    const tri_mesh_t *m = r->m;
    const refine_border_t *b = (const refine_border_t *)(const void *)outline->data;
    status_t st = ST_OK;

    *n_final = 0;
    for (int32_t k = 0; st == ST_OK && k < c->n_borders; k++) {
        const mesh_sub_t *s = &m->s[b[k].sub == MESH_NONE ? 0 : b[k].sub];

        if (b[k].sub == MESH_NONE ||
            !refine_rule_encroaches(&r->rule, m->p[s->a], m->p[s->b], c->p))
            continue;
        if (s->is_final) {
            ++*n_final;
        } else {
            st = refine_push(&chunk->cavities, b[k].sub);
            c->n_hit++;
        }
    }
    return st;
}

MESH_STATIC status_t find_of_triangle(const refine_view_t *r, refine_chunk_t *chunk,
                                      refine_candidate_t *c, buf_t *outline)
{
    const tri_mesh_t *m = r->m;
    const mesh_tri_t *t = &m->t[c->what];
    int32_t at, sub;
    int n_final;
    status_t st;

    c->fate = t->version == c->version ? REFINE_IS_STUCK : REFINE_IS_OLD;
    if (c->fate == REFINE_IS_OLD)
        return ST_OK;
    refine_rule_center(&r->rule, m, t, c->p);
    at = walk(m, c->what, c->p, &sub);
    if (at == MESH_NONE || (sub != MESH_NONE && m->s[sub].is_final) ||
        (sub == MESH_NONE && is_vertex(m, &m->t[at], c->p)))
        return ST_OK;
    if (sub != MESH_NONE) { /* it comes before all vertices beyond it */
        c->n_inside = c->n_hit = 1;
        c->fate = REFINE_WAITS;
        st = refine_push(&chunk->cavities, c->what);
        return st == ST_OK ? refine_push(&chunk->cavities, sub) : st;
    }
    if ((st = enter(chunk, at, 3)) != ST_OK ||
        (st = cross(m, chunk, outline, c->p)) != ST_OK ||
        (st = keep_outline(chunk, outline, c)) != ST_OK ||
        (st = list_hit(r, chunk, outline, c, &n_final)) != ST_OK)
        return st;
    if (n_final == 0 || c->n_hit > 0) {
        const refine_border_t *b = (const refine_border_t *)(const void *)outline->data;

        if (c->n_hit > 0 || sees_outline(m, b, c->n_borders, b[0].from, c->p))
            c->fate = REFINE_WAITS;
    }
    return ST_OK;
}

/* ---- subsegments ---- */

MESH_STATIC status_t find_of_sub(const refine_view_t *r, refine_chunk_t *chunk,
                                 refine_candidate_t *c, buf_t *outline)
{
    const tri_mesh_t *m = r->m;
    const mesh_sub_t *s = &m->s[c->what];
    const int32_t edge = s->edge;
    const int e = mesh_corner_of(edge);
    const mesh_tri_t *t = &m->t[mesh_tri_of(edge)];
    const int32_t other = t->n[e], end = t->v[mesh_next(e)];
    const refine_border_t *b;
    status_t st;

    c->fate = REFINE_IS_STUCK;
    if (!refine_rule_cut(m, s, c->p))
        return ST_OK;
    if ((st = enter(chunk, mesh_tri_of(edge), e)) != ST_OK ||
        (st = cross(m, chunk, outline, c->p)) != ST_OK)
        return st;
    c->turn = (int32_t)(outline->len / sizeof(refine_border_t));
    if (other != MESH_NONE &&
        ((st = enter(chunk, mesh_tri_of(other), mesh_corner_of(other))) != ST_OK ||
         (st = cross(m, chunk, outline, c->p)) != ST_OK))
        return st;
    if ((st = keep_outline(chunk, outline, c)) != ST_OK)
        return st;
    b = (const refine_border_t *)(const void *)outline->data;
    if (sees_outline(m, b, c->n_borders, other != MESH_NONE ? b[0].from : end, c->p))
        c->fate = REFINE_WAITS;
    return ST_OK;
}

/* Subsegments go first; then shorter edges, of which those are equal that differ by less
 * than a 16th of their squares; equal ones in an order of their places in the round that
 * is as good as random. */
MESH_STATIC uint32_t rank_of(const tri_mesh_t *m, const refine_candidate_t *c, int64_t k)
{
    const uint32_t key =
        c->is_sub ? refine_rule_length_key(m->p[m->s[c->what].a], m->p[m->s[c->what].b])
                  : m->t[c->what].key | REFINE_LAST;

    return (key & ~(MESH_ROUND - 1U)) | ((uint32_t)k * REFINE_MIX & (MESH_ROUND - 1));
}

/* Find the vertex of a candidate and its cavity, as the end of its chunk's list.
 * @param k  its place in the round */
MESH_STATIC status_t find(const refine_view_t *r, refine_chunk_t *chunk, int64_t k,
                          refine_candidate_t *c, buf_t *outline)
{
    c->at = (int32_t)(chunk->cavities.len / sizeof(int32_t));
    c->n_inside = c->n_borders = c->n_hit = 0;
    chunk->stack.len = outline->len = 0;
    c->rank = rank_of(r->m, c, k);
    return c->is_sub ? find_of_sub(r, chunk, c, outline)
                     : find_of_triangle(r, chunk, c, outline);
}
