/*
 * metis.c - the header, then a line per node.
 */
#include "io/graphfile/read/graph_formats.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* An arc as it is listed. */
typedef struct {
    int32_t to, weight;
} neighbour_t;

typedef struct {
    int64_t first; /* its first arc */
    int64_t line;  /* number of its line */
} row_t;

typedef struct {
    graph_text_t *t;
    int64_t n_nodes, n_edges;
    int64_t header_line;
    bool has_weights;
    int64_t n_skipped;      /* numbers before the neighbours of a line: sizes, weights */
    int64_t n_rows, n_arcs; /* read so far */
    buf_t row_buf, arc_buf;
    row_t *rows;       /* [n_rows + 1] when all are read; the last one only ends */
    neighbour_t *arcs; /* [n_arcs] */
} metis_t;

static status_t read_kind(metis_t *m)
{
    const char *remedy =
        "write three digits of 0 and 1: sizes of nodes, weights of nodes, "
        "weights of edges";
    int64_t kind = 0, n_node_weights = 1;
    status_t st;

    if (!graph_text_at_end(m->t) &&
        (st = graph_text_int(m->t, "kind of weights", 0, 111, remedy, &kind)) != ST_OK)
        return st;
    if (kind % 10 > 1 || kind / 10 % 10 > 1)
        return lines_refuse(m->t->lines, "the kind of weights %" PRId64 " is unknown; %s",
                            kind, remedy);
    if (!graph_text_at_end(m->t) &&
        (st = graph_text_int(m->t, "number of weights per node", 0, INT32_MAX,
                             "correct the first line", &n_node_weights)) != ST_OK)
        return st;
    m->has_weights = kind % 10 == 1;
    m->n_skipped = kind / 100 + (kind / 10 % 10 == 1 ? n_node_weights : 0);
    return graph_text_end(m->t);
}

static status_t read_header(metis_t *m)
{
    const char *remedy = "the first line is 'NODES EDGES [KIND [WEIGHTS]]'";
    status_t st = graph_text_next_data(m->t, "%");

    if (st != ST_OK)
        return st;
    if (m->t->line == NULL)
        return lines_refuse(m->t->lines, "the file ends before its sizes; %s", remedy);
    if ((st = graph_text_int(m->t, "number of nodes", 0, INT32_MAX, remedy,
                             &m->n_nodes)) != ST_OK ||
        (st = graph_text_int(m->t, "number of edges", 0, INT64_MAX / 2, remedy,
                             &m->n_edges)) != ST_OK)
        return st;
    m->header_line = lines_number(m->t->lines);
    return read_kind(m);
}

static status_t read_neighbour(metis_t *m)
{
    const char *remedy = "nodes count from 1 up to the number in the first line";
    int64_t to, weight = 0;
    status_t st;

    if ((st = graph_text_int(m->t, "neighbour", 1, m->n_nodes, remedy, &to)) != ST_OK)
        return st;
    if (m->has_weights && m->t->weights == GRAPH_WEIGHTS_UNREAD)
        graph_text_skip(m->t);
    else if (m->has_weights &&
             (st = graph_text_int(m->t, "weight", 0, INT32_MAX,
                                  "each neighbour is followed by its weight", &weight)) !=
                 ST_OK)
        return st;
    if (to == m->n_rows + 1)
        return lines_refuse(m->t->lines,
                            "node %" PRId64 " is its own neighbour, which this "
                            "format does not allow; remove it",
                            to);
    m->n_arcs++;
    return buf_append(&m->arc_buf, &(neighbour_t){(int32_t)to - 1, (int32_t)weight},
                      sizeof(neighbour_t));
}

static status_t read_row(metis_t *m)
{
    const row_t row = {m->n_arcs, lines_number(m->t->lines)};
    int64_t ignored;
    status_t st = buf_append(&m->row_buf, &row, sizeof(row));

    for (int64_t k = 0; st == ST_OK && k < m->n_skipped; k++)
        st = graph_text_int(m->t, "weight of the node", 0, INT64_MAX,
                            "the first line announces it", &ignored);
    while (st == ST_OK && !graph_text_at_end(m->t))
        st = read_neighbour(m);
    m->n_rows++;
    return st;
}

static status_t refuse_count(const metis_t *m, const char *what)
{
    return lines_refuse(m->t->lines,
                        "%s, but line %" PRId64 " announces %" PRId64
                        " nodes and %" PRId64 " edges; complete the file or correct that "
                        "line",
                        what, m->header_line, m->n_nodes, m->n_edges);
}

/* Empty lines are nodes without neighbours, before the last node. */
static status_t read_rows(metis_t *m)
{
    status_t st;

    while ((st = graph_text_next(m->t)) == ST_OK && m->t->line != NULL) {
        bool is_empty = graph_text_at_end(m->t);

        if (*m->t->at == '%')
            continue;
        if (m->n_rows < m->n_nodes)
            st = read_row(m);
        else if (!is_empty)
            st = refuse_count(m, "a line for one node too many");
        if (st != ST_OK)
            return st;
    }
    if (st == ST_OK && m->n_rows < m->n_nodes)
        return refuse_count(m, "the file ends too early");
    if (st == ST_OK && m->n_arcs != 2 * m->n_edges)
        return refuse_count(m, "the lines of nodes do not list each edge twice");
    return st;
}

static int compare(const void *a, const void *b)
{
    const neighbour_t *x = a, *y = b;

    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static void sort_row(const metis_t *m, int64_t u)
{
    int64_t begin = m->rows[u].first, end = m->rows[u + 1].first;

    for (int64_t a = begin + 1; a < end; a++) {
        if (compare(&m->arcs[a - 1], &m->arcs[a]) > 0) {
            qsort(m->arcs + begin, (size_t)(end - begin), sizeof(*m->arcs), compare);
            return;
        }
    }
}

static status_t refuse_one_sided(const metis_t *m, int64_t u, const neighbour_t *arc)
{
    log_error("%s:%" PRId64 ": node %" PRId64 " lists node %" PRId32 ", but line %" PRId64
              " does not list it back%s; add or remove it",
              lines_name(m->t->lines), m->rows[u].line, u + 1, arc->to + 1,
              m->rows[arc->to].line, m->has_weights ? " with the same weight" : "");
    return ST_EINPUT;
}

/* The arcs to smaller nodes of each row, in order, are the arcs from them.
 * @param at  [n_nodes] the next arc to a smaller node */
static status_t match_arcs(const metis_t *m, int64_t *at, graph_edges_t *e)
{
    status_t st = ST_OK;

    for (int64_t u = 0; u < m->n_rows; u++) {
        for (int64_t a = m->rows[u].first; a < m->rows[u + 1].first; a++) {
            const neighbour_t *arc = &m->arcs[a], *back;

            if (arc->to < u && a < at[u])
                continue;
            if (arc->to < u)
                return refuse_one_sided(m, u, arc);
            back = &m->arcs[at[arc->to]];
            if (at[arc->to]++ == m->rows[arc->to + 1].first || back->to != u ||
                back->weight != arc->weight)
                return refuse_one_sided(m, u, arc);
            if ((st = graph_edges_add(e, u + 1, arc->to + INT64_C(1))) != ST_OK)
                return st;
            if (e->weight != NULL)
                e->weight[e->n - 1] = arc->weight;
        }
    }
    return st;
}

static status_t make_edges(metis_t *m, graph_edges_t *e)
{
    int64_t *at = malloc((size_t)m->n_rows * sizeof(*at) + 1);
    status_t st = buf_append(&m->row_buf, &(row_t){m->n_arcs, 0}, sizeof(row_t));

    if (at == NULL && st == ST_OK)
        st = log_nomem("a graph");
    if (st != ST_OK)
        goto done;
    m->rows = (row_t *)(void *)m->row_buf.data;
    m->arcs = (neighbour_t *)(void *)m->arc_buf.data;
    for (int64_t u = 0; u < m->n_rows; u++) {
        sort_row(m, u);
        at[u] = m->rows[u].first;
    }
    if ((st = graph_edges_create(m->n_edges,
                                 m->has_weights && m->t->weights != GRAPH_WEIGHTS_UNREAD,
                                 false, e)) == ST_OK)
        st = match_arcs(m, at, e);
    e->first_id = 1;
    e->n_declared = m->n_nodes;
done:
    free(at);
    return st;
}

status_t metis_read(graph_text_t *t, graph_edges_t *out)
{
    metis_t m = {.t = t};
    status_t st;

    if ((st = read_header(&m)) == ST_OK && (st = read_rows(&m)) == ST_OK)
        st = make_edges(&m, out);
    buf_free(&m.row_buf);
    buf_free(&m.arc_buf);
    return st;
}
