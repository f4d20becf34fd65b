/*
 * cnn_layout.cu - tensors from NCHW to NHWC and back, and images from bytes.
 */
#include "kernels/cnn/cuda/cnn_gpu.cuh"

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

/* A thread converts a pixel of all channels, so that a warp reads and writes memory that
 * lies together.  Values are as those of image_set_get. */
__global__ void from_bytes_kernel(const uint8_t *from, float *to, int64_t n_pixels, int c,
                                  int64_t hw, bool channels_last)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t image = i / hw * c * hw, pixel = i % hw;

    for (int k = 0; k < c && i < n_pixels; k++) {
        const int64_t at = image + k * hw + pixel;

        to[channels_last ? image + pixel * c + k : at] = float(from[at]) / 256;
    }
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
    constexpr int BLOCK = 256;
    const int64_t hw = shape[2] * shape[3], n_pixels = shape[0] * hw;

    from_bytes_kernel<<<unsigned((n_pixels + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>(
        from, to, n_pixels, int(shape[1]), hw, to_channels_last);
    return CUDA_TRY(cudaGetLastError());
}
