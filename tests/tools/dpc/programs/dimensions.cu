/* dimensions.cu - grids and blocks of two and three dimensions, of different sizes. */
#include <cuda_runtime.h>
#include "check.h"

#define COLUMN (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void child(int *out, int v, int width)
{
    const int x = COLUMN, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int z = blockIdx.z * blockDim.z + threadIdx.z;
    atomicAdd(&out[v], x + width * y + 1000 * z + (int)gridDim.y);
}

__global__ void parent(int *out, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    dim3 grid(v % 3 + 1, v % 2 + 1, v % 4 + 1), block(v % 5 + 1, 2, v % 3 + 1);
#pragma dp consldt(block) work(v)
    child<<<grid, block>>>(out, v, 17);
}

int main()
{
    const int n = 300;
    int want[n] = {0}, zero[n] = {0};
    for (int v = 0; v < n; v++)
        for (int z = 0; z < (v % 4 + 1) * (v % 3 + 1); z++)
            for (int y = 0; y < (v % 2 + 1) * 2; y++)
                for (int x = 0; x < (v % 3 + 1) * (v % 5 + 1); x++)
                    want[v] += x + 17 * y + 1000 * z + v % 2 + 1;
    int *out = on_device(zero, n);
    parent<<<dim3(3, 1), dim3(100, 1)>>>(out, n);
    return check(out, want, n);
}
