/*
 * serial_step.h - what a step of the backend `serial` computes on, and its operations.
 *
 * One file per kind of layer: serial_convolution.c, serial_pool.c, ...
 */
#pragma once

#include "kernels/cnn/common/cnn_backend.h"

/* A tensor: its size and values in NCHW order. */
typedef struct {
    const int64_t *size; /* n, c, h, w */
    int64_t n;           /* elements */
    double *value;
} serial_tensor_t;

/* In the order of cnn_op.h. */
typedef struct {
    const cnn_params_t *params;
    const cnn_iteration_t *iteration;
    int n_in, n_out;
    serial_tensor_t in[CNN_MAX_READS], out[CNN_MAX_WRITES];
} serial_step_t;

static inline double *serial_at(const serial_tensor_t *t, int64_t n, int64_t c, int64_t h,
                                int64_t w)
{
    const int64_t *size = t->size;

    return &t->value[((n * size[1] + c) * size[2] + h) * size[3] + w];
}

static inline void serial_clear(const serial_tensor_t *t)
{
    for (int64_t i = 0; i < t->n; i++)
        t->value[i] = 0;
}

void serial_convolution(const serial_step_t *s);
void serial_convolution_backward_data(const serial_step_t *s);
void serial_convolution_backward_filter(const serial_step_t *s);
void serial_pool(const serial_step_t *s);
void serial_pool_backward(const serial_step_t *s);
void serial_lrn(const serial_step_t *s);
void serial_lrn_backward(const serial_step_t *s);
void serial_linear(const serial_step_t *s);
void serial_linear_backward_data(const serial_step_t *s);
void serial_linear_backward_weights(const serial_step_t *s);
void serial_relu(const serial_step_t *s);
void serial_relu_backward(const serial_step_t *s);
void serial_dropout(const serial_step_t *s); /* and its gradient */
void serial_batch_norm(const serial_step_t *s);
void serial_batch_norm_inference(const serial_step_t *s);
void serial_batch_norm_backward(const serial_step_t *s);
void serial_batch_norm_part(const serial_step_t *s);
void serial_batch_norm_whole(const serial_step_t *s);
void serial_batch_norm_backward_part(const serial_step_t *s);
void serial_batch_norm_backward_whole(const serial_step_t *s);
void serial_concat(const serial_step_t *s);
void serial_concat_backward(const serial_step_t *s);
void serial_add(const serial_step_t *s);
void serial_softmax(const serial_step_t *s);
void serial_softmax_loss(const serial_step_t *s);
void serial_softmax_loss_backward(const serial_step_t *s);
void serial_cast(const serial_step_t *s);
void serial_sgd(const serial_step_t *s);
void serial_adam(const serial_step_t *s);
