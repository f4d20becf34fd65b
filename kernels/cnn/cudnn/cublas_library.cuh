/*
 * cublas_library.cuh - cuBLAS, loaded on demand.
 *
 * Loading takes 0.1 s, for which every command would wait if the program were linked to
 * it.
 */
#pragma once

extern "C" {
#include "io/base/status.h"
}

#include <cublasLt.h>

#define CUBLAS_FUNCTIONS(DO)                 \
    DO(cublasLtCreate)                       \
    DO(cublasLtDestroy)                      \
    DO(cublasLtGetStatusString)              \
    DO(cublasLtMatmul)                       \
    DO(cublasLtMatmulAlgoCheck)              \
    DO(cublasLtMatmulAlgoGetHeuristic)       \
    DO(cublasLtMatmulDescCreate)             \
    DO(cublasLtMatmulDescDestroy)            \
    DO(cublasLtMatmulDescSetAttribute)       \
    DO(cublasLtMatmulPreferenceCreate)       \
    DO(cublasLtMatmulPreferenceDestroy)      \
    DO(cublasLtMatmulPreferenceSetAttribute) \
    DO(cublasLtMatrixLayoutCreate)           \
    DO(cublasLtMatrixLayoutDestroy)

typedef struct {
#define CUBLAS_MEMBER(name) decltype(&::name) name;
    CUBLAS_FUNCTIONS(CUBLAS_MEMBER)
#undef CUBLAS_MEMBER
} cublas_library_t;

/* Empty until it is loaded. */
extern cublas_library_t cublas;

/* Load it once; any thread may call. @return ST_OK or ST_EDEVICE */
status_t cublas_library_load(void);
