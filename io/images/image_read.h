/*
 * image_read.h - reads images of any known kind, as a command line names them:
 *   FILE.idx, ...-images-idx3-ubyte[.gz]   MNIST's format (idx_images.c)
 *   FILE.h5                                HDF5 (h5_images.c)
 *   FILE.fa[.gz] with a taxonomy           sequences as images of their k-mers
 *                                          (kmer_images.h); labels are genera: the lowest
 *                                          taxa of the lineages,
 *                                          named with all above, as "Bacteria;Bacillota"
 *   synthetic[:N]                          N (1024) random images (image_set.h)
 */
#ifndef RIBOGRID_IO_IMAGES_IMAGE_READ_H
#define RIBOGRID_IO_IMAGES_IMAGE_READ_H

#include "io/images/image_set.h"

#include <stdbool.h>

/* What a command line says about images, and what a network needs of synthetic ones. */
typedef struct {
    const char *path;
    const char *labels;   /* idx: the file of labels; NULL: found by name */
    const char *taxonomy; /* FASTA: lineages; NULL: no labels */
    int size[3];          /* synthetic: channels, height, width */
    int n_classes;        /* synthetic */
    uint64_t seed;        /* synthetic */
} image_read_t;

/*
 * Read images.
 *
 * Sequences without a lineage are an error.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t image_read(const image_read_t *what, image_set_t *out) MUST_CHECK;

/* @return whether the path is an HDF5 file, which a child should read
 * (io/base/child_reader.h) */
bool image_read_is_hdf5(const char *path);

#endif
