/*
 * image_read.h - reads images of any known kind, as a command line names them:
 *   FILE.idx, ...-images-idx3-ubyte[.gz]   MNIST's format (idx_images.c)
 *   FILE.pgm, FILE.png                     gray images of 8 bits (pgm_images.c,
 *                                          png_images.c)
 *   FILE.h5                                HDF5 (h5_images.c)
 *   FILE.fa[.gz] with a taxonomy           sequences as images of their k-mers
 *                                          (kmer_images.c); labels are genera: the lowest
 *                                          taxa of the lineages,
 *                                          named with all above, as "Bacteria;Bacillota"
 *   synthetic[:N]                          N (1024) random images (image_set.h)
 */
#pragma once

#include "io/images/image_set.h"
#include "io/seq/seqset.h"

#include <stdbool.h>

/* What a command line says about images, and what a network needs of synthetic ones. */
typedef struct {
    const char *path;
    const char *labels;   /* idx: the file of labels; NULL: found by name */
    const char *taxonomy; /* FASTA: lineages; NULL: no labels */
    bool allow_missing;   /* sequences without a lineage are left out; else an error */
    bool keeps_missing;   /* with allow_missing: they are kept, with the label -1 */
    int size[3];          /* synthetic: channels, height, width */
    int n_classes;        /* synthetic */
    uint64_t seed;        /* synthetic */
} image_read_t;

/*
 * Read images.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t image_read(const image_read_t *what, image_set_t *out) MUST_CHECK;

/* @return whether the path is an HDF5 file, which a child should read
 * (io/base/child_reader.h) */
bool image_read_is_hdf5(const char *path);

/* Readers of files of images, one per format. */

/* The bytes that a format is recognised by. */
enum { IMAGE_MAGIC_BYTES = 8 };

/* Read a file's first bytes; zeros behind its end, and of a pipe, which cannot be read
 * twice. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged compression) */
status_t image_magic_read(const char *path, uint8_t magic[IMAGE_MAGIC_BYTES]) MUST_CHECK;

/* The maximum height and width of an image. */
enum { IMAGE_SIDE_MAX = 1 << 20 };

/* Reads PGM, "P5" or in letters "P2", with values of 0 to 255 at most; these are spread
 * over 0 to 255 where the maximum is lower.  Images of one size may follow each other in
 * a file of "P5". */

/* @return whether a file begins as one of netpbm's formats, of which others are refused
 */
bool pgm_images_are(const uint8_t magic[IMAGE_MAGIC_BYTES]);

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t pgm_images_read(const char *path, image_set_t *out) MUST_CHECK;

/* Reads PNG: gray, of at most 8 bits per value.  In a build without libpng it is refused.
 */
bool png_images_are(const uint8_t magic[IMAGE_MAGIC_BYTES]);

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t png_images_read(const char *path, image_set_t *out) MUST_CHECK;

/* Reads images from HDF5: docs/cnn.md describes the file.
 *
 *   /images   [n][channels x height x width] unsigned bytes; or
 *   /values   the same of 32-bit floats
 *   /size     [3] channels, height, width
 *   /labels   [n], integers from 0; may be missing
 *   /classes  [number of classes] texts; may be missing */

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t h5_images_read(const char *path, image_set_t *out) MUST_CHECK;

/* Reads images in the format of MNIST: idx, plain or gzip.
 *
 * A file of unsigned bytes begins with 0, 0, 8, the number of dimensions, and the size of
 * each as a 32-bit number, the most significant byte first.  Images have 3 dimensions
 * (number, height, width) or 4 (with channels after the number), labels have 1. */

/* @return whether a file begins so */
bool idx_images_are(const uint8_t magic[IMAGE_MAGIC_BYTES]);

/* @return the name of the labels that belong to images, the caller's, if such a file
 * exists; or NULL */
char *idx_images_find_labels(const char *path);

/*
 * Read images and their labels.
 *
 * @param path    for example train-images-idx3-ubyte.gz
 * @param labels  NULL: the file whose name has "labels-idx1" in the place of
 *                "images-idx3"; no labels if there is none
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t idx_images_read(const char *path, const char *labels,
                         image_set_t *out) MUST_CHECK;

/* Sequences as images of the frequencies of their k-mers.
 *
 * With k = 6 an image has 64 x 64 values, one per 6-mer: each base halves the
 * image, both ways (a chaos game representation: Jeffrey 1990), so that k-mers which
 * share their last bases are close to each other.  A value is the k-mer's share of all
 * k-mers of the sequence times the number of values, so that the mean is 1.  K-mers with
 * ambiguity codes are left out. */

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
