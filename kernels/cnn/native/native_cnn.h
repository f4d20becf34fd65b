/*
 * native_cnn.h - the backend "native": our own kernels for all operations.
 *
 * It needs no library, takes the programs that "cudnn" takes, and keeps all tensors
 * channels-last.  It has no choices of algorithms: they follow from the sizes.
 */
#ifndef RIBOGRID_KERNELS_CNN_NATIVE_NATIVE_CNN_H
#define RIBOGRID_KERNELS_CNN_NATIVE_NATIVE_CNN_H

#include "kernels/cnn/common/cnn_backend.h"

extern const cnn_backend_t native_cnn_backend;

#endif
