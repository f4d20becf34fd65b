/*
 * dimacs.c - the problem line, then arcs.
 */
#include "io/graphfile/read/graph_formats.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
    graph_text_t *t;
    graph_edges_t *edges;
    int64_t n_nodes, n_arcs;
    int64_t problem_line; /* its number; 0: not yet read */
} dimacs_t;

/* @return whether the next field is a word, which is skipped then */
static bool skip_word(graph_text_t *t, const char *word)
{
    size_t len = strlen(word);

    if (graph_text_at_end(t) || graph_text_field(t) != len ||
        memcmp(t->at, word, len) != 0)
        return false;
    t->at += len;
    return true;
}

static status_t read_problem(dimacs_t *d)
{
    const char *remedy = "write 'p sp NODES ARCS'";
    graph_text_t *t = d->t;
    status_t st;

    if (d->problem_line > 0)
        return lines_refuse(t->lines,
                            "line %" PRId64 " has the sizes already; remove one of "
                            "the two",
                            d->problem_line);
    if (!skip_word(t, "sp"))
        return lines_refuse(t->lines, "not a shortest-path problem; %s", remedy);
    if ((st = graph_text_int(t, "number of nodes", 0, INT32_MAX, remedy, &d->n_nodes)) !=
            ST_OK ||
        (st = graph_text_int(t, "number of arcs", 0, INT64_MAX, remedy, &d->n_arcs)) !=
            ST_OK)
        return st;
    d->problem_line = lines_number(t->lines);
    d->edges->n_declared = d->n_nodes;
    return graph_text_end(t);
}

static status_t refuse_count(const dimacs_t *d, const char *what)
{
    return lines_refuse(d->t->lines,
                        "%s, but line %" PRId64 " announces %" PRId64
                        " arcs; complete the file or correct that line",
                        what, d->problem_line, d->n_arcs);
}

static status_t read_weight(graph_text_t *t, int64_t *out)
{
    if (t->weights != GRAPH_WEIGHTS_UNREAD)
        return graph_text_int(t, "weight", 0, INT32_MAX, "write 'a SOURCE TARGET WEIGHT'",
                              out);
    graph_text_skip(t);
    return ST_OK;
}

static status_t read_arc(dimacs_t *d)
{
    const char *remedy = "nodes count from 1 up to the number in the line 'p sp'";
    graph_text_t *t = d->t;
    graph_edges_t *e = d->edges;
    int64_t source, target, weight = 0;
    status_t st;

    if (d->problem_line == 0)
        return lines_refuse(t->lines, "an arc before the sizes; write 'p sp NODES ARCS' "
                                      "before it");
    if (e->n == d->n_arcs)
        return refuse_count(d, "one arc too many");
    if ((st = graph_text_int(t, "source", 1, d->n_nodes, remedy, &source)) != ST_OK ||
        (st = graph_text_int(t, "target", 1, d->n_nodes, remedy, &target)) != ST_OK ||
        (st = read_weight(t, &weight)) != ST_OK || (st = graph_text_end(t)) != ST_OK ||
        (st = graph_edges_add(e, source, target)) != ST_OK)
        return st;
    if (e->weight != NULL)
        e->weight[e->n - 1] = (int32_t)weight;
    return ST_OK;
}

static status_t read_lines(dimacs_t *d)
{
    graph_text_t *t = d->t;
    status_t st;

    while ((st = graph_text_next_data(t, "c")) == ST_OK && t->line != NULL) {
        if (skip_word(t, "a"))
            st = read_arc(d);
        else if (skip_word(t, "p"))
            st = read_problem(d);
        else
            st = lines_refuse(t->lines, "a line starts with c (comment), p (sizes) or a "
                                        "(arc); correct or remove this one");
        if (st != ST_OK)
            return st;
    }
    if (st == ST_OK && d->problem_line == 0)
        return lines_refuse(t->lines, "the file has no line 'p sp NODES ARCS'; add it");
    return st == ST_OK && d->edges->n < d->n_arcs
               ? refuse_count(d, "the file ends too early")
               : st;
}

status_t dimacs_read(graph_text_t *t, graph_edges_t *out)
{
    dimacs_t d = {.t = t, .edges = out};
    status_t st = graph_edges_create(0, t->weights != GRAPH_WEIGHTS_UNREAD, false, out);

    out->first_id = 1;
    out->is_directed = true;
    return st == ST_OK ? read_lines(&d) : st;
}
