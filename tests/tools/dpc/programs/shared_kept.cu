/* shared_kept.cu - shared memory keeps its contents while one thread waits, and some
 * threads have left. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void child(int *a, int n)
{
    if (threadIdx.x < n)
        atomicAdd(a, 1);
}

__global__ void parent(int *out, int n)
{
    __shared__ int part[64];
    __shared__ int total;
    int *mine = out + blockIdx.x * n, t = threadIdx.x;
    if (t == 0)
        total = blockIdx.x;
    part[t] = t * blockIdx.x;
    if (t >= n)
        return;
    __syncthreads();
    if (t == 1) {
        child<<<1, 64>>>(&mine[2], 5 + total);
        cudaDeviceSynchronize();
        part[1] = mine[2];
    }
    __syncthreads();
    mine[t] = part[n - 1 - t] + 1000 * total;
}

int main()
{
    const int n = 50, blocks = 20;
    int want[n * blocks], zero[n * blocks] = {0};
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < n; t++)
            want[b * n + t] = 1000 * b + (n - 1 - t == 1 ? 5 + b : (n - 1 - t) * b);
    int *out = on_device(zero, n * blocks);
    parent<<<blocks, 64>>>(out, n);
    return check(out, want, n * blocks);
}
