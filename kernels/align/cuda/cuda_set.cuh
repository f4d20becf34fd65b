/*
 * cuda_set.cuh - a sequence set on a device, as the alignment kernels read it.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/align/common/aligner_backend.h"
}

enum { CUDA_SET_ALIGN = 64 };

/*
 * One byte per base: its set of bases (align_scoring_t.set_of; 0 matches nothing), which
 * under a matrix is its code (alphabet.h).
 *
 * Every sequence ends at a multiple of CUDA_SET_ALIGN bytes, and at least CUDA_SET_ALIGN
 * zeros stand in front of it, so that kernels may read aligned words from the end of a
 * sequence backwards, across its beginning.
 */
struct cuda_set_t {
    const unsigned char *letters;
    const long long *start;             /* [n] where the first base is */
    const int *len;                     /* [n] */
    const unsigned char *has_ambiguity; /* [n] has a byte that is no base or residue */
};

/* Copy a set to the current device; free it with cuda_set_free.
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE */
status_t cuda_set_create(pool_t *pool, const seqset_t *set,
                         const align_scoring_t *scoring, cuda_set_t *out) MUST_CHECK;

void cuda_set_free(cuda_set_t *set);

/* @return has_ambiguity on the host, for the caller to free; NULL if out of memory */
unsigned char *cuda_set_ambiguity(pool_t *pool, const seqset_t *set,
                                  const align_scoring_t *scoring);
