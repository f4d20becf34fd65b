/*
 * cnn_gpu_ops.cu - the table of the shared kernels, and which steps run as one.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_pointwise.cuh"

namespace
{

/* Whether step `next` reads what steps [first, next) write */
bool reads_result(const cnn_gpu_t *g, int first, int next)
{
    const int read = cnn_gpu_step(g, next)->reads[0];

    for (int k = first; k < next; k++)
        for (int w = 0; w < cnn_gpu_step(g, k)->n_writes; w++)
            if (cnn_gpu_step(g, k)->writes[w] == read)
                return true;
    return false;
}

/* ReLU in place of what batch norm has written */
bool is_relu_of(const cnn_step_t *norm, const cnn_step_t *relu)
{
    return relu->op == CNN_RELU && relu->reads[0] == norm->writes[0] &&
           relu->writes[0] == norm->writes[0];
}

} // namespace

bool cnn_gpu_joins(const cnn_gpu_t *g, int first, int next)
{
    const cnn_step_t *a = cnn_gpu_step(g, first), *b = cnn_gpu_step(g, next);

    if (a->op == CNN_BATCH_NORM || a->op == CNN_BATCH_NORM_WHOLE)
        return next == first + 1 && is_relu_of(a, b);
    if (a->op != b->op)
        return false;
    switch (a->op) {
    case CNN_SGD:
    case CNN_ADAM:
        return true;
    case CNN_CAST:
        return !reads_result(g, first, next);
    case CNN_CONCAT_BACKWARD:
        return next - first < CNN_MAX_READS && a->reads[0] == b->reads[0];
    default:
        return false;
    }
}

status_t cnn_gpu_prepare(cnn_gpu_t *g)
{
    for (int k = 0; k < g->program->n_steps; k++) {
        const cnn_step_t *s = cnn_gpu_step(g, k);

        if (!cnn_gpu_runs(g, k))
            continue;
        switch (s->op) {
        case CNN_CONVOLUTION_BACKWARD_FILTER:
        case CNN_LINEAR_BACKWARD_WEIGHTS:
            cnn_gpu_needs(g, cnn_sums_bytes(cnn_gpu_tensor(g, s->reads[1])));
            break;
        case CNN_BATCH_NORM:
        case CNN_BATCH_NORM_BACKWARD:
        case CNN_BATCH_NORM_PART:
        case CNN_BATCH_NORM_BACKWARD_PART:
        case CNN_BATCH_NORM_BACKWARD_WHOLE:
            cnn_gpu_needs(g, cnn_sums_bytes(cnn_gpu_tensor(g, s->reads[0])));
            break;
        case CNN_SOFTMAX_LOSS:
            cnn_gpu_needs(g, size_t(cnn_gpu_tensor(g, s->reads[0])->size[0]) * 8);
            break;
        default:
            break;
        }
    }
    return cnn_update_prepare(g);
}

const cnn_gpu_launch_t cnn_gpu_launch[CNN_N_OPS] = {
    /* CNN_CONVOLUTION */ nullptr,
    /* CNN_CONVOLUTION_BACKWARD_DATA */ nullptr,
    /* CNN_CONVOLUTION_BACKWARD_FILTER */ nullptr,
    /* CNN_POOL */ cnn_pool,
    /* CNN_POOL_BACKWARD */ cnn_pool,
    /* CNN_LRN */ cnn_lrn,
    /* CNN_LRN_BACKWARD */ cnn_lrn_backward,
    /* CNN_LINEAR */ nullptr,
    /* CNN_LINEAR_BACKWARD_DATA */ nullptr,
    /* CNN_LINEAR_BACKWARD_WEIGHTS */ nullptr,
    /* CNN_RELU */ cnn_relu,
    /* CNN_RELU_BACKWARD */ cnn_relu_backward,
    /* CNN_DROPOUT */ cnn_dropout,
    /* CNN_DROPOUT_BACKWARD */ cnn_dropout,
    /* CNN_BATCH_NORM */ cnn_batch_norm,
    /* CNN_BATCH_NORM_INFERENCE */ cnn_batch_norm_inference,
    /* CNN_BATCH_NORM_BACKWARD */ cnn_batch_norm_backward,
    /* CNN_BATCH_NORM_PART */ cnn_batch_norm_part,
    /* CNN_BATCH_NORM_WHOLE */ cnn_batch_norm_whole,
    /* CNN_BATCH_NORM_BACKWARD_PART */ cnn_batch_norm_backward_part,
    /* CNN_BATCH_NORM_BACKWARD_WHOLE */ cnn_batch_norm_backward_whole,
    /* CNN_GATHER */ nullptr,
    /* CNN_SUM */ nullptr,
    /* CNN_CONCAT */ cnn_concat,
    /* CNN_CONCAT_BACKWARD */ cnn_concat_backward,
    /* CNN_ADD */ cnn_add,
    /* CNN_SOFTMAX_LOSS */ cnn_softmax_loss,
    /* CNN_SOFTMAX_LOSS_BACKWARD */ cnn_softmax_loss_backward,
    /* CNN_SOFTMAX */ cnn_softmax,
    /* CNN_CAST */ cnn_update,
    /* CNN_SGD */ cnn_update,
    /* CNN_ADAM */ cnn_update,
    /* CNN_FETCH */ cnn_gpu_swap,
    /* CNN_EVICT */ cnn_gpu_swap,
};
