/*
 * kmer_images.h - sequences as images of the frequencies of their k-mers.
 *
 * With k = 6 an image has 64 x 64 values, one per 6-mer: each base halves the
 * image, both ways (a chaos game representation: Jeffrey 1990), so that k-mers which
 * share their last bases are close to each other.  A value is the k-mer's share of all
 * k-mers of the sequence times the number of values, so that the mean is 1.  K-mers with
 * ambiguity codes are left out.
 */
#ifndef RIBOGRID_IO_IMAGES_KMER_IMAGES_H
#define RIBOGRID_IO_IMAGES_KMER_IMAGES_H

#include "io/images/image_set.h"
#include "io/seq/seqset.h"

enum { KMER_IMAGES_K = 6, KMER_IMAGES_SIDE = 1 << KMER_IMAGES_K };

/*
 * Draw the image of a sequence of DNA.
 *
 * @param letters  [len] codes of alphabet.h
 * @param out      [KMER_IMAGES_SIDE * KMER_IMAGES_SIDE]; all 0 if there is no k-mer
 */
void kmer_images_draw(const uint8_t *letters, int64_t len, float *out);

/* Draw the images of all sequences, without labels. @return ST_OK or ST_ENOMEM */
status_t kmer_images_make(const seqset_t *set, image_set_t *out) MUST_CHECK;

#endif
