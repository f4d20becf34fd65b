/*
 * graph_result_format.h - what the result file of `graph` holds.
 *
 * docs/file-format.md describes the file for its readers.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_FORMAT_H
#define RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_FORMAT_H

#include "io/result/result_kind.h"
#include "io/result/run_info.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The types of results, one value per node. */

typedef enum {
    GRAPH_INT32,
    GRAPH_INT64,
    GRAPH_REAL, /* double */
    GRAPH_NODE, /* int32_t, a node's number, or -1; files hold original ids, int64_t */
    GRAPH_FLAG, /* uint8_t, 0 or 1 */
    GRAPH_N_TYPES
} graph_type_t;

enum { GRAPH_RESULT_MAX_COLUMNS = 2, GRAPH_RESULT_NAME_BYTES = 32 };

/* A dataset of /nodes. */
typedef struct {
    char name[GRAPH_RESULT_NAME_BYTES]; /* of letters a-z and _ */
    graph_type_t type;
} graph_result_column_t;

/* [GRAPH_N_TYPES] types in the file, and in its list of columns. */
extern const char *const graph_result_type_name[];
result_type_t graph_result_type(graph_type_t type);

/* How the results were computed, on which they do not depend.  Texts have one line per
 * choice or decision, or are NULL. */
typedef struct {
    run_info_t info; /* stages: read, copy, kernels, exchange */
    const char *choices, *decisions;
    int64_t iterations, arcs_visited;
    double edges_per_second;
    int64_t exchange_bytes; /* of a graph that is divided among ranks; sent by all */
    int64_t verified;       /* 1: the result was checked against its definition */
} graph_result_run_t;

/* All but the values of columns and edges. */
typedef struct {
    int64_t version, version_minor;
    char *program, *algorithm, *job;
    int64_t n_nodes;
    int64_t *id;     /* [n_nodes] original ids, ascending */
    char **name;     /* [n_nodes] or NULL */
    int64_t *source; /* [n_sources] original ids, or NULL */
    int64_t n_sources;
    int64_t n_rows; /* of each column */
    char *columns;  /* lines "name type" */
    int n_columns;
    graph_result_column_t column[GRAPH_RESULT_MAX_COLUMNS];
    int64_t n_edges; /* -1: no edges */
    bool has_weight; /* of edges: integers */
    bool has_value;  /* of edges: real numbers */
    graph_result_run_t run;
} graph_result_info_t;

typedef struct {
    const char *weight_type;
    int64_t *source, *target; /* [n] original ids */
    int32_t *weight;          /* [n] or NULL */
    double *value;            /* likewise; not both */
} graph_result_edges_t;

/* Numbers of dimensions. */
enum { GRAPH_RESULT_NODES = 1, GRAPH_RESULT_SOURCES, GRAPH_RESULT_EDGES };

extern const result_kind_t graph_result_kind;
extern const result_field_t graph_result_fields[];      /* of graph_result_info_t */
extern const result_field_t graph_result_edge_fields[]; /* of graph_result_edges_t */
extern const result_field_t graph_result_run_fields[];  /* of graph_result_run_t */

#endif
