/*
 * rg_alter.c - attributes and collections follow their nodes and edges.
 */
#include "graph/program/rg_alter.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

/* ---- new nodes ---- */

/* Resize an array. @return ST_OK or ST_ENOMEM (logged) */
static status_t resize(void **array, int64_t n, size_t value_bytes)
{
    void *larger = realloc(*array, (size_t)n * value_bytes + 1);

    if (larger == NULL)
        return log_nomem("a graph program");
    *array = larger;
    return ST_OK;
}

/* Make room for a node wherever there is something per node. */
static status_t reserve(rg_state_t *s)
{
    const int64_t before = s->changes.node_capacity;
    status_t st = rg_changes_reserve(&s->changes);
    const int64_t capacity = s->changes.node_capacity;
    void *first = s->reversed.first;

    if (st != ST_OK || capacity == before ||
        (st = state_check_memory(s, capacity)) != ST_OK)
        return st;
    for (const rg_symbol_t *a = s->program->symbols; a != NULL && st == ST_OK;
         a = a->next)
        if (a->kind == SYMBOL_SET)
            st = rg_collection_resize(&s->set[a->slot], before, capacity);
        else if (a->kind == SYMBOL_ATTRIBUTE && a->of == RG_NODE)
            st = resize(&s->attribute[a->slot], capacity, rg_value_bytes(a->type));
    if (st == ST_OK && first != NULL) {
        st = resize(&first, capacity + 1, sizeof(*s->reversed.first));
        s->reversed.first = st == ST_OK ? first : s->reversed.first;
    }
    return st;
}

static status_t new_node(rg_state_t *s, int64_t *node)
{
    csr_t *in = &s->reversed;
    status_t st = reserve(s);

    if (st != ST_OK)
        return st;
    *node = rg_changes_new_node(&s->changes);
    for (const rg_symbol_t *a = s->program->symbols; a != NULL; a = a->next)
        if (a->kind == SYMBOL_ATTRIBUTE && a->of == RG_NODE)
            state_put(s, a, *node, s->initial[a->slot]);
    if (in->first != NULL) {
        in->n_nodes++;
        in->first[*node + 1] = in->n_arcs;
    }
    return ST_OK;
}

/* ---- edges ---- */

/* Move the attribute of edges to where these are now. */
static status_t follow_edges(rg_state_t *s, const rg_symbol_t *a, const int64_t *origin)
{
    const int64_t n = s->graph->n_arcs;
    void *old = s->attribute[a->slot], *now = NULL;
    status_t st = resize(&now, n, rg_value_bytes(a->type));

    if (st != ST_OK)
        return st;
    for (int64_t k = 0; k < n; k++) {
        rg_value_t value = s->initial[a->slot];

        s->attribute[a->slot] = old;
        if (origin[k] >= 0)
            value = state_get(s, a, origin[k]);
        s->attribute[a->slot] = now;
        state_put(s, a, k, value);
    }
    s->attribute[a->slot] = now;
    free(old);
    return ST_OK;
}

static status_t reverse(rg_state_t *s)
{
    void *first;
    status_t st;

    if (!s->program->reads_arcs_in)
        return ST_OK;
    csr_free(&s->reversed);
    if ((st = csr_transpose(s->graph, &s->reversed)) != ST_OK)
        return st;
    first = s->reversed.first;
    st = resize(&first, s->changes.node_capacity + 1, sizeof(*s->reversed.first));
    s->reversed.first = first;
    return st;
}

static status_t commit(rg_state_t *s)
{
    int64_t *origin = NULL;
    status_t st;

    if (s->changes.added.n + s->changes.deleted.n + s->changes.n_deleted == 0)
        return ST_OK;
    st = rg_changes_commit(&s->changes, &origin);
    for (const rg_symbol_t *a = s->program->symbols; a != NULL && st == ST_OK;
         a = a->next)
        if (a->kind == SYMBOL_ATTRIBUTE && a->of == RG_EDGE)
            st = follow_edges(s, a, origin);
    free(origin);
    return st == ST_OK ? reverse(s) : st;
}

/* ---- new numbers ---- */

static rg_value_t renumbered(const rg_state_t *s, rg_value_t node)
{
    if (node.i >= 0)
        node.i = node.i < s->n_mapped ? s->map[node.i] : -1;
    return node;
}

static void renumber_attribute(rg_state_t *s, const rg_symbol_t *a)
{
    const int64_t n = a->of == RG_EDGE ? s->graph->n_arcs : s->n_mapped;

    for (int64_t k = 0; k < n; k++) {
        const int64_t to = a->of == RG_EDGE ? k : s->map[k];
        rg_value_t value = state_get(s, a, k);

        if (a->type == RG_NODE)
            value = renumbered(s, value);
        if (to >= 0)
            state_put(s, a, to, value);
    }
    if (a->type == RG_NODE)
        s->initial[a->slot] = renumbered(s, s->initial[a->slot]);
}

static status_t rebalance(rg_state_t *s)
{
    status_t st = commit(s);

    free(s->map);
    s->map = NULL;
    s->n_mapped = 0;
    if (st != ST_OK || s->changes.n_deleted == 0)
        return st;
    s->n_mapped = s->graph->n_nodes;
    if ((st = rg_changes_renumber(&s->changes, &s->map)) != ST_OK)
        return st;
    for (const rg_symbol_t *a = s->program->symbols; a != NULL; a = a->next)
        if (a->kind == SYMBOL_ATTRIBUTE) {
            renumber_attribute(s, a);
        } else if (a->kind == SYMBOL_SET) {
            rg_collection_renumber(&s->set[a->slot], s->map, s->n_mapped);
        } else if (a->type == RG_NODE) {
            s->value[a->slot] = renumbered(s, s->value[a->slot]);
            s->param[a->slot] = renumbered(s, s->param[a->slot]);
        }
    return reverse(s);
}

status_t rg_alter(rg_state_t *s, rg_alter_t how, int64_t a, int64_t b, double weight,
                  int64_t *node)
{
    switch (how) {
    case RG_NEW_NODE:
        return new_node(s, node);
    case RG_NEW_EDGE:
        return rg_changes_note(&s->changes.added, a, b, weight);
    case RG_DELETE_EDGE:
        return rg_changes_note(&s->changes.deleted, a, b, 0);
    case RG_DELETE_NODE:
        rg_changes_delete_node(&s->changes, a);
        return ST_OK;
    case RG_COMMIT:
        return commit(s);
    default:
        return rebalance(s);
    }
}

status_t rg_alter_finish(rg_state_t *s, rg_result_t *out)
{
    status_t st;

    if (s->program->used[RG_CHANGES].line == 0)
        return ST_OK;
    if ((st = rebalance(s)) != ST_OK || !s->changes.is_changed)
        return st;
    out->graph = rg_changes_take(&s->changes);
    return csr_check_symmetric(&out->graph);
}
