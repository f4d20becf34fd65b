/*
 * cnn_lrn.cu - local response normalisation over channels.
 *
 * A thread makes one element; its neighbours' sums of squares are computed again rather
 * than stored.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"

namespace
{

typedef struct {
    unsigned n;
    int c;
    unsigned next;   /* distance of an element's neighbour in the next channel */
    unsigned pixels; /* elements of which one follows another with the same channel */
    int before, after;
    float alpha, beta, k; /* alpha: of one channel */
} lrn_t;

__device__ int channel_of(const lrn_t &p, unsigned i)
{
    return int(i / p.pixels % unsigned(p.c));
}

/* k + alpha * sum of squares around channel `at`; x: the pixel's channel 0 */
template <typename T> __device__ float base_of(const lrn_t &p, const T *x, int at)
{
    float sum = 0;

    for (int c = max(at - p.before, 0); c <= min(at + p.after, p.c - 1); c++) {
        const float value = cnn_load(&x[unsigned(c) * p.next]);

        sum += value * value;
    }
    return p.k + p.alpha * sum;
}

template <typename T> __global__ void lrn_kernel(const T *x, T *y, lrn_t p)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n;
         i += gridDim.x * blockDim.x) {
        const int c = channel_of(p, i);
        const float base = base_of(p, x + (i - unsigned(c) * p.next), c);

        cnn_store(&y[i], cnn_load(&x[i]) * powf(base, -p.beta));
    }
}

template <typename T>
__global__ void lrn_backward_kernel(const T *x, const T *y, const T *dy, T *dx, lrn_t p)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < p.n;
         i += gridDim.x * blockDim.x) {
        const int c = channel_of(p, i);
        const unsigned zero = i - unsigned(c) * p.next;
        const float own = powf(base_of(p, x + zero, c), -p.beta);
        float sum = 0;

        for (int k = max(c - p.after, 0); k <= min(c + p.before, p.c - 1); k++) {
            const unsigned at = zero + unsigned(k) * p.next;

            sum += cnn_load(&dy[at]) * cnn_load(&y[at]) / base_of(p, x + zero, k);
        }
        cnn_store(&dx[i],
                  cnn_load(&dy[i]) * own - 2 * p.alpha * p.beta * cnn_load(&x[i]) * sum);
    }
}

lrn_t geometry(const cnn_gpu_t *g, const cnn_step_t *s)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, s->reads[0]);
    const cnn_lrn_t *q = &s->params.lrn;
    const unsigned hw = unsigned(t->size[2] * t->size[3]);
    lrn_t p;

    p.n = unsigned(cnn_tensor_n(t));
    p.c = int(t->size[1]);
    p.next = p.pixels = g->channels_last ? 1 : hw;
    p.before = (q->size - 1) / 2;
    p.after = q->size / 2;
    p.alpha = float(q->alpha / q->size);
    p.beta = float(q->beta);
    p.k = float(q->k);
    return p;
}

template <typename T> void forward(cnn_gpu_t *g, const cnn_step_t *s, cudaStream_t stream)
{
    const lrn_t p = geometry(g, s);

    lrn_kernel<<<cnn_blocks(p.n), CNN_BLOCK, 0, stream>>>(
        static_cast<const T *>(g->at[s->reads[0]]), static_cast<T *>(g->at[s->writes[0]]),
        p);
}

template <typename T>
void backward(cnn_gpu_t *g, const cnn_step_t *s, cudaStream_t stream)
{
    const lrn_t p = geometry(g, s);

    lrn_backward_kernel<<<cnn_blocks(p.n), CNN_BLOCK, 0, stream>>>(
        static_cast<const T *>(g->at[s->reads[0]]),
        static_cast<const T *>(g->at[s->reads[1]]),
        static_cast<const T *>(g->at[s->reads[2]]), static_cast<T *>(g->at[s->writes[0]]),
        p);
}

} // namespace

status_t cnn_lrn(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    (void)last;
    if (cnn_gpu_tensor(g, s->reads[0])->type == CNN_BF16)
        forward<bf16_t>(g, s, lane->stream);
    else
        forward<float>(g, s, lane->stream);
    return CUDA_TRY(cudaGetLastError());
}

status_t cnn_lrn_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);

    (void)last;
    if (cnn_gpu_tensor(g, s->reads[0])->type == CNN_BF16)
        backward<bf16_t>(g, s, lane->stream);
    else
        backward<float>(g, s, lane->stream);
    return CUDA_TRY(cudaGetLastError());
}
