/*
 * mesh_refine.c - rounds: candidates, their cavities, those that go first, numbers, new
 * triangles, and what these leave to be refined.
 */
#include "kernels/mesh/refine/mesh_refine.h"

#include "io/base/logmsg.h"
#include "kernels/mesh/refine/mesh_backend.h"

#include <stdlib.h>
#include <string.h>

const char *const mesh_variant_name[MESH_VARIANTS] = {
    [MESH_ROUNDS] = "rounds",   [MESH_BASE] = "base",         [MESH_ATOMIC] = "atomic",
    [MESH_3_PHASE] = "3-phase", [MESH_STEALING] = "stealing", [MESH_DPAR] = "dpar"};

/* ---- what is to be refined ---- */

static status_t queue_cut(refine_t *r, int32_t sub)
{
    mesh_sub_t *s = &r->view.m->s[sub];

    if (s->is_queued || s->is_final)
        return ST_OK;
    s->is_queued = true;
    return refine_push(&r->cut, sub);
}

/* Take over what the lists of chunks leave to be refined. */
static status_t queue_new(refine_t *r)
{
    status_t st = ST_OK;

    for (int k = 0; st == ST_OK && k < refine_n_chunks(r); k++) {
        const refine_chunk_t *c = &r->chunk[k];
        const refine_bad_t *bad = (const void *)c->bad.data;
        const int32_t *cut = (const void *)c->cut.data;

        if (c->has_failed)
            st = ST_ENOMEM;
        for (size_t i = 0; st == ST_OK && i < c->cut.len / sizeof(*cut); i++)
            st = queue_cut(r, cut[i]);
        for (size_t i = 0; st == ST_OK && i < c->bad.len / sizeof(*bad); i++)
            st = refine_queue_push(&r->queue, bad[i].key, bad[i].entry.tri,
                                   bad[i].entry.version);
    }
    return st;
}

/* Queue what of a mesh is to be refined. */
static status_t queue_all(refine_t *r)
{
    status_t st;

    r->n = MESH_ROUND; /* the lists of all chunks */
    pool_run(r->pool, REFINE_CHUNKS, refine_check_chunk, r);
    st = queue_new(r);
    for (int k = 0; k < REFINE_CHUNKS; k++)
        r->chunk[k].bad.len = r->chunk[k].cut.len = 0;
    return st;
}

/* ---- the candidates of a round ---- */

/* Take subsegments, and then triangles of a class. @param c  NULL: none */
static void take(refine_t *r, const refine_class_t *c)
{
    const int32_t *sub = (const void *)r->cut.data;
    const int64_t n_cut = (int64_t)(r->cut.len / sizeof(*sub));
    int64_t n_tris;

    r->n_sub = n_cut < MESH_ROUND ? n_cut : MESH_ROUND;
    for (int64_t k = 0; k < r->n_sub; k++)
        r->candidate[k] = (refine_candidate_t){.is_sub = true, .what = sub[k]};
    n_tris = c == NULL ? 0 : c->end - c->begin;
    r->n = n_tris < MESH_ROUND - r->n_sub ? r->n_sub + n_tris : MESH_ROUND;
    for (int64_t k = r->n_sub; k < r->n; k++) {
        const refine_entry_t *e = &c->entry[c->begin + k - r->n_sub];

        r->candidate[k] = (refine_candidate_t){.what = e->tri, .version = e->version};
    }
}

/* Keep those that have to wait at the front of the list of subsegments. */
static void keep_subs(refine_t *r)
{
    int32_t *sub = (void *)r->cut.data;
    int64_t n_kept = 0;

    for (int64_t k = 0; k < r->n_sub; k++) {
        if (r->candidate[k].fate == REFINE_LOSES)
            sub[n_kept++] = sub[k];
        else if (r->candidate[k].fate == REFINE_IS_STUCK)
            r->view.m->s[sub[k]].is_final = true;
    }
    if (r->n_sub == 0)
        return;
    memmove(sub + n_kept, sub + r->n_sub, r->cut.len - (size_t)r->n_sub * sizeof(*sub));
    r->cut.len -= (size_t)(r->n_sub - n_kept) * sizeof(*sub);
}

/* Likewise of the class of triangles; those that have subsegments cut first wait, too. */
static void keep_triangles(refine_t *r, refine_class_t *c)
{
    int64_t to = c->begin + r->n - r->n_sub;

    for (int64_t k = r->n - 1; k >= r->n_sub; k--) {
        const refine_candidate_t *x = &r->candidate[k];

        if (x->fate == REFINE_LOSES ||
            (x->fate == REFINE_WINS && x->new_point == MESH_NONE))
            c->entry[--to] = (refine_entry_t){x->what, x->version};
        r->report->n_stuck += x->fate == REFINE_IS_STUCK;
    }
    c->begin = to;
}

/* ---- a round ---- */

/* Give winners the numbers of what they add. @return ST_OK or an error (logged) */
static status_t number(refine_t *r)
{
    tri_mesh_t *m = r->view.m;
    int64_t n_points = m->n_points, n_tris = m->n_triangles, n_subs = m->n_subs;
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < r->n; k++) {
        refine_candidate_t *c = &r->candidate[k];
        const int32_t *hit = refine_hit(r, k);

        c->new_point = MESH_NONE;
        r->report->n_conflicts += c->fate == REFINE_LOSES;
        if (c->fate != REFINE_WINS)
            continue;
        for (int32_t i = 0; st == ST_OK && i < c->n_hit; i++)
            st = queue_cut(r, hit[i]);
        if (c->n_hit > 0)
            continue;
        if (r->spec->max_points > 0 && n_points >= r->spec->max_points) {
            r->report->is_partial = true;
            continue;
        }
        c->new_point = (int32_t)n_points++;
        c->new_tri = (int32_t)n_tris;
        c->new_sub = (int32_t)n_subs;
        n_tris += c->n_borders - c->n_inside;
        n_subs += c->is_sub;
        r->report->n_cavities++;
    }
    r->report->n_cut += n_subs - m->n_subs;
    if (st != ST_OK ||
        (st = tri_mesh_reserve_points(m, n_points - m->n_points)) != ST_OK ||
        (st = tri_mesh_reserve_triangles(m, n_tris - m->n_triangles)) != ST_OK ||
        (st = tri_mesh_reserve_subs(m, n_subs - m->n_subs)) != ST_OK)
        return st;
    m->n_points = n_points;
    m->n_triangles = n_tris;
    m->n_subs = n_subs;
    return ST_OK;
}

/* Have a mark for every triangle. */
static status_t reserve_marks(refine_t *r)
{
    const int64_t n = r->view.m->triangles_capacity;
    uint64_t *mark;

    if (r->report->n_rounds % REFINE_ROUNDS == 0) /* old marks are not the higher ones */
        for (int64_t k = 0; k < r->marks_capacity; k++)
            r->mark[k] = REFINE_NOBODY;
    if (n <= r->marks_capacity)
        return ST_OK;
    if ((mark = realloc(r->mark, (size_t)n * sizeof(*mark))) == NULL)
        return log_nomem("a mesh");
    for (int64_t k = r->marks_capacity; k < n; k++)
        mark[k] = REFINE_NOBODY;
    r->mark = mark;
    r->marks_capacity = n;
    return ST_OK;
}

/* Find, choose, number and fill by the threads. */
static status_t compute_round(refine_t *r)
{
    const int n_chunks = refine_n_chunks(r);
    status_t st = reserve_marks(r);

    if (st != ST_OK)
        return st;
    pool_run(r->pool, n_chunks, refine_find_chunk, r);
    for (int k = 0; k < n_chunks; k++)
        if (r->chunk[k].has_failed)
            return ST_ENOMEM;
    refine_choose(r);
    if ((st = number(r)) == ST_OK)
        pool_run(r->pool, n_chunks, refine_fill_chunk, r);
    return st;
}

static status_t run_round(refine_t *r, refine_class_t *class)
{
    const status_t st = compute_round(r);

    if (st != ST_OK)
        return st;
    keep_subs(r);
    if (class != NULL)
        keep_triangles(r, class);
    r->report->n_rounds++;
    return queue_new(r);
}

static status_t run(refine_t *r, mesh_refine_progress_t *progress, void *ctx)
{
    const mesh_backend_t *b = r->spec->backend;
    status_t st = queue_all(r);

    if (st == ST_OK && b != NULL && b->run != NULL)
        return b->run(r, progress, ctx);
    while (st == ST_OK && !r->report->is_partial) {
        refine_class_t *class = refine_queue_lowest(&r->queue);

        take(r, class);
        if (r->n == 0)
            break;
        st = run_round(r, class);
        if (st == ST_OK && progress != NULL && !progress(ctx, r->view.m, r->report))
            st = ST_ESTOPPED;
    }
    return st;
}

static void destroy(refine_t *r)
{
    for (int k = 0; k < REFINE_CHUNKS; k++) {
        buf_free(&r->chunk[k].cavities);
        buf_free(&r->chunk[k].stack);
        buf_free(&r->chunk[k].bad);
        buf_free(&r->chunk[k].cut);
    }
    refine_queue_free(&r->queue);
    buf_free(&r->cut);
    free(r->mark);
    free(r);
}

status_t mesh_refine(tri_mesh_t *m, const mesh_refine_spec_t *spec, pool_t *pool,
                     mesh_refine_progress_t *progress, void *ctx,
                     mesh_refine_report_t *report)
{
    refine_t *r = calloc(1, sizeof(*r));
    status_t st;

    *report = (mesh_refine_report_t){.n_rounds = 0};
    if (r == NULL)
        return log_nomem("a mesh");
    if (spec->variant > MESH_BASE &&
        (spec->backend == NULL || spec->backend->run == NULL)) {
        log_error("--variant %s needs a GPU: give --device cuda, or rounds or base",
                  mesh_variant_name[spec->variant]);
        free(r);
        return ST_EUSAGE;
    }
    r->view.m = m;
    r->spec = spec;
    r->view.rule = refine_rule_make(spec->min_angle, spec->max_area, spec->off_center);
    r->report = report;
    r->pool = pool;
    if ((st = refine_queue_create(&r->queue)) == ST_OK)
        st = run(r, progress, ctx);
    destroy(r);
    return st;
}

const mesh_backend_t mesh_rounds_backend = {
    .base = {.name = "rounds", .kind = DEVICE_CPU, .rate = 1e5}};
