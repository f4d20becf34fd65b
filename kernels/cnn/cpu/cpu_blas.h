/*
 * cpu_blas.h - products of matrices by OpenBLAS.
 *
 * The library is loaded when a network first runs on a CPU: it starts threads when it is
 * loaded, which no other command needs.
 */
#ifndef RIBOGRID_KERNELS_CNN_CPU_CPU_BLAS_H
#define RIBOGRID_KERNELS_CNN_CPU_CPU_BLAS_H

#include "io/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* A matrix, row by row. */
typedef struct {
    const float *value;
    int64_t stride;     /* from one row to the next, as it is stored */
    bool is_transposed; /* the matrix meant is the stored one's transpose */
} cpu_matrix_t;

/* Load the library; a second call does nothing. @return ST_OK or ST_EDEVICE (logged) */
status_t cpu_blas_open(void) MUST_CHECK;

/*
 * c = a b + beta c, on the calling thread alone: c is m x n, a is m x k, b is k x n.  The
 * same call gives the same bytes.  Any number of threads may call it.
 */
void cpu_blas_multiply(int64_t m, int64_t n, int64_t k, cpu_matrix_t a, cpu_matrix_t b,
                       float beta, float *c, int64_t c_stride);

#endif
