/*
 * nbc_cuda.h - the backend "cuda".
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_CUDA_NBC_CUDA_H
#define RIBOGRID_KERNELS_CLASSIFY_CUDA_NBC_CUDA_H

#include "kernels/classify/nbc_backend.h"

extern const nbc_backend_t nbc_cuda_backend;

#endif
