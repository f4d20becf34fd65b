/*
 * cudnn_state.cuh - what the backend "cudnn" adds to the shared state.
 */
#pragma once

#include "kernels/cnn/cuda/cnn_gpu.cuh"
#include "kernels/cnn/cudnn/cudnn_plan.cuh"

/* Handles of a lane */
typedef struct {
    cudnnHandle_t cudnn;
    cublasLtHandle_t cublas;
    /* of the old API, for LRN */
    cudnnTensorDescriptor_t tensor;
    cudnnLRNDescriptor_t lrn;
} cudnn_lane_t;

/* A matrix product of a fully connected layer, as cuBLAS sees it: by columns */
typedef struct {
    cnn_op_t op;
    int64_t n, in, out; /* images, elements of an image before and after */
    int64_t dy_stride; /* from an image's gradient to the next: more than `out` where w is
                        * some rows */
    cnn_type_t type, result_type;
    bool bias, relu; /* in the epilogue */
    bool tf32;
} cublas_problem_t;

typedef struct {
    cublas_problem_t problem;
    cublasLtMatmulDesc_t multiply;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulAlgo_t algo;
    size_t workspace_bytes;
    double seconds;
} cublas_plan_t;

/* Plans of a step, numbers in the lists below; -1: none */
typedef struct {
    int plan;  /* alone */
    int fused; /* with the ReLU in the step behind it, if that is faster */
} cudnn_choice_t;

typedef struct {
    cudnn_plan_t *convolutions; /* one of each problem */
    int n_convolutions;
    cublas_plan_t *products;
    int n_products;
    cudnn_choice_t *choices; /* [n_steps] */
} cudnn_state_t;

static inline cudnn_state_t *cudnn_state(const cnn_gpu_t *g)
{
    return static_cast<cudnn_state_t *>(g->own);
}

static inline const cudnn_lane_t *cudnn_lane(const cnn_lane_t *lane)
{
    return static_cast<const cudnn_lane_t *>(lane->own);
}

/* cudnn_choice.cu */

/* Whether a step is ReLU in place of what the one before it wrote */
bool cudnn_is_relu_of(const cnn_gpu_t *g, int step, int relu);

/* Write what the line of a choice begins with: "STEP LAYER OPERATION what ".
 * @return its length */
int cudnn_choice_key(const cnn_gpu_t *g, int step, const char *what, char *out,
                     size_t size);

/* Write the first line of choices: the library's version. @return its length */
int cudnn_choice_head(char *out, size_t size);

/* Whether choices of an earlier run with the same cuDNN are taken where they run */
bool cudnn_is_hinted(const cnn_gpu_t *g);

/* Whether a step computes a part of what it did when nothing was divided: algorithms that
 * were chosen for that are not its own. */
bool cudnn_is_part(const cnn_gpu_t *g, int step);

/*
 * Find what an earlier run chose.
 *
 * @param what  "plan" or "fused"
 * @param tag   [CUDNN_TAG_BYTES]
 * @return whether there is one
 */
bool cudnn_find_choice(const cnn_gpu_t *g, int step, const char *what, char *tag);

/* cudnn_convolution.cu, cublas_linear.cu: choose plans of a step; launch it. */
status_t cudnn_convolution_prepare(cnn_gpu_t *g, int step);
status_t cudnn_convolution(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cudnn_convolution_backward(cnn_gpu_t *g, int first, int last,
                                    const cnn_lane_t *lane);
status_t cublas_linear_prepare(cnn_gpu_t *g, int step);
status_t cublas_linear(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cublas_linear_backward(cnn_gpu_t *g, int first, int last,
                                const cnn_lane_t *lane);
void cublas_plan_free(cublas_plan_t *plan);
/* [CUDNN_TAG_BYTES] */
void cublas_plan_tag(const cublas_plan_t *plan, char *tag);

/* cudnn_lrn.cu */
status_t cudnn_lrn(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
status_t cudnn_lrn_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane);
