/*
 * graph_result_write.c - attributes and datasets of a result file.
 *
 * Columns of one row are compressed by the pool, those of several rows by HDF5.
 */
#include "io/graphfile/graph_result_format.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5stream.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the list of columns is a name, a blank and a type. */
enum {
    CHUNK = 1 << 16,
    COLUMNS_TEXT_BYTES = GRAPH_RESULT_MAX_COLUMNS * (GRAPH_RESULT_NAME_BYTES + 8)
};

struct graph_result_writer {
    const graph_result_head_t *head;
    pool_t *pool;
    char *path; /* of `to` */
    h5whole_t to;
    hid_t nodes; /* H5I_INVALID_HID: not open */
    hid_t column[GRAPH_RESULT_MAX_COLUMNS];
    hid_t counts;
};

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

static void list_columns(const graph_result_head_t *h, char *out, size_t size)
{
    size_t len = 0;

    out[0] = '\0';
    for (int c = 0; c < h->n_columns; c++)
        len += (size_t)snprintf(out + len, size - len, "%s %s\n", h->column[c].name,
                                graph_result_type_name[h->column[c].type]);
}

/* Write all but columns, edges and the run. */
static bool put_head(graph_result_writer_t *w)
{
    const graph_result_head_t *h = w->head;
    const int64_t n[RESULT_DIMS_MAX] = {[GRAPH_RESULT_NODES] = h->graph->n_nodes,
                                        [GRAPH_RESULT_SOURCES] = h->n_sources,
                                        [GRAPH_RESULT_SAMPLES] = h->n_samples};
    char columns[COLUMNS_TEXT_BYTES];
    graph_result_info_t info = {
        .program = (char *)(uintptr_t)h->program,
        .algorithm = (char *)(uintptr_t)h->algorithm,
        .job = (char *)(uintptr_t)h->job,
        .id = h->graph->id,
        .name = (char **)(uintptr_t)h->name,
        .sample = (char **)(uintptr_t)h->sample,
        .n_rows = h->n_rows,
        .columns = columns,
    };
    bool good;

    list_columns(h, columns, sizeof(columns));
    if (h->source != NULL &&
        (info.source = ids_of(h->graph, h->source, h->n_sources)) == NULL)
        return false;
    good = result_write_format(w->to.file, &graph_result_kind) &&
           result_write(w->to.file, graph_result_fields, &info, n, w->pool) &&
           (w->nodes = H5Gopen2(w->to.file, "/nodes", H5P_DEFAULT)) >= 0;
    free(info.source);
    return good;
}

/* @return the type of values in the file and in memory (h5stream.h) */
static hid_t type_of(const graph_result_column_t *column)
{
    return result_field_file_type(graph_result_type(column->type));
}

static h5util_shape_t shape_of(int64_t n_rows, int64_t n_nodes, int64_t chunk)
{
    return (h5util_shape_t){.rank = 2,
                            .size = {(hsize_t)n_rows, (hsize_t)n_nodes},
                            .chunk = {n_nodes > 0,
                                      (hsize_t)(n_nodes < chunk ? n_nodes : chunk)},
                            .shuffles = true};
}

/* Create the columns of several rows, and the counts; columns of one row are created when
 * they are written. */
static bool create_columns(graph_result_writer_t *w)
{
    const graph_result_head_t *h = w->head;
    const int64_t n = h->graph->n_nodes;
    const h5util_shape_t shape = shape_of(h->n_rows, n, CHUNK),
                         counts = shape_of(h->n_samples, n, GRAPH_RESULT_COUNTS_CHUNK);
    bool good = true;

    for (int c = 0; good && h->n_rows > 1 && c < h->n_columns; c++) {
        w->column[c] =
            h5util_create(w->nodes, h->column[c].name, type_of(&h->column[c]), &shape);
        good = w->column[c] >= 0;
    }
    if (good && h->sample != NULL) {
        w->counts = h5util_create(w->to.file, "/samples/count",
                                  result_field_file_type(RESULT_INT64), &counts);
        good = w->counts >= 0;
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
    w->to.file = w->nodes = w->counts = H5I_INVALID_HID;
    for (int c = 0; c < GRAPH_RESULT_MAX_COLUMNS; c++)
        w->column[c] = H5I_INVALID_HID;
    if ((st = h5whole_open(w->path, force, &w->to)) != ST_OK ||
        (st = h5whole_check(&w->to, put_head(w) && create_columns(w))) != ST_OK)
        goto fail;
    *out = w;
    return ST_OK;
fail:
    return graph_result_write_end(w, st);
}

/* Write a row of a dataset of several rows. */
static bool put_row(const graph_result_writer_t *w, hid_t to, hid_t type, int64_t row,
                    const void *values)
{
    hsize_t n = (hsize_t)w->head->graph->n_nodes;
    hsize_t start[2] = {(hsize_t)row, 0}, count[2] = {1, n};
    hid_t space = H5Dget_space(to), memory = H5Screate_simple(2, count, NULL);
    bool good = n == 0 || (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count,
                                               NULL) >= 0 &&
                           H5Dwrite(to, type, memory, space, H5P_DEFAULT, values) >= 0);

    H5Sclose(memory);
    H5Sclose(space);
    return good;
}

static status_t check_finite(const graph_result_writer_t *w, int column,
                             const void *values)
{
    const graph_result_head_t *h = w->head;
    const double *x = values;

    for (int64_t u = 0; h->column[column].type == GRAPH_REAL && u < h->graph->n_nodes;
         u++)
        if (!isfinite(x[u])) {
            log_error("%s of node %" PRId64 " is %g, which no result may hold; scale the "
                      "weights of the graph",
                      h->column[column].name, h->graph->id[u], x[u]);
            return ST_EINPUT;
        }
    return ST_OK;
}

status_t graph_result_write_row(graph_result_writer_t *w, int column, int64_t row,
                                const void *values)
{
    const graph_result_head_t *h = w->head;
    const graph_result_column_t *c = &h->column[column];
    int64_t n = h->graph->n_nodes, *ids = NULL;
    bool good;
    status_t st = check_finite(w, column, values);

    if (st != ST_OK)
        return st;
    if (c->type == GRAPH_NODE && (ids = ids_of(h->graph, values, n)) == NULL)
        return ST_ENOMEM;
    values = ids != NULL ? ids : values;
    good = h->n_rows > 1 ? put_row(w, w->column[column], type_of(c), row, values)
                         : h5stream_put(w->nodes, c->name, type_of(c), CHUNK, values, n,
                                        DEFLATE_NUMBERS, w->pool);
    free(ids);
    return h5whole_check(&w->to, good);
}

status_t graph_result_write_counts(graph_result_writer_t *w, int64_t sample,
                                   const int64_t *values)
{
    return h5whole_check(&w->to,
                         put_row(w, w->counts, result_field_file_type(RESULT_INT64),
                                 sample, values));
}

static bool create_edges(const csr_t *g, int64_t n, graph_result_edges_t *e)
{
    const size_t size = (size_t)n * sizeof(int64_t) + 1;

    *e = (graph_result_edges_t){
        .weight_type =
            graph_result_type_name[g->value != NULL ? GRAPH_REAL : GRAPH_INT32],
        .source = malloc(size),
        .target = malloc(size),
        .weight = g->weight != NULL ? malloc(size) : NULL,
        .value = g->value != NULL ? malloc(size) : NULL};
    if (g->value == NULL && g->weight == NULL)
        e->weight_type = "none";
    return e->source != NULL && e->target != NULL &&
           (g->weight == NULL || e->weight != NULL) &&
           (g->value == NULL || e->value != NULL);
}

status_t graph_result_write_edges(graph_result_writer_t *w, const int64_t *arcs,
                                  int64_t n)
{
    const int64_t size[RESULT_DIMS_MAX] = {[GRAPH_RESULT_EDGES] = n};
    const csr_t *g = w->head->graph;
    graph_result_edges_t e;
    int64_t u = 0;
    status_t st;

    st = create_edges(g, n, &e) ? ST_OK : log_nomem("a result file");
    for (int64_t i = 0; st == ST_OK && i < n; i++) {
        while (g->first[u + 1] <= arcs[i])
            u++;
        e.source[i] = g->id[u];
        e.target[i] = g->id[g->to[arcs[i]]];
        if (e.weight != NULL)
            e.weight[i] = g->weight[arcs[i]];
        if (e.value != NULL)
            e.value[i] = g->value[arcs[i]];
    }
    if (st == ST_OK)
        st = h5whole_check(&w->to, result_write(w->to.file, graph_result_edge_fields, &e,
                                                size, w->pool));
    free(e.source);
    free(e.target);
    free(e.weight);
    free(e.value);
    return st;
}

status_t graph_result_write_run(graph_result_writer_t *w, const graph_result_run_t *run)
{
    static const int64_t no_dims[RESULT_DIMS_MAX];

    return h5whole_check(&w->to, run_info_write(w->to.file, &run->info) &&
                                     result_write(w->to.file, graph_result_run_fields,
                                                  run, no_dims, w->pool));
}

status_t graph_result_write_end(graph_result_writer_t *w, status_t st)
{
    bool good = true;

    if (w == NULL)
        return st;
    for (int c = 0; c < GRAPH_RESULT_MAX_COLUMNS; c++)
        if (w->column[c] >= 0)
            good = h5util_close(w->column[c], good);
    if (w->counts >= 0)
        good = h5util_close(w->counts, good);
    if (w->nodes >= 0)
        good = h5util_close(w->nodes, good);
    if (st == ST_OK)
        st = h5whole_check(&w->to, good);
    if (w->to.file >= 0)
        st = h5whole_close(&w->to, st);
    free(w->path);
    free(w);
    return st;
}
