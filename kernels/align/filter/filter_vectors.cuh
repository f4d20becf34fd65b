/*
 * filter_vectors.cuh - makes the vectors of filter_kmers.c on a GPU.
 */
#pragma once

#include "kernels/align/cuda/cuda_set.cuh"

extern "C" {
#include "kernels/align/filter/filter_backend.h"
}

struct filter_vectors_launch_t {
    cuda_set_t set;
    filter_seq_t *seqs; /* [n] dropped and excess are written, the rest is known */
    unsigned *whole;    /* [n][words] out */
    unsigned *ends;     /* [n][2][FILTER_BINS][end_words] out */
    int k, log_bits;
    int words, end_words; /* end_words 0: there are no bins */
};

/* Make the vectors of n sequences. @return ST_OK or ST_EDEVICE */
status_t filter_vectors_make(const filter_vectors_launch_t &launch, int64_t n) MUST_CHECK;
