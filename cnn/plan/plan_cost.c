/*
 * plan_cost.c - flops by operation.
 */
#include "cnn/plan/plan_builder.h"

/* Products and sums of a convolution or linear layer, forward or for a gradient. */
static double products(const cnn_tensor_t *y, const cnn_tensor_t *w)
{
    return 2 * (double)cnn_tensor_n(y) * (double)(cnn_tensor_n(w) / w->size[0]);
}

static double flops(const cnn_step_t *s, const cnn_tensor_t *const *in,
                    const cnn_tensor_t *const *out)
{
    double n_in = (double)cnn_tensor_n(in[0]), n_out = (double)cnn_tensor_n(out[0]);
    const int *window = s->params.pool.kernel;

    switch (s->op) {
    case CNN_CONVOLUTION:
    case CNN_LINEAR:
        return products(out[0], in[1]) + (s->n_reads > 2 ? n_out : 0);
    case CNN_CONVOLUTION_BACKWARD_DATA:
    case CNN_LINEAR_BACKWARD_DATA:
        return products(in[0], in[1]);
    case CNN_CONVOLUTION_BACKWARD_FILTER:
        return products(in[1], out[0]) +
               (s->n_writes > 1 ? (double)cnn_tensor_n(in[1]) : 0);
    case CNN_LINEAR_BACKWARD_WEIGHTS:
        return 2 * (double)in[1]->size[0] * n_out +
               (s->n_writes > 1 ? (double)cnn_tensor_n(in[1]) : 0);
    case CNN_POOL:
        return n_out * window[0] * window[1];
    case CNN_POOL_BACKWARD:
        return (double)cnn_tensor_n(in[2]) * window[0] * window[1];
    case CNN_LRN:
        return n_in * (2 * s->params.lrn.size + 4);
    case CNN_LRN_BACKWARD:
        return n_in * (4 * s->params.lrn.size + 7);
    case CNN_RELU:
    case CNN_RELU_BACKWARD:
    case CNN_DROPOUT:
    case CNN_DROPOUT_BACKWARD:
    case CNN_ADD:
        return n_out;
    case CNN_BATCH_NORM:
        return 6 * n_in;
    case CNN_BATCH_NORM_INFERENCE:
    case CNN_BATCH_NORM_WHOLE:
        return 2 * n_in;
    case CNN_BATCH_NORM_PART:
    case CNN_BATCH_NORM_BACKWARD_PART:
        return 4 * n_in;
    case CNN_BATCH_NORM_BACKWARD_WHOLE:
        return 5 * n_in;
    case CNN_BATCH_NORM_BACKWARD:
        return 9 * n_in;
    case CNN_SOFTMAX:
    case CNN_SOFTMAX_LOSS:
        return 4 * n_in;
    case CNN_SOFTMAX_LOSS_BACKWARD:
        return 2 * n_in;
    case CNN_SGD:
        return 6 * n_in;
    case CNN_ADAM:
        return 14 * n_in;
    case CNN_CONCAT:
    case CNN_CONCAT_BACKWARD:
    case CNN_CAST:
    case CNN_GATHER:
    case CNN_SUM:
    case CNN_FETCH:
    case CNN_EVICT:
    case CNN_N_OPS:
        break;
    }
    return 0;
}

void plan_cost_fill(const cnn_program_t *p, cnn_step_t *s)
{
    const cnn_tensor_t *in[CNN_MAX_READS], *out[CNN_MAX_WRITES];

    s->bytes = 0;
    for (int i = 0; i < s->n_reads; i++) {
        in[i] = &p->tensors[s->reads[i]];
        s->bytes += (double)cnn_tensor_bytes(in[i]);
    }
    for (int i = 0; i < s->n_writes; i++) {
        out[i] = &p->tensors[s->writes[i]];
        s->bytes += (double)cnn_tensor_bytes(out[i]);
    }
    s->flops = flops(s, in, out);
}
