/*
 * make_road.c - a planar graph like a network of roads: a random spanning tree of a
 * square grid, and random further edges, among them one diagonal per cell, up to a mean
 * degree of 2.4.  No node has more than four sides and four diagonals.
 */
#include "io/graphfile/make/graph_makers.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"
#include "io/graphfile/radix_sort.h"

#include <inttypes.h>
#include <stdlib.h>

/* A possible edge as a key: random bits, the node u, the side of u. */
enum { SIDE_BITS = 2, CODE_BITS = 33, KEY_BITS = 64 };

typedef enum { RIGHT, DOWN, DIAGONAL } side_t;

typedef struct {
    int64_t n_nodes, columns;
    int64_t n;      /* possible edges */
    uint64_t *key;  /* [n] */
    int32_t *group; /* [n_nodes] a parent in the forest of disjoint sets */
} road_t;

static void add(road_t *r, int64_t u, side_t side, rng_t *rng)
{
    uint64_t code = (uint64_t)u << SIDE_BITS | (uint64_t)side;

    r->key[r->n++] = rng_next(rng) >> CODE_BITS << CODE_BITS | code;
}

static void list_edges(road_t *r, uint64_t seed)
{
    rng_t rng = rng_seed(seed);

    for (int64_t u = 0; u < r->n_nodes; u++) {
        bool has_right = (u + 1) % r->columns != 0 && u + 1 < r->n_nodes;
        bool has_down = u + r->columns < r->n_nodes;

        if (has_right)
            add(r, u, RIGHT, &rng);
        if (has_down)
            add(r, u, DOWN, &rng);
        if (has_right && has_down && u + r->columns + 1 < r->n_nodes)
            add(r, u, DIAGONAL, &rng);
    }
}

static int32_t find(int32_t *group, int32_t u)
{
    while (group[u] != u) {
        group[u] = group[group[u]];
        u = group[u];
    }
    return u;
}

/* Find the ends of a possible edge; the lowest random bit decides on the diagonal. */
static side_t ends_of(const road_t *r, uint64_t key, int32_t *u, int32_t *v)
{
    int64_t code = (int64_t)(key & ((UINT64_C(1) << CODE_BITS) - 1));
    int64_t from = code >> SIDE_BITS, below = from + r->columns;
    side_t side = (side_t)(code & ((1 << SIDE_BITS) - 1));
    bool rises = side == DIAGONAL && key >> CODE_BITS & 1;

    *u = (int32_t)(rises ? from + 1 : from);
    if (side == RIGHT)
        *v = (int32_t)(from + 1);
    else
        *v = (int32_t)(side == DOWN || rises ? below : below + 1);
    return side;
}

/* Kruskal: take sides that join two groups, and mark what is left over. */
static status_t add_tree(road_t *r, graph_edges_t *e)
{
    status_t st = ST_OK;
    int64_t n_left = 0;

    for (int64_t k = 0; st == ST_OK && k < r->n; k++) {
        int32_t u, v, group_u, group_v;
        side_t side = ends_of(r, r->key[k], &u, &v);

        group_u = find(r->group, u);
        group_v = find(r->group, v);
        if (side != DIAGONAL && group_u != group_v) {
            r->group[group_u > group_v ? group_u : group_v] =
                group_u > group_v ? group_v : group_u;
            st = graph_edges_add(e, u, v);
        } else {
            r->key[n_left++] = r->key[k];
        }
    }
    r->n = n_left;
    return st;
}

static status_t add_more(const road_t *r, int64_t wanted, graph_edges_t *e)
{
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < r->n && e->n < wanted; k++) {
        int32_t u, v;

        ends_of(r, r->key[k], &u, &v);
        st = graph_edges_add(e, u, v);
    }
    return st;
}

status_t make_road(const graph_make_options_t *o, graph_edges_t *e)
{
    road_t r = {.n_nodes = o->n_nodes, .columns = 1};
    size_t n = (size_t)o->n_nodes, n_max = 3 * n;
    uint64_t *spare = malloc(n_max * sizeof(*spare));
    status_t st = ST_ENOMEM;

    r.key = malloc(n_max * sizeof(*r.key));
    r.group = malloc(n * sizeof(*r.group));
    if (spare == NULL || r.key == NULL || r.group == NULL) {
        log_nomem("a graph");
        goto done;
    }
    while (r.columns * r.columns < o->n_nodes)
        r.columns++;
    for (size_t u = 0; u < n; u++)
        r.group[u] = (int32_t)u;
    list_edges(&r, o->seed);
    radix_sort((radix_items_t){.key = r.key}, (radix_items_t){.key = spare}, r.n,
               KEY_BITS);
    if ((st = graph_edges_create(o->n_nodes * 6 / 5, false, false, e)) == ST_OK &&
        (st = add_tree(&r, e)) == ST_OK)
        st = add_more(&r, o->n_nodes * 6 / 5, e);
    e->n_declared = o->n_nodes;
done:
    free(spare);
    free(r.key);
    free(r.group);
    return st;
}

/* ---- node r * columns + c is joined to its right and to its lower neighbour ---- */

status_t make_grid(const graph_make_options_t *o, graph_edges_t *e)
{
    int64_t n = o->rows * o->columns;
    status_t st = graph_edges_create(2 * n, false, false, e);

    for (int64_t u = 0; st == ST_OK && u < n; u++) {
        if ((u + 1) % o->columns != 0)
            st = graph_edges_add(e, u, u + 1);
        if (st == ST_OK && u + o->columns < n)
            st = graph_edges_add(e, u, u + o->columns);
    }
    e->n_declared = n;
    return st;
}

/* ---- level by level; the children of a node are numbered one after the other ---- */

/* Add the children of a node, numbers *n .. */
static status_t add_children(const graph_make_options_t *o, rng_t *rng, int64_t parent,
                             int64_t *n, graph_edges_t *e)
{
    int64_t count =
        o->min_children +
        (int64_t)rng_below(rng, (uint64_t)(o->max_children - o->min_children + 1));
    status_t st = ST_OK;

    if (count > INT32_MAX - *n) {
        log_error("the tree has more than %" PRId32
                  " nodes; give a smaller depth or fewer children",
                  INT32_MAX);
        return ST_EUSAGE;
    }
    for (int64_t k = 0; st == ST_OK && k < count; k++)
        st = graph_edges_add(e, parent, (*n)++);
    return st;
}

status_t make_tree(const graph_make_options_t *o, graph_edges_t *e)
{
    rng_t rng = rng_seed(o->seed);
    int64_t begin = 0, end = 1; /* the nodes of a level */
    status_t st = graph_edges_create(0, false, false, e);

    e->is_directed = true;
    for (int64_t level = 1; st == ST_OK && level < o->depth; level++) {
        int64_t n = end;

        for (int64_t u = begin; st == ST_OK && u < end; u++)
            if (u == 0 || rng_chance(&rng, 1, UINT64_C(1) << o->sparsity))
                st = add_children(o, &rng, u, &n, e);
        begin = end;
        end = n;
    }
    e->n_declared = end;
    return st;
}
