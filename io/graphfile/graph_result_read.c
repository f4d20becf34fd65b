/*
 * graph_result_read.c - attributes and datasets, which must fit each other.
 */
#include "io/graphfile/graph_result_read.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5data.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGE_DATASETS = 3 /* source, target, weight */ };

struct graph_result_file {
    const char *path; /* borrowed while the file is opened */
    hid_t file;
    h5data_t *column[GRAPH_RESULT_MAX_COLUMNS];
    h5data_t *edge[EDGE_DATASETS];
    graph_result_info_t info;
};

static const char remedy[] = "give a file that `ribogrid graph` wrote";

static status_t read_text(const graph_result_file_t *f, const char *name, char **out)
{
    *out = h5text_get(f->file, name);
    return *out != NULL ? ST_OK
                        : log_refusal(f->path, remedy,
                                      "its attribute %s is missing or invalid", name);
}

static status_t read_root(graph_result_file_t *f)
{
    graph_result_info_t *i = &f->info;
    status_t st;

    if (!h5text_get_format(f->file, GRAPH_RESULT_FORMAT, &i->version))
        return log_refusal(f->path, remedy, "an HDF5 file, but not a result of `graph`");
    h5util_get_int(f->file, "format_version_minor", &i->version_minor);
    if ((st = h5text_check_version(f->path, i->version, GRAPH_RESULT_VERSION_MAJOR)) !=
            ST_OK ||
        (st = read_text(f, "program", &i->program)) != ST_OK ||
        (st = read_text(f, "algorithm", &i->algorithm)) != ST_OK)
        return st;
    return read_text(f, "job", &i->job);
}

static status_t read_nodes(graph_result_file_t *f)
{
    graph_result_info_t *i = &f->info;

    i->id = h5data_get(f->file, "/nodes/id", H5T_NATIVE_INT64, -1, &i->n_nodes);
    if (i->id == NULL)
        return ST_EINPUT;
    for (int64_t u = 0; u < i->n_nodes; u++)
        if (i->id[u] < 0 || (u > 0 && i->id[u] <= i->id[u - 1]))
            return log_refusal(f->path, remedy,
                               "/nodes/id does not ascend at value %" PRId64, u + 1);
    if (!h5check_exists(f->file, "/nodes/name"))
        return ST_OK;
    i->name = h5text_get_array(f->file, "/nodes/name", i->n_nodes, NULL);
    return i->name != NULL ? ST_OK : ST_EINPUT;
}

static status_t read_sources(graph_result_file_t *f)
{
    graph_result_info_t *i = &f->info;

    if (!h5check_exists(f->file, "/sources"))
        return ST_OK;
    i->source = h5data_get(f->file, "/sources/id", H5T_NATIVE_INT64, -1, &i->n_sources);
    return i->source != NULL ? ST_OK : ST_EINPUT;
}

static hid_t memory_type(graph_type_t type)
{
    switch (type) {
    case GRAPH_INT32:
        return H5T_NATIVE_INT32;
    case GRAPH_REAL:
        return H5T_NATIVE_DOUBLE;
    case GRAPH_FLAG:
        return H5T_NATIVE_UINT8;
    default:
        return H5T_NATIVE_INT64;
    }
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
        return log_refusal(f->path, remedy, "its list of columns is invalid");
    data = h5data_open(nodes, c->name,
                       &(h5data_want_t){.rank = i->n_rows > 1 ? 2 : 1,
                                        .memory_type = memory_type(c->type)});
    if (data == NULL)
        return ST_EINPUT;
    f->column[i->n_columns++] = data;
    if (h5data_rows(data) != i->n_rows || h5data_columns(data) != i->n_nodes)
        return log_refusal(f->path, remedy,
                           "/nodes/%s has another size than /nodes/id and /sources/id",
                           c->name);
    return ST_OK;
}

static status_t open_columns(graph_result_file_t *f)
{
    graph_result_info_t *i = &f->info;
    hid_t nodes = h5check_open_group(f->file, "/nodes");
    char *lines = nodes >= 0 ? h5text_get(nodes, "columns") : NULL, *rest = lines, *line;
    status_t st = ST_OK;

    if (nodes < 0)
        return ST_EINPUT;
    if (lines == NULL || !h5util_get_int(nodes, "n_rows", &i->n_rows) ||
        (i->n_rows != 1 && i->n_rows != i->n_sources))
        st = log_refusal(f->path, remedy, "its list of columns is missing or invalid");
    while (st == ST_OK && (line = strsep(&rest, "\n")) != NULL)
        if (line[0] != '\0')
            st = open_column(f, nodes, line);
    free(lines);
    H5Gclose(nodes);
    return st;
}

static h5data_t *open_edge(graph_result_file_t *f, const char *name, hid_t type)
{
    return h5data_open(f->file, name, &(h5data_want_t){.rank = 1, .memory_type = type});
}

static status_t read_weight_type(graph_result_file_t *f)
{
    graph_result_info_t *i = &f->info;
    hid_t edges = h5check_open_group(f->file, "/edges");
    char *type = edges >= 0 ? h5text_get(edges, "weight_type") : NULL;
    bool good;

    if (edges < 0)
        return ST_EINPUT;
    H5Gclose(edges);
    i->has_weight =
        type != NULL && strcmp(type, graph_result_type_name[GRAPH_INT32]) == 0;
    i->has_value = type != NULL && strcmp(type, graph_result_type_name[GRAPH_REAL]) == 0;
    good = type != NULL && (i->has_weight || i->has_value || strcmp(type, "none") == 0);
    free(type);
    return good ? ST_OK
                : log_refusal(f->path, remedy,
                              "the weight_type of /edges is missing or unknown");
}

static status_t open_edges(graph_result_file_t *f)
{
    graph_result_info_t *i = &f->info;
    status_t st;

    i->n_edges = -1;
    if (!h5check_exists(f->file, "/edges"))
        return ST_OK;
    if ((st = read_weight_type(f)) != ST_OK)
        return st;
    if ((f->edge[0] = open_edge(f, "/edges/source", H5T_NATIVE_INT64)) == NULL ||
        (f->edge[1] = open_edge(f, "/edges/target", H5T_NATIVE_INT64)) == NULL)
        return ST_EINPUT;
    if ((i->has_weight || i->has_value) &&
        (f->edge[2] = open_edge(f, "/edges/weight",
                                i->has_value ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT32)) ==
            NULL)
        return ST_EINPUT;
    i->n_edges = h5data_columns(f->edge[0]);
    for (int k = 1; k < EDGE_DATASETS; k++)
        if (f->edge[k] != NULL && h5data_columns(f->edge[k]) != i->n_edges)
            return log_refusal(f->path, remedy, "the datasets of /edges differ in size");
    return ST_OK;
}

/* @return whether the attribute is valid; a text may be missing */
static bool read_field(hid_t group, const graph_result_field_t *field,
                       graph_result_run_t *run)
{
    void *at = (char *)run + field->at;

    if (field->kind == GRAPH_RESULT_NUMBER)
        return h5util_get_real(group, field->name, at);
    if (field->kind == GRAPH_RESULT_COUNT)
        return h5util_get_int(group, field->name, at);
    *(const char **)at = h5text_get(group, field->name);
    return true;
}

static status_t read_run(graph_result_file_t *f)
{
    hid_t run = h5check_open_group(f->file, "/run");
    status_t st = ST_OK;

    if (run < 0)
        return ST_EINPUT;
    for (const graph_result_field_t *field = graph_result_run_field;
         st == ST_OK && field->name != NULL; field++)
        if (!read_field(run, field, &f->info.run))
            st = log_refusal(f->path, remedy,
                             "the attribute %s of /run is missing or invalid",
                             field->name);
    H5Gclose(run);
    return st;
}

static void free_run(graph_result_run_t *run)
{
    for (const graph_result_field_t *f = graph_result_run_field; f->name != NULL; f++)
        if (f->kind == GRAPH_RESULT_TEXT)
            free(*(void **)((char *)run + f->at));
}

status_t graph_result_read_open(const char *path, graph_result_file_t **out)
{
    graph_result_file_t *f = calloc(1, sizeof(*f));
    status_t st;

    if (f == NULL)
        return log_nomem("a result file");
    h5util_init();
    f->path = path;
    if ((f->file = h5check_open_file(path)) < 0)
        st = ST_EINPUT;
    else if ((st = read_root(f)) == ST_OK && (st = read_nodes(f)) == ST_OK &&
             (st = read_sources(f)) == ST_OK && (st = open_columns(f)) == ST_OK &&
             (st = open_edges(f)) == ST_OK)
        st = read_run(f);
    f->path = NULL;
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
    if (f->file >= 0)
        H5Fclose(f->file);
    free(f->info.program);
    free(f->info.algorithm);
    free(f->info.job);
    free(f->info.id);
    texts_free(f->info.name);
    free(f->info.source);
    free_run(&f->info.run);
    free(f);
}
