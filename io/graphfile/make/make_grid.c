/*
 * make_grid.c - node r * columns + c is joined to its right and to its lower neighbour.
 */
#include "io/graphfile/make/graph_makers.h"

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
