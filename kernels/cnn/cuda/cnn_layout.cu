/*
 * cnn_layout.cu - tensors from NCHW to NHWC and back, and images from bytes.
 */
#include "kernels/cnn/cuda/cnn_divide.cuh"
#include "kernels/cnn/cuda/cnn_gpu.cuh"
#include "kernels/cnn/cuda/cnn_vector.cuh"

namespace
{

constexpr int TILE = 32, ROWS = 8;

/* A block transposes one tile of a matrix [rows][columns]; the matrices are the images.
 */
template <typename T>
__global__ void transpose_kernel(const T *from, T *to, int64_t rows, int64_t columns)
{
    __shared__ T tile[TILE][TILE + 1];
    const int64_t size = rows * columns, image = blockIdx.z * size;
    const int64_t column0 = int64_t(blockIdx.x) * TILE, row0 = int64_t(blockIdx.y) * TILE;

    for (int y = threadIdx.y; y < TILE; y += ROWS)
        if (row0 + y < rows && column0 + threadIdx.x < columns)
            tile[y][threadIdx.x] =
                from[image + (row0 + y) * columns + column0 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < TILE; y += ROWS)
        if (column0 + y < columns && row0 + threadIdx.x < rows)
            to[image + (column0 + y) * rows + row0 + threadIdx.x] = tile[threadIdx.x][y];
}

template <typename T>
status_t transpose(const void *from, void *to, int64_t n, int64_t rows, int64_t columns,
                   cudaStream_t stream)
{
    const int64_t limit = 65535; /* of blocks along y and z */
    const T *f = static_cast<const T *>(from);
    T *t = static_cast<T *>(to);

    for (int64_t i = 0; i < n; i += limit) {
        const dim3 grid(unsigned((columns + TILE - 1) / TILE),
                        unsigned((rows + TILE - 1) / TILE),
                        unsigned(n - i < limit ? n - i : limit));

        transpose_kernel<<<grid, dim3(TILE, ROWS), 0, stream>>>(f + i * rows * columns,
                                                                t + i * rows * columns,
                                                                rows, columns);
    }
    return CUDA_TRY(cudaGetLastError());
}

typedef cnn_vector_t<float> vector_t;

/* A thread writes a vector, of which each value has its own channel and pixel.  Values
 * are as those of image_set_get.
 * @param hw  pixels of a channel @param by_c  channels that lie together in `to` */
__global__ void from_bytes_kernel(const uint8_t *from, float *to, unsigned n, unsigned hw,
                                  cnn_divisor_t by_image, cnn_divisor_t by_c)
{
    constexpr unsigned W = CNN_WIDTH<float>;
    const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * W;
    vector_t x;

    for (unsigned i = 0; i < W; i++) {
        const unsigned k = min(first + i, n - 1);
        const unsigned image = cnn_divide(k, by_image) * by_image.divisor;
        const unsigned pixel = cnn_divide(k - image, by_c);
        const unsigned channel = k - image - pixel * by_c.divisor;

        x.v[i] = float(from[image + channel * hw + pixel]) / 256;
    }
    if (first + W <= n) {
        reinterpret_cast<vector_t *>(to)[first / W] = x;
        return;
    }
    for (unsigned i = 0; i < W; i++)
        if (first + i < n)
            to[first + i] = x.v[i];
}

} // namespace

status_t cnn_layout_convert(const void *from, void *to, const int64_t shape[4],
                            size_t type_bytes, bool to_channels_last, cudaStream_t stream)
{
    const int64_t n = shape[0], c = shape[1], hw = shape[2] * shape[3];
    const int64_t rows = to_channels_last ? c : hw, columns = to_channels_last ? hw : c;

    if (c == 1 || hw == 1)
        return CUDA_TRY(cudaMemcpyAsync(to, from, size_t(n * c * hw) * type_bytes,
                                        cudaMemcpyDeviceToDevice, stream));
    return type_bytes == 2 ? transpose<uint16_t>(from, to, n, rows, columns, stream)
                           : transpose<uint32_t>(from, to, n, rows, columns, stream);
}

status_t cnn_layout_from_bytes(const uint8_t *from, float *to, const int64_t shape[4],
                               bool to_channels_last, cudaStream_t stream)
{
    constexpr unsigned PER_BLOCK = CNN_BLOCK * CNN_WIDTH<float>;
    const unsigned image = unsigned(shape[1] * shape[2] * shape[3]);
    const unsigned c = to_channels_last ? unsigned(shape[1]) : 1;
    const unsigned n = unsigned(shape[0]) * image;

    from_bytes_kernel<<<(n + PER_BLOCK - 1) / PER_BLOCK, CNN_BLOCK, 0, stream>>>(
        from, to, n, image / c, cnn_divisor(image), cnn_divisor(c));
    return CUDA_TRY(cudaGetLastError());
}
