/* functors.cu - a namespace; a child whose template argument is the type of an object
 * with an operator (), which holds pointers; sizes by a function and a constant. */
#include <cuda_runtime.h>
#include "check.h"

namespace parallel
{

constexpr unsigned BLOCK = 128;

__host__ __device__ inline unsigned blocks_for(size_t n)
{
    return unsigned((n + BLOCK - 1) / BLOCK);
}

template <typename T> struct view {
    T *begin;
    size_t n;
    __device__ T &operator[](size_t i) const { return begin[i]; }
};

template <typename F> __global__ void for_each(size_t n, F f)
{
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n;
         i += size_t(gridDim.x) * blockDim.x)
        f(i);
}

struct scale {
    view<int> row;
    int factor;
    __device__ void operator()(size_t i) const { row[i] *= factor; }
};

__global__ void scale_rows(int *a, const int *first, int n)
{
    for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < n;
         r += gridDim.x * blockDim.x) {
        const auto len = size_t(first[r + 1] - first[r]);
        if (!len)
            continue;
        const scale f{{a + first[r], len}, r + 1};
#pragma dp consldt(warp) work(f, len)
        for_each<<<blocks_for(len), BLOCK>>>(len, f);
    }
}

} // namespace parallel

int main()
{
    const int n = 1000;
    int *row = make_rows(n);
    int *a = (int *)malloc(row[n] * sizeof(int));
    int *want = (int *)malloc(row[n] * sizeof(int));
    for (int r = 0; r < n; r++)
        for (int i = row[r]; i < row[r + 1]; i++)
            want[i] = (a[i] = i % 13) * (r + 1);
    int *device = on_device(a, row[n]);
    parallel::scale_rows<<<2, 96>>>(device, on_device(row, n + 1), n);
    return check(device, want, row[n]);
}
