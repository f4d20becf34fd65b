/*
 * serial_backend.h - the graph backend `serial`: textbook algorithms on one thread, the
 * definition of every result.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_SERIAL_SERIAL_BACKEND_H
#define RIBOGRID_KERNELS_GRAPH_SERIAL_SERIAL_BACKEND_H

#include "kernels/graph/common/graph_backend.h"

extern const graph_backend_t serial_graph_backend;

#endif
