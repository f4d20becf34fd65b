/*
 * edge_list.c - comments, edges of two or three columns, and a first line with sizes.
 */
#include "io/graphfile/read/graph_formats.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct {
    graph_text_t *t;
    graph_edges_t *edges;
    bool has_weights;
    int64_t first_line;  /* number of the line of the first edge; 0: none yet */
    bool first_is_short; /* it has two columns, the others three: only sizes may */
    int64_t announced;   /* edges, by a comment; -1: not known */
} edge_list_t;

/* "# Undirected graph: x.txt", "# Nodes: 7115 Edges: 103689" */
static void read_comment(edge_list_t *l)
{
    const char *text = l->t->at + strspn(l->t->at, "#% \t");
    int64_t nodes, edges;

    if (strncasecmp(text, "undirected", strlen("undirected")) == 0)
        l->edges->is_directed = false;
    if (sscanf(text, "Nodes: %" SCNd64 " Edges: %" SCNd64, &nodes, &edges) == 2)
        l->announced = edges;
}

static status_t refuse_columns(const edge_list_t *l)
{
    return lines_refuse(l->t->lines,
                        "%s weight, unlike the lines before; give every edge a "
                        "weight or none",
                        l->has_weights ? "no" : "a");
}

/* The second edge decides whether edges have weights: the first may be sizes. */
static status_t expect_weights(edge_list_t *l)
{
    graph_edges_t *e = l->edges;

    if ((e->weight = calloc((size_t)e->capacity, sizeof(*e->weight))) == NULL)
        return log_nomem("the edges of a graph");
    l->has_weights = true;
    return ST_OK;
}

static status_t read_edge(edge_list_t *l)
{
    const char *remedy =
        "write 'SOURCE TARGET' or 'SOURCE TARGET WEIGHT', or name the format";
    graph_text_t *t = l->t;
    graph_number_t number = {0};
    int64_t source, target;
    bool has_weight;
    status_t st;

    if ((st = graph_text_int(t, "source", 0, INT64_MAX, remedy, &source)) != ST_OK ||
        (st = graph_text_int(t, "target", 0, INT64_MAX, remedy, &target)) != ST_OK)
        return st;
    has_weight = !graph_text_at_end(t);
    if (has_weight != l->has_weights) {
        if (!has_weight || l->edges->n > 1)
            return refuse_columns(l);
        l->first_is_short = l->edges->n == 1;
        if ((st = expect_weights(l)) != ST_OK)
            return st;
    }
    if (l->first_line == 0)
        l->first_line = lines_number(t->lines);
    if (has_weight && ((st = graph_text_number(t, "weight", &number)) != ST_OK ||
                       (st = graph_text_end(t)) != ST_OK))
        return st;
    return graph_edges_add_number(l->edges, source, target, number);
}

/* @return whether the first edge is the numbers of nodes and edges: the other edges have
 *         that number, and their ids are as small.  Where all lines have two columns,
 *         there must be more edges than nodes, or the first edge of a path would be taken
 *         for sizes */
static bool first_is_sizes(const edge_list_t *l)
{
    const graph_edges_t *e = l->edges;

    if (e->n < 2 || e->target[0] != e->n - 1 ||
        (!l->first_is_short && e->target[0] <= e->source[0]))
        return false;
    for (int64_t i = 1; i < e->n; i++)
        if (e->source[i] > e->source[0] || e->target[i] > e->source[0])
            return false;
    return true;
}

static void drop_first(graph_edges_t *e)
{
    size_t n = (size_t)--e->n;

    memmove(e->source, e->source + 1, n * sizeof(*e->source));
    memmove(e->target, e->target + 1, n * sizeof(*e->target));
    if (e->weight != NULL)
        memmove(e->weight, e->weight + 1, n * sizeof(*e->weight));
    if (e->value != NULL)
        memmove(e->value, e->value + 1, n * sizeof(*e->value));
}

static status_t check_sizes(edge_list_t *l)
{
    const char *name = lines_name(l->t->lines);
    graph_edges_t *e = l->edges;

    if (first_is_sizes(l)) {
        log_warn("%s:%" PRId64
                 ": taken for the numbers of nodes and edges, not for an edge",
                 name, l->first_line);
        drop_first(e);
    } else if (l->first_is_short) {
        log_error("%s:%" PRId64 ": no weight, unlike the lines after it, and not the "
                  "numbers of nodes and edges; correct or remove the line",
                  name, l->first_line);
        return ST_EINPUT;
    }
    if (l->announced >= 0 && l->announced != e->n)
        log_warn("%s: a comment announces %" PRId64 " edges, but there are %" PRId64
                 "; check that the file is complete",
                 name, l->announced, e->n);
    return ST_OK;
}

static status_t read_lines(edge_list_t *l)
{
    graph_text_t *t = l->t;
    status_t st;

    while ((st = graph_text_next_data(t, "")) == ST_OK && t->line != NULL) {
        if (*t->at == '#' || *t->at == '%')
            read_comment(l);
        else if ((st = read_edge(l)) != ST_OK)
            return st;
    }
    return st == ST_OK ? check_sizes(l) : st;
}

status_t edge_list_read(graph_text_t *t, bool is_directed, graph_edges_t *out)
{
    edge_list_t l = {.t = t, .edges = out, .announced = -1};
    status_t st = graph_edges_create(0, false, false, out);

    out->is_directed = true;
    if (st == ST_OK)
        st = read_lines(&l);
    out->is_directed = out->is_directed || is_directed;
    return st;
}
