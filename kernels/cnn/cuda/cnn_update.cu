/*
 * cnn_update.cu - updates of parameters and casts, of many tensors in one launch.
 *
 * A table on the device lists the tensors of all such steps in pieces of PIECE elements,
 * in the order of the steps; a block takes one piece.
 */
#include "kernels/cnn/cuda/cnn_layers.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"
#include "kernels/device/cuda_put.cuh"

#include <cstdlib>

namespace
{

constexpr int PIECE = 8192;

typedef cnn_vector_t<float> vector_t;

typedef struct {
    const void *from;      /* g, or x of a cast */
    void *to;              /* w, or y */
    float *first, *second; /* v; or m, v */
    int64_t n;
    cnn_update_t params;
    bool from_bf16, to_bf16;
} piece_t;

__device__ void sgd(const piece_t &p, float rate, float g, float *v, float *w)
{
    *v = float(p.params.momentum) * *v + g + float(p.params.decay) * *w;
    *w -= rate * *v;
}

__global__ void sgd_kernel(const piece_t *pieces, const cnn_iteration_t *now)
{
    const piece_t p = pieces[blockIdx.x];
    const float rate = float(now->rate * p.params.rate_factor);

    const float *g = static_cast<const float *>(p.from);
    float *v = p.first, *w = static_cast<float *>(p.to);
    const int n = int(p.n) / CNN_WIDTH<float>;

    /* 16 bytes at a time: pieces begin at multiples of them */
    for (int k = int(threadIdx.x); k < n; k += CNN_BLOCK) {
        const vector_t vg = reinterpret_cast<const vector_t *>(g)[k];
        vector_t vv = reinterpret_cast<vector_t *>(v)[k];
        vector_t vw = reinterpret_cast<vector_t *>(w)[k];

        for (int i = 0; i < CNN_WIDTH<float>; i++)
            sgd(p, rate, vg.v[i], &vv.v[i], &vw.v[i]);
        reinterpret_cast<vector_t *>(v)[k] = vv;
        reinterpret_cast<vector_t *>(w)[k] = vw;
    }
    for (int k = n * CNN_WIDTH<float> + int(threadIdx.x); k < p.n; k += CNN_BLOCK)
        sgd(p, rate, g[k], &v[k], &w[k]);
}

__global__ void adam_kernel(const piece_t *pieces, const cnn_iteration_t *now)
{
    const piece_t p = pieces[blockIdx.x];
    const double t = double(now->iteration + 1);
    const double b1 = p.params.beta1, b2 = p.params.beta2;
    const float rate = float(now->rate * p.params.rate_factor / (1 - pow(b1, t)));
    const float correction = float(1 / (1 - pow(b2, t)));
    float *w = static_cast<float *>(p.to);

    for (int k = int(threadIdx.x); k < p.n; k += CNN_BLOCK) {
        const float g =
            static_cast<const float *>(p.from)[k] + float(p.params.decay) * w[k];
        const float m = float(b1) * p.first[k] + float(1 - b1) * g;
        const float v = float(b2) * p.second[k] + float(1 - b2) * g * g;

        p.first[k] = m;
        p.second[k] = v;
        w[k] -= rate * m / (sqrtf(v * correction) + float(p.params.epsilon));
    }
}

template <typename T, typename U> __device__ void cast(const piece_t &p)
{
    const T *from = static_cast<const T *>(p.from);
    U *to = static_cast<U *>(p.to);

    for (int k = int(threadIdx.x); k < p.n; k += CNN_BLOCK)
        cnn_store(&to[k], cnn_load(&from[k]));
}

__global__ void cast_kernel(const piece_t *pieces)
{
    const piece_t p = pieces[blockIdx.x];

    if (p.from_bf16 && p.to_bf16)
        cast<bf16_t, bf16_t>(p);
    else if (p.from_bf16)
        cast<bf16_t, float>(p);
    else if (p.to_bf16)
        cast<float, bf16_t>(p);
    else
        cast<float, float>(p);
}

bool is_listed(cnn_op_t op)
{
    return op == CNN_SGD || op == CNN_ADAM || op == CNN_CAST;
}

int count_pieces(const cnn_gpu_t *g, const cnn_step_t *s)
{
    const int64_t n = cnn_tensor_n(cnn_gpu_tensor(g, s->writes[0]));

    return is_listed(s->op) && !s->on_host ? int((n + PIECE - 1) / PIECE) : 0;
}

void *element(const cnn_gpu_t *g, int tensor, int64_t at)
{
    return static_cast<char *>(g->at[tensor]) +
           at * int64_t(cnn_type_bytes(cnn_gpu_tensor(g, tensor)->type));
}

void set_piece(const cnn_gpu_t *g, const cnn_step_t *s, int64_t at, piece_t *p)
{
    const int64_t n = cnn_tensor_n(cnn_gpu_tensor(g, s->writes[0]));

    p->from = element(g, s->reads[0], at);
    p->to = element(g, s->writes[0], at);
    if (s->n_writes > 1)
        p->first = static_cast<float *>(element(g, s->writes[1], at));
    if (s->n_writes > 2)
        p->second = static_cast<float *>(element(g, s->writes[2], at));
    p->n = n - at < PIECE ? n - at : PIECE;
    if (s->op != CNN_CAST)
        p->params = s->params.update;
    p->from_bf16 = cnn_gpu_tensor(g, s->reads[0])->type == CNN_BF16;
    p->to_bf16 = cnn_gpu_tensor(g, s->writes[0])->type == CNN_BF16;
}

} // namespace

status_t cnn_update_prepare(cnn_gpu_t *g)
{
    const int n_steps = g->program->n_steps;
    piece_t *pieces, *on_device = nullptr;
    status_t st;

    for (int k = 0; k < n_steps; k++)
        g->first_piece[k + 1] = g->first_piece[k] + count_pieces(g, cnn_gpu_step(g, k));
    const size_t n = size_t(g->first_piece[n_steps]);

    if (n == 0)
        return ST_OK;
    if ((pieces = static_cast<piece_t *>(calloc(n, sizeof(*pieces)))) == nullptr)
        return log_nomem("a table of parameters");
    for (int k = 0; k < n_steps; k++)
        for (int i = g->first_piece[k]; i < g->first_piece[k + 1]; i++)
            set_piece(g, cnn_gpu_step(g, k), int64_t(i - g->first_piece[k]) * PIECE,
                      &pieces[i]);
    st = cuda_put_new(&on_device, pieces, n);
    g->updates = on_device;
    free(pieces);
    return st;
}

status_t cnn_update(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const piece_t *pieces = static_cast<const piece_t *>(g->updates);
    const unsigned n = unsigned(g->first_piece[last] - g->first_piece[first]);

    pieces += g->first_piece[first];
    switch (cnn_gpu_step(g, first)->op) {
    case CNN_SGD:
        sgd_kernel<<<n, CNN_BLOCK, 0, lane->stream>>>(pieces, g->iteration);
        break;
    case CNN_ADAM:
        adam_kernel<<<n, CNN_BLOCK, 0, lane->stream>>>(pieces, g->iteration);
        break;
    default:
        cast_kernel<<<n, CNN_BLOCK, 0, lane->stream>>>(pieces);
    }
    return CUDA_TRY(cudaGetLastError());
}
