/*
 * sync_nested.cuh - rounds that the GPU launches itself: each kernel its successor, or
 * the body of a while-node of a CUDA graph.
 *
 * Such kernels are relocatable, and in a library of their own (kernels/CMakeLists.txt).
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

/* Rounds in one chain of launches: a kernel holds its place among those that are pending
 * until all of its successors have ended. */
enum { SYNC_TAIL_ROUNDS = 100 };

struct sync_nested_t {
    int n_blocks, n_threads;
    int *written;       /* a word, by block 0, in each round */
    long long *n_ended; /* rounds that have run */
};

/* Enqueue n_rounds, a multiple of SYNC_TAIL_ROUNDS, each by a tail launch. */
status_t sync_nested_tail(const sync_nested_t &s, long long n_rounds,
                          cudaStream_t stream);

/* Make a graph with one while-node that runs n_rounds, if *n_ended is 0 at first. */
status_t sync_nested_while(const sync_nested_t &s, long long n_rounds,
                           cudaGraphExec_t *out);
