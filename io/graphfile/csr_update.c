/*
 * csr_update.c - the changes become graphs of their own, whose rows are merged with those
 * of the old one: counted first, then written.
 *
 * The research this follows (hierarchical CSR) keeps room behind each row and chains of
 * blocks behind that, so that a change touches few arcs; rows are then out of order until
 * they are rebuilt.  Here all arcs are copied, in order, and rows stay sorted: a file is
 * read and written whole anyway, and a GPU copies faster than it follows chains.
 */
#include "io/graphfile/csr_update.h"

#include "io/base/logmsg.h"
#include "io/graphfile/csr_build.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 12 /* rows */ };

typedef struct {
    csr_merge_t rows;
    int64_t *id;     /* [n_nodes] */
    int64_t *first;  /* [n_nodes + 1] where new rows begin */
    int64_t *absent; /* [pieces of old rows] the first arc of `remove` that is none of
                      * old's, or -1 */
    bool dedupe;
    csr_t out;
} update_t;

static int64_t n_pieces(int64_t n_rows)
{
    return (n_rows + PIECE - 1) / PIECE;
}

static int64_t piece_end(int64_t piece, int64_t n_rows)
{
    return (piece + 1) * PIECE < n_rows ? (piece + 1) * PIECE : n_rows;
}

/* ---- numbers of nodes ---- */

/* Merge ascending ids: those of old nodes with others. */
static void merge_ids(update_t *u, const int64_t *other, int64_t n_other)
{
    const csr_t *old = u->rows.old;
    int64_t n = 0;

    for (int64_t i = 0, k = 0; i < old->n_nodes || k < n_other; n++) {
        const bool is_old = k == n_other || (i < old->n_nodes && old->id[i] <= other[k]);

        u->id[n] = is_old ? old->id[i] : other[k];
        u->rows.below[n] = (int32_t)i;
        k += k < n_other && other[k] == u->id[n];
        if (is_old)
            u->rows.moved[i++] = (int32_t)n;
    }
    u->rows.below[n] = (int32_t)old->n_nodes;
    u->rows.n_nodes = n;
}

static status_t number_nodes(update_t *u, const csr_change_t *add, pool_t *pool)
{
    const graph_edges_t none = {0};
    node_numbers_t numbers;
    size_t n;
    status_t st = node_numbers_create(add != NULL ? &add->edges : &none, pool, &numbers);

    if (st != ST_OK)
        return st;
    n = (size_t)u->rows.old->n_nodes + (size_t)numbers.n_nodes;
    u->id = malloc((n + 1) * sizeof(*u->id));
    u->rows.below = malloc((n + 1) * sizeof(*u->rows.below));
    u->first = calloc(n + 1, sizeof(*u->first));
    u->rows.moved = malloc(((size_t)u->rows.old->n_nodes + 1) * sizeof(*u->rows.moved));
    if (u->id == NULL || u->rows.below == NULL || u->first == NULL ||
        u->rows.moved == NULL)
        st = log_nomem("the nodes of a graph");
    else
        merge_ids(u, numbers.id, numbers.n_nodes);
    node_numbers_free(&numbers);
    return st;
}

/* ---- changes as graphs ---- */

/* @return whether the edges of a list go one way */
static bool goes_one_way(const csr_t *g, const csr_update_t *update,
                         const csr_change_t *change)
{
    return change->edges.is_directed && (update->is_directed || !g->is_symmetric);
}

/* Build the graph of a list, whose ends are among the given ids. */
static status_t build(const graph_edges_t *list, bool is_directed, int64_t *id,
                      int64_t n_ids, pool_t *pool, csr_t *out)
{
    const csr_options_t as_given = {0};
    graph_edges_t edges = *list;

    edges.is_directed = is_directed;
    edges.id = id;
    edges.n_declared = n_ids;
    return csr_build(&edges, &as_given, pool, out);
}

static status_t refuse_absent(const csr_change_t *remove, int64_t source, int64_t target)
{
    log_error("%s: the graph has no edge from %" PRId64 " to %" PRId64
              "; leave it out, or give --allow-absent",
              remove->path, source, target);
    return ST_EINPUT;
}

/* Build the graph of the edges to remove, of which those to or from unknown nodes do not
 * exist. */
static status_t build_remove(update_t *u, const csr_update_t *how, pool_t *pool)
{
    const csr_t *g = u->rows.old;
    const graph_edges_t *e = &how->remove->edges;
    csr_change_t known = {0};
    status_t st = graph_edges_create(e->n, false, false, &known.edges);

    for (int64_t i = 0; st == ST_OK && i < e->n; i++) {
        if (csr_find(g, e->source[i]) >= 0 && csr_find(g, e->target[i]) >= 0)
            st = graph_edges_add(&known.edges, e->source[i], e->target[i]);
        else if (!how->allow_absent)
            st = refuse_absent(how->remove, e->source[i], e->target[i]);
    }
    if (st == ST_OK)
        st = build(&known.edges, goes_one_way(g, how, how->remove), g->id, g->n_nodes,
                   pool, &u->rows.remove);
    graph_edges_free(&known.edges);
    return st;
}

static status_t refuse_weights(const csr_change_t *add, bool has)
{
    log_error("%s: its edges have %s, and those of the graph have %s; give %s", add->path,
              has ? "weights" : "no weights", has ? "none" : "some",
              has ? "two columns" : "a third column");
    return ST_EINPUT;
}

/* Build the graph of the edges to add. */
static status_t build_add(update_t *u, const csr_update_t *how, pool_t *pool)
{
    const csr_t *g = u->rows.old;
    const graph_edges_t *e = &how->add->edges;
    const bool has = e->weight != NULL || e->value != NULL;

    if (g->n_arcs > 0 && e->n > 0 && has != (g->weight != NULL || g->value != NULL))
        return refuse_weights(how->add, has);
    return build(e, goes_one_way(g, how, how->add), u->id, u->rows.n_nodes, pool,
                 &u->rows.add);
}

/* ---- arcs to remove ---- */

/* Note the first arc to remove that the old graph lacks, of a piece of its rows. */
static void find_absent(void *ctx, int64_t piece, int thread)
{
    update_t *u = ctx;
    const csr_t *g = u->rows.old, *r = &u->rows.remove;
    const int64_t end = piece_end(piece, g->n_nodes);

    (void)thread;
    u->absent[piece] = -1;
    for (int64_t row = piece * PIECE; row < end; row++) {
        int64_t a = g->first[row];

        for (int64_t k = r->first[row]; k < r->first[row + 1]; k++) {
            while (a < g->first[row + 1] && g->to[a] < r->to[k])
                a++;
            if (a < g->first[row + 1] && g->to[a] == r->to[k])
                continue;
            u->absent[piece] = k;
            return;
        }
    }
}

/* Refuse to remove what is not there; of all, the first is named. */
static status_t check_present(update_t *u, const csr_change_t *remove, pool_t *pool)
{
    const csr_t *r = &u->rows.remove;
    const int64_t n = n_pieces(u->rows.old->n_nodes);

    if ((u->absent = malloc(((size_t)n + 1) * sizeof(*u->absent))) == NULL)
        return log_nomem("edges to remove");
    pool_run(pool, n, find_absent, u);
    for (int64_t piece = 0; piece < n; piece++) {
        int64_t row = piece * PIECE;

        if (u->absent[piece] < 0)
            continue;
        while (r->first[row + 1] <= u->absent[piece])
            row++;
        return refuse_absent(remove, r->id[row], r->id[r->to[u->absent[piece]]]);
    }
    return ST_OK;
}

/* ---- merging ---- */

/* A row of the new graph, as far as it is written; or only counted. */
typedef struct {
    csr_t *to; /* NULL: counted */
    int64_t at;
    int64_t n;
    int32_t last; /* target */
    bool dedupe;
} row_t;

static double value_of(const csr_t *g, int64_t arc)
{
    return g->value != NULL ? g->value[arc] : g->weight[arc];
}

static void put_arc(row_t *row, const csr_t *from, int64_t arc, int32_t target)
{
    const bool is_same = row->dedupe && row->n > 0 && target == row->last;
    csr_t *to = row->to;
    int64_t at;

    row->n += !is_same;
    row->last = target;
    if (to == NULL)
        return;
    at = row->at + row->n - 1;
    to->to[at] = target;
    if (to->weight != NULL && (!is_same || from->weight[arc] < to->weight[at]))
        to->weight[at] = from->weight[arc];
    if (to->value != NULL && (!is_same || value_of(from, arc) < to->value[at]))
        to->value[at] = value_of(from, arc);
}

/* Of a node: its old arcs, those that are added to them, and those that are removed. */
typedef struct {
    int64_t old, old_end, add, add_end, remove, remove_end;
} parts_t;

static parts_t parts_of(const update_t *u, int64_t node)
{
    const int32_t was = u->rows.below[node];
    parts_t p = {0};

    if (u->rows.add.first != NULL) {
        p.add = u->rows.add.first[node];
        p.add_end = u->rows.add.first[node + 1];
    }
    if (u->rows.below[node + 1] == was)
        return p; /* a new node */
    p.old = u->rows.old->first[was];
    p.old_end = u->rows.old->first[was + 1];
    if (u->rows.remove.first != NULL) {
        p.remove = u->rows.remove.first[was];
        p.remove_end = u->rows.remove.first[was + 1];
    }
    return p;
}

/* Merge what stays of the old arcs with those that are added. */
static void merge_row(const update_t *u, parts_t p, row_t *row)
{
    const csr_t *g = u->rows.old, *r = &u->rows.remove, *add = &u->rows.add;

    for (int64_t a = p.old; a < p.old_end; a++) {
        const int32_t target = u->rows.moved[g->to[a]];

        while (p.remove < p.remove_end && r->to[p.remove] < g->to[a])
            p.remove++;
        if (p.remove < p.remove_end && r->to[p.remove] == g->to[a])
            continue;
        for (; p.add < p.add_end && add->to[p.add] < target; p.add++)
            put_arc(row, add, p.add, add->to[p.add]);
        put_arc(row, g, a, target);
    }
    for (; p.add < p.add_end; p.add++)
        put_arc(row, add, p.add, add->to[p.add]);
}

/* Copy a row that does not change; its targets are called as before if no node is new. */
static void copy_row(const update_t *u, const parts_t *p, int64_t at)
{
    const csr_t *g = u->rows.old;
    const csr_t *to = &u->out;
    const size_t n = (size_t)(p->old_end - p->old);

    if (u->rows.n_nodes == g->n_nodes)
        memcpy(to->to + at, g->to + p->old, n * sizeof(*g->to));
    else
        for (size_t i = 0; i < n; i++)
            to->to[at + (int64_t)i] = u->rows.moved[g->to[p->old + (int64_t)i]];
    if (to->weight != NULL)
        memcpy(to->weight + at, g->weight + p->old, n * sizeof(*g->weight));
    for (size_t i = 0; to->value != NULL && i < n; i++)
        to->value[at + (int64_t)i] = value_of(g, p->old + (int64_t)i);
}

static void count_piece(void *ctx, int64_t piece, int thread)
{
    update_t *u = ctx;
    const int64_t end = piece_end(piece, u->rows.n_nodes);

    (void)thread;
    for (int64_t node = piece * PIECE; node < end; node++) {
        const parts_t p = parts_of(u, node);
        row_t row = {.dedupe = u->dedupe};

        if (u->dedupe || p.remove < p.remove_end)
            merge_row(u, p, &row);
        else
            row.n = p.old_end - p.old + p.add_end - p.add;
        u->first[node + 1] = row.n;
    }
}

static void write_piece(void *ctx, int64_t piece, int thread)
{
    update_t *u = ctx;
    const int64_t end = piece_end(piece, u->rows.n_nodes);

    (void)thread;
    for (int64_t node = piece * PIECE; node < end; node++) {
        const parts_t p = parts_of(u, node);
        row_t row = {.to = &u->out, .at = u->first[node], .dedupe = u->dedupe};

        if (u->dedupe || p.remove < p.remove_end || p.add < p.add_end)
            merge_row(u, p, &row);
        else
            copy_row(u, &p, row.at);
    }
}

static status_t merge_by_pool(update_t *u, pool_t *pool)
{
    const csr_t *old = u->rows.old, *add = &u->rows.add;
    const bool has_value = old->value != NULL || add->value != NULL;
    const bool has_weight = old->weight != NULL || add->weight != NULL;
    status_t st;

    pool_run(pool, n_pieces(u->rows.n_nodes), count_piece, u);
    for (int64_t node = 0; node < u->rows.n_nodes; node++)
        u->first[node + 1] += u->first[node];
    st = csr_create(u->rows.n_nodes, u->first[u->rows.n_nodes], has_weight && !has_value,
                    has_value, &u->out);
    if (st != ST_OK)
        return st;
    memcpy(u->out.first, u->first, ((size_t)u->rows.n_nodes + 1) * sizeof(*u->first));
    pool_run(pool, n_pieces(u->rows.n_nodes), write_piece, u);
    return ST_OK;
}

static status_t merge(update_t *u, const csr_update_t *how, pool_t *pool)
{
    const status_t st = how->merge != NULL ? how->merge(how->ctx, &u->rows, &u->out)
                                           : merge_by_pool(u, pool);

    if (st == ST_OK)
        memcpy(u->out.id, u->id, (size_t)u->rows.n_nodes * sizeof(*u->id));
    return st;
}

/* List the rows that differ. */
static status_t list_changes(const update_t *u, csr_changes_t *out)
{
    const size_t n = (size_t)u->rows.n_nodes + 1;
    csr_changes_t c = {.lost = malloc(n * sizeof(*c.lost)),
                       .gained = malloc(n * sizeof(*c.gained))};

    if (c.lost == NULL || c.gained == NULL) {
        csr_changes_free(&c);
        return log_nomem("changes of a graph");
    }
    for (int32_t node = 0; node < u->rows.n_nodes; node++) {
        const parts_t p = parts_of(u, node);

        if (p.remove < p.remove_end)
            c.lost[c.n_lost++] = node;
        if (p.add < p.add_end)
            c.gained[c.n_gained++] = node;
    }
    *out = c;
    return ST_OK;
}

void csr_changes_free(csr_changes_t *c)
{
    free(c->from);
    free(c->lost);
    free(c->gained);
    *c = (csr_changes_t){0};
}

/* @return whether a change leaves a symmetric graph symmetric */
static bool keeps_symmetry(const csr_t *g, const csr_update_t *how,
                           const csr_change_t *change)
{
    return change == NULL || !goes_one_way(g, how, change);
}

status_t csr_update(const csr_t *g, const csr_update_t *update, pool_t *pool, csr_t *out,
                    csr_changes_t *changes)
{
    update_t u = {.rows.old = g, .dedupe = update->dedupe};
    status_t st = number_nodes(&u, update->add, pool);

    if (st == ST_OK && update->remove != NULL &&
        (st = build_remove(&u, update, pool)) == ST_OK && !update->allow_absent)
        st = check_present(&u, update->remove, pool);
    if (st == ST_OK && update->add != NULL)
        st = build_add(&u, update, pool);
    if (st == ST_OK && (st = merge(&u, update, pool)) == ST_OK) {
        if (g->is_symmetric && keeps_symmetry(g, update, update->remove) &&
            keeps_symmetry(g, update, update->add))
            u.out.is_symmetric = true;
        else
            st = csr_check_symmetric(&u.out);
    }
    if (st == ST_OK)
        st = list_changes(&u, changes);
    if (st == ST_OK)
        *out = u.out;
    else
        csr_free(&u.out);
    csr_free(&u.rows.remove);
    csr_free(&u.rows.add);
    free(u.rows.moved);
    free(u.id);
    free(u.rows.below);
    free(u.first);
    free(u.absent);
    return st;
}
