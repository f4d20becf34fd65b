/*
 * scalar.h - the CPU backend that takes every pair: nw_reference.c, one pair per thread.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_SCALAR_H
#define RIBOGRID_KERNELS_ALIGN_CPU_SCALAR_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t scalar_backend;

#endif
