/* dynamic_shared.cu - dynamic shared memory in the parent and, of different sizes, in the
 * child; a wait between two uses that do not depend on each other. */
#include <cuda_runtime.h>
#include "check.h"

extern __shared__ int space[];

__global__ void child(int *out, int n)
{
    space[threadIdx.x] = threadIdx.x * n;
    __syncthreads();
    out[threadIdx.x] += space[n - 1 - threadIdx.x];
}

__global__ void parent(int *out, int n)
{
    int *mine = out + blockIdx.x * n;
    if (threadIdx.x == 0) {
        const int size = n - blockIdx.x % 3;
#pragma dp consldt(grid) work(mine, size)
        child<<<1, size, size * sizeof(int)>>>(mine, size);
        cudaDeviceSynchronize();
    }
    space[threadIdx.x] = mine[threadIdx.x] + 1;
    __syncthreads();
    mine[threadIdx.x] = space[(threadIdx.x + 1) % n];
}

int main()
{
    const int n = 90, blocks = 40;
    int want[n * blocks], zero[n * blocks] = {0}, one[n];
    for (int b = 0; b < blocks; b++) {
        const int size = n - b % 3;
        for (int t = 0; t < n; t++)
            one[t] = 1 + (t < size ? (size - 1 - t) * size : 0);
        for (int t = 0; t < n; t++)
            want[b * n + t] = one[(t + 1) % n];
    }
    int *out = on_device(zero, n * blocks);
    parent<<<blocks, n, n * sizeof(int)>>>(out, n);
    return check(out, want, n * blocks);
}
