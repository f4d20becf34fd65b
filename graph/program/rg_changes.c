/*
 * rg_changes.c - new nodes, and rows that are merged with what was noted.
 */
#include "graph/program/rg_changes.h"

#include "io/base/logmsg.h"
#include "io/base/memory_limit.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_CAPACITY = 64 };

status_t rg_changes_create(const csr_t *g, rg_changes_t *c)
{
    const size_t n = (size_t)g->n_nodes, m = (size_t)g->n_arcs;
    status_t st = csr_create(g->n_nodes, g->n_arcs, false, true, &c->graph);

    c->is_deleted = calloc(n + 1, sizeof(*c->is_deleted));
    if (st != ST_OK || c->is_deleted == NULL)
        return st != ST_OK ? st : log_nomem("a graph program");
    memcpy(c->graph.first, g->first, (n + 1) * sizeof(*g->first));
    memcpy(c->graph.to, g->to, m * sizeof(*g->to));
    memcpy(c->graph.id, g->id, n * sizeof(*g->id));
    for (int64_t a = 0; a < g->n_arcs; a++)
        c->graph.value[a] = g->value != NULL ? g->value[a] : csr_weight(g, a);
    c->graph.is_symmetric = g->is_symmetric;
    c->node_capacity = g->n_nodes;
    c->next_id = n > 0 ? g->id[n - 1] + 1 : 0;
    c->had_weights = g->weight != NULL || g->value != NULL;
    return ST_OK;
}

void rg_changes_free(rg_changes_t *c)
{
    csr_free(&c->graph);
    free(c->added.arc);
    free(c->deleted.arc);
    free(c->is_deleted);
    *c = (rg_changes_t){.node_capacity = 0};
}

/* ---- nodes ---- */

status_t rg_changes_reserve(rg_changes_t *c)
{
    csr_t *g = &c->graph;
    const int64_t n = g->n_nodes;
    const int64_t capacity = n < MIN_CAPACITY ? 2 * MIN_CAPACITY : 2 * n;
    void *first, *id, *is_deleted;

    if (n < c->node_capacity)
        return ST_OK;
    first = realloc(g->first, (size_t)(capacity + 1) * sizeof(*g->first));
    g->first = first != NULL ? first : g->first;
    id = realloc(g->id, (size_t)capacity * sizeof(*g->id));
    g->id = id != NULL ? id : g->id;
    is_deleted = realloc(c->is_deleted, (size_t)capacity);
    c->is_deleted = is_deleted != NULL ? is_deleted : c->is_deleted;
    if (first == NULL || id == NULL || is_deleted == NULL)
        return log_nomem("nodes of a graph program");
    c->node_capacity = capacity;
    return ST_OK;
}

int64_t rg_changes_new_node(rg_changes_t *c)
{
    csr_t *g = &c->graph;
    const int64_t node = g->n_nodes++;

    g->first[node + 1] = g->n_arcs;
    g->id[node] = c->next_id++;
    c->is_deleted[node] = 0;
    c->is_changed = true;
    return node;
}

void rg_changes_delete_node(rg_changes_t *c, int64_t node)
{
    c->n_deleted += c->is_deleted[node] == 0;
    c->is_deleted[node] = 1;
    c->is_changed = true;
}

/* ---- arcs ---- */

status_t rg_changes_note(rg_arcs_t *arcs, int64_t from, int64_t to, double weight)
{
    const int64_t capacity = arcs->n < MIN_CAPACITY ? 2 * MIN_CAPACITY : 2 * arcs->n;
    rg_arc_t *arc;
    status_t st;

    if (arcs->n >= arcs->capacity) {
        st = memory_limit_check((double)capacity * sizeof(*arc), "commit more often",
                                "edges that a graph program changes");
        if (st != ST_OK)
            return st;
        if ((arc = realloc(arcs->arc, (size_t)capacity * sizeof(*arc))) == NULL)
            return log_nomem("edges of a graph program");
        arcs->arc = arc;
        arcs->capacity = capacity;
    }
    arcs->arc[arcs->n++] = (rg_arc_t){(int32_t)from, (int32_t)to, weight + 0.0};
    return ST_OK;
}

static int compare(const void *a, const void *b)
{
    const rg_arc_t *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return (x->weight > y->weight) - (x->weight < y->weight);
}

static void sort(rg_arcs_t *arcs)
{
    if (arcs->n > 0)
        qsort(arcs->arc, (size_t)arcs->n, sizeof(*arcs->arc), compare);
}

/* Rows that are merged. */
typedef struct {
    rg_changes_t *changes;
    csr_t out;
    int64_t *origin;
    int64_t next_added, next_deleted;
} merge_t;

static void put(merge_t *m, int64_t from, int32_t to, double weight, int64_t origin)
{
    const int64_t at = m->out.n_arcs;

    if (m->changes->is_deleted[from] || m->changes->is_deleted[to])
        return;
    m->out.to[at] = to;
    m->out.value[at] = weight;
    m->origin[at] = origin;
    m->out.n_arcs++;
}

/* @return whether an arc is deleted; arcs are asked for in their order */
static bool is_deleted(merge_t *m, int64_t from, int32_t to)
{
    const rg_arcs_t *d = &m->changes->deleted;
    const rg_arc_t *arc = d->arc;
    int64_t k = m->next_deleted;

    while (k < d->n && (arc[k].from < from || (arc[k].from == from && arc[k].to < to)))
        k++;
    m->next_deleted = k;
    return k < d->n && arc[k].from == from && arc[k].to == to;
}

/* Put new arcs from a node that come before those to `before`. */
static void put_added(merge_t *m, int64_t from, int64_t before)
{
    const rg_arcs_t *a = &m->changes->added;

    while (m->next_added < a->n && a->arc[m->next_added].from == from &&
           a->arc[m->next_added].to < before) {
        const rg_arc_t *arc = &a->arc[m->next_added++];

        put(m, from, arc->to, arc->weight, -1);
    }
}

/* Arcs that were there before come before new ones of equal ends. */
static void merge_row(merge_t *m, int64_t u)
{
    const csr_t *g = &m->changes->graph;

    for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
        put_added(m, u, g->to[a]);
        if (!is_deleted(m, u, g->to[a]))
            put(m, u, g->to[a], g->value[a], a);
    }
    put_added(m, u, INT64_MAX);
    m->out.first[u + 1] = m->out.n_arcs;
}

status_t rg_changes_commit(rg_changes_t *c, int64_t **origin)
{
    csr_t *g = &c->graph;
    const int64_t n_arcs = g->n_arcs + c->added.n;
    merge_t m = {.changes = c};
    status_t st = memory_limit_check((double)n_arcs * 20, "add fewer edges",
                                     "a graph that a program changes");

    if (st != ST_OK || (st = csr_create(0, n_arcs, false, true, &m.out)) != ST_OK)
        return st;
    m.origin = malloc((size_t)n_arcs * sizeof(*m.origin) + 1);
    free(m.out.first);
    m.out.first = malloc((size_t)(c->node_capacity + 1) * sizeof(*m.out.first));
    if (m.origin == NULL || m.out.first == NULL) {
        csr_free(&m.out);
        free(m.origin);
        return log_nomem("a graph program");
    }
    sort(&c->added);
    sort(&c->deleted);
    m.out.n_arcs = 0;
    m.out.first[0] = 0;
    for (int64_t u = 0; u < g->n_nodes; u++)
        merge_row(&m, u);
    c->added.n = c->deleted.n = 0;
    c->is_changed = true;
    free(m.out.id);
    m.out.id = g->id;
    m.out.n_nodes = g->n_nodes;
    g->id = NULL;
    csr_free(g);
    *g = m.out;
    *origin = m.origin;
    return ST_OK;
}

status_t rg_changes_renumber(rg_changes_t *c, int32_t **map)
{
    csr_t *g = &c->graph;
    const int64_t n_nodes = g->n_nodes;
    int32_t *number = malloc((size_t)n_nodes * sizeof(*number) + 1), n = 0;

    if (number == NULL)
        return log_nomem("a graph program");
    for (int64_t u = 0; u < n_nodes; u++) {
        number[u] = c->is_deleted[u] ? -1 : n++;
        if (number[u] >= 0) {
            g->first[number[u] + 1] = g->first[u + 1];
            g->id[number[u]] = g->id[u];
        }
    }
    for (int64_t a = 0; a < g->n_arcs; a++)
        g->to[a] = number[g->to[a]];
    memset(c->is_deleted, 0, (size_t)n_nodes);
    c->n_deleted = 0;
    g->n_nodes = n;
    *map = number;
    return ST_OK;
}

/* ---- the end ---- */

/* Replace real weights by the integers that they are, or by none if all are 1. */
static void settle_weights(csr_t *g, bool had_weights)
{
    bool is_unit = !had_weights, is_int = true;
    int32_t *weight;

    for (int64_t a = 0; a < g->n_arcs && is_int; a++) {
        const double x = g->value[a];

        is_int = x >= 0 && x <= INT32_MAX && x == (double)(int32_t)x;
        is_unit &= x == 1;
    }
    if (!is_int)
        return;
    weight = (int32_t *)(void *)g->value; /* in place: it is half as large */
    for (int64_t a = 0; a < g->n_arcs; a++) {
        const int32_t x = (int32_t)g->value[a];

        memcpy(&weight[a], &x, sizeof(x));
    }
    g->weight = weight;
    g->value = NULL;
    if (is_unit) {
        free(g->weight);
        g->weight = NULL;
    }
}

csr_t rg_changes_take(rg_changes_t *c)
{
    csr_t g = c->graph;

    settle_weights(&g, c->had_weights);
    c->graph = (csr_t){.n_nodes = 0};
    return g;
}
