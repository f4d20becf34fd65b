/*
 * graph_child.c - reads the input, and carries it from the child to the run.
 */
#include "worker/graph/graph_child.h"

#include "io/base/logmsg.h"
#include "io/graphfile/csr_file.h"
#include "io/pairs/pairs_open.h"
#include "kernels/device/device.h"
#include "worker/graph/job_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* What the child sends; the arrays are in the carrier, in this order. */
typedef struct {
    int64_t n_nodes, n_arcs, names_bytes;
    bool has_weight, has_value, has_abundance, is_symmetric;
} head_t;

status_t graph_child_prepare(graph_opts_t *o)
{
    if (!graph_read_is_hdf5(o->input, &o->read))
        return ST_OK;
    o->carrier = memfd_create("graph", MFD_CLOEXEC);
    return o->carrier >= 0 ? ST_OK : log_nomem("a graph");
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
    status_t st =
        pool_create(o->n_threads > 0 ? (int)o->n_threads : device_cpu().n_cores, &pool);

    if (st != ST_OK)
        return st;
    st = graph_read_csr(o->input, &o->read, &o->build, pool, &out->graph, &out->names);
    pool_destroy(pool);
    if (st == ST_OK && o->algorithm == GRAPH_MIS && o->order == GRAPH_BY_WEIGHT)
        st = read_abundances(o, out);
    return st;
}

/* ---- the child ---- */

static bool put(FILE *to, const void *data, int64_t n, size_t bytes)
{
    return data == NULL || fwrite(data, bytes, (size_t)n, to) == (size_t)n;
}

static bool put_names(FILE *to, char *const *names, int64_t n)
{
    for (int64_t i = 0; names != NULL && i < n; i++)
        if (!put(to, names[i], (int64_t)strlen(names[i]) + 1, 1))
            return false;
    return true;
}

static bool put_arrays(FILE *to, const graph_input_data_t *d)
{
    const csr_t *g = &d->graph;

    return put(to, g->id, g->n_nodes, sizeof(*g->id)) &&
           put(to, g->first, g->n_nodes + 1, sizeof(*g->first)) &&
           put(to, g->to, g->n_arcs, sizeof(*g->to)) &&
           put(to, g->weight, g->n_arcs, sizeof(*g->weight)) &&
           put(to, g->value, g->n_arcs, sizeof(*g->value)) &&
           put(to, d->abundance, g->n_nodes, sizeof(*d->abundance)) &&
           put_names(to, d->names, g->n_nodes);
}

static status_t send_graph(const graph_opts_t *o, buf_t *out)
{
    graph_input_data_t d = {0};
    const csr_t *g = &d.graph;
    head_t h = {0};
    FILE *to;
    status_t st = read_here(o, &d);
    bool good;

    if (st != ST_OK)
        return st; /* the process ends soon */
    if ((to = fdopen(o->carrier, "wb")) == NULL)
        return log_nomem("a graph");
    for (int64_t i = 0; d.names != NULL && i < g->n_nodes; i++)
        h.names_bytes += (int64_t)strlen(d.names[i]) + 1;
    h.n_nodes = g->n_nodes;
    h.n_arcs = g->n_arcs;
    h.has_weight = g->weight != NULL;
    h.has_value = g->value != NULL;
    h.has_abundance = d.abundance != NULL;
    h.is_symmetric = g->is_symmetric;
    good = put_arrays(to, &d);
    good = fclose(to) == 0 && good;
    return good ? buf_append(out, &h, sizeof(h)) : log_nomem("a graph");
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

status_t graph_child_answer(const void *opts, int what, buf_t *out)
{
    const graph_opts_t *o = opts;

    if (what == GRAPH_CHILD_SHAPE)
        return send_shape(o, out);
    return what == GRAPH_CHILD_GRAPH ? send_graph(o, out)
                                     : job_graph_read_finished(o->output, out);
}

/* ---- the run ---- */

static bool get(FILE *from, void *data, int64_t n, size_t bytes)
{
    return data == NULL || fread(data, bytes, (size_t)n, from) == (size_t)n;
}

static status_t get_names(FILE *from, int64_t bytes, graph_input_data_t *d)
{
    int64_t n = d->graph.n_nodes;
    char *text = malloc((size_t)bytes + 1), *at = text, *end;
    bool good = text != NULL && get(from, text, bytes, 1);

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

static status_t get_graph(FILE *from, const head_t *h, graph_input_data_t *d)
{
    csr_t *g = &d->graph;
    status_t st = csr_create(h->n_nodes, h->n_arcs, h->has_weight, h->has_value, g);

    if (st != ST_OK)
        return st;
    g->is_symmetric = h->is_symmetric;
    if (h->has_abundance &&
        (d->abundance = malloc((size_t)g->n_nodes * sizeof(*d->abundance) + 1)) == NULL)
        return log_nomem("abundances");
    rewind(from);
    if (!get(from, g->id, g->n_nodes, sizeof(*g->id)) ||
        !get(from, g->first, g->n_nodes + 1, sizeof(*g->first)) ||
        !get(from, g->to, g->n_arcs, sizeof(*g->to)) ||
        !get(from, g->weight, g->n_arcs, sizeof(*g->weight)) ||
        !get(from, g->value, g->n_arcs, sizeof(*g->value)) ||
        !get(from, d->abundance, g->n_nodes, sizeof(*d->abundance)))
        return log_nomem("a graph");
    return h->names_bytes > 0 ? get_names(from, h->names_bytes, d) : ST_OK;
}

status_t graph_child_read_shape(const graph_opts_t *o, graph_shape_t *out)
{
    buf_t shape = {0};
    status_t st;

    if (o->carrier < 0 || o->reader == NULL)
        return read_shape_here(o, out);
    if ((st = child_fetch(o->reader, GRAPH_CHILD_SHAPE, &shape)) == ST_OK)
        memcpy(out, shape.data, sizeof(*out));
    buf_free(&shape);
    return st;
}

status_t graph_child_read(const graph_opts_t *o, graph_input_data_t *out)
{
    buf_t head = {0};
    head_t h;
    FILE *from;
    status_t st;

    if (o->carrier < 0 || o->reader == NULL)
        return read_here(o, out);
    st = child_fetch(o->reader, GRAPH_CHILD_GRAPH, &head);
    if (!o->resume) /* nothing else will be asked */
        child_reader_stop(o->reader);
    if (st == ST_OK && (from = fdopen(o->carrier, "rb")) != NULL) {
        memcpy(&h, head.data, sizeof(h));
        st = get_graph(from, &h, out);
        fclose(from);
    }
    buf_free(&head);
    return st;
}
