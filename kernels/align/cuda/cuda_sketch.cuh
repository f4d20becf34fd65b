/*
 * cuda_sketch.cuh - k-mer sketches (band_width.h) on the device.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/align/common/band_width.h"
}

struct cuda_sketch_t {
    const unsigned long long *words; /* [n][KMER_SKETCH_WORDS] */
    const int *n_kmers;              /* [n] */
};

/* Sketch a set and copy the sketches to the current device; free with cuda_sketch_free.
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE */
status_t cuda_sketch_create(pool_t *pool, const seqset_t *set, cuda_sketch_t *out);

void cuda_sketch_free(cuda_sketch_t *s);
