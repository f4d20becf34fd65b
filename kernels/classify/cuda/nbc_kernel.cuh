/*
 * nbc_kernel.cuh - the kernels of naive Bayes: what they read and write, and how they are
 * launched.
 */
#pragma once

#include "kernels/device/cuda_try.cuh"

extern "C" {
#include "kernels/classify/nbc_backend.h"
#include "kernels/classify/nbc_matrix.h"
}

/* A model in device memory; the arrays are those of nbc_matrix_t and nbc_classes_t. */
struct nbc_device_model_t {
    const uint16_t *gains;
    const int *word_cost;
    const int64_t *class_rate;
    const int *lineage;
    int n_classes, n_blocks, n_ranks, n_safe;
};

/* A cost and a class in one number, whose order is that of costs, then of classes. */
typedef unsigned long long nbc_key_t;
#define NBC_KEY_NONE (~0ull)

/* Words and draws are read eight at a time, so they begin at multiples of eight. */
enum { NBC_PICKS = 8 };

static inline int64_t nbc_round_picks(int64_t n)
{
    return (n + NBC_PICKS - 1) / NBC_PICKS * NBC_PICKS;
}

struct nbc_device_read_t {
    uint64_t key[NBC_STRANDS];
    int64_t words[NBC_STRANDS]; /* where its words begin, by orientation */
    int64_t draws;              /* where its draws begin, in those of its piece */
    int n_words;
    int n_draws;
};

/* A piece of a batch: the reads order[0 .. n - 1].  Scratch arrays have one element, or
 * row, per read of the piece, results one per read of the batch. */
struct nbc_piece_t {
    nbc_device_model_t model;
    const nbc_device_read_t *reads; /* of the batch */
    const int *order;               /* [n] */
    const uint16_t *words;
    int n, n_strands, n_resamples;
    int *cost;         /* [n][NBC_STRANDS][n_blocks][NBC_BLOCK] for all words */
    nbc_key_t *best;   /* [n][NBC_STRANDS] */
    nbc_key_t *winner; /* [n][n_resamples] */
    uint16_t *draws;   /* per read [n_resamples][nbc_round_picks(n_draws)] positions */
    nbc_best_t *out_best;
    uint16_t *support; /* [][n_ranks] */
    int *rival;        /* [][n_ranks] */
};

/* Reads of at most max_words words are resampled by `threads` threads each, from shared
 * memory.  The last shape, of any number of words, reads the matrix itself. */
enum { NBC_SHAPES = 5 };
struct nbc_shape_t {
    int max_words;
    int threads;
};

/* Choose the shapes for the current device. @param out  [NBC_SHAPES] ascending */
status_t nbc_kernel_shapes(int device, nbc_shape_t *out) MUST_CHECK;

/* Enqueue all kernels of a piece but the resamples, in this order: _words, then the
 * resamples of every shape, then _finish. */
status_t nbc_kernel_words(const nbc_piece_t *piece, cudaStream_t stream) MUST_CHECK;
status_t nbc_kernel_finish(const nbc_piece_t *piece, cudaStream_t stream) MUST_CHECK;

/* Enqueue the resamples of n reads of a piece, from `first` on, which have one shape. */
status_t nbc_kernel_resample(const nbc_piece_t *piece, const nbc_shape_t *shape,
                             int first, int n, cudaStream_t stream) MUST_CHECK;
