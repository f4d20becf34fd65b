/*
 * image_formats.h - readers of files of images, one per format.
 */
#ifndef RIBOGRID_IO_IMAGES_IMAGE_FORMATS_H
#define RIBOGRID_IO_IMAGES_IMAGE_FORMATS_H

#include "io/images/image_set.h"

#include <stdbool.h>

/* h5_images.c: reads images from HDF5: docs/cnn.md describes the file.
 *
 *   /images   [n][channels x height x width] unsigned bytes; or
 *   /values   the same of 32-bit floats
 *   /size     [3] channels, height, width
 *   /labels   [n], integers from 0; may be missing
 *   /classes  [number of classes] texts; may be missing */

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t h5_images_read(const char *path, image_set_t *out) MUST_CHECK;

/* idx_images.c: reads images in the format of MNIST: idx, plain or gzip.
 *
 * A file of unsigned bytes begins with 0, 0, 8, the number of dimensions, and the size of
 * each as a 32-bit number, the most significant byte first.  Images have 3 dimensions
 * (number, height, width) or 4 (with channels after the number), labels have 1. */

/*
 * Find out whether a file begins as idx images do; a pipe, which cannot be read twice,
 * does not.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: damaged compression)
 */
status_t idx_images_recognise(const char *path, bool *is_idx) MUST_CHECK;

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

#endif
