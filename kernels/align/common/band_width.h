/*
 * band_width.h - guesses how wide a pair's band should be, from its estimated identity.
 *
 * The result proves afterwards whether the band was wide enough: cell_layout_certifies.
 */
#pragma once

#include "io/base/pool.h"
#include "io/seq/seqset.h"
#include "kernels/align/common/align_spec.h"

/* The k-mers of each sequence, one bit per k-mer: a cheap estimate of the
 * identity of two sequences.  No result depends on it, only speed. */

enum { KMER_SKETCH_K = 6, KMER_SKETCH_WORDS = (1 << (2 * KMER_SKETCH_K)) / 64 };

typedef struct kmer_sketch kmer_sketch_t;

/* Sketch every sequence, 8 * KMER_SKETCH_WORDS bytes each. @return ST_OK or ST_ENOMEM */
status_t kmer_sketch_create(pool_t *pool, const seqset_t *set,
                            kmer_sketch_t **out) MUST_CHECK;

/* @return an estimate, 0..1, of the fraction of the shorter sequence's bases that match
 * in an alignment of the two */
double kmer_sketch_identity(const kmer_sketch_t *sketch, int64_t a, int64_t b);

/* @return [n][KMER_SKETCH_WORDS] one bit per k-mer, and [n] the number of bits set */
const uint64_t *kmer_sketch_words(const kmer_sketch_t *sketch);
const int32_t *kmer_sketch_counts(const kmer_sketch_t *sketch);

/* Takes NULL. */
void kmer_sketch_destroy(kmer_sketch_t *sketch);

/* NONE: a band would save too little, so the whole matrix is computed. */
enum { BAND_WIDTH_NONE = -1, BAND_WIDTH_STEP = 16 };

typedef struct band_width band_width_t;

#ifdef __CUDACC__
#define BAND_WIDTH_FN __host__ __device__ static inline
#else
#define BAND_WIDTH_FN static inline
#endif

/*
 * Decide whether a band skips too few cells to be worth the pairs that fail in it.
 *
 * @param left  rows of each of the two triangles beside it, in a matrix of m x n
 */
BAND_WIDTH_FN bool band_width_spares_little(double left, double m, double n)
{
    return left * left < 0.08 * m * n;
}

/* @return whether bands can be proved under a spec */
bool band_width_applies(const align_spec_t *spec);

/* Sketch a set, which is borrowed until destroy. @return ST_OK or ST_ENOMEM */
status_t band_width_create(pool_t *pool, const seqset_t *set, const align_spec_t *spec,
                           band_width_t **out) MUST_CHECK;

/* @return w, a multiple of BAND_WIDTH_STEP, of the band -w <= j - i <= (n - m) + w with
 *         m <= n; or BAND_WIDTH_NONE */
int32_t band_width_of(const band_width_t *b, int64_t query, int64_t target);

/*
 * The same for bands that a guarded sweep proves (simd_diff_body.h), for any identity:
 * wide enough for the overhangs and gaps of related genes.
 *
 * @param m  length of the shorter sequence
 */
int32_t band_width_guarded(int32_t m);

/* Takes NULL. */
void band_width_destroy(band_width_t *b);
