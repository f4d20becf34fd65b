/*
 * kmer_sketch.h - the k-mers of each sequence, one bit per k-mer: a cheap estimate of the
 * identity of two sequences.  No result depends on it, only speed.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_COMMON_KMER_SKETCH_H
#define RIBOGRID_KERNELS_ALIGN_COMMON_KMER_SKETCH_H

#include "io/base/pool.h"
#include "io/seq/seqset.h"

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

#endif
