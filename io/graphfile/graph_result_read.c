/*
 * graph_result_read.c - attributes and datasets, which must fit each other.
 */
#include "io/graphfile/graph_result_format.h"

#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/result/result_table.h"

#include <stdlib.h>
#include <string.h>

enum { EDGE_DATASETS = 3 /* source, target, weight */ };

struct graph_result_file {
    result_reader_t reader; /* its path is borrowed while the file is opened */
    h5data_t *column[GRAPH_RESULT_MAX_COLUMNS];
    h5data_t *edge[EDGE_DATASETS];
    graph_result_info_t info;
};

static status_t read_head(graph_result_file_t *f)
{
    graph_result_info_t *i = &f->info;
    result_reader_t *r = &f->reader;
    status_t st = result_read(r, graph_result_fields, i);

    i->n_nodes = r->n[GRAPH_RESULT_NODES];
    i->n_sources = i->source != NULL ? r->n[GRAPH_RESULT_SOURCES] : 0;
    if (st == ST_OK && i->n_rows != 1 && i->n_rows != i->n_sources)
        st = result_refuse(r, "/nodes has another number of rows than 1 or of sources");
    return st;
}

/* @param line  of the list of columns: name and type, modified
 * @return whether it is valid */
static bool parse_column(char *line, graph_result_column_t *out)
{
    char *type = strchr(line, ' ');

    if (type == NULL || type == line || (size_t)(type - line) >= sizeof(out->name))
        return false;
    *type++ = '\0';
    strcpy(out->name, line);
    if (strspn(line, "abcdefghijklmnopqrstuvwxyz_") != strlen(line))
        return false;
    for (int t = 0; t < GRAPH_N_TYPES; t++) {
        if (strcmp(type, graph_result_type_name[t]) == 0) {
            out->type = (graph_type_t)t;
            return true;
        }
    }
    return false;
}

static status_t open_column(graph_result_file_t *f, hid_t nodes, char *line)
{
    graph_result_info_t *i = &f->info;
    graph_result_column_t *c = &i->column[i->n_columns];
    h5data_t *data;

    if (i->n_columns == GRAPH_RESULT_MAX_COLUMNS || !parse_column(line, c))
        return result_refuse(&f->reader, "its list of columns is invalid");
    data = h5data_open(nodes, c->name,
                       &(h5data_want_t){.rank = i->n_rows > 1 ? 2 : 1,
                                        .memory_type = result_field_memory_type(
                                            graph_result_type(c->type))});
    if (data == NULL)
        return ST_EINPUT;
    f->column[i->n_columns++] = data;
    if (h5data_rows(data) != i->n_rows || h5data_columns(data) != i->n_nodes)
        return result_refuse(&f->reader,
                             "/nodes/%s has another size than /nodes/id and /sources/id",
                             c->name);
    return ST_OK;
}

static status_t open_columns(graph_result_file_t *f)
{
    hid_t nodes = h5check_open_group(f->reader.file, "/nodes");
    char *rest = f->info.columns, *line;
    status_t st = ST_OK;

    if (nodes < 0)
        return ST_EINPUT;
    while (st == ST_OK && (line = strsep(&rest, "\n")) != NULL)
        if (line[0] != '\0')
            st = open_column(f, nodes, line);
    H5Gclose(nodes);
    return st;
}

/* Open the edges' datasets: those of the table but for a weight of the other type. */
static status_t open_edge_data(graph_result_file_t *f)
{
    graph_result_info_t *i = &f->info;
    int n = 0;

    for (const result_field_t *d = graph_result_edge_fields + 1; d->name != NULL; d++) {
        if ((d->type == RESULT_INT32 && !i->has_weight) ||
            (d->type == RESULT_FLOAT64 && !i->has_value))
            continue;
        f->edge[n] = h5data_open(f->reader.file, d->name,
                                 &(h5data_want_t){.rank = 1,
                                                  .memory_type =
                                                      result_field_memory_type(d->type)});
        if (f->edge[n] == NULL)
            return ST_EINPUT;
        if (n == 0)
            i->n_edges = h5data_columns(f->edge[0]);
        if (h5data_columns(f->edge[n++]) != i->n_edges)
            return result_refuse(&f->reader, "the datasets of /edges differ in size");
    }
    return ST_OK;
}

static status_t open_edges(graph_result_file_t *f)
{
    const result_field_t type[] = {graph_result_edge_fields[0], {.name = NULL}};
    graph_result_edges_t edges = {.weight_type = NULL};
    graph_result_info_t *i = &f->info;
    bool good;
    status_t st;

    i->n_edges = -1;
    if (!h5check_exists(f->reader.file, "/edges"))
        return ST_OK;
    if ((st = result_read(&f->reader, type, &edges)) != ST_OK)
        return st;
    if (edges.weight_type != NULL) {
        i->has_weight =
            strcmp(edges.weight_type, graph_result_type_name[GRAPH_INT32]) == 0;
        i->has_value = strcmp(edges.weight_type, graph_result_type_name[GRAPH_REAL]) == 0;
    }
    good = i->has_weight || i->has_value ||
           (edges.weight_type != NULL && strcmp(edges.weight_type, "none") == 0);
    result_free(type, &edges);
    return good ? open_edge_data(f)
                : result_refuse(&f->reader,
                                "the weight_type of /edges is missing or unknown");
}

status_t graph_result_read_open(const char *path, graph_result_file_t **out)
{
    graph_result_file_t *f = calloc(1, sizeof(*f));
    status_t st;

    if (f == NULL)
        return log_nomem("a result file");
    if ((st = result_read_open(path, &graph_result_kind, &f->reader)) == ST_OK &&
        (st = read_head(f)) == ST_OK && (st = open_columns(f)) == ST_OK &&
        (st = open_edges(f)) == ST_OK &&
        (st = run_info_read(&f->reader, &f->info.run.info)) == ST_OK)
        st = result_read(&f->reader, graph_result_run_fields, &f->info.run);
    f->reader.path = NULL;
    if (st == ST_OK)
        *out = f;
    else
        graph_result_read_close(f);
    return st;
}

const graph_result_info_t *graph_result_read_info(const graph_result_file_t *f)
{
    return &f->info;
}

status_t graph_result_read_values(graph_result_file_t *f, int column, int64_t row,
                                  int64_t begin, int64_t end, void *values)
{
    return h5data_read(f->column[column], row, row + 1, begin, end, values);
}

status_t graph_result_read_edges(graph_result_file_t *f, int64_t begin, int64_t end,
                                 int64_t *source, int64_t *target, void *weight)
{
    status_t st;

    if ((st = h5data_read(f->edge[0], 0, 1, begin, end, source)) != ST_OK ||
        (st = h5data_read(f->edge[1], 0, 1, begin, end, target)) != ST_OK)
        return st;
    return f->edge[2] != NULL ? h5data_read(f->edge[2], 0, 1, begin, end, weight) : ST_OK;
}

void graph_result_read_close(graph_result_file_t *f)
{
    if (f == NULL)
        return;
    for (int c = 0; c < GRAPH_RESULT_MAX_COLUMNS; c++)
        h5data_close(f->column[c]);
    for (int k = 0; k < EDGE_DATASETS; k++)
        h5data_close(f->edge[k]);
    result_read_close(&f->reader);
    result_free(graph_result_fields, &f->info);
    run_info_free(&f->info.run.info);
    result_free(graph_result_run_fields, &f->info.run);
    free(f);
}
