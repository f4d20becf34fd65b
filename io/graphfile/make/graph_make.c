/*
 * graph_make.c - checks the options and calls the generator.
 */
#include "io/graphfile/make/graph_make.h"

#include "io/base/logmsg.h"
#include "io/graphfile/make/graph_makers.h"

#include <inttypes.h>
#include <stddef.h>

const char *const graph_make_name[] = {"rmat", "grid", "road", "clone", "tree"};

static status_t check(const char *what, int64_t value, int64_t low, int64_t high)
{
    if (value >= low && value <= high)
        return ST_OK;
    log_error("%s %" PRId64 " is not within %" PRId64 " and %" PRId64, what, value, low,
              high);
    return ST_EUSAGE;
}

static status_t check_rmat(const graph_make_options_t *o)
{
    const fraction_t *p[] = {&o->a, &o->b, &o->c};
    double sum = 0;
    status_t st = check("the scale", o->scale, 1, GRAPH_MAKE_MAX_SCALE);

    if (st == ST_OK)
        st = check("the edge factor", o->edge_factor, 1, 1 << 20);
    for (int k = 0; k < 3; k++)
        if (p[k]->denominator > 0)
            sum += fraction_value(p[k]);
    if (st != ST_OK || sum <= 1.0 + 1e-9)
        return st;
    log_error("the probabilities of rmat add up to more than 1; give smaller ones");
    return ST_EUSAGE;
}

static status_t check_grid(const graph_make_options_t *o)
{
    status_t st = check("the number of rows", o->rows, 1, INT32_MAX);

    if (st == ST_OK)
        st = check("the number of columns", o->columns, 1, INT32_MAX);
    return st == ST_OK ? check("the number of nodes", o->rows * o->columns, 1, INT32_MAX)
                       : st;
}

static status_t check_tree(const graph_make_options_t *o)
{
    status_t st = check("the depth", o->depth, 1, 64);

    if (st == ST_OK)
        st = check("the smallest number of children", o->min_children, 1, INT32_MAX);
    if (st == ST_OK)
        st = check("the largest number of children", o->max_children, o->min_children,
                   INT32_MAX);
    return st == ST_OK ? check("the sparsity", o->sparsity, 0, 62) : st;
}

static status_t check_options(const graph_make_options_t *o)
{
    switch (o->kind) {
    case GRAPH_MAKE_RMAT:
        return check_rmat(o);
    case GRAPH_MAKE_GRID:
        return check_grid(o);
    case GRAPH_MAKE_ROAD:
        return check("the number of nodes", o->n_nodes, 1, INT32_MAX);
    case GRAPH_MAKE_TREE:
        return check_tree(o);
    default:
        return ST_OK;
    }
}

static status_t make(const graph_make_options_t *o, pool_t *pool, graph_edges_t *e)
{
    switch (o->kind) {
    case GRAPH_MAKE_RMAT:
        return make_rmat(o, pool, e);
    case GRAPH_MAKE_GRID:
        return make_grid(o, e);
    case GRAPH_MAKE_ROAD:
        return make_road(o, e);
    case GRAPH_MAKE_CLONE:
        return make_clone(o, e);
    default:
        return make_tree(o, e);
    }
}

status_t graph_make(const graph_make_options_t *options, pool_t *pool, graph_edges_t *out)
{
    status_t st = check_options(options);

    *out = (graph_edges_t){0};
    if (st == ST_OK)
        st = make(options, pool, out);
    if (st != ST_OK)
        graph_edges_free(out);
    return st;
}
