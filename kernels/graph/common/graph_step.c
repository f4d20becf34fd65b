/*
 * graph_step.c - the error that all backends report alike.
 */
#include "kernels/graph/common/graph_step.h"

#include "io/base/logmsg.h"

status_t graph_refuse_paths(const graph_spec_t *spec, const csr_t *g, int32_t source)
{
    if (spec->optional != NULL)
        log_warn("%s: left out: more than %g shortest paths lead from node %lld to "
                 "another node",
                 spec->optional, GRAPH_MAX_PATHS, (long long)g->id[source]);
    else
        log_error("betweenness: more than %g shortest paths lead from node %lld to "
                  "another node, too many to count; choose other sources",
                  GRAPH_MAX_PATHS, (long long)g->id[source]);
    return ST_EINPUT;
}
