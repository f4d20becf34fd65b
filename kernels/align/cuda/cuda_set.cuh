/*
 * cuda_set.cuh - a sequence set on a device, as the alignment kernels read it.
 */
#pragma once

#include "kernels/align/cuda/cuda_stage.cuh"

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

/*
 * A set that is larger than the memory of a device, which has the letters of some of its
 * sequences at a time.
 */
struct cuda_letters_t {
    pool_t *pool;
    const seqset_t *set;
    const align_scoring_t *scoring;
    long long *start;             /* [n] as in cuda_set_t */
    unsigned char *has_ambiguity; /* [n] of those that were copied */
    cuda_stage_t stage;
};

/* Copy where the sequences of a set begin and end, and no letters.
 * @param out      without letters, has_ambiguity 0
 * @param letters  out: borrows pool, set and scoring until cuda_letters_free
 * @return ST_OK, ST_ENOMEM, ST_EDEVICE or ST_ELOST; free both in any case */
status_t cuda_letters_create(pool_t *pool, const seqset_t *set,
                             const align_scoring_t *scoring, cuda_set_t *out,
                             cuda_letters_t *letters) MUST_CHECK;

/* @return bytes of sequences first .. end-1 on the device */
size_t cuda_letters_bytes(const cuda_letters_t *letters, int64_t first, int64_t end);

/*
 * Copy sequences first .. end-1, and let a stream wait until they are there.
 *
 * @param to   device memory of cuda_letters_bytes, which nothing enqueued earlier uses
 * @param out  cuda_set_t.letters for these sequences alone
 */
status_t cuda_letters_put(cuda_letters_t *letters, int64_t first, int64_t end, void *to,
                          cudaStream_t stream, const unsigned char **out) MUST_CHECK;

/* Takes a zeroed one, too. */
void cuda_letters_free(cuda_letters_t *letters);

/* @return has_ambiguity on the host, for the caller to free; NULL if out of memory */
unsigned char *cuda_set_ambiguity(pool_t *pool, const seqset_t *set,
                                  const align_scoring_t *scoring);
