/*
 * graph_result_write.c - attributes and datasets of a result file.
 *
 * Columns of one row are compressed by the pool, those of several rows by HDF5.
 */
#include "io/graphfile/graph_result_write.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5stream.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/hdf5/h5whole.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16, COLUMNS_TEXT_BYTES = 128 };

const char *const graph_result_type_name[] = {"int32", "int64", "real", "node", "flag"};

#define AT(member) offsetof(graph_result_run_t, member)

const graph_result_field_t graph_result_run_field[] = {
    {"command", GRAPH_RESULT_TEXT, AT(command)},
    {"input", GRAPH_RESULT_TEXT, AT(input)},
    {"started", GRAPH_RESULT_TEXT, AT(started)},
    {"finished", GRAPH_RESULT_TEXT, AT(finished)},
    {"seconds_read", GRAPH_RESULT_NUMBER, AT(seconds_read)},
    {"seconds_copy", GRAPH_RESULT_NUMBER, AT(seconds_copy)},
    {"seconds_kernels", GRAPH_RESULT_NUMBER, AT(seconds_kernels)},
    {"seconds_exchange", GRAPH_RESULT_NUMBER, AT(seconds_exchange)},
    {"seconds_total", GRAPH_RESULT_NUMBER, AT(seconds_total)},
    {"iterations", GRAPH_RESULT_COUNT, AT(iterations)},
    {"arcs_visited", GRAPH_RESULT_COUNT, AT(arcs_visited)},
    {"edges_per_second", GRAPH_RESULT_NUMBER, AT(edges_per_second)},
    {"exchange_bytes", GRAPH_RESULT_COUNT, AT(exchange_bytes)},
    {"ranks", GRAPH_RESULT_COUNT, AT(ranks)},
    {"verified", GRAPH_RESULT_COUNT, AT(verified)},
    {"choices", GRAPH_RESULT_TEXT, AT(choices)},
    {"decisions", GRAPH_RESULT_TEXT, AT(decisions)},
    {"devices", GRAPH_RESULT_TEXT, AT(devices)},
    {NULL, GRAPH_RESULT_TEXT, 0},
};

struct graph_result_writer {
    const graph_result_head_t *head;
    pool_t *pool;
    char *path; /* of `to` */
    h5whole_t to;
    hid_t nodes; /* H5I_INVALID_HID: not open */
    hid_t column[GRAPH_RESULT_MAX_COLUMNS];
};

/* A function, not a table: HDF5's types are variables.
 * @return the type of values in the file and in memory (h5stream.h) */
static hid_t file_type(graph_type_t type)
{
    switch (type) {
    case GRAPH_INT32:
        return H5T_STD_I32LE;
    case GRAPH_REAL:
        return H5T_IEEE_F64LE;
    case GRAPH_FLAG:
        return H5T_STD_U8LE;
    default:
        return H5T_STD_I64LE;
    }
}

/* Write a 1-d dataset, compressed by the pool. */
static bool put_all(const graph_result_writer_t *w, hid_t at, const char *name,
                    graph_type_t type, const void *values, int64_t n)
{
    return h5stream_put(at, name, file_type(type), CHUNK, values, n, DEFLATE_NUMBERS,
                        w->pool);
}

/* @return [n] original ids of nodes, -1 of -1; NULL: no memory (logged) */
static int64_t *ids_of(const csr_t *g, const int32_t *nodes, int64_t n)
{
    int64_t *ids = malloc((size_t)n * sizeof(*ids) + 1);

    if (ids == NULL) {
        log_nomem("a result file");
        return NULL;
    }
    for (int64_t i = 0; i < n; i++)
        ids[i] = nodes[i] < 0 ? -1 : g->id[nodes[i]];
    return ids;
}

static bool put_root(const graph_result_writer_t *w)
{
    const graph_result_head_t *h = w->head;

    return h5text_put_format(w->to.file, GRAPH_RESULT_FORMAT, GRAPH_RESULT_VERSION_MAJOR,
                             GRAPH_RESULT_VERSION_MINOR) &&
           h5text_put(w->to.file, "program", h->program) &&
           h5text_put(w->to.file, "algorithm", h->algorithm) &&
           h5text_put(w->to.file, "job", h->job);
}

static bool put_nodes(graph_result_writer_t *w)
{
    const graph_result_head_t *h = w->head;
    char columns[COLUMNS_TEXT_BYTES] = "";
    size_t len = 0;

    for (int c = 0; c < h->n_columns; c++)
        len += (size_t)snprintf(columns + len, sizeof(columns) - len, "%s %s\n",
                                h->column[c].name,
                                graph_result_type_name[h->column[c].type]);
    w->nodes = h5util_create_group(w->to.file, "nodes");
    return w->nodes >= 0 && h5text_put(w->nodes, "columns", columns) &&
           h5util_put_int(w->nodes, "n_rows", h->n_rows) &&
           put_all(w, w->nodes, "id", GRAPH_INT64, h->graph->id, h->graph->n_nodes) &&
           (h->name == NULL ||
            h5text_put_array(w->nodes, "name", h->name, h->graph->n_nodes));
}

static bool put_sources(const graph_result_writer_t *w)
{
    const graph_result_head_t *h = w->head;
    int64_t *ids;
    hid_t group;
    bool good;

    if (h->source == NULL)
        return true;
    ids = ids_of(h->graph, h->source, h->n_sources);
    group = h5util_create_group(w->to.file, "sources");
    good = ids != NULL && group >= 0 &&
           put_all(w, group, "id", GRAPH_INT64, ids, h->n_sources);
    if (group >= 0)
        H5Gclose(group);
    free(ids);
    return good;
}

/* Create the columns of several rows; those of one are created when they are written. */
static bool create_columns(graph_result_writer_t *w)
{
    const graph_result_head_t *h = w->head;
    hsize_t n = (hsize_t)h->graph->n_nodes;
    h5util_shape_t shape = {.rank = 2, .size = {(hsize_t)h->n_rows, n}, .shuffles = true};
    bool good = true;

    shape.chunk[0] = n > 0;
    shape.chunk[1] = n < CHUNK ? n : CHUNK;
    for (int c = 0; good && h->n_rows > 1 && c < h->n_columns; c++) {
        w->column[c] = h5util_create(w->nodes, h->column[c].name,
                                     file_type(h->column[c].type), &shape);
        good = w->column[c] >= 0;
    }
    return good;
}

status_t graph_result_write_begin(const char *path, bool force,
                                  const graph_result_head_t *head, pool_t *pool,
                                  graph_result_writer_t **out)
{
    graph_result_writer_t *w = calloc(1, sizeof(*w));
    status_t st;

    if (w == NULL || (w->path = strdup(path)) == NULL) {
        free(w);
        return log_nomem("a result file");
    }
    w->head = head;
    w->pool = pool;
    w->to.file = w->nodes = H5I_INVALID_HID;
    for (int c = 0; c < GRAPH_RESULT_MAX_COLUMNS; c++)
        w->column[c] = H5I_INVALID_HID;
    if ((st = h5whole_open(w->path, force, &w->to)) != ST_OK ||
        (st = h5whole_check(&w->to, put_root(w) && put_nodes(w) && put_sources(w) &&
                                        create_columns(w))) != ST_OK)
        goto fail;
    *out = w;
    return ST_OK;
fail:
    return graph_result_write_end(w, st);
}

/* Write a row of a column of several rows. */
static bool put_row(const graph_result_writer_t *w, int column, int64_t row,
                    const void *values)
{
    hsize_t n = (hsize_t)w->head->graph->n_nodes;
    hsize_t start[2] = {(hsize_t)row, 0}, count[2] = {1, n};
    hid_t space = H5Dget_space(w->column[column]),
          memory = H5Screate_simple(2, count, NULL);
    bool good =
        n == 0 ||
        (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
         H5Dwrite(w->column[column], file_type(w->head->column[column].type), memory,
                  space, H5P_DEFAULT, values) >= 0);

    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

status_t graph_result_write_row(graph_result_writer_t *w, int column, int64_t row,
                                const void *values)
{
    const graph_result_head_t *h = w->head;
    const graph_result_column_t *c = &h->column[column];
    int64_t n = h->graph->n_nodes, *ids = NULL;
    bool good;

    if (c->type == GRAPH_NODE && (ids = ids_of(h->graph, values, n)) == NULL)
        return ST_ENOMEM;
    values = ids != NULL ? ids : values;
    good = h->n_rows > 1 ? put_row(w, column, row, values)
                         : put_all(w, w->nodes, c->name, c->type, values, n);
    free(ids);
    return h5whole_check(&w->to, good);
}

static bool put_weights(const graph_result_writer_t *w, hid_t group, const int64_t *arcs,
                        int64_t n)
{
    const csr_t *g = w->head->graph;
    double *values = malloc((size_t)n * sizeof(*values) + 1);
    int32_t *weights = (int32_t *)values;
    bool good = values != NULL;

    for (int64_t i = 0; good && i < n; i++) {
        if (g->value != NULL)
            values[i] = g->value[arcs[i]];
        else
            weights[i] = g->weight[arcs[i]];
    }
    good = good && put_all(w, group, "weight",
                           g->value != NULL ? GRAPH_REAL : GRAPH_INT32, values, n);
    free(values);
    return good;
}

static const char *weight_type(const csr_t *g)
{
    if (g->value != NULL)
        return graph_result_type_name[GRAPH_REAL];
    return g->weight != NULL ? graph_result_type_name[GRAPH_INT32] : "none";
}

status_t graph_result_write_edges(graph_result_writer_t *w, const int64_t *arcs,
                                  int64_t n)
{
    const csr_t *g = w->head->graph;
    int64_t *source = malloc((size_t)n * sizeof(*source) + 1);
    int64_t *target = malloc((size_t)n * sizeof(*target) + 1);
    hid_t group = h5util_create_group(w->to.file, "edges");
    bool good = group >= 0;
    int64_t u = 0;

    if (source == NULL || target == NULL) {
        good = false;
        log_nomem("a result file");
    }
    for (int64_t i = 0; good && i < n; i++) {
        while (g->first[u + 1] <= arcs[i])
            u++;
        source[i] = g->id[u];
        target[i] = g->id[g->to[arcs[i]]];
    }
    good = good && h5text_put(group, "weight_type", weight_type(g)) &&
           put_all(w, group, "source", GRAPH_INT64, source, n) &&
           put_all(w, group, "target", GRAPH_INT64, target, n) &&
           ((g->weight == NULL && g->value == NULL) || put_weights(w, group, arcs, n));
    if (group >= 0)
        H5Gclose(group);
    free(source);
    free(target);
    return h5whole_check(&w->to, good);
}

static bool put_field(hid_t group, const graph_result_field_t *field,
                      const graph_result_run_t *run)
{
    const void *at = (const char *)run + field->at;
    const char *text;

    if (field->kind == GRAPH_RESULT_NUMBER)
        return h5util_put_real(group, field->name, *(const double *)at);
    if (field->kind == GRAPH_RESULT_COUNT)
        return h5util_put_int(group, field->name, *(const int64_t *)at);
    text = *(const char *const *)at;
    return text == NULL || h5text_put(group, field->name, text);
}

status_t graph_result_write_run(graph_result_writer_t *w, const graph_result_run_t *run)
{
    hid_t group = h5util_create_group(w->to.file, "run");
    bool good = group >= 0;

    for (const graph_result_field_t *f = graph_result_run_field; f->name != NULL; f++)
        good = good && put_field(group, f, run);
    if (group >= 0)
        H5Gclose(group);
    return h5whole_check(&w->to, good);
}

status_t graph_result_write_end(graph_result_writer_t *w, status_t st)
{
    if (w == NULL)
        return st;
    for (int c = 0; c < GRAPH_RESULT_MAX_COLUMNS; c++)
        if (w->column[c] >= 0 && H5Dclose(w->column[c]) < 0 && st == ST_OK)
            st = h5whole_check(&w->to, false);
    if (w->nodes >= 0)
        H5Gclose(w->nodes);
    if (w->to.file >= 0)
        st = h5whole_close(&w->to, st);
    free(w->path);
    free(w);
    return st;
}
