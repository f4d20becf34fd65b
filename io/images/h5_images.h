/*
 * h5_images.h - reads images from HDF5: docs/cnn.md describes the file.
 *
 *   /images   [n][channels x height x width] unsigned bytes; or
 *   /values   the same of 32-bit floats
 *   /size     [3] channels, height, width
 *   /labels   [n], integers from 0; may be missing
 *   /classes  [number of classes] texts; may be missing
 */
#ifndef RIBOGRID_IO_IMAGES_H5_IMAGES_H
#define RIBOGRID_IO_IMAGES_H5_IMAGES_H

#include "io/images/image_set.h"

/* Read a file. @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t h5_images_read(const char *path, image_set_t *out) MUST_CHECK;

#endif
