/*
 * cuda_set.cuh - sequences on a device, as the alignment kernels read them.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_SET_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_CUDA_SET_CUH

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/align/common/aligner_backend.h"
}

enum { CUDA_SET_ALIGN = 64 };

/*
 * A byte a letter: under two_valued scoring its set of bases (0: matches nothing), else
 * its code.  A sequence's end is a multiple of CUDA_SET_ALIGN, and at least as many zeros
 * stand before its first letter.
 */
struct cuda_set_t {
    const unsigned char *letters;
    const long long *start;             /* [n] of the first letter */
    const int *len;                     /* [n] */
    const unsigned char *has_ambiguity; /* [n] whether a letter is no single base */
};

/* Put a set on the current device; free with cuda_set_free.
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE */
status_t cuda_set_create(pool_t *pool, const seqset_t *set,
                         const align_scoring_t *scoring, cuda_set_t *out) MUST_CHECK;

void cuda_set_free(cuda_set_t *set);

/* @return [n] has_ambiguity on the host, to be freed; NULL where memory is short */
unsigned char *cuda_set_ambiguity(pool_t *pool, const seqset_t *set,
                                  const align_scoring_t *scoring);

#endif
