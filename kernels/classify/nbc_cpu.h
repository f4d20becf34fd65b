/*
 * nbc_cpu.h - the backend "cpu": rows of gains added up by AVX-512, AVX2, SSE2 or NEON,
 * on the threads of a pool.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_NBC_CPU_H
#define RIBOGRID_KERNELS_CLASSIFY_NBC_CPU_H

#include "kernels/classify/nbc_backend.h"

extern const nbc_backend_t nbc_cpu_backend;

#endif
