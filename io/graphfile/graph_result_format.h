/*
 * graph_result_format.h - what the result file of `graph` holds.
 *
 * docs/graph-files.md describes the file for its readers.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_FORMAT_H
#define RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_FORMAT_H

#include "io/graphfile/graph_type.h"

#include <stddef.h>
#include <stdint.h>

#define GRAPH_RESULT_FORMAT "ribogrid-graph-result"

enum {
    GRAPH_RESULT_VERSION_MAJOR = 1,
    GRAPH_RESULT_VERSION_MINOR = 0,
    GRAPH_RESULT_MAX_COLUMNS = 2,
    GRAPH_RESULT_NAME_BYTES = 32
};

/* A dataset of /nodes. */
typedef struct {
    char name[GRAPH_RESULT_NAME_BYTES]; /* of letters a-z and _ */
    graph_type_t type;
} graph_result_column_t;

/* [GRAPH_N_TYPES] types in the file, and in its list of columns. */
extern const char *const graph_result_type_name[];

/* How the results were computed: the attributes of /run, which no result depends on.
 * Texts of several lines have one line per choice, decision or rank; a text may be NULL.
 */
typedef struct {
    const char *command, *input, *started, *finished, *choices, *decisions, *devices;
    double seconds_read, seconds_copy, seconds_kernels, seconds_total, edges_per_second;
    double seconds_exchange; /* of a graph that is divided among ranks */
    int64_t iterations, arcs_visited, ranks;
    int64_t exchange_bytes; /* likewise; sent by all ranks */
    int64_t verified;       /* 1: the result was checked against its definition */
} graph_result_run_t;

typedef enum {
    GRAPH_RESULT_TEXT,
    GRAPH_RESULT_NUMBER,
    GRAPH_RESULT_COUNT
} graph_result_kind_t;

/* An attribute of /run and its member of graph_result_run_t: a const char *, a double or
 * an int64_t. */
typedef struct {
    const char *name;
    graph_result_kind_t kind;
    size_t at;
} graph_result_field_t;

/* All of them, then one without a name. */
extern const graph_result_field_t graph_result_run_field[];

#endif
