/*
 * graph_result_read.c - attributes and datasets, which must fit each other.
 */
#include "io/graphfile/graph_result_format.h"

#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/result/result_table.h"

#include <stdlib.h>
#include <string.h>

struct graph_result_file {
    result_reader_t reader; /* its path is borrowed while the file is opened */
    h5data_t *column[GRAPH_RESULT_MAX_COLUMNS];
    h5data_t *counts; /* NULL: no samples */
    graph_result_info_t info;
};

static status_t read_head(graph_result_file_t *f)
{
    graph_result_info_t *i = &f->info;
    result_reader_t *r = &f->reader;
    status_t st = result_read(r, graph_result_fields, i);

    i->n_nodes = r->n[GRAPH_RESULT_NODES];
    i->n_sources = i->source != NULL ? r->n[GRAPH_RESULT_SOURCES] : 0;
    i->n_samples = i->sample != NULL ? r->n[GRAPH_RESULT_SAMPLES] : 0;
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
    if (data->rows != i->n_rows || data->columns != i->n_nodes)
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

static status_t open_counts(graph_result_file_t *f)
{
    const graph_result_info_t *i = &f->info;

    if (i->n_samples == 0)
        return ST_OK;
    f->counts = h5data_open(f->reader.file, "/samples/count",
                            &(h5data_want_t){.rank = 2, .memory_type = H5T_NATIVE_INT64});
    if (f->counts == NULL)
        return ST_EINPUT;
    if (f->counts->rows != i->n_samples || f->counts->columns != i->n_nodes)
        return result_refuse(&f->reader, "/samples/count has another size than "
                                         "/samples/name and /nodes/id");
    return ST_OK;
}

/* Read the edges, but for a weight of the other type. */
static status_t read_edges(graph_result_file_t *f)
{
    result_field_t type[] = {graph_result_edge_fields[0], {.name = NULL}};
    result_field_t data[4] = {graph_result_edge_fields[1], graph_result_edge_fields[2]};
    graph_result_info_t *i = &f->info;
    const char *word;
    status_t st;

    i->n_edges = -1;
    if (!h5check_exists(f->reader.file, "/edges"))
        return ST_OK;
    type[0].is_optional = data[0].is_optional = data[1].is_optional = false;
    if ((st = result_read(&f->reader, type, &i->edges)) != ST_OK)
        return st;
    word = i->edges.weight_type;
    i->has_weight = strcmp(word, graph_result_type_name[GRAPH_INT32]) == 0;
    i->has_value = strcmp(word, graph_result_type_name[GRAPH_REAL]) == 0;
    if (i->has_weight || i->has_value) {
        data[2] = graph_result_edge_fields[i->has_weight ? 3 : 4];
        data[2].is_optional = false;
    } else if (strcmp(word, "none") != 0) {
        return result_refuse(&f->reader, "the weight_type of /edges is unknown");
    }
    st = result_read(&f->reader, data, &i->edges);
    i->n_edges = f->reader.n[GRAPH_RESULT_EDGES];
    return st;
}

status_t graph_result_read_open(const char *path, graph_result_file_t **out)
{
    graph_result_file_t *f = calloc(1, sizeof(*f));
    status_t st;

    if (f == NULL)
        return log_nomem("a result file");
    if ((st = result_read_open(path, &graph_result_kind, &f->reader)) == ST_OK &&
        (st = read_head(f)) == ST_OK && (st = open_columns(f)) == ST_OK &&
        (st = open_counts(f)) == ST_OK && (st = read_edges(f)) == ST_OK &&
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

status_t graph_result_read_counts(graph_result_file_t *f, int64_t sample, int64_t begin,
                                  int64_t end, int64_t *values)
{
    return h5data_read(f->counts, sample, sample + 1, begin, end, values);
}

void graph_result_read_close(graph_result_file_t *f)
{
    if (f == NULL)
        return;
    for (int c = 0; c < GRAPH_RESULT_MAX_COLUMNS; c++)
        h5data_close(f->column[c]);
    h5data_close(f->counts);
    result_read_close(&f->reader);
    result_free(graph_result_fields, &f->info);
    result_free(graph_result_edge_fields, &f->info.edges);
    run_info_free(&f->info.run.info);
    result_free(graph_result_run_fields, &f->info.run);
    free(f);
}
