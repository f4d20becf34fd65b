/*
 * cuda_rank.cuh - the order of the sequences of a set in which the rows of a pair come
 * first (nw_reference_query_is_rows).
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_RANK_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_RANK_CUH

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "io/seq/seqset.h"
}

/*
 * Rank the sequences of a set; equal ones have equal ranks.
 *
 * @param out  [set->n] on the device; free it with cudaFree
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE
 */
status_t cuda_rank_create(const seqset_t *set, int **out) MUST_CHECK;

#endif
