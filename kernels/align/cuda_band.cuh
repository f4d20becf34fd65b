/*
 * cuda_band.cuh - band_width.h on the device: how wide a pair's band should be.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_CUDA_BAND_CUH
#define RIBOGRID_KERNELS_ALIGN_CUDA_BAND_CUH

#include "kernels/cuda_try.cuh"

extern "C" {
#include "kernels/align/band_width.h"
#include "kernels/align/kmer_sketch.h"
}

/* What is needed to guess; words NULL: there are no bands. */
struct cuda_band_t {
    const unsigned long long *words; /* [n][KMER_SKETCH_WORDS] */
    const int *n_kmers;              /* [n] */
    band_steps_t steps;
};

/* Sketch a set and put it on the device; free with cuda_band_free. */
status_t cuda_band_create(const seqset_t *set, const align_spec_t *spec,
                          cuda_band_t *out);

void cuda_band_free(cuda_band_t *b);

#ifdef __CUDACC__
/* @return what band_width_of returns, but for rounding */
__device__ inline int cuda_band_width(const cuda_band_t &b, int x, int y, int x_len,
                                      int y_len)
{
    const ulonglong2 *p = reinterpret_cast<const ulonglong2 *>(
        b.words + static_cast<long long>(x) * KMER_SKETCH_WORDS);
    const ulonglong2 *q = reinterpret_cast<const ulonglong2 *>(
        b.words + static_cast<long long>(y) * KMER_SKETCH_WORDS);
    const float fewer = static_cast<float>(min(b.n_kmers[x], b.n_kmers[y]));
    const float more = static_cast<float>(max(b.n_kmers[x], b.n_kmers[y]));
    const float chance = more / (64.0f * KMER_SKETCH_WORDS);
    int shared = 0;

    for (int k = 0; k < KMER_SKETCH_WORDS / 2; k++) {
        const ulonglong2 u = p[k], v = q[k];

        shared += __popcll(u.x & v.x) + __popcll(u.y & v.y);
    }
    if (fewer == 0)
        return BAND_WIDTH_NONE;
    const float kept = (static_cast<float>(shared) / fewer - chance) / (1.0f - chance);

    return kept <= 0
               ? BAND_WIDTH_NONE
               : static_cast<int>(
                     band_width_for(b.steps,
                                    static_cast<double>(powf(kept, 1.0f / KMER_SKETCH_K)),
                                    min(x_len, y_len), max(x_len, y_len)));
}
#endif

#endif
