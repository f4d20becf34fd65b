/*
 * cudnn_bag.cu - descriptors of cuDNN's backend, and a convolution made of them.
 */
#include "kernels/cnn/cudnn/cudnn_plan.cuh"

#include <cstring>

cudnnBackendDescriptor_t cudnn_make(cudnn_bag_t *bag, cudnnBackendDescriptorType_t type)
{
    cudnnBackendDescriptor_t d = nullptr;

    if (bag->status != CUDNN_STATUS_SUCCESS)
        return nullptr;
    if (bag->n_made == CUDNN_MAX_MADE)
        bag->status = CUDNN_STATUS_ALLOC_FAILED;
    else if ((bag->status = cudnnBackendCreateDescriptor(type, &d)) ==
             CUDNN_STATUS_SUCCESS)
        bag->made[bag->n_made++] = d;
    return d;
}

void cudnn_set(cudnn_bag_t *bag, cudnnBackendDescriptor_t d,
               cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
               int64_t n, const void *values)
{
    if (bag->status == CUDNN_STATUS_SUCCESS)
        bag->status = cudnnBackendSetAttribute(d, name, type, n, values);
}

void cudnn_finish(cudnn_bag_t *bag, cudnnBackendDescriptor_t d)
{
    if (bag->status == CUDNN_STATUS_SUCCESS)
        bag->status = cudnnBackendFinalize(d);
}

void cudnn_bag_free(cudnn_bag_t *bag)
{
    while (bag->n_made > 0)
        cudnnBackendDestroyDescriptor(bag->made[--bag->n_made]);
    memset(bag, 0, sizeof(*bag));
}

namespace
{

cudnnDataType_t type_of(cnn_type_t type)
{
    return type == CNN_BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

cudnnBackendDescriptor_t make_tensor(cudnn_bag_t *bag, const cudnn_problem_t *p,
                                     const int64_t size[4], int64_t number,
                                     cudnnDataType_t type, bool is_virtual)
{
    const int64_t c = size[1], h = size[2], w = size[3], alignment = 16;
    const int64_t planes[4] = {c * h * w, h * w, w, 1};
    const int64_t pixels[4] = {c * h * w, 1, w * c, c};
    const cudnnBackendDescriptor_t d = cudnn_make(bag, CUDNN_BACKEND_TENSOR_DESCRIPTOR);

    cudnn_set(bag, d, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, &type);
    cudnn_set(bag, d, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 4, size);
    cudnn_set(bag, d, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 4,
              p->channels_last ? pixels : planes);
    cudnn_set(bag, d, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, &number);
    cudnn_set(bag, d, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, &alignment);
    if (is_virtual)
        cudnn_set(bag, d, CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1,
                  &is_virtual);
    cudnn_finish(bag, d);
    return d;
}

cudnnBackendDescriptor_t make_convolution(cudnn_bag_t *bag, const cnn_convolution_t *c)
{
    const int64_t n_dims = 2, ones[2] = {1, 1};
    const int64_t pad[2] = {c->pad[0], c->pad[1]};
    const int64_t stride[2] = {c->stride[0], c->stride[1]};
    const cudnnDataType_t compute = CUDNN_DATA_FLOAT;
    const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
    const cudnnBackendDescriptor_t d =
        cudnn_make(bag, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);

    cudnn_set(bag, d, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, &n_dims);
    cudnn_set(bag, d, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1,
              &compute);
    cudnn_set(bag, d, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1,
              &mode);
    cudnn_set(bag, d, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 2, pad);
    cudnn_set(bag, d, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 2, pad);
    cudnn_set(bag, d, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 2, ones);
    cudnn_set(bag, d, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 2, stride);
    cudnn_finish(bag, d);
    return d;
}

/* The attributes of the three operations, in the order x, w, y, convolution, factors */
typedef struct {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t x, w, y, convolution, alpha, beta;
} operation_t;

const operation_t forward_operation = {
    CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
};
const operation_t data_operation = {
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
};
const operation_t filter_operation = {
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
};

const operation_t *operation_of(cnn_op_t op)
{
    switch (op) {
    case CNN_CONVOLUTION_BACKWARD_DATA:
        return &data_operation;
    case CNN_CONVOLUTION_BACKWARD_FILTER:
        return &filter_operation;
    default:
        return &forward_operation;
    }
}

cudnnBackendDescriptor_t make_operation(cudnn_bag_t *bag, const cudnn_problem_t *p,
                                        cudnnBackendDescriptor_t x,
                                        cudnnBackendDescriptor_t w,
                                        cudnnBackendDescriptor_t y)
{
    const operation_t *o = operation_of(p->op);
    const float one = 1, zero = 0;
    const cudnnBackendDescriptor_t c = make_convolution(bag, &p->params);
    const cudnnBackendDescriptor_t d = cudnn_make(bag, o->type);

    cudnn_set(bag, d, o->x, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &x);
    cudnn_set(bag, d, o->w, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &w);
    cudnn_set(bag, d, o->y, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &y);
    cudnn_set(bag, d, o->convolution, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &c);
    cudnn_set(bag, d, o->alpha, CUDNN_TYPE_FLOAT, 1, &one);
    cudnn_set(bag, d, o->beta, CUDNN_TYPE_FLOAT, 1, &zero);
    cudnn_finish(bag, d);
    return d;
}

/* y = x + b, or max(x, 0) without b */
cudnnBackendDescriptor_t make_pointwise(cudnn_bag_t *bag, cudnnBackendDescriptor_t x,
                                        cudnnBackendDescriptor_t b,
                                        cudnnBackendDescriptor_t y)
{
    const cudnnPointwiseMode_t mode =
        b != nullptr ? CUDNN_POINTWISE_ADD : CUDNN_POINTWISE_RELU_FWD;
    const cudnnDataType_t compute = CUDNN_DATA_FLOAT;
    const cudnnBackendDescriptor_t f =
        cudnn_make(bag, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    cudnnBackendDescriptor_t d;

    cudnn_set(bag, f, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, 1, &mode);
    cudnn_set(bag, f, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, 1, &compute);
    cudnn_finish(bag, f);
    d = cudnn_make(bag, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    cudnn_set(bag, d, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
              CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &f);
    cudnn_set(bag, d, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
              1, &x);
    if (b != nullptr)
        cudnn_set(bag, d, CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                  CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &b);
    cudnn_set(bag, d, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, CUDNN_TYPE_BACKEND_DESCRIPTOR,
              1, &y);
    cudnn_finish(bag, d);
    return d;
}

} // namespace

cudnnBackendDescriptor_t cudnn_problem_graph(cudnn_bag_t *bag, cudnnHandle_t handle,
                                             const cudnn_problem_t *p)
{
    const int64_t channels[4] = {1, p->y[1], 1, 1};
    const bool fused = p->bias_relu;
    const cudnnDataType_t type = type_of(p->type);
    const cudnnBackendDescriptor_t x = make_tensor(bag, p, p->x, CUDNN_X, type, false);
    const cudnnBackendDescriptor_t w =
        make_tensor(bag, p, p->w, CUDNN_W,
                    p->op == CNN_CONVOLUTION_BACKWARD_FILTER ? type_of(p->dw_type) : type,
                    false);
    const cudnnBackendDescriptor_t y = make_tensor(bag, p, p->y, CUDNN_Y, type, false);
    const cudnnBackendDescriptor_t sum =
        fused ? make_tensor(bag, p, p->y, CUDNN_SUM, CUDNN_DATA_FLOAT, true) : y;
    cudnnBackendDescriptor_t ops[3], d;
    int64_t n = 0;

    ops[n++] = make_operation(bag, p, x, w, sum);
    if (fused) {
        const cudnnBackendDescriptor_t bias =
            make_tensor(bag, p, channels, CUDNN_BIAS, CUDNN_DATA_FLOAT, false);
        const cudnnBackendDescriptor_t biased =
            make_tensor(bag, p, p->y, CUDNN_BIASED, CUDNN_DATA_FLOAT, true);

        ops[n++] = make_pointwise(bag, sum, bias, biased);
        ops[n++] = make_pointwise(bag, biased, nullptr, y);
    }
    d = cudnn_make(bag, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    cudnn_set(bag, d, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, n,
              ops);
    cudnn_set(bag, d, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    cudnn_finish(bag, d);
    return d;
}
