/*
 * complete.c - complete linkage with a heap of edges and shrinking neighbour lists.
 */
#include "graph/cluster/cluster_methods.h"

#include "io/base/buf.h"
#include "io/base/child.h"
#include "io/base/logmsg.h"

#include <stdbool.h>
#include <stdlib.h>

/*
 * The heap has entries of the edges between clusters.  An entry is stale if one of its
 * clusters has been merged into another or if the edge has a lower identity now; stale
 * entries are skipped.  The identity of an edge only falls, so a stale entry never
 * becomes valid again.
 *
 * In the lists, an entry with columns 0 and an entry of a merged cluster are removed
 * edges.
 */
typedef struct {
    adjacency_t *g;
    int64_t *end; /* [n] end of each list; lists only shrink */
    int32_t
        *parent; /* [n] the cluster that each cluster was merged into; itself: alive */
    buf_t heap;  /* edge_t, a < b */
    cluster_join_t *joins; /* NULL: not needed */
} complete_t;

static bool is_alive(const complete_t *c, int32_t node)
{
    return c->parent[node] == node;
}

static bool is_before(const edge_t *x, const edge_t *y)
{
    int order = edge_compare(x->matches, x->columns, y->matches, y->columns);

    if (order != 0)
        return order > 0;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static void sift_down(edge_t *heap, int64_t n, int64_t at)
{
    edge_t moved = heap[at];

    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &moved))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
}

static edge_t pop(complete_t *c)
{
    edge_t *heap = (edge_t *)c->heap.data, top = heap[0];
    int64_t n = (int64_t)(c->heap.len / sizeof(edge_t)) - 1;

    heap[0] = heap[n];
    c->heap.len -= sizeof(edge_t);
    if (n > 0)
        sift_down(heap, n, 0);
    return top;
}

static status_t push(complete_t *c, int32_t a, int32_t b, const neighbour_t *identity)
{
    edge_t edge = {a < b ? a : b, a < b ? b : a, identity->matches, identity->columns};
    status_t st = buf_append(&c->heap, &edge, sizeof(edge));
    edge_t *heap = (edge_t *)c->heap.data;
    int64_t at = (int64_t)(c->heap.len / sizeof(edge_t)) - 1;

    if (st != ST_OK)
        return st;
    for (; at > 0 && is_before(&edge, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = edge;
    return ST_OK;
}

static status_t fill_heap(complete_t *c)
{
    const adjacency_t *g = c->g;
    int64_t n = 0;
    edge_t *heap;
    status_t st = buf_reserve(&c->heap, (size_t)g->start[g->n] / 2 * sizeof(edge_t) + 1);

    if (st != ST_OK)
        return st;
    heap = (edge_t *)c->heap.data;
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t k = g->start[i]; k < g->start[i + 1]; k++) {
            const neighbour_t *x = &g->neighbour[k];

            if (i < x->node)
                heap[n++] = (edge_t){(int32_t)i, x->node, x->matches, x->columns};
        }
    c->heap.len = (size_t)n * sizeof(edge_t);
    for (int64_t at = n / 2 - 1; at >= 0; at--) {
        child_tick_turn(at);
        sift_down(heap, n, at);
    }
    return ST_OK;
}

/* @return the entry of a node in the list of a cluster, or NULL */
static neighbour_t *find(complete_t *c, int32_t cluster, int32_t node)
{
    neighbour_t *list = c->g->neighbour;
    int64_t low = c->g->start[cluster], high = c->end[cluster];

    while (low < high) {
        int64_t middle = low + (high - low) / 2;

        if (list[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->end[cluster] && list[low].node == node && list[low].columns > 0
               ? &list[low]
               : NULL;
}

static bool is_current(complete_t *c, const edge_t *e)
{
    const neighbour_t *now;

    if (!is_alive(c, e->a) || !is_alive(c, e->b))
        return false;
    now = find(c, e->a, e->b);
    return now != NULL && now->matches == e->matches && now->columns == e->columns;
}

/* a and b have edges to the same node: set the edge of a to the worse of both. */
static status_t keep_worse(complete_t *c, int32_t a, neighbour_t *of_a,
                           const neighbour_t *of_b)
{
    neighbour_t *back = find(c, of_a->node, a);

    if (edge_compare(of_b->matches, of_b->columns, of_a->matches, of_a->columns) >= 0)
        return ST_OK;
    of_a->matches = back->matches = of_b->matches;
    of_a->columns = back->columns = of_b->columns;
    return push(c, a, of_a->node, of_a);
}

/* Merge b into a.  The neighbours of both remain; edges to neighbours of only one are
 * removed. */
static status_t merge(complete_t *c, int32_t a, int32_t b)
{
    neighbour_t *list = c->g->neighbour;
    int64_t kept = c->g->start[a], at_b = c->g->start[b];
    status_t st = ST_OK;

    c->parent[b] = a;
    for (int64_t at = kept; st == ST_OK && at < c->end[a]; at++) {
        neighbour_t x = list[at];

        if (x.columns == 0 || !is_alive(c, x.node))
            continue;
        while (at_b < c->end[b] && list[at_b].node < x.node)
            at_b++;
        if (at_b < c->end[b] && list[at_b].node == x.node && list[at_b].columns > 0) {
            st = keep_worse(c, a, &x, &list[at_b]);
            list[kept++] = x;
        } else {
            find(c, x.node, a)->columns = 0;
        }
    }
    c->end[a] = kept;
    return st;
}

static void note_join(const complete_t *c, const edge_t *e)
{
    if (c->joins != NULL)
        c->joins[e->b] =
            (cluster_join_t){e->a, e->b, 1 - (double)e->matches / e->columns};
}

static status_t merge_all(complete_t *c)
{
    status_t st = fill_heap(c);

    while (st == ST_OK && c->heap.len > 0) {
        edge_t best = pop(c);

        child_tick();
        if (!is_current(c, &best))
            continue;
        note_join(c, &best);
        st = merge(c, best.a, best.b);
    }
    return st;
}

status_t complete_cluster(adjacency_t *g, int32_t *label, cluster_join_t *joins)
{
    complete_t c = {.g = g, .joins = joins};
    status_t st = ST_ENOMEM;

    c.end = malloc((size_t)g->n * sizeof(*c.end) + 1);
    c.parent = malloc((size_t)g->n * sizeof(*c.parent) + 1);
    if (c.end != NULL && c.parent != NULL) {
        for (int64_t i = 0; i < g->n; i++) {
            c.end[i] = g->start[i + 1];
            c.parent[i] = (int32_t)i;
            if (joins != NULL)
                joins[i].a = -1;
        }
        st = merge_all(&c);
    } else {
        log_nomem("clusters");
    }
    for (int64_t i = 0; st == ST_OK && i < g->n; i++) /* parents have lower numbers */
        label[i] = c.parent[i] == i ? (int32_t)i : label[c.parent[i]];
    buf_free(&c.heap);
    free(c.parent);
    free(c.end);
    return st;
}
