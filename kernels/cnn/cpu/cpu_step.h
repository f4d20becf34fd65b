/*
 * cpu_step.h - what a step of the CNN backend `cpu` computes on, and its operations.
 *
 * Work is cut into blocks that depend on the sizes alone, and each sum has a fixed order;
 * so the number of threads changes no result.
 */
#pragma once

#include "io/base/pool.h"
#include "io/base/status.h"
#include "kernels/cnn/common/cnn_backend.h"

#include <stdbool.h>
#include <stdint.h>

/* A tensor: its size and values in NCHW order. */
typedef struct {
    const int64_t *size;  /* n, c, h, w */
    int64_t n;            /* elements */
    float *value;         /* CNN_F32 */
    const int32_t *label; /* CNN_I32 */
} cpu_tensor_t;

/* Memory besides the tensors, in floats. */
typedef struct {
    int64_t own;    /* of each thread */
    int64_t shared; /* by all threads */
} cpu_scratch_t;

/* In the order of cnn_op.h. */
typedef struct {
    cnn_op_t op;
    const cnn_params_t *params;
    const cnn_iteration_t *iteration;
    int n_in, n_out;
    cpu_tensor_t in[CNN_MAX_READS], out[CNN_MAX_WRITES];
    pool_t *pool;
    float *own, *shared; /* own: that of thread t is at own + t * own_n */
    int64_t own_n;
} cpu_step_t;

/* Call fn for index 0 .. n-1 with the step as its context. */
static inline void cpu_step_run(const cpu_step_t *s, int64_t n, pool_fn_t fn)
{
    pool_run(n > 1 ? s->pool : NULL, n, fn, (void *)s);
}

enum { CPU_BLOCK = 16384 }; /* elements of a block of an elementwise operation */

static inline int64_t cpu_n_blocks(int64_t n)
{
    return (n + CPU_BLOCK - 1) / CPU_BLOCK;
}

/* @return the end of a block that begins with element index * CPU_BLOCK */
static inline int64_t cpu_block_end(int64_t index, int64_t n)
{
    return (index + 1) * CPU_BLOCK < n ? (index + 1) * CPU_BLOCK : n;
}

void cpu_convolution(const cpu_step_t *s);
void cpu_convolution_backward_data(const cpu_step_t *s);
void cpu_convolution_backward_filter(const cpu_step_t *s);
cpu_scratch_t cpu_convolution_scratch(const cpu_step_t *s); /* of all three */
void cpu_pool(const cpu_step_t *s);
void cpu_pool_backward(const cpu_step_t *s);
void cpu_lrn(const cpu_step_t *s);
void cpu_lrn_backward(const cpu_step_t *s);
cpu_scratch_t cpu_lrn_scratch(const cpu_step_t *s); /* of both */
void cpu_linear(const cpu_step_t *s);
void cpu_linear_backward_data(const cpu_step_t *s);
void cpu_linear_backward_weights(const cpu_step_t *s);
void cpu_relu(const cpu_step_t *s);
void cpu_relu_backward(const cpu_step_t *s);
void cpu_dropout(const cpu_step_t *s); /* and its gradient */
void cpu_batch_norm(const cpu_step_t *s);
void cpu_batch_norm_inference(const cpu_step_t *s);
void cpu_batch_norm_backward(const cpu_step_t *s);
void cpu_batch_norm_part(const cpu_step_t *s);
void cpu_batch_norm_whole(const cpu_step_t *s);
void cpu_batch_norm_backward_part(const cpu_step_t *s);
void cpu_batch_norm_backward_whole(const cpu_step_t *s);
void cpu_concat(const cpu_step_t *s);
void cpu_concat_backward(const cpu_step_t *s);
void cpu_add(const cpu_step_t *s);
void cpu_softmax(const cpu_step_t *s);
void cpu_softmax_loss(const cpu_step_t *s);
void cpu_softmax_loss_backward(const cpu_step_t *s);
void cpu_sgd(const cpu_step_t *s);
void cpu_adam(const cpu_step_t *s);
void cpu_copy(const cpu_step_t *s); /* from and to the swap area */

/* cpu_blas.c: products of matrices by OpenBLAS.
 *
 * The library is loaded when a network first runs on a CPU: it starts threads when it is
 * loaded, which no other command needs. */

/* A matrix, row by row. */
typedef struct {
    const float *value;
    int64_t stride;     /* from one row to the next, as it is stored */
    bool is_transposed; /* the matrix meant is the stored one's transpose */
} cpu_matrix_t;

/* Load the library; a second call does nothing. @return ST_OK or ST_EDEVICE (logged) */
status_t cpu_blas_open(void) MUST_CHECK;

/*
 * c = a b + beta c, on the calling thread alone: c is m x n, a is m x k, b is k x n.  The
 * same call gives the same bytes.  Any number of threads may call it.
 */
void cpu_blas_multiply(int64_t m, int64_t n, int64_t k, cpu_matrix_t a, cpu_matrix_t b,
                       float beta, float *c, int64_t c_stride);

/* Sums of floats in 64 bits, in an order that vectors can keep. */

enum { CPU_SUM_LANES = 8 };

static inline double cpu_sum_lanes(const double *lane)
{
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
           ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* @return the sum of x[0 .. n-1] */
static inline double cpu_sum(const float *x, int64_t n)
{
    double lane[CPU_SUM_LANES] = {0};
    int64_t i = 0;

    for (; i + CPU_SUM_LANES <= n; i += CPU_SUM_LANES)
        for (int k = 0; k < CPU_SUM_LANES; k++)
            lane[k] += (double)x[i + k];
    for (; i < n; i++)
        lane[i % CPU_SUM_LANES] += (double)x[i];
    return cpu_sum_lanes(lane);
}

/* @return the sum of (x - shift) (y - shift_y) */
static inline double cpu_sum_products(const float *x, float shift, const float *y,
                                      float shift_y, int64_t n)
{
    double lane[CPU_SUM_LANES] = {0};
    int64_t i = 0;

    for (; i + CPU_SUM_LANES <= n; i += CPU_SUM_LANES)
        for (int k = 0; k < CPU_SUM_LANES; k++)
            lane[k] += (double)((x[i + k] - shift) * (y[i + k] - shift_y));
    for (; i < n; i++)
        lane[i % CPU_SUM_LANES] += (double)((x[i] - shift) * (y[i] - shift_y));
    return cpu_sum_lanes(lane);
}
