/*
 * earlier_result.h - what a result on an earlier graph gives: ranks near the right ones,
 * or the right components of some nodes.
 */
#pragma once

#include "kernels/graph/common/graph_backend.h"

#include <stdbool.h>

typedef struct {
    double *rank;    /* of PageRank */
    int32_t *joined; /* of components */
    int32_t *rows;
    int64_t n_rows;
} earlier_result_t;

/* Make the start of spec->algorithm, PageRank or components, by the backend `serial`.
 * @return whether there is memory; the result is to be freed in any case */
bool earlier_result_make(const csr_t *g, const graph_spec_t *spec, earlier_result_t *out);

/* Have an algorithm begin with it. */
void earlier_result_use(const earlier_result_t *r, graph_spec_t *spec);

void earlier_result_free(earlier_result_t *r);
