/*
 * cnn_value.h - elements of any type as doubles.
 */
#ifndef RIBOGRID_KERNELS_CNN_COMMON_CNN_VALUE_H
#define RIBOGRID_KERNELS_CNN_COMMON_CNN_VALUE_H

#include "kernels/cnn/common/cnn_program.h"

/* @return x rounded to the nearest number of a type; CNN_BF16 through CNN_F32 */
double cnn_value_round(cnn_type_t type, double x);

/* Convert n elements of a type to doubles, and back (rounding). */
void cnn_value_load(cnn_type_t type, int64_t n, const void *from, double *to);
void cnn_value_store(cnn_type_t type, int64_t n, const double *from, void *to);

#endif
