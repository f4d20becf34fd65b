/*
 * cudnn_algorithm.cu - strict convolutions: algorithms of cuDNN's old API.
 *
 * Numerical notes of plans do not tell all: a filter gradient of 5 x 5 was wrong
 * by 2.7e-4 of the largest.  The old API names its algorithms, and CUDNN_FMA_MATH keeps
 * tensor cores out.  Those below add products of 32-bit floats, or of their transforms:
 * Fourier's, whose errors grow with the logarithm of a tile, and Winograd's for 3 x 3
 * with tiles of 4 x 4 and 6 x 6, whose errors are about 1e-5 of the largest result (Lavin
 * and Gray, 2015); for 5 x 5 the tiles are of 13 x 13 and lose more.
 */
#include "kernels/cnn/cudnn/cudnn_plan.cuh"

#include <cstdio>
#include <cstring>

namespace
{

bool is_3x3(const cudnn_problem_t *p)
{
    return p->w[2] == 3 && p->w[3] == 3;
}

bool forward_is_allowed(const cudnn_problem_t *p, int algorithm)
{
    switch (algorithm) {
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM:
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM:
    case CUDNN_CONVOLUTION_FWD_ALGO_GEMM:
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT:
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING:
        return true;
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD:
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED:
        return is_3x3(p);
    default:
        return false;
    }
}

bool data_is_allowed(const cudnn_problem_t *p, int algorithm)
{
    switch (algorithm) {
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_1:
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT:
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING:
        return true;
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD:
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED:
        return is_3x3(p);
    case CUDNN_CONVOLUTION_BWD_DATA_ALGO_0:
        return p->any_order;
    default:
        return false;
    }
}

bool filter_is_allowed(const cudnn_problem_t *p, int algorithm)
{
    switch (algorithm) {
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING:
        return true;
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED:
        return is_3x3(p);
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0:
    case CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3:
        return p->any_order;
    default:
        return false;
    }
}

/* Those that add in the order of arrival are for problems that take any order. */
bool is_allowed(const cudnn_problem_t *p, int algorithm)
{
    if (p->op == CNN_CONVOLUTION_BACKWARD_DATA)
        return data_is_allowed(p, algorithm);
    if (p->op == CNN_CONVOLUTION_BACKWARD_FILTER)
        return filter_is_allowed(p, algorithm);
    return forward_is_allowed(p, algorithm);
}

cudnnStatus_t describe_tensor(const int64_t size[4], cudnnTensorDescriptor_t *out)
{
    const cudnnStatus_t status = cudnnCreateTensorDescriptor(out);

    if (status != CUDNN_STATUS_SUCCESS)
        return status;
    return cudnnSetTensor4dDescriptor(*out, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT,
                                      int(size[0]), int(size[1]), int(size[2]),
                                      int(size[3]));
}

cudnnStatus_t describe(const cudnn_problem_t *p, cudnn_algorithm_t *out)
{
    const cnn_convolution_t *c = &p->params;
    cudnnStatus_t status = describe_tensor(p->x, &out->x);

    if (status == CUDNN_STATUS_SUCCESS)
        status = describe_tensor(p->y, &out->y);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnCreateFilterDescriptor(&out->w);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnSetFilter4dDescriptor(out->w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
                                            int(p->w[0]), int(p->w[1]), int(p->w[2]),
                                            int(p->w[3]));
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnCreateConvolutionDescriptor(&out->convolution);
    if (status == CUDNN_STATUS_SUCCESS)
        status =
            cudnnSetConvolution2dDescriptor(out->convolution, int(c->pad[0]),
                                            int(c->pad[1]), int(c->stride[0]),
                                            int(c->stride[1]), 1, 1,
                                            CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT);
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnSetConvolutionGroupCount(out->convolution, int(p->x[1] / p->w[1]));
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnSetConvolutionMathType(out->convolution, CUDNN_FMA_MATH);
    return status;
}

cudnnStatus_t get_workspace(cudnnHandle_t handle, cnn_op_t op, const cudnn_algorithm_t *a,
                            size_t *bytes)
{
    switch (op) {
    case CNN_CONVOLUTION_BACKWARD_DATA:
        return cudnnGetConvolutionBackwardDataWorkspaceSize(
            handle, a->w, a->y, a->convolution, a->x,
            static_cast<cudnnConvolutionBwdDataAlgo_t>(a->number), bytes);
    case CNN_CONVOLUTION_BACKWARD_FILTER:
        return cudnnGetConvolutionBackwardFilterWorkspaceSize(
            handle, a->x, a->y, a->convolution, a->w,
            static_cast<cudnnConvolutionBwdFilterAlgo_t>(a->number), bytes);
    default:
        return cudnnGetConvolutionForwardWorkspaceSize(
            handle, a->x, a->w, a->convolution, a->y,
            static_cast<cudnnConvolutionFwdAlgo_t>(a->number), bytes);
    }
}

} // namespace

int cudnn_algorithm_propose(const cudnn_problem_t *problem, int max,
                            char tags[][CUDNN_TAG_BYTES])
{
    int n = 0;

    for (int k = 0; k < CUDNN_CONVOLUTION_FWD_ALGO_COUNT && n < max; k++)
        if (is_allowed(problem, k))
            snprintf(tags[n++], CUDNN_TAG_BYTES, "algo%d", k);
    return n;
}

bool cudnn_algorithm_make(cudnnHandle_t handle, cudnn_plan_t *plan)
{
    cudnn_algorithm_t *a = &plan->algorithm;

    if (sscanf(plan->tag, "algo%d", &a->number) != 1 ||
        !is_allowed(&plan->problem, a->number))
        return false;
    return describe(&plan->problem, a) == CUDNN_STATUS_SUCCESS &&
           get_workspace(handle, plan->problem.op, a, &plan->workspace_bytes) ==
               CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnn_algorithm_run(cudnnHandle_t handle, const cudnn_plan_t *plan,
                                  const cudnn_data_t *data, void *workspace)
{
    const cudnn_algorithm_t *a = &plan->algorithm;
    const size_t bytes = plan->workspace_bytes;
    const float one = 1, zero = 0;

    switch (plan->problem.op) {
    case CNN_CONVOLUTION_BACKWARD_DATA:
        return cudnnConvolutionBackwardData(handle, &one, a->w, data->w, a->y, data->y,
                                            a->convolution,
                                            static_cast<cudnnConvolutionBwdDataAlgo_t>(
                                                a->number),
                                            workspace, bytes, &zero, a->x, data->x);
    case CNN_CONVOLUTION_BACKWARD_FILTER:
        return cudnnConvolutionBackwardFilter(
            handle, &one, a->x, data->x, a->y, data->y, a->convolution,
            static_cast<cudnnConvolutionBwdFilterAlgo_t>(a->number), workspace, bytes,
            &zero, a->w, data->w);
    default:
        return cudnnConvolutionForward(handle, &one, a->x, data->x, a->w, data->w,
                                       a->convolution,
                                       static_cast<cudnnConvolutionFwdAlgo_t>(a->number),
                                       workspace, bytes, &zero, a->y, data->y);
    }
}

void cudnn_algorithm_free(cudnn_algorithm_t *a)
{
    if (a->convolution != nullptr)
        cudnnDestroyConvolutionDescriptor(a->convolution);
    if (a->w != nullptr)
        cudnnDestroyFilterDescriptor(a->w);
    if (a->y != nullptr)
        cudnnDestroyTensorDescriptor(a->y);
    if (a->x != nullptr)
        cudnnDestroyTensorDescriptor(a->x);
    memset(a, 0, sizeof(*a));
}
