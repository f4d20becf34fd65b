/*
 * scalar.h - the CPU row that takes everything: nw_reference.c, a pair a thread.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CPU_SCALAR_H
#define RIBOGRID_KERNELS_ALIGN_CPU_SCALAR_H

#include "kernels/align/common/aligner_backend.h"

extern const aligner_backend_t scalar_backend;

#endif
