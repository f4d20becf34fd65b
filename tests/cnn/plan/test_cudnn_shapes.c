/*
 * test_cudnn_shapes.c - sizes of the outputs of all shipped networks, compared with those
 * that cuDNN computes from its descriptors.  No GPU is needed.
 */
#include "tests/support/unit_test.h"

#include "cnn/plan/cnn_plan.h"

#include <cudnn.h>

enum { N_IMAGES = 8 };

static void good(cudnnStatus_t st)
{
    if (st != CUDNN_STATUS_SUCCESS)
        fail_msg("cuDNN: %s", cudnnGetErrorString(st));
}

static void describe(const cnn_tensor_t *t, int more, cudnnTensorDescriptor_t *out)
{
    good(cudnnCreateTensorDescriptor(out));
    good(cudnnSetTensor4dDescriptor(*out, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT,
                                    (int)t->size[0], (int)t->size[1],
                                    (int)t->size[2] + more, (int)t->size[3] + more));
}

static void find_convolution(const cnn_convolution_t *p, const cnn_tensor_t *x,
                             const cnn_tensor_t *w, int size[4])
{
    cudnnConvolutionDescriptor_t convolution;
    cudnnFilterDescriptor_t filter;
    cudnnTensorDescriptor_t input;

    describe(x, 0, &input);
    good(cudnnCreateFilterDescriptor(&filter));
    good(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
                                    (int)w->size[0], (int)w->size[1], (int)w->size[2],
                                    (int)w->size[3]));
    good(cudnnCreateConvolutionDescriptor(&convolution));
    good(cudnnSetConvolution2dDescriptor(convolution, p->pad[0], p->pad[1], p->stride[0],
                                         p->stride[1], 1, 1, CUDNN_CROSS_CORRELATION,
                                         CUDNN_DATA_FLOAT));
    good(cudnnSetConvolutionGroupCount(convolution, p->groups));
    good(cudnnGetConvolution2dForwardOutputDim(convolution, input, filter, &size[0],
                                               &size[1], &size[2], &size[3]));
    good(cudnnDestroyConvolutionDescriptor(convolution));
    good(cudnnDestroyFilterDescriptor(filter));
    good(cudnnDestroyTensorDescriptor(input));
}

/* cuDNN rounds down; images that are larger by stride - 1 round up. */
static void find_pool(const cnn_pool_t *p, const cnn_tensor_t *x, int size[4])
{
    cudnnPoolingDescriptor_t pooling;
    cudnnTensorDescriptor_t input;

    assert_int_equal(p->stride[0], p->stride[1]);
    describe(x, p->is_ceil ? p->stride[0] - 1 : 0, &input);
    good(cudnnCreatePoolingDescriptor(&pooling));
    good(cudnnSetPooling2dDescriptor(pooling, CUDNN_POOLING_MAX, CUDNN_PROPAGATE_NAN,
                                     p->kernel[0], p->kernel[1], p->pad[0], p->pad[1],
                                     p->stride[0], p->stride[1]));
    good(cudnnGetPooling2dForwardOutputDim(pooling, input, &size[0], &size[1], &size[2],
                                           &size[3]));
    good(cudnnDestroyPoolingDescriptor(pooling));
    good(cudnnDestroyTensorDescriptor(input));
}

/* @return whether a step has a descriptor in cuDNN */
static bool compare(const cnn_program_t *p, const cnn_step_t *step)
{
    const cnn_tensor_t *x = &p->tensors[step->reads[0]];
    const cnn_tensor_t *y = &p->tensors[step->writes[0]];
    int size[4];

    if (step->op == CNN_CONVOLUTION)
        find_convolution(&step->params.convolution, x, &p->tensors[step->reads[1]], size);
    else if (step->op == CNN_POOL)
        find_pool(&step->params.pool, x, size);
    else
        return false;
    for (int i = 0; i < 4; i++)
        if (size[i] != y->size[i])
            fail_msg("%s: size %d is %d, not %d", p->layers[step->layer], i,
                     (int)y->size[i], size[i]);
    return true;
}

/* @return the number of steps compared */
static int compare_net(const char *name)
{
    const cnn_plan_options_t options = {N_IMAGES, CNN_PLAN_FP32, CNN_PLAN_INFERENCE,
                                        CNN_PLACE_NET, false};
    cnn_program_t *p;
    cnn_net_t *net;
    int n = 0;

    assert_int_equal(cnn_net_read(name, 0, &net), ST_OK);
    assert_int_equal(cnn_plan_compile(net, &options, &p), ST_OK);
    for (int s = 0; s < p->n_steps; s++)
        n += compare(p, &p->steps[s]);
    cnn_program_destroy(p);
    cnn_net_destroy(net);
    return n;
}

static void shipped_nets_have_the_sizes_that_cudnn_computes(void **state)
{
    (void)state;
    assert_int_equal(compare_net("lenet"), 4);
    assert_int_equal(compare_net("alexnet"), 8);
    assert_int_equal(compare_net("overfeat-fast"), 8);
    assert_int_equal(compare_net("vgg-a"), 13);
    assert_int_equal(compare_net("googlenet"), 57 + 14);
    assert_int_equal(compare_net("kmer-lenet"), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_nets_have_the_sizes_that_cudnn_computes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
