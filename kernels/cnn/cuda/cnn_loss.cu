/*
 * cnn_loss.cu - softmax, the loss and its gradient.
 *
 * A warp owns an image; one block adds up the images' losses in their order.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"

namespace
{

typedef struct {
    float loss, right;
} answer_t;

__device__ float warp_max(float x)
{
    for (int k = 16; k > 0; k /= 2)
        x = fmaxf(x, __shfl_xor_sync(~0u, x, k));
    return x;
}

__device__ float warp_add(float x)
{
    for (int k = 16; k > 0; k /= 2)
        x += __shfl_xor_sync(~0u, x, k);
    return x;
}

__device__ int warp_min(int x)
{
    for (int k = 16; k > 0; k /= 2)
        x = min(x, __shfl_xor_sync(~0u, x, k));
    return x;
}

/* labels and answers may be NULL */
template <typename T, typename P>
__global__ void softmax_kernel(const T *x, P *probabilities, int64_t n, int c,
                               const int32_t *labels, answer_t *answers)
{
    const int64_t image = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    const int lane = int(threadIdx.x % 32);
    float largest = -INFINITY, sum = 0;
    int first = c;

    if (image >= n)
        return;
    x += image * c;
    for (int k = lane; k < c; k += 32)
        largest = fmaxf(largest, cnn_load(&x[k]));
    largest = warp_max(largest);
    for (int k = lane; k < c; k += 32) {
        sum += expf(cnn_load(&x[k]) - largest);
        if (first == c && cnn_load(&x[k]) == largest)
            first = k;
    }
    sum = warp_add(sum);
    first = warp_min(first);
    for (int k = lane; k < c; k += 32)
        cnn_store(&probabilities[image * c + k], expf(cnn_load(&x[k]) - largest) / sum);
    if (answers != nullptr && lane == 0) {
        const int label = labels[image];
        answer_t a = {0, 0};

        if (label >= 0) {
            a.loss = logf(sum) - (cnn_load(&x[label]) - largest);
            a.right = label == first ? 1 : 0;
        }
        answers[image] = a;
    }
}

/* One block */
__global__ void add_answers_kernel(const answer_t *answers, int64_t n,
                                   const cnn_iteration_t *now, float *loss, void *right,
                                   bool is_integer)
{
    __shared__ double losses[CNN_BLOCK], rights[CNN_BLOCK];
    const int thread = int(threadIdx.x);
    double sum = 0, n_right = 0;

    for (int64_t k = thread; k < n; k += CNN_BLOCK) {
        sum += double(answers[k].loss);
        n_right += double(answers[k].right);
    }
    losses[thread] = sum;
    rights[thread] = n_right;
    for (int k = CNN_BLOCK / 2; k > 0; k /= 2) {
        __syncthreads();
        if (thread < k) {
            losses[thread] += losses[thread + k];
            rights[thread] += rights[thread + k];
        }
    }
    if (thread == 0) {
        *loss = float(losses[0] / double(now->n_images));
        if (is_integer)
            *static_cast<int32_t *>(right) = int32_t(rights[0]);
        else
            *static_cast<float *>(right) = float(rights[0]);
    }
}

template <typename P, typename T>
__global__ void loss_backward_kernel(const P *probabilities, const int32_t *labels, T *dx,
                                     int64_t n, int c, const cnn_iteration_t *now)
{
    const float factor = 1 / float(now->n_images);
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;

    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n * c;
         i += stride) {
        const int label = labels[i / c];
        const float p = cnn_load(&probabilities[i]);

        cnn_store(&dx[i], label < 0 ? 0 : (p - (i % c == label ? 1 : 0)) * factor);
    }
}

int classes_of(const cnn_tensor_t *t)
{
    return int(t->size[1] * t->size[2] * t->size[3]);
}

template <typename T, typename P>
void launch_softmax(const cnn_gpu_t *g, const cnn_step_t *s, answer_t *answers,
                    cudaStream_t stream)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, s->reads[0]);

    softmax_kernel<<<unsigned((t->size[0] * 32 + CNN_BLOCK - 1) / CNN_BLOCK), CNN_BLOCK,
                     0, stream>>>(static_cast<const T *>(g->at[s->reads[0]]),
                                  static_cast<P *>(g->at[s->writes[0]]), t->size[0],
                                  classes_of(t),
                                  answers == nullptr
                                      ? nullptr
                                      : static_cast<const int32_t *>(g->at[s->reads[1]]),
                                  answers);
}

status_t softmax(const cnn_gpu_t *g, const cnn_step_t *s, answer_t *answers,
                 cudaStream_t stream)
{
    const bool from_bf16 = cnn_gpu_tensor(g, s->reads[0])->type == CNN_BF16;
    const bool to_bf16 = cnn_gpu_tensor(g, s->writes[0])->type == CNN_BF16;

    if (from_bf16 && to_bf16)
        launch_softmax<bf16_t, bf16_t>(g, s, answers, stream);
    else if (from_bf16)
        launch_softmax<bf16_t, float>(g, s, answers, stream);
    else
        launch_softmax<float, float>(g, s, answers, stream);
    return CUDA_TRY(cudaGetLastError());
}

template <typename P, typename T>
void launch_backward(const cnn_gpu_t *g, const cnn_step_t *s, cudaStream_t stream)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, s->reads[0]);

    loss_backward_kernel<<<cnn_blocks(cnn_tensor_n(t)), CNN_BLOCK, 0, stream>>>(
        static_cast<const P *>(g->at[s->reads[0]]),
        static_cast<const int32_t *>(g->at[s->reads[1]]),
        static_cast<T *>(g->at[s->writes[0]]), t->size[0], classes_of(t), g->iteration);
}

} // namespace

status_t cnn_softmax(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    (void)last;
    return softmax(g, cnn_gpu_step(g, first), nullptr, lane->stream);
}

status_t cnn_softmax_loss(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    answer_t *answers = static_cast<answer_t *>(lane->workspace);
    const status_t st = softmax(g, s, answers, lane->stream);

    (void)last;
    if (st != ST_OK)
        return st;
    add_answers_kernel<<<1, CNN_BLOCK, 0, lane->stream>>>(
        answers, cnn_gpu_tensor(g, s->reads[0])->size[0], g->iteration,
        static_cast<float *>(g->at[s->writes[1]]), g->at[s->writes[2]],
        cnn_gpu_tensor(g, s->writes[2])->type == CNN_I32);
    return CUDA_TRY(cudaGetLastError());
}

status_t cnn_softmax_loss_backward(cnn_gpu_t *g, int first, int last,
                                   const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    const bool from_bf16 = cnn_gpu_tensor(g, s->reads[0])->type == CNN_BF16;
    const bool to_bf16 = cnn_gpu_tensor(g, s->writes[0])->type == CNN_BF16;

    (void)last;
    if (from_bf16 && to_bf16)
        launch_backward<bf16_t, bf16_t>(g, s, lane->stream);
    else if (to_bf16)
        launch_backward<float, bf16_t>(g, s, lane->stream);
    else
        launch_backward<float, float>(g, s, lane->stream);
    return CUDA_TRY(cudaGetLastError());
}
