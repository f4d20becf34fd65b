/*
 * graph_child.c - reads the input, and carries it from the child to the run.
 */
#include "worker/graph/job_graph_state.h"

#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/graphfile/csr_file.h"
#include "io/graphfile/graph_result_format.h"
#include "io/pairs/pairs_file.h"
#include "worker/graph/graph_opts.h"

#include <stdlib.h>
#include <string.h>

ARRAY_COUNT(n_nodes, graph_input_data_t, o->graph.n_nodes)
ARRAY_COUNT(n_rows, graph_input_data_t, o->start.n_rows)

static const array_t rows[] = {
    ARRAY_MEMBER(graph_input_data_t, graph, &csr_arrays),
    ARRAY_OF(graph_input_data_t, nodes.name, ARRAY_TEXTS, n_nodes, .is_optional = true),
    ARRAY_VALUE(graph_input_data_t, nodes.are_sequences, ARRAY_BYTES),
    ARRAY_OF(graph_input_data_t, abundance, ARRAY_INT64, n_nodes, .is_optional = true),
    ARRAY_OF(graph_input_data_t, start.rank, ARRAY_DOUBLE, n_nodes, .is_optional = true),
    ARRAY_VALUE(graph_input_data_t, start.n_known, ARRAY_INT64),
    ARRAY_OF(graph_input_data_t, start.joined, ARRAY_INT32, n_nodes, .is_optional = true),
    ARRAY_VALUE(graph_input_data_t, start.n_rows, ARRAY_INT64),
    ARRAY_OF(graph_input_data_t, start.rows, ARRAY_INT32, n_rows, .is_optional = true),
    ARRAYS_END};

static const arrays_t arrays = {"a graph", sizeof(graph_input_data_t), rows, NULL};

status_t graph_child_prepare(graph_opts_t *o)
{
    return o->from != NULL || graph_read_is_hdf5(o->input, &o->read)
               ? memfd_stream_create(arrays.what, &o->stream)
               : ST_OK;
}

/* ---- reading ---- */

/* Read the abundances of the sequences, which are the nodes. */
static status_t read_abundances(const graph_opts_t *o, graph_input_data_t *d)
{
    const csr_t *g = &d->graph;
    pairs_file_t *file;
    status_t st;

    if (!d->nodes.are_sequences) {
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
        d->abundance[i] = pairs_size(file, g->id[i] - 1);
    pairs_close(file);
    return ST_OK;
}

static status_t read_here(const graph_opts_t *o, graph_input_data_t *out)
{
    pool_t *pool;
    status_t st = job_opts_pool(&o->common, &pool);

    if (st != ST_OK)
        return st;
    st = graph_read_csr(o->input, &o->read, &o->build, pool, &out->graph, &out->nodes);
    pool_destroy(pool);
    if (st == ST_OK && o->order == GRAPH_BY_WEIGHT)
        st = read_abundances(o, out);
    if (st == ST_OK && o->from != NULL)
        st = graph_from_read(o, &out->graph, &out->nodes, &out->start);
    return st;
}

/* ---- the child ---- */

static status_t send_graph(const graph_opts_t *o)
{
    graph_input_data_t d = {0};
    status_t st = read_here(o, &d);

    /* the process ends soon, which frees it */
    return st == ST_OK ? memfd_stream_put_object(o->stream, &arrays, &d) : st;
}

static status_t read_shape_here(const graph_opts_t *o, graph_shape_t *out)
{
    graph_shape_t shape = {0};
    graph_format_t format;
    csr_t nodes;
    status_t st = graph_read_format(o->input, &o->read, &format);

    if (st == ST_OK && format == GRAPH_FORMAT_CSR) {
        if ((st = csr_file_read_nodes(o->input, &nodes)) != ST_OK)
            return st;
        shape = (graph_shape_t){true, nodes.n_nodes, nodes.n_arcs};
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

static status_t send_nodes(const graph_opts_t *o)
{
    csr_t nodes;
    status_t st = csr_file_read_nodes(o->input, &nodes);

    if (st != ST_OK)
        return st;
    st = memfd_stream_put_object(o->stream, &csr_nodes_arrays, &nodes);
    csr_free(&nodes);
    return st;
}

/* Arcs begin .. end-1. */
typedef struct {
    int64_t begin, end;
} range_t;

static status_t send_targets(const graph_opts_t *o, buf_t *out)
{
    range_t r;
    status_t st;

    memcpy(&r, out->data, sizeof(r));
    out->len = 0;
    if ((st = buf_reserve(out, (size_t)(r.end - r.begin) * sizeof(int32_t))) != ST_OK)
        return st;
    out->len = (size_t)(r.end - r.begin) * sizeof(int32_t);
    return csr_file_read_targets(o->input, r.begin, r.end, (int32_t *)(void *)out->data);
}

status_t graph_child_answer(const void *opts, int question, buf_t *out)
{
    const graph_opts_t *o = opts;

    switch (question) {
    case GRAPH_CHILD_GRAPH:
        return send_graph(o);
    case GRAPH_CHILD_SHAPE:
        return send_shape(o, out);
    case GRAPH_CHILD_NODES:
        return send_nodes(o);
    default:
        return send_targets(o, out);
    }
}

/* ---- the run ---- */

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
    status_t st;

    if (o->stream < 0 || o->common.reader == NULL)
        return read_here(o, out);
    st = memfd_stream_fetch(o->common.reader, GRAPH_CHILD_GRAPH, o->stream, &arrays, out);
    if (!o->common.resume) /* nothing else will be asked */
        child_reader_stop(o->common.reader);
    return st;
}

status_t graph_child_read_nodes(const graph_opts_t *o, csr_t *out)
{
    if (o->stream < 0 || o->common.reader == NULL)
        return csr_file_read_nodes(o->input, out);
    return memfd_stream_fetch(o->common.reader, GRAPH_CHILD_NODES, o->stream,
                              &csr_nodes_arrays, out);
}

status_t graph_child_read_targets(const graph_opts_t *o, int64_t begin, int64_t end,
                                  int32_t *to)
{
    const range_t range = {begin, end};
    const size_t bytes = (size_t)(end - begin) * sizeof(*to);
    buf_t answer = {0};
    status_t st;

    if (o->stream < 0 || o->common.reader == NULL)
        return csr_file_read_targets(o->input, begin, end, to);
    if ((st = buf_append(&answer, &range, sizeof(range))) == ST_OK)
        st = child_fetch(o->common.reader, GRAPH_CHILD_TARGETS, &answer);
    if (st == ST_OK && answer.len == bytes)
        memcpy(to, answer.data, bytes);
    else if (st == ST_OK)
        st = log_refusal(o->input, "copy it again or make it again",
                         "its arcs cannot be read");
    buf_free(&answer);
    return st;
}
