/*
 * graph_result_write.h - writes the result file of `graph`, which appears complete or not
 * at all.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_WRITE_H
#define RIBOGRID_IO_GRAPHFILE_GRAPH_RESULT_WRITE_H

#include "io/base/pool.h"
#include "io/graphfile/csr.h"
#include "io/graphfile/graph_result_format.h"

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
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t graph_result_write_row(graph_result_writer_t *w, int column, int64_t row,
                                const void *values) MUST_CHECK;

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

#endif
