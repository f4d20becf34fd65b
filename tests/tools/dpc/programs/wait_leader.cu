/* wait_leader.cu - one thread launches and waits, the others meet it at a barrier. */
#include <cuda_runtime.h>
#include "check.h"

__global__ void child(int *a, int n, int add)
{
    const int i = threadIdx.x;
    if (i < n)
        a[i] += add;
}

__global__ void parent(int *a, int *out, int n)
{
    const int block_size = 64;
    __shared__ int total;
    int t = threadIdx.x;
    int *mine = a + blockIdx.x * block_size;
    mine[t] = t;
    __syncthreads();
    if (t == 0) {
        int add = blockIdx.x + 1;
        child<<<1, block_size>>>(mine, n, add);
        cudaError_t error = cudaDeviceSynchronize();
        total = error == cudaSuccess ? add : -1;
    }
    __syncthreads();
    out[blockIdx.x * block_size + t] = mine[t] * 10 + total;
}

int main()
{
    const int n = 8 * 64;
    int want[n], zero[n] = {0};
    for (int i = 0; i < n; i++)
        want[i] = (i % 64 + (i % 64 < 50 ? i / 64 + 1 : 0)) * 10 + i / 64 + 1;
    int *out = on_device(zero, n);
    parent<<<8, 64>>>(on_device(zero, n), out, 50);
    return check(out, want, n);
}
