/*
 * cnn_concat.cu - channels of several tensors into one, and back.
 *
 * Both copy rows of a matrix whose lines are images (NCHW) or pixels (NHWC): a part takes
 * a range of columns of the whole.
 */
#include "kernels/cnn/cuda/cnn_pointwise.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"

namespace
{

typedef struct {
    char *part;
    int64_t width; /* bytes of a row */
    int64_t first; /* byte in the row of the whole */
} part_t;

typedef struct {
    part_t parts[CNN_MAX_READS];
    char *whole;
    int64_t rows, width; /* of the whole */
} parts_t;

/* blockIdx.y is the part; a thread copies words of type T. */
template <typename T, bool INTO> __global__ void copy_parts_kernel(parts_t p)
{
    const part_t part = p.parts[blockIdx.y];
    const int64_t per_row = part.width / int64_t(sizeof(T)), n = p.rows * per_row;
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;

    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
        const int64_t row = i / per_row, column = (i - row * per_row) * sizeof(T);
        T *in_whole =
            reinterpret_cast<T *>(p.whole + row * p.width + part.first + column);
        T *in_part = reinterpret_cast<T *>(part.part + row * part.width + column);

        if (INTO)
            *in_whole = *in_part;
        else
            *in_part = *in_whole;
    }
}

template <bool INTO> status_t copy_parts(const parts_t &p, int n, cudaStream_t stream)
{
    int64_t divides = p.width, widest = 0;

    for (int k = 0; k < n; k++) {
        divides |= p.parts[k].width | p.parts[k].first;
        widest = p.parts[k].width > widest ? p.parts[k].width : widest;
    }
    const int word = divides % 16 == 0 ? 16 : divides % 4 == 0 ? 4 : 2;
    const dim3 grid(cnn_blocks(p.rows * widest / word), unsigned(n));

    if (word == 16)
        copy_parts_kernel<uint4, INTO><<<grid, CNN_BLOCK, 0, stream>>>(p);
    else if (word == 4)
        copy_parts_kernel<uint32_t, INTO><<<grid, CNN_BLOCK, 0, stream>>>(p);
    else
        copy_parts_kernel<uint16_t, INTO><<<grid, CNN_BLOCK, 0, stream>>>(p);
    return CUDA_TRY(cudaGetLastError());
}

/* Bytes of a channel in a row */
int64_t channel_bytes(const cnn_gpu_t *g, const cnn_tensor_t *t)
{
    return int64_t(cnn_type_bytes(t->type)) *
           (g->channels_last ? 1 : t->size[2] * t->size[3]);
}

parts_t parts_of(const cnn_gpu_t *g, int whole)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, whole);
    parts_t p = {};

    p.whole = static_cast<char *>(g->at[whole]);
    p.rows = g->channels_last ? t->size[0] * t->size[2] * t->size[3] : t->size[0];
    p.width = t->size[1] * channel_bytes(g, t);
    return p;
}

void set_part(const cnn_gpu_t *g, int tensor, int64_t from_channel, part_t *part)
{
    const cnn_tensor_t *t = cnn_gpu_tensor(g, tensor);

    part->part = static_cast<char *>(g->at[tensor]);
    part->width = t->size[1] * channel_bytes(g, t);
    part->first = from_channel * channel_bytes(g, t);
}

} // namespace

status_t cnn_concat(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    const cnn_step_t *s = cnn_gpu_step(g, first);
    parts_t p = parts_of(g, s->writes[0]);
    int64_t channel = 0;

    (void)last;
    for (int k = 0; k < s->n_reads; k++) {
        set_part(g, s->reads[k], channel, &p.parts[k]);
        channel += cnn_gpu_tensor(g, s->reads[k])->size[1];
    }
    return copy_parts<true>(p, s->n_reads, lane->stream);
}

status_t cnn_concat_backward(cnn_gpu_t *g, int first, int last, const cnn_lane_t *lane)
{
    parts_t p = parts_of(g, cnn_gpu_step(g, first)->reads[0]);

    for (int k = first; k < last; k++) {
        const cnn_step_t *s = cnn_gpu_step(g, k);

        set_part(g, s->writes[0], s->params.concat.from_channel, &p.parts[k - first]);
    }
    return copy_parts<false>(p, last - first, lane->stream);
}
