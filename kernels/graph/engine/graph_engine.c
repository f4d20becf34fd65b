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

static status_t refuse_name(const graph_context_t *context)
{
    const char *name = context->run->backend;
    buf_t names = {0};
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && backends[i] != NULL; i++)
        if (backends[i]->kind == context->device->kind)
            st = buf_printf(&names, " %s", backends[i]->name);
    if (st == ST_OK) {
        log_error("there is no graph kernel '%s' for this device; choose from:%.*s", name,
                  (int)names.len, (const char *)names.data);
        st = ST_EUSAGE;
    }
    buf_free(&names);
    return st;
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
    bool exists = name == NULL;

    for (int i = 0; backends[i] != NULL; i++) {
        const graph_backend_t *b = backends[i];

        if (b->kind != context->device->kind ||
            (name != NULL && strcmp(b->name, name) != 0))
            continue;
        exists = true;
        if (b->takes(context)) {
            *out = b;
            return ST_OK;
        }
    }
    return exists ? refuse_graph(context) : refuse_name(context);
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
