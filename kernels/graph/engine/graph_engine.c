/*
 * graph_engine.c - the table of graph backends, and the choice of one.
 */
#include "kernels/graph/engine/graph_engine.h"

#include "io/base/logmsg.h"
#include "kernels/graph/cpu/cpu_backend.h"
#ifdef RIBOGRID_HAVE_CUDA
#include "kernels/graph/cuda/cuda_graph_backend.h"
#endif
#include "kernels/graph/part/part_cpu.h"
#ifdef RIBOGRID_HAVE_CUDA
#include "kernels/graph/part_cuda/part_cuda_backend.h"
#endif
#include "kernels/graph/serial/serial_backend.h"

#include <string.h>

/* `serial` is last: others are faster. */
static const graph_backend_t *const backends[] = {
    &cpu_graph_backend,
#ifdef RIBOGRID_HAVE_CUDA
    &cuda_graph_backend,
#endif
    &serial_graph_backend,
    NULL,
};

const graph_backend_t *const *graph_backends(void)
{
    return backends;
}

kernel_list_t graph_kernels(void)
{
    kernel_list_t list = {0};

    for (int i = 0; backends[i] != NULL; i++)
        kernel_list_add(&list, backends[i]->name, backends[i]->kind);
    return list;
}

/* Log why no backend takes the graph. @return ST_EUSAGE */
static status_t refuse_graph(const graph_context_t *context)
{
    const graph_info_t *info = graph_info(context->spec->algorithm);

    if (info->is_undirected && !context->graph->is_symmetric)
        log_error("%s takes undirected graphs; give --symmetrize", info->name);
    else if (context->spec->algorithm == GRAPH_SSSP && context->graph->value != NULL)
        log_error("%s takes integer weights; give --weights unit", info->name);
    else
        log_error("%s cannot be computed in this way by the kernel; give --kernel auto",
                  info->name);
    return ST_EUSAGE;
}

status_t graph_engine_choose(const graph_context_t *context, const graph_backend_t **out)
{
    const char *name = context->run->backend;
    const kernel_list_t list = graph_kernels();

    for (int i = 0; backends[i] != NULL; i++) {
        const graph_backend_t *b = backends[i];

        if (b->kind == context->device->kind &&
            (name == NULL || strcmp(b->name, name) == 0) && b->takes(context)) {
            *out = b;
            return ST_OK;
        }
    }
    return name == NULL || kernel_list_has(&list, name, context->device->kind)
               ? refuse_graph(context)
               : kernel_list_refuse(&list, name, context->device->kind);
}

static const part_backend_t *const part_backends[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &part_cuda_backend,
#endif
    &part_cpu_backend,
    NULL,
};

const part_backend_t *graph_engine_choose_part(device_kind_t kind,
                                               graph_algorithm_t algorithm,
                                               const char *name)
{
    for (const part_backend_t *const *b = part_backends; *b != NULL; b++)
        if ((*b)->kind == kind && (*b)->takes(algorithm) &&
            (name == NULL || strcmp((*b)->name, name) == 0))
            return *b;
    return NULL;
}
