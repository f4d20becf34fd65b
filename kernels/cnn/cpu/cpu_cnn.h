/*
 * cpu_cnn.h - the CNN backend `cpu`: programs in 32 bits on the threads of a pool, with
 * OpenBLAS.
 */
#ifndef RIBOGRID_KERNELS_CNN_CPU_CPU_CNN_H
#define RIBOGRID_KERNELS_CNN_CPU_CPU_CNN_H

#include "kernels/cnn/common/cnn_backend.h"

extern const cnn_backend_t cpu_cnn_backend;

#endif
