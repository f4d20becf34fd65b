/*
 * cnn_pointwise.cuh - operations on single elements, and copies of channels.
 */
#pragma once

#include "kernels/cnn/cuda/cnn_gpu.cuh"

status_t cnn_relu(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_relu_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_add(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_dropout(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_concat(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cnn_concat_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);

/* y = y + bias per channel, then max(y, 0) with `relu`. */
status_t cnn_bias(cnn_gpu_t *g, int y, int bias, bool relu, const cnn_lane_t *lane);
