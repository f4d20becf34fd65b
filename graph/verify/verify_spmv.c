/*
 * verify_spmv.c - the product again, in extended precision.
 */
#include "graph/verify/graph_verify.h"
#include "kernels/graph/common/graph_step.h"

#include <math.h>

static const double ROUNDING = 1e-12;

status_t verify_spmv(const verify_t *v)
{
    const csr_t *g = v->graph;
    const double *x = v->spec->x, *y = v->result->column[0];

    for (int32_t u = 0; u < g->n_nodes; u++) {
        long double sum = 0, magnitude = 0;

        for (int64_t a = g->first[u]; a < g->first[u + 1]; a++) {
            long double term = (long double)graph_arc_value(g, a) * x[g->to[a]];

            sum += term;
            magnitude += fabsl(term);
        }
        if (!(fabsl(y[u] - sum) <= ROUNDING * magnitude))
            return verify_refuse(v, "y of node %lld is %.17g instead of %.17g",
                                 verify_id(v, u), y[u], (double)sum);
    }
    return ST_OK;
}
