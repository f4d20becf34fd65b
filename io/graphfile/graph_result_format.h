/*
 * graph_result_format.h - what the result file of `graph` holds.
 *
 * docs/graph-files.md describes the file for its readers.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_FORMAT_H
#define RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_FORMAT_H

#include "io/graphfile/graph_type.h"

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

/* How the results were computed: the attributes of /run, which no result depends on. */
typedef struct {
    double seconds_read, seconds_copy, seconds_kernels;
    int64_t iterations, arcs_visited;
    double edges_per_second;
    const char *decisions; /* text, one line per choice of template or variant */
} graph_result_run_t;

#endif
