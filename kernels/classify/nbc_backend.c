/*
 * nbc_backend.c - memory of results.
 */
#include "kernels/classify/nbc_backend.h"

#include "io/base/logmsg.h"

#include <stdlib.h>

status_t nbc_results_create(int64_t n, int n_ranks, nbc_results_t *out)
{
    size_t n_cells = (size_t)n * (size_t)n_ranks + 1;
    nbc_results_t r = {.best = malloc(((size_t)n + 1) * sizeof(*r.best)),
                       .support = malloc(n_cells * sizeof(*r.support)),
                       .rival = malloc(n_cells * sizeof(*r.rival))};

    if (r.best == NULL || r.support == NULL || r.rival == NULL) {
        nbc_results_free(&r);
        return log_nomem("results of a classifier");
    }
    *out = r;
    return ST_OK;
}

void nbc_results_free(nbc_results_t *r)
{
    free(r->best);
    free(r->support);
    free(r->rival);
    *r = (nbc_results_t){0};
}
