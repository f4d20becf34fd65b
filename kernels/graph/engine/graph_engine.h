/*
 * graph_engine.h - the graph backends of this build.
 */
#ifndef RIBOGRID_KERNELS_GRAPH_ENGINE_GRAPH_ENGINE_H
#define RIBOGRID_KERNELS_GRAPH_ENGINE_GRAPH_ENGINE_H

#include "kernels/device/kernel_list.h"
#include "kernels/graph/common/graph_backend.h"
#include "kernels/graph/part/part_backend.h"

/* @return all backends, the preferred ones first, then NULL */
const graph_backend_t *const *graph_backends(void);

/* @return their names */
kernel_list_t graph_kernels(void);

/*
 * Choose the backend of context->run->backend, or, if that is NULL, the first of the
 * device's kind that takes the algorithm and the graph.
 *
 * @return ST_OK, or ST_EUSAGE (logged) if no such backend exists or takes them
 */
status_t graph_engine_choose(const graph_context_t *context,
                             const graph_backend_t **out) MUST_CHECK;

/*
 * Choose the kernel of a rank of a gang.
 *
 * @param kind  of the rank's device
 * @param name  the only one to use, or NULL
 * @return it, or NULL: there is none
 */
const part_backend_t *graph_engine_choose_part(device_kind_t kind,
                                               graph_algorithm_t algorithm,
                                               const char *name);

#endif
