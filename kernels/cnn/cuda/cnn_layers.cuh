/*
 * cnn_layers.cuh - pooling, LRN, batch norm, softmax and loss, updates of parameters,
 * sums per channel.
 */
#pragma once

#include "kernels/cnn/cuda/cnn_gpu.cuh"

/* Forward and backward */
status_t cnn_pool(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_lrn(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_lrn_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_batch_norm(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_batch_norm_inference(cnn_gpu_t *g, int first, int last,
                                  const cnn_lane_t *lane);
status_t cnn_batch_norm_backward(cnn_gpu_t *g, int first, int last,
                                 const cnn_lane_t *lane);
status_t cnn_batch_norm_part(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_batch_norm_whole(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_batch_norm_backward_part(cnn_gpu_t *g, int first, int last,
                                      const cnn_lane_t *lane);
status_t cnn_batch_norm_backward_whole(cnn_gpu_t *g, int first, int last,
                                       const cnn_lane_t *lane);
status_t cnn_softmax(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_softmax_loss(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_softmax_loss_backward(cnn_gpu_t *g, int first, int last,
                                   const cnn_lane_t *lane);

/* Several steps of one kind at once */
status_t cnn_update(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_update_prepare(cnn_gpu_t *g); /* tables of all updates and casts */

/* Bytes of workspace that sums per channel of a tensor take. */
size_t cnn_sums_bytes(const cnn_tensor_t *t);

/* sums[c] = sum of x over images and pixels, always in the same order. */
status_t cnn_sums(cnn_gpu_t *g, int x, float *sums, const cnn_lane_t *lane);
