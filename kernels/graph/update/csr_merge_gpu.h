/*
 * csr_merge_gpu.h - merges the rows of a graph that is updated (csr_update.h) on a GPU.
 */
#pragma once

#include "io/graphfile/csr_update.h"

typedef struct {
    int index;        /* of the GPU, in; the rest is out */
    double seconds;   /* of the kernels, the arrays being on the GPU */
    double copying_s; /* of the arrays, there and back */
} csr_merge_gpu_t;

/* csr_merge_fn_t. @param gpu  csr_merge_gpu_t * */
status_t csr_merge_on_gpu(void *gpu, const csr_merge_t *m, csr_t *out) MUST_CHECK;
