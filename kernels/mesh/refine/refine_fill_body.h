/*
 * refine_fill_body.h - replaces a cavity by triangles around its new vertex (mesh_fn.h).
 *
 * New triangle k stands on border k of the outline; its vertex 0 is the new one.  The
 * first ones take the places of those that they replace.
 */
typedef struct {
    const refine_view_t *r;
    refine_chunk_t *chunk;
    const refine_candidate_t *c;
    const int32_t *inside;
    const refine_border_t *border;
    bool is_closed; /* the outline goes around the vertex, which else is on the hull */
} fill_t;

/* @return the number of a new triangle */
MESH_STATIC int32_t slot(const fill_t *f, int32_t k)
{
    return k < f->c->n_inside ? f->inside[k] : f->c->new_tri + k - f->c->n_inside;
}

MESH_STATIC void fail_unless(fill_t *f, status_t st)
{
    if (st != ST_OK)
        f->chunk->has_failed = true;
}

/* List a subsegment if one of a new triangle's vertices requires that it is cut. */
MESH_STATIC void check_sub(fill_t *f, int32_t sub, int32_t vertex)
{
    const tri_mesh_t *m = f->r->m;
    const mesh_sub_t *s = &m->s[sub];

    if (refine_rule_encroaches(&f->r->rule, m->p[s->a], m->p[s->b], m->p[vertex]))
        fail_unless(f, refine_push(&f->chunk->cut, sub));
}

MESH_STATIC void put_triangle(fill_t *f, int32_t k, int32_t point)
{
    tri_mesh_t *m = f->r->m;
    const refine_candidate_t *c = f->c;
    const int32_t n = c->n_borders, at = slot(f, k);
    const int32_t after = k + 1 < n ? k + 1 : 0, before = k > 0 ? k - 1 : n - 1;
    const bool is_first = k == 0 && !f->is_closed, is_last = k + 1 == n && !f->is_closed;
    const refine_border_t *b = &f->border[k];
    mesh_tri_t *t = &m->t[at];
    const uint32_t version = k < c->n_inside ? t->version + 1 : 0;
    const int32_t end = !is_last                               ? f->border[after].from
                        : m->s[c->what].a == f->border[0].from ? m->s[c->what].b
                                                               : m->s[c->what].a;
    const mesh_tri_t made = {{point, b->from, end},
                             {b->outside,
                              is_last ? MESH_NONE : MESH_EDGE(slot(f, after), 2),
                              is_first ? MESH_NONE : MESH_EDGE(slot(f, before), 1)},
                             {b->sub, MESH_NONE, MESH_NONE},
                             b->region,
                             0,
                             version};

    *t = made;
    if (b->outside != MESH_NONE)
        m->t[mesh_tri_of(b->outside)].n[mesh_corner_of(b->outside)] = MESH_EDGE(at, 0);
    if (b->sub != MESH_NONE)
        m->s[b->sub].edge = MESH_EDGE(at, 0);
}

/* Cut a subsegment: the half at its end a keeps its number. */
MESH_STATIC void put_sub(fill_t *f, int32_t point)
{
    tri_mesh_t *m = f->r->m;
    const refine_candidate_t *c = f->c;
    mesh_sub_t *s = &m->s[c->what], *other = &m->s[c->new_sub];
    const bool begins_at_a = f->border[0].from == s->a;
    /* the edges from the vertex to where the outline begins, and where it turns */
    const int32_t first = MESH_EDGE(slot(f, 0), 2);
    const int32_t second = MESH_EDGE(slot(f, c->turn - 1), 1);
    const int32_t sub[2] = {begins_at_a ? c->what : c->new_sub,
                            begins_at_a ? c->new_sub : c->what};

    *other = *s;
    s->b = other->a = point;
    s->is_queued = other->is_queued = false;
    m->s[sub[0]].edge = first;
    m->s[sub[1]].edge = second;
    for (int k = 0; k < 2; k++) {
        mesh_tri_t *t = &m->t[mesh_tri_of(m->s[sub[k]].edge)];
        const int e = mesh_corner_of(m->s[sub[k]].edge);

        t->s[e] = sub[k];
        if (t->n[e] != MESH_NONE)
            m->t[mesh_tri_of(t->n[e])].s[mesh_corner_of(t->n[e])] = sub[k];
    }
}

/* Find out what of a new triangle is to be refined. */
MESH_STATIC void check_triangle(fill_t *f, int32_t at)
{
    const refine_view_t *r = f->r;
    mesh_tri_t *t = &r->m->t[at];

    for (int e = 0; e < 3; e++)
        if (t->s[e] != MESH_NONE)
            check_sub(f, t->s[e], t->v[e]);
    t->key = refine_rule_key(&r->rule, r->m, t);
    if (t->key != 0) {
        fail_unless(f, refine_push(&f->chunk->bad, at));
        fail_unless(f, refine_push(&f->chunk->bad, (int32_t)t->version));
        fail_unless(f, refine_push(&f->chunk->bad, (int32_t)t->key));
    }
}

/* The first triangle of a cavity is the one that has its vertex. */
MESH_STATIC void put_parents(const fill_t *f, int32_t parent[3])
{
    const tri_mesh_t *m = f->r->m;
    if (!f->c->is_sub) {
        memcpy(parent, m->t[f->inside[0]].v, 3 * sizeof(*parent));
        return;
    }
    parent[0] = m->s[f->c->what].a;
    parent[1] = m->s[f->c->what].b;
    parent[2] = MESH_NONE;
}

/* Replace the triangles of the cavity. */
MESH_STATIC void fill(fill_t *f)
{
    const refine_view_t *r = f->r;
    const refine_candidate_t *c = f->c;
    tri_mesh_t *m = r->m;
    const int32_t point = c->new_point;

    m->p[point][0] = c->p[0];
    m->p[point][1] = c->p[1];
    m->on[point] = c->is_sub ? m->s[c->what].part : MESH_FREE;
    if (m->parent != NULL)
        put_parents(f, m->parent[point]);
    for (int32_t k = 0; k < c->n_borders; k++)
        put_triangle(f, k, point);
    if (c->is_sub)
        put_sub(f, point);
}

/* List what of the new triangles is to be refined. */
MESH_STATIC void check_new(fill_t *f)
{
    for (int32_t k = 0; k < f->c->n_borders; k++)
        check_triangle(f, slot(f, k));
}
