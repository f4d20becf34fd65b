/*
 * graph_result_read.h - reads the result file of `graph`.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_READ_H
#define RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_READ_H

#include "io/base/status.h"
#include "io/graphfile/graph_result_format.h"

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

/*
 * Read edges begin .. end-1.
 *
 * @param source, target  [end - begin] original ids
 * @param weight          [end - begin] int32_t or double; NULL without weights
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT
 */
status_t graph_result_read_edges(graph_result_file_t *file, int64_t begin, int64_t end,
                                 int64_t *source, int64_t *target,
                                 void *weight) MUST_CHECK;

/* Takes NULL. */
void graph_result_read_close(graph_result_file_t *file);

#endif
