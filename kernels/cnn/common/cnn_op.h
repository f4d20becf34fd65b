/*
 * cnn_op.h - the operations of a neural network and their parameters.
 *
 * Definitions, with x the input, y the output and d the gradients, all in NCHW order:
 *
 * - convolution: cross-correlation with zero padding, per group; bias per channel.
 * - pooling: maximum, or mean over the window.  The gradient of a maximum goes to the
 *   first element in row-major order that equals it.  The mean divides by the number of
 *   elements inside the input or, with `count_padding`, by the size of the window.
 *   `is_ceil`: sizes are rounded up, as long as a window begins inside the input or the
 *   padding on its left.  Padding is smaller than the window.
 * - LRN: y = x / (k + alpha / size * sum of x^2)^beta; the sum is over those channels
 *   from c - (size - 1) / 2 to c + size / 2 that exist (Krizhevsky et al. 2012).
 * - dropout: keeps an element with probability 1 - p and multiplies it by 1 / (1 - p);
 *   drawn by Philox4x32-10 (Salmon et al. 2011) from the run's seed, the layer, the
 *   iteration and the element's number in the whole batch (cnn_draw.h).
 * - softmax loss: -log(softmax(x)[label]), summed over this rank's images and divided by
 *   the number of images of the whole batch.  An image whose label is negative counts
 *   for nothing.  An answer is right if the first of the largest x is the label's.
 * - batch norm: per channel, with the biased variance of the batch; running averages take
 *   the unbiased one (Ioffe and Szegedy 2015); inference uses these.  Saved is
 *   1 / sqrt(variance + epsilon).
 * - batch norm in parts, where several ranks have equal parts of a batch: each computes
 *   mean and sum of squared deviations of its part (row 0 and 1 of [2][c]), these are
 *   gathered, and all merge them in the order of the ranks (Chan, Golub and LeVeque
 *   1983).  Backward likewise: the sums of dy, and of dy (x - mean) / deviation.  dscale
 *   and dshift are those of the part.
 * - SGD: v = momentum v + g + decay w; w = w - rate v.
 * - Adam: Kingma and Ba 2015, with bias correction; decay w is added to g.
 * - fetch and evict: copies from and to the host's memory, byte by byte.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    CNN_CONVOLUTION,                 /* reads x, w, b; writes y */
    CNN_CONVOLUTION_BACKWARD_DATA,   /* reads dy, w; writes dx */
    CNN_CONVOLUTION_BACKWARD_FILTER, /* reads x, dy; writes dw, db */
    CNN_POOL,                        /* reads x; writes y */
    CNN_POOL_BACKWARD,               /* reads x, y, dy; writes dx */
    CNN_LRN,                         /* reads x; writes y */
    CNN_LRN_BACKWARD,                /* reads x, y, dy; writes dx */
    CNN_LINEAR,                      /* reads x, w, b; writes y: fully connected */
    CNN_LINEAR_BACKWARD_DATA,        /* reads dy, w; writes dx */
    CNN_LINEAR_BACKWARD_WEIGHTS,     /* reads x, dy; writes dw, or some rows of it, and
                                      * perhaps db */
    CNN_RELU,                        /* reads x; writes y, which may be x */
    CNN_RELU_BACKWARD,               /* reads y, dy; writes dx, which may be dy */
    CNN_DROPOUT,                     /* reads x; writes y */
    CNN_DROPOUT_BACKWARD,            /* reads dy; writes dx: draws again */
    CNN_BATCH_NORM,                  /* reads x, scale, shift; writes y, saved mean and
                                      * inverse deviation, running mean and variance */
    CNN_BATCH_NORM_INFERENCE,        /* reads x, scale, shift, running mean, variance */
    CNN_BATCH_NORM_BACKWARD,         /* reads x, dy, scale, saved mean and inverse
                                      * deviation; writes dx, dscale, dshift */
    CNN_BATCH_NORM_PART,             /* reads x; writes moments [2][c] of it */
    CNN_BATCH_NORM_WHOLE,            /* reads x, scale, shift, moments of all parts
                                      * [2 parts][c]; writes as CNN_BATCH_NORM */
    CNN_BATCH_NORM_BACKWARD_PART,    /* reads x, dy, saved mean and inverse deviation;
                                      * writes sums [2][c], dscale, dshift */
    CNN_BATCH_NORM_BACKWARD_WHOLE,   /* reads x, dy, scale, saved mean and inverse
                                      * deviation, sums of all parts [2 parts][c];
                                      * writes dx */
    CNN_GATHER,                      /* reads a tensor [n][c]; writes those of all ranks,
                                      * [n ranks][c], or merged, [n][c]: between backends,
                                      * by who runs the program */
    CNN_SUM,                   /* reads a tensor; writes it, added up over all ranks:
                                * likewise */
    CNN_CONCAT,                /* reads up to CNN_MAX_READS x; writes y: channels */
    CNN_CONCAT_BACKWARD,       /* reads dy; writes the part of one x: dx */
    CNN_ADD,                   /* reads two; writes their sum, which may be one */
    CNN_SOFTMAX_LOSS,          /* reads x, labels; writes probabilities, loss,
                                * the number of right answers: one element each */
    CNN_SOFTMAX_LOSS_BACKWARD, /* reads probabilities, labels; writes dx */
    CNN_SOFTMAX,               /* reads x; writes probabilities */
    CNN_CAST,                  /* reads x; writes y of another type */
    CNN_SGD,                   /* reads g; writes w, v */
    CNN_ADAM,                  /* reads g; writes w, m, v */
    CNN_FETCH,                 /* reads a tensor of the swap area; writes its copy */
    CNN_EVICT,                 /* reads a tensor; writes its copy in the swap area */
    CNN_N_OPS
} cnn_op_t;

enum { CNN_MAX_READS = 6, CNN_MAX_WRITES = 5 };

/* Height before width. */
typedef struct {
    int kernel[2], stride[2], pad[2];
    int groups;
} cnn_convolution_t;

typedef struct {
    int kernel[2], stride[2], pad[2];
    bool is_mean, count_padding, is_ceil;
} cnn_pool_t;

typedef struct {
    int size;
    double alpha, beta, k;
} cnn_lrn_t;

typedef struct {
    double p; /* of dropping */
    int layer;
} cnn_dropout_t;

typedef struct {
    double epsilon, momentum; /* running = (1 - momentum) running + momentum new */
    int64_t n_images; /* of parts of different sizes: of the whole batch, whose moments
                       * and sums come merged, [2][c]; 0: parts are equal */
} cnn_batch_norm_t;

/* Rows of weights that a CPU's product has at once: more of them divide no sum. */
enum { CNN_LINEAR_UNIT = 64 };

typedef struct {
    int64_t first; /* of a gradient of weights: the first row, which is an output */
} cnn_linear_t;

typedef struct {
    int64_t from_channel; /* the part's first channel in the whole */
} cnn_concat_t;

typedef struct {
    double momentum, decay;       /* SGD */
    double beta1, beta2, epsilon; /* Adam */
    double rate_factor;           /* of this parameter: times the run's rate */
} cnn_update_t;

typedef union {
    cnn_convolution_t convolution;
    cnn_pool_t pool;
    cnn_lrn_t lrn;
    cnn_dropout_t dropout;
    cnn_batch_norm_t batch_norm;
    cnn_concat_t concat;
    cnn_linear_t linear;
    cnn_update_t update;
} cnn_params_t;

/* @return the name of an operation: "convolution", "convolution-backward-data", ... */
const char *cnn_op_name(cnn_op_t op);

/* @return whether who runs the program does it, between backends: all ranks at once, and
 * in one order */
static inline bool cnn_op_exchanges(cnn_op_t op)
{
    return op == CNN_GATHER || op == CNN_SUM;
}

/* What tables of times and energy add up: the kind of layer an operation belongs to. */
typedef enum {
    CNN_KIND_CONVOLUTION,
    CNN_KIND_POOL,
    CNN_KIND_LRN,
    CNN_KIND_LINEAR,
    CNN_KIND_ELEMENTWISE, /* ReLU, dropout, sums, casts */
    CNN_KIND_BATCH_NORM,
    CNN_KIND_CONCAT,
    CNN_KIND_LOSS,
    CNN_KIND_UPDATE,
    CNN_KIND_COPY, /* from and to the swap area */
    CNN_N_KINDS
} cnn_kind_t;

cnn_kind_t cnn_op_kind(cnn_op_t op);

/* @return whether an operation of the forward pass is cheap, so that a program for less
 * memory may compute its output again in the backward pass.  The same bytes follow from
 * the same input. */
bool cnn_op_may_repeat(cnn_op_t op);
const char *cnn_kind_name(cnn_kind_t kind);
