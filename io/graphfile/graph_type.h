/*
 * graph_type.h - the types of results, one value per node.
 */
#ifndef RIBOGRID_IO_GRAPHFILE_GRAPH_TYPE_H
#define RIBOGRID_IO_GRAPHFILE_GRAPH_TYPE_H

typedef enum {
    GRAPH_INT32,
    GRAPH_INT64,
    GRAPH_REAL, /* double */
    GRAPH_NODE, /* int32_t, a node's number, or -1; files hold original ids, int64_t */
    GRAPH_FLAG, /* uint8_t, 0 or 1 */
    GRAPH_N_TYPES
} graph_type_t;

#endif
