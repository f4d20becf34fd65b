/*
 * graph_child.c - reads the input, and carries it from the child to the run.
 */
#include "worker/graph/graph_child.h"

#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/graphfile/csr_file.h"
#include "io/pairs/pairs_open.h"
#include "kernels/device/device.h"
#include "worker/graph/job_graph.h"

#include <stdlib.h>
#include <string.h>

/* What the child sends; the arrays are in the stream, in this order. */
typedef struct {
    int64_t n_nodes, n_arcs, names_bytes;
    bool has_weight, has_value, has_abundance, is_symmetric;
} head_t;

static const char what[] = "a graph";

status_t graph_child_prepare(graph_opts_t *o)
{
    return graph_read_is_hdf5(o->input, &o->read) ? memfd_stream_create(what, &o->stream)
                                                  : ST_OK;
}

/* ---- reading ---- */

/* Read the abundances of the sequences, which are the nodes. */
static status_t read_abundances(const graph_opts_t *o, graph_input_data_t *d)
{
    const csr_t *g = &d->graph;
    pairs_file_t *file;
    status_t st;

    if (d->names == NULL) {
        log_error("%s has no abundances, which only files of `ribogrid align` have; give "
                  "another --order",
                  o->input);
        return ST_EINPUT;
    }
    if ((d->abundance = malloc((size_t)g->n_nodes * sizeof(*d->abundance) + 1)) == NULL)
        return log_nomem("abundances");
    if ((st = pairs_open(o->input, &file)) != ST_OK)
        return st;
    for (int64_t i = 0; i < g->n_nodes; i++)
        d->abundance[i] = pairs_sizes(file) != NULL ? pairs_sizes(file)[g->id[i] - 1] : 1;
    pairs_close(file);
    return ST_OK;
}

static status_t read_here(const graph_opts_t *o, graph_input_data_t *out)
{
    pool_t *pool;
    status_t st = pool_create(o->common.n_threads > 0 ? (int)o->common.n_threads
                                                      : device_cpu().n_cores,
                              &pool);

    if (st != ST_OK)
        return st;
    st = graph_read_csr(o->input, &o->read, &o->build, pool, &out->graph, &out->names);
    pool_destroy(pool);
    if (st == ST_OK && o->order == GRAPH_BY_WEIGHT)
        st = read_abundances(o, out);
    return st;
}

/* ---- the child ---- */

/* Write or read all arrays but the names. */
static void pass_arrays(memfd_stream_t *c, const graph_input_data_t *d)
{
    const csr_t *g = &d->graph;

    (void)memfd_stream_pass(c, g->id, g->n_nodes, sizeof(*g->id));
    (void)memfd_stream_pass(c, g->first, g->n_nodes + 1, sizeof(*g->first));
    (void)memfd_stream_pass(c, g->to, g->n_arcs, sizeof(*g->to));
    (void)memfd_stream_pass(c, g->weight, g->n_arcs, sizeof(*g->weight));
    (void)memfd_stream_pass(c, g->value, g->n_arcs, sizeof(*g->value));
    (void)memfd_stream_pass(c, d->abundance, g->n_nodes, sizeof(*d->abundance));
}

static status_t send_graph(const graph_opts_t *o, buf_t *out)
{
    graph_input_data_t d = {0};
    const csr_t *g = &d.graph;
    head_t h = {0};
    memfd_stream_t c;
    status_t st = read_here(o, &d);

    if (st != ST_OK)
        return st; /* the process ends soon */
    h.names_bytes = memfd_stream_texts_bytes(d.names, g->n_nodes);
    h.n_nodes = g->n_nodes;
    h.n_arcs = g->n_arcs;
    h.has_weight = g->weight != NULL;
    h.has_value = g->value != NULL;
    h.has_abundance = d.abundance != NULL;
    h.is_symmetric = g->is_symmetric;
    c = memfd_stream_write(o->stream, what);
    pass_arrays(&c, &d);
    (void)memfd_stream_put_texts(&c, d.names, g->n_nodes);
    st = memfd_stream_end(&c, ST_OK);
    return st == ST_OK ? buf_append(out, &h, sizeof(h)) : st;
}

static status_t read_shape_here(const graph_opts_t *o, graph_shape_t *out)
{
    graph_shape_t shape = {0};
    graph_format_t format;
    csr_file_t *file;
    csr_t nodes;
    status_t st = graph_read_format(o->input, &o->read, &format);

    if (st == ST_OK && format == GRAPH_FORMAT_CSR) {
        if ((st = csr_file_open(o->input, &nodes, &file)) != ST_OK)
            return st;
        shape = (graph_shape_t){true, nodes.n_nodes, nodes.n_arcs};
        csr_file_close(file);
        csr_free(&nodes);
    }
    if (st == ST_OK)
        *out = shape;
    return st;
}

static status_t send_shape(const graph_opts_t *o, buf_t *out)
{
    graph_shape_t shape;
    status_t st = read_shape_here(o, &shape);

    return st == ST_OK ? buf_append(out, &shape, sizeof(shape)) : st;
}

status_t graph_child_answer(const void *opts, int question, buf_t *out)
{
    const graph_opts_t *o = opts;

    if (question == GRAPH_CHILD_SHAPE)
        return send_shape(o, out);
    return question == GRAPH_CHILD_GRAPH ? send_graph(o, out)
                                         : job_graph_read_finished(o->common.output, out);
}

/* ---- the run ---- */

static status_t get_names(memfd_stream_t *c, int64_t bytes, graph_input_data_t *d)
{
    int64_t n = d->graph.n_nodes;
    char *text = malloc((size_t)bytes + 1), *at = text, *end;
    bool good = text != NULL && memfd_stream_get(c, text, bytes, 1) == ST_OK;

    d->names = calloc((size_t)n + 1, sizeof(*d->names));
    good = good && d->names != NULL;
    for (int64_t i = 0; good && i < n; i++) {
        end = memchr(at, '\0', (size_t)(text + bytes - at));
        good = end != NULL && (d->names[i] = strdup(at)) != NULL;
        at = good ? end + 1 : at;
    }
    free(text);
    return good ? ST_OK : log_nomem("names");
}

static status_t get_graph(memfd_stream_t *c, const head_t *h, graph_input_data_t *d)
{
    csr_t *g = &d->graph;
    status_t st = csr_create(h->n_nodes, h->n_arcs, h->has_weight, h->has_value, g);

    if (st != ST_OK)
        return st;
    g->is_symmetric = h->is_symmetric;
    if (h->has_abundance &&
        (d->abundance = malloc((size_t)g->n_nodes * sizeof(*d->abundance) + 1)) == NULL)
        return log_nomem("abundances");
    pass_arrays(c, d);
    return c->st == ST_OK && h->names_bytes > 0 ? get_names(c, h->names_bytes, d) : c->st;
}

status_t graph_child_read_shape(const graph_opts_t *o, graph_shape_t *out)
{
    buf_t shape = {0};
    status_t st;

    if (o->stream < 0 || o->common.reader == NULL)
        return read_shape_here(o, out);
    if ((st = child_fetch(o->common.reader, GRAPH_CHILD_SHAPE, &shape)) == ST_OK)
        memcpy(out, shape.data, sizeof(*out));
    buf_free(&shape);
    return st;
}

status_t graph_child_read(const graph_opts_t *o, graph_input_data_t *out)
{
    buf_t head = {0};
    head_t h;
    memfd_stream_t c;
    status_t st;

    if (o->stream < 0 || o->common.reader == NULL)
        return read_here(o, out);
    st = child_fetch(o->common.reader, GRAPH_CHILD_GRAPH, &head);
    if (!o->common.resume) /* nothing else will be asked */
        child_reader_stop(o->common.reader);
    if (st == ST_OK) {
        memcpy(&h, head.data, sizeof(h));
        c = memfd_stream_read(o->stream, what);
        st = get_graph(&c, &h, out);
        st = memfd_stream_end(&c, st);
    }
    buf_free(&head);
    return st;
}
