/*
 * cudnn_cnn.h - the backend "cudnn": convolutions by cuDNN, fully connected layers by
 * cuBLAS, LRN by cuDNN's old API, all else by the kernels of kernels/cnn/cuda.
 *
 * It takes programs of 32-bit floats, strict or with TF32 factors, and of bf16; with TF32
 * and bf16 tensors are channels-last on the device.  Algorithms are measured when a state
 * is created and are deterministic ones unless the context says any_order.  Beside the
 * program's tensors there is scratch memory, within the context's limit per lane.
 */
#ifndef RIBOGRID_KERNELS_CNN_CUDNN_CUDNN_CNN_H
#define RIBOGRID_KERNELS_CNN_CUDNN_CUDNN_CNN_H

#include "kernels/cnn/common/cnn_backend.h"

extern const cnn_backend_t cudnn_cnn_backend;

#endif
