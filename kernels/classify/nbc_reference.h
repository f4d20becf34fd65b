/*
 * nbc_reference.h - the backend "reference": nbc_spec.h in plain double precision, one
 * read after the other.  All other backends return the same integers.
 */
#ifndef RIBOGRID_KERNELS_CLASSIFY_NBC_REFERENCE_H
#define RIBOGRID_KERNELS_CLASSIFY_NBC_REFERENCE_H

#include "kernels/classify/nbc_backend.h"

extern const nbc_backend_t nbc_reference_backend;

#endif
