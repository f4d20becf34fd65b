/*
 * cudnn_lrn.cu - LRN by cuDNN's old API, for NCHW tensors of 32-bit floats; others go to
 * the shared kernels.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cudnn/cudnn_state.cuh"

namespace
{

/* cuDNN's window of an even size and its limits of k and beta differ from ours. */
bool takes(const cnn_gpu_t *g, const cnn_step_t *s)
{
    const cnn_lrn_t *p = &s->params.lrn;

    return !g->channels_last && cnn_gpu_tensor(g, s->reads[0])->type == CNN_F32 &&
           p->size % 2 == 1 && p->size <= int(CUDNN_LRN_MAX_N) &&
           p->k >= CUDNN_LRN_MIN_K && p->beta >= CUDNN_LRN_MIN_BETA;
}

status_t describe(const cnn_gpu_t *g, const cnn_step_t *s, const cudnn_lane_t *l)
{
    const int64_t *size = cnn_gpu_tensor(g, s->reads[0])->size;
    const cnn_lrn_t *p = &s->params.lrn;
    const status_t st = CUDNN_TRY(
        cudnnSetLRNDescriptor(l->lrn, unsigned(p->size), p->alpha, p->beta, p->k));

    if (st != ST_OK)
        return st;
    return CUDNN_TRY(cudnnSetTensor4dDescriptor(l->tensor, CUDNN_TENSOR_NCHW,
                                                CUDNN_DATA_FLOAT, int(size[0]),
                                                int(size[1]), int(size[2]),
                                                int(size[3])));
}

} // namespace

status_t cudnn_lrn(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cudnn_lane_t *l = cudnn_lane(lane);
    const float one = 1, zero = 0;
    status_t st;

    if (!takes(g, s))
        return cnn_lrn(g, first, last, lane);
    if ((st = describe(g, s, l)) != ST_OK)
        return st;
    return CUDNN_TRY(cudnnLRNCrossChannelForward(l->cudnn, l->lrn,
                                                 CUDNN_LRN_CROSS_CHANNEL_DIM1, &one,
                                                 l->tensor, g->at[s->reads[0]], &zero,
                                                 l->tensor, g->at[s->writes[0]]));
}

status_t cudnn_lrn_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const cudnn_lane_t *l = cudnn_lane(lane);
    const float one = 1, zero = 0;
    status_t st;

    if (!takes(g, s))
        return cnn_lrn_backward(g, first, last, lane);
    if ((st = describe(g, s, l)) != ST_OK)
        return st;
    return CUDNN_TRY(
        cudnnLRNCrossChannelBackward(l->cudnn, l->lrn, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one,
                                     l->tensor, g->at[s->reads[1]], l->tensor,
                                     g->at[s->reads[2]], l->tensor, g->at[s->reads[0]],
                                     &zero, l->tensor, g->at[s->writes[0]]));
}
