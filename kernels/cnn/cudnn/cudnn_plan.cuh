/*
 * cudnn_plan.cuh - convolutions as plans of cuDNN's graph API.
 *
 * A plan is an engine of cuDNN with values for its knobs.  Its tag spells both:
 * "eng47_k2=8_k13=1"; a plan made from the tag gives the same bytes.  Plans of strict
 * problems are algorithms of the old API: "algo1".
 */
#pragma once

#include "kernels/cnn/cudnn/cudnn_try.cuh"

extern "C" {
#include "kernels/cnn/common/cnn_program.h"
}

/* What a plan computes: forward, data or filter. */
typedef struct {
    cnn_op_t op;
    int64_t x[4], w[4], y[4]; /* n, c, h, w; of w: out, in per group, h, w */
    cnn_type_t type;          /* of x, w and y, but dw */
    cnn_type_t dw_type;
    cnn_convolution_t params;
    bool channels_last;
    bool bias_relu; /* forward: y = max(y + bias, 0) with it; the bias is CNN_F32 */
    bool strict;    /* sums of products in 32 bits: the old API, planes (NCHW) */
    bool any_order;
} cudnn_problem_t;

enum { CUDNN_MAX_PARTS = 4, CUDNN_MAX_MADE = 64, CUDNN_TAG_BYTES = 192 };

/* Descriptors that are destroyed together; calls do nothing after one that failed. */
typedef struct {
    cudnnBackendDescriptor_t made[CUDNN_MAX_MADE];
    int n_made;
    cudnnStatus_t status;
} cudnn_bag_t;

/* An algorithm of the old API */
typedef struct {
    int number;
    cudnnTensorDescriptor_t x, y;
    cudnnFilterDescriptor_t w;
    cudnnConvolutionDescriptor_t convolution;
} cudnn_algorithm_t;

typedef struct {
    cudnn_problem_t problem;
    bool is_made;
    cudnn_bag_t graph, bag; /* of the operation, of engine and plan */
    cudnnBackendDescriptor_t plan;
    cudnn_algorithm_t algorithm; /* strict problems: instead of those */
    size_t workspace_bytes;
    double seconds;
    char tag[CUDNN_TAG_BYTES];
} cudnn_plan_t;

/* The tensors of a convolution: y, dx or dw is written. */
typedef struct {
    void *x, *w, *y, *bias;
} cudnn_data_t;

/*
 * Find the fastest plan by running some.
 *
 * @param limit  bytes of workspace
 * @param out    not made if cuDNN has none
 * @return ST_OK or the error of the device
 */
status_t cudnn_plan_measure(cudnnHandle_t handle, const cudnn_problem_t *problem,
                            const cudnn_data_t *data, void *workspace, size_t limit,
                            cudaStream_t stream, cudnn_plan_t *out);

/* Make the plan of a tag. @param out  not made if this cuDNN cannot */
void cudnn_plan_restore(cudnnHandle_t handle, const cudnn_problem_t *problem,
                        const char *tag, cudnn_plan_t *out);

/* The handle's stream is set. */
cudnnStatus_t cudnn_plan_run(cudnnHandle_t handle, const cudnn_plan_t *plan,
                             const cudnn_data_t *data, void *workspace);

/* Takes an empty one. */
void cudnn_plan_free(cudnn_plan_t *plan);

/* cudnn_algorithm.cu */

/* Tags of a strict problem's algorithms. @return their number, at most max */
int cudnn_algorithm_propose(const cudnn_problem_t *problem, int max,
                            char tags[][CUDNN_TAG_BYTES]);

/* Make the algorithm of a plan's tag. @return whether this cuDNN can */
bool cudnn_algorithm_make(cudnnHandle_t handle, cudnn_plan_t *plan);

cudnnStatus_t cudnn_algorithm_run(cudnnHandle_t handle, const cudnn_plan_t *plan,
                                  const cudnn_data_t *data, void *workspace);

/* Takes an empty one. */
void cudnn_algorithm_free(cudnn_algorithm_t *a);

/* cudnn_bag.cu */
cudnnBackendDescriptor_t cudnn_make(cudnn_bag_t *bag, cudnnBackendDescriptorType_t type);
void cudnn_set(cudnn_bag_t *bag, cudnnBackendDescriptor_t d,
               cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
               int64_t n, const void *values);
void cudnn_finish(cudnn_bag_t *bag, cudnnBackendDescriptor_t d);
void cudnn_bag_free(cudnn_bag_t *bag);

/* @return the operation graph of a problem, of bag->status */
cudnnBackendDescriptor_t cudnn_problem_graph(cudnn_bag_t *bag, cudnnHandle_t handle,
                                             const cudnn_problem_t *p);

/* Numbers of tensors in a graph */
enum { CUDNN_X = 1, CUDNN_W, CUDNN_Y, CUDNN_BIAS, CUDNN_SUM, CUDNN_BIASED };
