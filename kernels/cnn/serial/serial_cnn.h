/*
 * serial_cnn.h - the CNN backend `serial`: the textbook's loops on one thread, in double
 * arithmetic, rounded to a tensor's type when a step ends; the definition of all results.
 */
#ifndef RIBOGRID_KERNELS_CNN_SERIAL_SERIAL_CNN_H
#define RIBOGRID_KERNELS_CNN_SERIAL_SERIAL_CNN_H

#include "kernels/cnn/common/cnn_backend.h"

extern const cnn_backend_t serial_cnn_backend;

#endif
