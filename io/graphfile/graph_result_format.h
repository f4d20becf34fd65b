/*
 * graph_result_format.h - what the result file of `graph` holds.
 *
 * docs/file-format.md describes the file for its readers.
 */
#pragma once

#include "io/base/pool.h"
#include "io/base/status.h"
#include "io/graphfile/csr.h"
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

enum { GRAPH_RESULT_MAX_COLUMNS = 8, GRAPH_RESULT_NAME_BYTES = 32 };

/* Nodes in a chunk of counts, which are few because all samples are read side by side. */
enum { GRAPH_RESULT_COUNTS_CHUNK = 1 << 13 };

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

typedef struct {
    const char *weight_type;
    int64_t *source, *target; /* [n] original ids */
    int32_t *weight;          /* [n] or NULL */
    double *value;            /* likewise; not both */
} graph_result_edges_t;

/* All but the values of columns. */
typedef struct {
    char *program, *algorithm, *job;
    int64_t n_nodes;
    int64_t *id;     /* [n_nodes] original ids, ascending */
    char **name;     /* [n_nodes] or NULL */
    int64_t *source; /* [n_sources] original ids, or NULL */
    int64_t n_sources;
    char **sample; /* [n_samples] names, or NULL; nodes have a count in each */
    int64_t n_samples;
    int64_t n_rows; /* of each column */
    char *columns;  /* lines "name type" */
    int n_columns;
    graph_result_column_t column[GRAPH_RESULT_MAX_COLUMNS];
    int64_t n_edges; /* -1: no edges */
    bool has_weight; /* of edges: integers */
    bool has_value;  /* of edges: real numbers */
    graph_result_edges_t edges;
    graph_result_run_t run;
} graph_result_info_t;

/* Numbers of dimensions. */
enum {
    GRAPH_RESULT_NODES = 1,
    GRAPH_RESULT_SOURCES,
    GRAPH_RESULT_EDGES,
    GRAPH_RESULT_SAMPLES
};

extern const result_kind_t graph_result_kind;
extern const result_field_t graph_result_fields[];      /* of graph_result_info_t */
extern const result_field_t graph_result_edge_fields[]; /* of graph_result_edges_t */
extern const result_field_t graph_result_run_fields[];  /* of graph_result_run_t */

/* Writes the result file of `graph`, which appears complete or not
 * at all. */

typedef struct graph_result_writer graph_result_writer_t;

/* What is known before the results; borrowed until graph_result_write_end. */
typedef struct {
    const char *program;     /* name and version */
    const char *algorithm;   /* "bfs" */
    const char *job;         /* text of the job: lines "name=value" */
    const csr_t *graph;      /* its ids are written */
    const char *const *name; /* [n_nodes] of the nodes, or NULL */
    const int32_t *source;   /* [n_sources] nodes, NULL without sources */
    int64_t n_sources;
    const char *const *sample; /* [n_samples] names, or NULL */
    int64_t n_samples;
    int64_t n_rows; /* results of each column: 1, or n_sources */
    int n_columns;
    graph_result_column_t column[GRAPH_RESULT_MAX_COLUMNS];
} graph_result_head_t;

/*
 * Create the file.
 *
 * @param force  replace an existing file
 * @param pool   threads that compress, or NULL; borrowed until graph_result_write_end
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t graph_result_write_begin(const char *path, bool force,
                                  const graph_result_head_t *head, pool_t *pool,
                                  graph_result_writer_t **out) MUST_CHECK;

/*
 * Write a row of a column, each once.
 *
 * @param values  [n_nodes] of the column's type; nodes are numbers, not ids
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: a real number is not finite)
 */
status_t graph_result_write_row(graph_result_writer_t *w, int column, int64_t row,
                                const void *values) MUST_CHECK;

/* Write the counts of all nodes in a sample, once. @param values  [n_nodes]
 * @return ST_OK or ST_EIO */
status_t graph_result_write_counts(graph_result_writer_t *w, int64_t sample,
                                   const int64_t *values) MUST_CHECK;

/*
 * Write edges: arcs of the graph, with their weights or values if it has any.
 *
 * @param arcs  [n] positions in csr_t.to, ascending
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t graph_result_write_edges(graph_result_writer_t *w, const int64_t *arcs,
                                  int64_t n) MUST_CHECK;

/* Write /run, once. @return ST_OK or ST_EIO */
status_t graph_result_write_run(graph_result_writer_t *w,
                                const graph_result_run_t *run) MUST_CHECK;

/*
 * Close the file.  If st is ST_OK and all was written, it has its name now; otherwise it
 * is removed.
 *
 * @param w  may be NULL
 * @return st, or ST_EIO or ST_EINPUT (logged)
 */
status_t graph_result_write_end(graph_result_writer_t *w, status_t st) MUST_CHECK;

/* Reads the result file of `graph`. */

typedef struct graph_result_file graph_result_file_t;

/* Open a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT */
status_t graph_result_read_open(const char *path, graph_result_file_t **out) MUST_CHECK;

/* @return what the file holds; it lives until graph_result_read_close */
const graph_result_info_t *graph_result_read_info(const graph_result_file_t *file);

/*
 * Read a column's values of nodes begin .. end-1.
 *
 * @param values  [end - begin] of the column's type; GRAPH_NODE: int64_t original ids
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t graph_result_read_values(graph_result_file_t *file, int column, int64_t row,
                                  int64_t begin, int64_t end, void *values) MUST_CHECK;

/* Read the counts of nodes begin .. end-1 in a sample. @param values  [end - begin]
 * @return ST_OK, ST_ENOMEM or ST_EIO */
status_t graph_result_read_counts(graph_result_file_t *file, int64_t sample,
                                  int64_t begin, int64_t end, int64_t *values) MUST_CHECK;

/* Takes NULL. */
void graph_result_read_close(graph_result_file_t *file);
